"""AWS's rules, with figures worked out by hand."""

from __future__ import annotations

import pytest

from tablewright.plan.units import (
    Place,
    Units,
    batch_get_units,
    entry_units,
    page_units,
    read_units,
    write_units,
)

KB = 1024


@pytest.mark.parametrize(
    ("size", "units"),
    [(0, 1), (1, 1), (KB, 1), (KB + 1, 2), (15 * KB, 15), (400 * KB, 400)],
)
def test_writes_are_rounded_up_to_whole_kilobytes(size: int, units: int) -> None:
    assert write_units(size) == units


@pytest.mark.parametrize(
    ("size", "consistent", "units"),
    [
        (0, False, 0.5),
        (0, True, 1),
        (4 * KB, True, 1),
        (4 * KB + 1, True, 2),
        (4 * KB + 1, False, 1),
        (20 * KB, False, 2.5),
    ],
)
def test_reads_are_rounded_up_to_four_kilobytes(size: int, consistent: bool, units: float) -> None:
    assert read_units(size, consistent) == units


def test_a_page_is_summed_before_it_is_rounded_and_a_batch_after() -> None:
    sizes = [100] * 50
    assert page_units(sizes) == 1.0  # 5,000 bytes: two blocks, halved
    assert batch_get_units(sizes) == 25.0  # fifty times half a unit
    assert batch_get_units(sizes, consistent=True) == 50.0


def test_each_page_of_a_megabyte_is_rounded_by_itself() -> None:
    # 300 KB four times: the fourth fills the page at 1,200 KB (300 blocks), two are left (150).
    assert page_units([300 * KB] * 6, consistent=True) == 300 + 150


def test_a_page_that_is_just_full_is_followed_by_an_empty_one() -> None:
    assert page_units([256 * KB] * 4, consistent=True) == 256 + 1


@pytest.mark.parametrize(
    ("before", "after", "moved", "units"),
    [
        (None, None, False, 0),
        (None, 1500, False, 2),  # enters
        (1500, None, False, 2),  # leaves
        (500, 1500, False, 2),  # grows: the larger of both
        (500, 1500, True, 1 + 2),  # another key: a delete and a put
    ],
)
def test_entries_of_an_index(
    before: int | None, after: int | None, moved: bool, units: int
) -> None:
    assert entry_units(before, after, moved=moved) == units


def test_units_add_up_by_place() -> None:
    table, index = Place("T"), Place("T", "I")
    used = Units({table: 1}, {index: 2}) + Units({table: 0.5}, {table: 3, index: 0})
    assert dict(used.read) == {table: 1.5}
    assert dict(used.write) == {index: 2, table: 3}
    assert (used * 2).writes == 10
    assert [str(place) for place in used.places] == ["T", "T/I"]
