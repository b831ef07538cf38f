"""Existing tables, adopted: from what is stored to a model that reads it.

:func:`propose` takes tables as they are deployed and some of their items, and gives the Python
source of a model. ``discriminators``, ``shapes`` and ``grouping`` tell the entities apart,
``templates`` finds what their keys are made of, ``kinds`` what their attributes hold, ``drafting``
puts it together, ``source`` and ``patterns`` write it down, and ``checking`` reads every item with
what was written and compares. All of that is pure; ``sampling`` reads a database. ``workbench``
reads a file of NoSQL Workbench, which may know more than its items show.

No value of an item gets into the source, except words: discriminators, the literal parts of keys,
and the members of enumerations.
"""

from tablewright.adopt.proposing import Proposal, propose
from tablewright.adopt.sampling import Sampled, sample_tables, table_names
from tablewright.adopt.workbench import read_workbench

__all__ = ["Proposal", "Sampled", "propose", "read_workbench", "sample_tables", "table_names"]
