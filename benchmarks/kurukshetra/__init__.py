"""What kurukshetra does under load, against what is wanted of it.

``python -m benchmarks.kurukshetra`` lets teams fight for seats and the gateway deliver everything
four times, over HTTP to a service of its own; it counts what a paid team writes, beside the
planner's figure, and what memory an export of 20,000 people takes.

===========  =========================================================================
``stage``    an event with people and teams, straight in the table
``gateway``  a sandbox in a process of its own
``running``  the service under test
===========  =========================================================================
"""
