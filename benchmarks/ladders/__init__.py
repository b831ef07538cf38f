"""What ladders does under load, against what is wanted of it.

``python -m benchmarks.ladders`` fills a company with ten times what a year brings, and a small one
with a tenth of it. Both are asked the same: nothing may take longer because there is more. Over
HTTP, they are two services side by side, each in a process of its own.

==============  ======================================================================
``extent``      who and what is in a company of some size, by number
``texts``       what people write
``stage``       such a company, straight in the tables
``running``     the services under test, and what people show to them
==============  ======================================================================
"""
