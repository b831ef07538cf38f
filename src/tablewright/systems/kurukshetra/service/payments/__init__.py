"""Money that comes: verified, told or found, each capture has one effect.

==============  ===============================================================================
``payments``    :class:`Payments`: all of it, for who asks
``captures``    the effect of a capture, whoever tells of it [T4, T4b]
``deliveries``  what the gateway tells unasked
``verifying``   what a browser brings back from the checkout
``polling``     what the gateway would have told, had it been heard
``timeline``    a payment's life, for who looks after money
==============  ===============================================================================
"""

from tablewright.systems.kurukshetra.service.payments.captures import Applied, Captured
from tablewright.systems.kurukshetra.service.payments.deliveries import WebhookAnswer
from tablewright.systems.kurukshetra.service.payments.payments import Payments
from tablewright.systems.kurukshetra.service.payments.timeline import Happened, PaymentView

__all__ = ["Applied", "Captured", "Happened", "PaymentView", "Payments", "WebhookAnswer"]
