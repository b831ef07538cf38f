"""Measurements of Tablewright; not part of the installed package.

``python -m benchmarks`` (or ``make bench``) runs all suites and writes their report:

============  =========================================================================
``suites``    which there are, and how long they take
``run``       one after the other, each in a process of its own
``report``    the report, made from what they have stored
``charts``    its charts
``publish``   the figures of the documentation, taken from it
============  =========================================================================

The suites share what stands here:

============  =========================================================================
``suite``     what they are run by
``outcome``   what a suite has come to, as it is stored
``section``   what a part has found
``findings``  a figure beside what is wanted of it
``beside``    how much of the machine other programs had
``service``   the service under test, in a process of its own
``asking``    requests over kept connections, at the time they are due
``clients``   clients that each ask one thing after the other
``written``   what was written, told again to the planner
============  =========================================================================
"""
