"""How fast the engine is, beside other local DynamoDB implementations.

`python -m benchmarks.engine` (or `make bench`) runs everything; the parts also run alone:

    compare      requests per second over HTTP, memory and start time, with the peers in one run
    growth       cost per request in a table of 1,000 and of 1,000,000 items
    inprocess    latency of `engine.call` without a network

`workload` says what is asked, `load` asks it from a process of its own, `servers` starts ours and
the peers.
"""
