"""Who judges what: three each, nobody with a conflict, and shares as even as can be."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.systems.vibejudge.rules.assigning import Bench, Plan, plan, successor

JUDGES = [f"j{number}" for number in range(4)]
SUBS = [f"s{number}" for number in range(4)]
CONFLICTS = st.fixed_dictionaries({judge: st.sets(st.sampled_from(SUBS)) for judge in JUDGES})


def loads(made: Plan, *more: tuple[str, str]) -> list[int]:
    count = Counter(judge for judge, _ in (*made.added, *more))
    return sorted(count[judge] for judge in JUDGES)


def test_three_each_and_nobody_has_two_more_than_another() -> None:
    subs = [f"sub-{number:03d}" for number in range(500)]
    bench = Bench({f"judge-{number}": () for number in range(7)})
    made = plan(bench, subs)
    assert set(Counter(sub for _, sub in made.added).values()) == {3}
    shares = Counter(judge for judge, _ in made.added).values()
    assert max(shares) - min(shares) <= 1
    # Judges meet in many combinations: what one group says is comparable with the others.
    groups = {tuple(sorted(j for j, s in made.added if s == sub)) for sub in subs[:100]}
    assert len(groups) > 20
    assert plan(bench, list(reversed(subs))) == made


def test_too_few_judges_do_what_they_can() -> None:
    assert len(plan(Bench({"one": ()}), SUBS).added) == len(SUBS)
    assert plan(Bench({}), SUBS) == Plan((), ())


@settings(max_examples=30, deadline=None)
@given(CONFLICTS)
def test_no_plan_is_fairer(conflicts: dict[str, set[str]]) -> None:
    bench = Bench(conflicts)
    made = plan(bench, SUBS, each=2)
    assert all(bench.may(*duty) for duty in made.added)
    able = [[judge for judge in JUDGES if bench.may(judge, sub)] for sub in SUBS]
    choices = [list(combinations(those, min(2, len(those)))) for those in able]
    best = min(
        sum(share**2 for share in Counter(j for group in groups for j in group).values())
        for groups in product(*choices)
    )
    assert sum(share**2 for share in loads(made)) == best


@settings(max_examples=50, deadline=None)
@given(CONFLICTS, st.data())
def test_what_has_begun_stays_and_what_was_refused_does_not_come_back(
    conflicts: dict[str, set[str]], data: st.DataObject
) -> None:
    bench = Bench(conflicts)
    able = [duty for duty in product(JUDGES, SUBS) if bench.may(*duty)]
    some = data.draw(st.lists(st.sampled_from(able), unique=True, max_size=8)) if able else []
    begun, waiting, refused = some[::3], some[1::3], some[2::3]
    made = plan(bench, SUBS, begun=begun, waiting=waiting, refused=refused)
    assert not set(made.added) & {*begun, *waiting, *refused}
    assert set(made.dropped) <= set(waiting)
    after = {*begun, *waiting, *made.added} - set(made.dropped)
    for sub in SUBS:
        can = sum(1 for judge in JUDGES if (judge, sub) in able and (judge, sub) not in refused)
        held = sum(1 for _, other in after if other == sub)
        assert min(3, can) <= held <= max(3, sum(1 for _, s in some if s == sub))


def test_a_judge_who_comes_late_gets_a_fair_share_of_what_waits() -> None:
    waiting = [(judge, sub) for judge in JUDGES[:3] for sub in SUBS]
    made = plan(Bench(dict.fromkeys(JUDGES, ())), SUBS, begun=waiting[:3], waiting=waiting[3:])
    assert {judge for judge, _ in made.added} == {"j3"}
    assert len(made.added) == len(made.dropped) == 3


def test_somebody_else_steps_in_who_was_never_asked_and_has_least() -> None:
    bench = Bench({"j0": (), "j1": (), "j2": ("s0",), "j3": ()})
    duties = [("j0", "s0"), ("j1", "s1"), ("j1", "s2"), ("j3", "s3")]
    assert successor(bench, "s0", duties) == "j3"
    assert successor(bench, "s0", [*duties, ("j3", "s0"), ("j1", "s0")]) is None
