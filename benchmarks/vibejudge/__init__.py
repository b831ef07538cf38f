"""What vibejudge does under load, against what is wanted of it.

``python -m benchmarks.vibejudge`` analyses repositories that a program has made, by real jobs on
the embedded engine: by rules, and with models that take their time. It counts what a submission
writes, lets a job run on five units a second in time that is simulated, and reads a hackathon of
600 submissions over HTTP.

================  ========================================================================
``repositories``  what is analysed: made once, the same on every machine
``court``         the use cases of a process, a hackathon, and a job to its end
``simulated``     an event loop whose time passes when everybody waits
``running``       the service under test
================  ========================================================================
"""
