"""PartiQL for DynamoDB: ExecuteStatement, BatchExecuteStatement, ExecuteTransaction.

The way of a statement: ``lexer``, ``terms`` and ``grammar`` make a ``syntax`` tree of its text,
which is kept; ``conditions``, ``updates``, ``columns`` and ``literals`` translate the tree, with
the request's parameters, into the conditions, updates and projections that the expressions of
other requests become; ``keys`` finds out which items it is about; ``selects`` and ``writing``
turn it into the queries, scans and changes of the other operations. So no rule of DynamoDB is
written a second time here.
"""

from __future__ import annotations

from tablewright.engine.partiql.batch import batch_execute_statement, writes_batch
from tablewright.engine.partiql.execute import execute_statement
from tablewright.engine.partiql.statements import is_write
from tablewright.engine.partiql.transaction import execute_transaction, writes_transaction

OPERATIONS = {
    "ExecuteStatement": (execute_statement, is_write),
    "BatchExecuteStatement": (batch_execute_statement, writes_batch),
    "ExecuteTransaction": (execute_transaction, writes_transaction),
}
