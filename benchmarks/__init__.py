"""Measurements of Tablewright; not part of the installed package.

Those of a system share what stands here:

============  =========================================================================
``suite``     what they are run by
``findings``  a figure beside what is wanted of it
``service``   the service under test, in a process of its own
``asking``    requests over kept connections, at the time they are due
``clients``   clients that each ask one thing after the other
``written``   what was written, told again to the planner
============  =========================================================================
"""
