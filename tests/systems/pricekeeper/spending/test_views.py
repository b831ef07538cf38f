"""Totals as a process knows them: what replaces what, and how old they are."""

from __future__ import annotations

from math import inf

from tablewright.systems.pricekeeper.rules.figures import Figures
from tablewright.systems.pricekeeper.service.totals.views import KEPT_SECS, View, Views
from tablewright.systems.pricekeeper.shapes import TotalKey

KEY = TotalKey("ORG#550e8400-e29b-41d4-a716-446655440000", "_all", "DAY#20261120")
NOW = 1_000_000.0


def view(rev: int, as_of: float = NOW, **more: int) -> View:
    return View(Figures(rev=rev), as_of_ms=int(as_of * 1000), **more)  # type: ignore[arg-type]


def kept(*views: View | None) -> View:
    """What is left of views that came one after the other."""
    found = Views()
    for each in views:
        found.put(KEY, each, NOW)
    return found.get(KEY)


def test_who_has_seen_more_counts() -> None:
    more, less = view(5), view(4, NOW + 1)
    assert kept(less, more) == more
    assert kept(more, less) == more
    # Read a moment ago from a place that lags behind: there is none yet.
    assert kept(more, None) == more


def test_of_the_same_the_later_counts() -> None:
    assert kept(view(5), view(5, NOW + 1)).as_of_ms == int((NOW + 1) * 1000)
    assert kept(view(5), view(5, NOW - 1)).as_of_ms == int(NOW * 1000)


def test_counters_that_were_repaired_may_say_less() -> None:
    assert kept(view(5), view(3, NOW + 61)).figures.rev == 3


def test_a_later_fence_is_known_anyway() -> None:
    assert kept(view(5, fence=1), view(4, fence=7)).fence == 7


def test_how_old() -> None:
    assert view(1).age(NOW + 3) == 3
    assert View().age(NOW) == inf
    # Another machine's clock is ahead; or ours was put back.
    assert view(1, NOW + 30).age(NOW) == 0
    assert view(1, NOW + 3000).age(NOW) == inf


def test_what_nobody_asks_for_is_forgotten() -> None:
    views = Views()
    views.put(KEY, view(1), NOW)
    assert views.is_fresh(KEY, NOW + 0.9, 1)
    assert not views.is_fresh(KEY, NOW + 1, 1)
    assert views.orgs() == {KEY.scope[4:]}
    views.forget_old(NOW + KEPT_SECS)
    assert (views.get(KEY), views.orgs()) == (View(), set())
