"""All five systems under mixed load while everything goes wrong, and every invariant checked.

``python -m soak --minutes 30`` starts the real command on a folder of its own, uses it as people
and programs do, and meanwhile kills it, stops it, fills its disk, moves its clock, makes its
database fail and cuts its network. What was acknowledged has to be there, once.

=================  ===============================================================
``launch``         the command as it is, with a clock and faults moved from outside
``disk``           a file system that can be full
``issuer``         who vouches for people
``proxy``          a network that can be cut
``processes``      a child process, and how it ends
``place``          the processes: in one, or the database apart
``journal``        what was acknowledged, refused, or is not known
``load``           how each system is used
``disturbances``   what goes wrong
``image``          what is stored, as a whole
``invariants``     what must be true of it
``books``          what the systems say of their own books
``timetable``      what goes wrong when
``run``            all of it, in its order
``report``         the page about a run
=================  ===============================================================
"""
