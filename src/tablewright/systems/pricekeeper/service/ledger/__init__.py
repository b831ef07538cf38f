"""The ledger as a book: looked up, exported, compared with its sums, priced again.

==============  ==========================================================================
``book``        one record with its corrections; the door to the rest
``scanning``    all rows of an app
``export``      CSV
``reconciling`` ledger, counters and totals side by side; repairs
``repricing``   what records would cost at today's prices; corrections
==============  ==========================================================================
"""

from tablewright.systems.pricekeeper.service.ledger.book import LedgerBook, Record
from tablewright.systems.pricekeeper.service.ledger.reconciling import Reconciled
from tablewright.systems.pricekeeper.service.ledger.repricing import Repriced

__all__ = ["LedgerBook", "Reconciled", "Record", "Repriced"]
