"""What sentiment does under load, against what is wanted of it.

``python -m benchmarks.sentiment`` starts the service as a user does, in a process of its own, on
the embedded engine in durable mode, and uses it over HTTP: a burst of articles, readers, streams.
The overview is measured on days of little and of much news; models are measured by themselves.

==============  ==========================================================================
``running``     the service under test
``news``        articles to send
``store``       the folder of a service that has ended: what is in it
==============  ==========================================================================
"""
