"""Work that goes on beside requests, under leases, so that one process at a time does it.

==============  ==========================================================================
``leases``      who may do something alone, with a fence that tells the latest holder
``worker``      what a worker is
``running``     running workers: for the life of a process, or once
==============  ==========================================================================
"""

from tablewright.service.workers.leases import Held, Keeping, LeaseLost, Leases
from tablewright.service.workers.running import run_once, runner, under_lease
from tablewright.service.workers.worker import Worker

__all__ = ["Held", "Keeping", "LeaseLost", "Leases", "Worker", "run_once", "runner", "under_lease"]
