"""The kit that the systems share: everything of a service that is not its subject.

==================  ======================================================================
``system``          what a system is, to the process that runs it
``runtime``         what a system is given to run with; ``process`` makes it
``settings``        settings from a file and the environment (``loading``)
``problems``        errors as problem documents, with stable codes (``handlers``, ``refusals``)
``app``             one process of systems: routes, middleware, lifespan
``middleware``      what every request passes (``exchange``, ``headers``, ``shortcut``)
``openapi``         the documents of the APIs
``health``          whether it lives and can work; ``inside`` has the routes
``serving``         an app behind a port, until it is told to stop (``connection``)
``auth``            who is asking: API keys, OIDC tokens, sessions; what they may do
``keys``            key material by name; ``secrets`` makes and checks what people are given
``kit``             the kit table: audit, outbox, leases, idempotency, API keys, feed
``limits``          rate limits
``paging``          ``limit`` and ``cursor`` of every list
``events``          server-sent events
``pages``           what renders a system's pages
``commands``        what a system's command is, to the command line
``workers``         work that goes on beside requests, under leases
``metrics``         what is counted, for Prometheus
``logs``            one line of JSON for each thing that happened
==================  ======================================================================
"""
