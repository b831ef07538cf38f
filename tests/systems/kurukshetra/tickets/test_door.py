"""What a door says by itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.kurukshetra.tickets.door import Scanned, in_order, is_current, refused
from tablewright.systems.kurukshetra.tickets.token import Ticket

TICKET = Ticket("e", "p", 2)
NOW = datetime(2026, 12, 5, 3, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ticket", "event", "list_id", "said"),
    [
        (TICKET, "e", "entry", None),
        (None, "e", "entry", "invalid"),
        (TICKET, "other", "entry", "wrong_event"),
        (TICKET, "e", "dinner", "wrong_list"),
    ],
)
def test_refusals(ticket: Ticket | None, event: str, list_id: str, said: str | None) -> None:
    assert refused(ticket, event, list_id, ["entry", "lunch-1"]) == said


def test_only_the_last_ticket_is_good() -> None:
    assert is_current(TICKET, 2)
    assert not is_current(TICKET, 3)
    assert not is_current(TICKET, None)


scans = st.builds(
    lambda nonce, secs: Scanned(f"nonce-{nonce:04d}", "t", "entry", NOW + timedelta(seconds=secs)),
    st.integers(0, 9999),
    st.integers(0, 3),
)


@given(
    st.lists(scans, unique_by=lambda scan: scan.nonce).flatmap(
        lambda made: st.tuples(st.just(made), st.permutations(made))
    )
)
def test_a_batch_counts_by_time_whatever_order_it_comes_in(
    batches: tuple[list[Scanned], list[Scanned]],
) -> None:
    made, shuffled = batches
    assert in_order(made) == in_order(shuffled)
    times = [scan.at for scan in in_order(made)]
    assert times == sorted(times)
