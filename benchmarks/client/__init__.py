"""What the typed client costs, beside other Python clients of DynamoDB.

`python -m benchmarks.client` (or `make bench`) runs it. `workload` says what is asked, `ours` and
`peers` ask it in the way of each library, `compare` measures all of them in one run against one
server, `inprocess` measures the typed client on an engine in the same process.
"""
