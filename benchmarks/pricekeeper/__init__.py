"""What pricekeeper does in a second, how long its answers take, and how exactly it keeps limits.

``python -m benchmarks.pricekeeper`` measures the service's own REST API on the embedded engine in
durable mode, in a process of its own, and the overshoot of a burst beside a peer that checks first
and records later, as proxies do.
"""
