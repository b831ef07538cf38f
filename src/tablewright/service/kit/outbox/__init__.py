"""Messages to the outside: written with what they tell of, sent afterwards, at least once.

==============  ==========================================================================
``messages``    making a message; its life from waiting to sent or dead
``dispatch``    the worker that sends
``letters``     what administrators see and do: dead messages again, or away
``routes``      the same over HTTP
``sinks``       where messages go: files, the log, mail, signed webhooks
``signing``     the signature of the webhook, for both sides
==============  ==========================================================================
"""

from tablewright.service.kit.outbox.messages import again, dead_letters, discard, message, sent_on

__all__ = ["again", "dead_letters", "discard", "message", "sent_on"]
