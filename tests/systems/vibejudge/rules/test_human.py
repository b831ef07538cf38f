"""What judges' scores come to: exact, fair to harsh judges, and whatever order they come in."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.systems.vibejudge.rules.human import (
    Given,
    Human,
    Reviewed,
    blended,
    combined,
    human_share,
    mapped,
    points_of,
    rubric_round,
)

POINTS = st.integers(0, 1000).map(lambda tenths: Fraction(tenths, 10))
ROUND = st.dictionaries(
    st.tuples(st.sampled_from("jklmn"), st.sampled_from("abcdefgh")), POINTS, min_size=1
).map(lambda found: [Given(judge, sub, points) for (judge, sub), points in found.items()])


def scored(judge: str, *points: int) -> list[Given]:
    return [Given(judge, sub, Fraction(each)) for sub, each in zip("abcdef", points, strict=False)]


def test_dimensions_are_weighted_and_those_that_do_not_apply_are_left_out() -> None:
    weights = {"idea": Fraction(1, 4), "code": Fraction(3, 4)}
    assert points_of({"idea": Decimal(8), "code": Decimal(4)}, weights) == 50
    assert points_of({"idea": Decimal(8), "code": None}, weights) == 80
    assert points_of({"idea": None, "gone": Decimal(9)}, weights) is None


def test_harsh_and_lenient_judges_who_agree_say_the_same_to_the_last_digit() -> None:
    harsh, lenient = scored("harsh", 11, 24, 37), scored("lenient", 60, 79, 98)
    each = {(g.judge_id, g.sub_id): g.points for g in mapped([*harsh, *lenient])}
    assert [each["harsh", sub] for sub in "abc"] == [each["lenient", sub] for sub in "abc"]
    assert each["harsh", "a"] < each["harsh", "b"] < each["harsh", "c"]


def test_a_judge_with_two_scores_is_taken_at_their_word() -> None:
    few = scored("few", 10, 90)
    assert [g for g in mapped([*few, *scored("many", 50, 60, 70)]) if g.judge_id == "few"] == few


def test_a_judge_who_gives_everybody_the_same_says_the_mean() -> None:
    found = mapped([*scored("flat", 20, 20, 20), *scored("other", 40, 60, 80)])
    assert {g.points for g in found if g.judge_id == "flat"} == {Fraction(40)}


@settings(max_examples=40, deadline=None)
@given(ROUND)
def test_results_are_within_bounds_keep_a_judges_order_and_do_not_depend_on_theirs(
    given_: list[Given],
) -> None:
    after = mapped(given_)
    before = {(g.judge_id, g.sub_id): g.points for g in given_}
    assert all(0 <= g.points <= 100 for g in after)
    for one in after:
        for two in after:
            if one.judge_id == two.judge_id and one.points < two.points:
                assert before[one.judge_id, one.sub_id] < before[two.judge_id, two.sub_id]
    shuffled = Random(7).sample(given_, len(given_))
    assert rubric_round(shuffled) == rubric_round(given_)


@settings(max_examples=40, deadline=None)
@given(ROUND)
def test_a_lone_judge_is_mapped_to_themselves(given_: list[Given]) -> None:
    alone = [Given("j", g.sub_id, g.points) for g in {g.sub_id: g for g in given_}.values()]
    for one, other in zip(mapped(alone), sorted(alone, key=lambda g: g.sub_id), strict=True):
        assert abs(one.points - other.points) < Fraction(1, 10**9)


def test_rounds_count_by_their_weights_where_they_looked() -> None:
    first, second = Reviewed(Fraction(60), 3), Reviewed(Fraction(90), 2)
    half, quarter = Decimal("0.5"), Decimal("0.25")
    assert combined([(half, first), (quarter, second)]) == Human(Decimal("70.00"), 5)
    assert combined([(half, first), (quarter, None)]) == Human(Decimal("60.00"), 3)
    assert combined([(Decimal(0), first), (half, None)]) is None


def test_the_blend_begins_with_enough_reviews_and_is_rounded_once() -> None:
    human = Human(Decimal("70.01"), 2)
    assert human_share(human, Decimal("0.3"), 3) is None
    assert human_share(None, Decimal("0.3"), 1) is None
    share = human_share(human, Decimal("0.5"), 2)
    assert blended(Decimal("60.00"), human.score, share) == Decimal("65.01")  # half up
    assert blended(Decimal("60.00"), human.score, None) is None
    # What could not be analysed has the judges' score.
    assert blended(None, human.score, share) == human.score
    assert blended(None, human.score, None) is None


@given(
    st.decimals(0, 100, places=2),
    st.decimals(0, 100, places=2),
    st.decimals(0, 1, places=3),
)
def test_a_blend_lies_between_its_parts(ai: Decimal, human: Decimal, share: Decimal) -> None:
    score = blended(ai, human, share)
    assert score is not None
    assert min(ai, human) <= score <= max(ai, human)
