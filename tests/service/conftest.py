"""What tests of the service share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tablewright.engine import Engine
from tablewright.testing import Backend, in_process


@pytest.fixture
def memory(tablewright_engine: Engine) -> Iterator[Backend]:
    """One database, in process: for tests of what stands before it, which any will do for."""
    with in_process(tablewright_engine) as backend:
        yield backend
