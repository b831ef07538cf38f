"""Submissions: handed in, listed, withdrawn, disqualified.

===============  =========================================================
``addresses``    which repository an address names
``rows``         rows that come in, and what becomes of each
``submitting``   rows as transactions: twenty at once, or one by one
``importing``    many rows, beside requests
``files``        rows of a CSV file
``submissions``  what organisers do with them
``neighbour``    rows that another system hands in
``limits``       how often teams may hand in by themselves
``reachability`` whether a repository can be read when it is handed in
===============  =========================================================
"""

from tablewright.systems.vibejudge.service.submissions.addresses import Address
from tablewright.systems.vibejudge.service.submissions.importing import Import
from tablewright.systems.vibejudge.service.submissions.neighbour import Neighbour
from tablewright.systems.vibejudge.service.submissions.rows import RowResult
from tablewright.systems.vibejudge.service.submissions.submissions import Submissions

__all__ = ["Address", "Import", "Neighbour", "RowResult", "Submissions"]
