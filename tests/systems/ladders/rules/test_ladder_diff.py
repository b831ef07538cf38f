"""What another version of a ladder changes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.systems.ladders.fields import Ladder
from tablewright.systems.ladders.rules.ladder_diff import LadderDiff, Place, Rewording, diff
from tablewright.systems.ladders.rules.ladder_text import parse
from tablewright.systems.ladders.rules.shipped import shipped_text


def ladder(text: str) -> Ladder:
    found = parse(text)
    assert found.ladder is not None, found.errors
    return found.ladder


OLD = """\
1. Junior
2. Senior

# Craft
## Code
1. Reads.
2. Writes.
## Testing
1. Runs.
2. Adds.

# Delivery
## Planning
1. Splits.
2. Estimates.
"""


def changed(*pairs: tuple[str, str]) -> LadderDiff:
    text = OLD
    for before, after in pairs:
        assert before in text
        text = text.replace(before, after)
    return diff(ladder(OLD), ladder(text))


def test_a_ladder_and_itself() -> None:
    found = diff(ladder(OLD), ladder(OLD))
    assert found == LadderDiff()
    assert not found


def test_a_description_and_a_detail_in_other_words() -> None:
    found = changed(("Reads.", "Reads well."), ("Splits.", "Splits.\n\n   - by day"))
    assert found.reworded == (
        Rewording(Place("Craft", "Code", 1), "Reads.", "Reads well."),
        Rewording(Place("Delivery", "Planning", 1), "Splits.", "Splits.\n\n- by day"),
    )
    assert not found.added
    assert not found.removed


def test_names_of_levels() -> None:
    assert changed(("Senior", "Lead")).reworded == (
        Rewording(Place(None, None, 2), "Senior", "Lead"),
    )
    assert changed(("1. Junior\n2. Senior\n", "")).removed == (
        Place(None, None, 1),
        Place(None, None, 2),
    )


def test_what_comes_or_goes_is_told_once_and_not_level_by_level() -> None:
    found = changed(("## Testing", "## Proof"), ("# Delivery\n## Planning", "# Work\n## Planning"))
    assert found.added == (Place("Craft", "Proof"), Place("Work"))
    assert found.removed == (Place("Craft", "Testing"), Place("Delivery"))
    assert not found.reworded


def test_one_more_level_is_told_for_each_competency() -> None:
    levels = [("2. Senior", "2. Senior\n3. Lead")]
    levels += [(f"2. {each}", f"2. {each}\n3. x") for each in ("Writes.", "Adds.", "Estimates.")]
    assert changed(*levels).added == (
        Place(None, None, 3),
        Place("Craft", "Code", 3),
        Place("Craft", "Testing", 3),
        Place("Delivery", "Planning", 3),
    )


SHIPPED = ladder(shipped_text())


@st.composite
def parts(draw: st.DrawFn) -> Ladder:
    """The shipped ladder with some of it gone, and some of it in other words."""
    made = SHIPPED.model_copy(deep=True)
    some = st.lists(st.integers(0, 3), min_size=1, unique=True)
    made.categories = [made.categories[at] for at in draw(some)]
    for category in made.categories:
        category.competencies = [category.competencies[at] for at in draw(some)]
        category.competencies[0].levels[draw(st.integers(0, 6))].description += draw(
            st.sampled_from(["", " More."])
        )
    return made


@given(parts(), parts())
@settings(max_examples=30, deadline=None)
def test_the_way_back_is_the_same_the_other_way_round(one: Ladder, other: Ladder) -> None:
    there, back = diff(one, other), diff(other, one)
    assert set(there.added) == set(back.removed)
    assert set(there.removed) == set(back.added)
    turned = {Rewording(each.place, each.after, each.before) for each in back.reworded}
    assert set(there.reworded) == turned
