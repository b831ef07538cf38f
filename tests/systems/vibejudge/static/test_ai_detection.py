"""How the work came about, by its history."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from tests.systems.vibejudge.static.support import HOUR, START, commit, facts_of

from tablewright.systems.vibejudge.static import ai_detection
from tablewright.systems.vibejudge.static.pace import pace_score, worked_hours
from tablewright.systems.vibejudge.static.window import Window

CODE = "def plain(a):\n    return a + 1\n"
#: Enough lines to show a hand.
FOUR = "".join(f"def do_it_{n}(a):\n    say_it('a')\n    return a\n" for n in range(6))
TWO = FOUR.replace("    ", "  ")


def test_commits_outside_the_dates() -> None:
    commits = [commit(n) for n in range(10)]
    facts = facts_of({"a.py": CODE}, commits)
    window = Window(START, START + 4 * HOUR)
    assert ai_detection.commit_authenticity(facts, None).score is None
    assert ai_detection.commit_authenticity(facts, window).score == 5


def test_commits_in_one_second() -> None:
    window = Window(START, START + 9 * HOUR)
    pair = [commit(1, at=START), commit(2, at=START)]
    later = [*pair, commit(3)]
    assert ai_detection.commit_authenticity(facts_of({"a.py": CODE}, later), window).score == 10
    crowd = [*pair, commit(3, at=START), commit(4)]
    found = ai_detection.commit_authenticity(facts_of({"a.py": CODE}, crowd), window)
    assert found.score == Decimal("2.5")


def test_single_commit_shows_neither_dates_nor_pace() -> None:
    facts = facts_of({"a.py": CODE}, [commit(1, {"a.py": 900})])
    window = Window(START, START + 9 * HOUR)
    assert ai_detection.commit_authenticity(facts, window).score is None
    assert ai_detection.development_velocity(facts).score is None
    assert ai_detection.authorship_consistency(facts).score is None
    assert ai_detection.iteration_depth(facts).score == 0


@pytest.mark.parametrize(
    ("pace", "score"), [(0, 10), (150, 10), (225, 7), (300, 4), (450, 2), (600, 0), (9000, 0)]
)
def test_pace(pace: int, score: int) -> None:
    assert pace_score(Fraction(pace)) == score


def test_hours_are_sittings_of_everybody() -> None:
    half = timedelta(minutes=30)
    one = [commit(1, at=START), commit(2, at=START + half), commit(3, at=START + 20 * HOUR)]
    # Two hours before the first, half an hour between, two before the next day's.
    assert worked_hours(one) == Fraction(9, 2)
    other = commit(4, at=START, who="author-2")
    assert worked_hours([*one, other]) == Fraction(13, 2)


def test_velocity_counts_code_alone() -> None:
    changes = {
        "a.py": 600,
        "package-lock.json": 90_000,
        "data.json": 5000,
        "node_modules/x.js": 10**6,
    }
    at_once = [commit(1, changes, at=START), commit(2, at=START)]
    found = ai_detection.development_velocity(facts_of({"a.py": CODE}, at_once))
    assert found.score == 4
    nothing = facts_of({"README.md": "x"}, [commit(1, {"README.md": 5})])
    assert ai_detection.development_velocity(nothing).score is None


def test_files_in_another_hand() -> None:
    files = {f"a{n}.py": FOUR for n in range(3)} | {"b.py": TWO}
    own = [commit(1, dict.fromkeys(files, 18))]
    found = ai_detection.authorship_consistency(facts_of(dict(files), own))
    assert found.score == Decimal("7.5")
    (finding,) = found.findings
    assert (finding.file, finding.severity) == ("b.py", "info")
    assert "indents" in finding.message
    # Somebody else's file is in somebody else's style.
    shared = [
        commit(1, {f"a{n}.py": 18 for n in range(3)}),
        commit(2, {"b.py": 18}, who="author-2"),
    ]
    assert ai_detection.authorship_consistency(facts_of(dict(files), shared)).score == 10


def test_files_that_were_worked_on_again() -> None:
    files = {f"a{n}.py": CODE for n in range(4)}
    first = commit(1, dict.fromkeys(files, 2))
    assert ai_detection.iteration_depth(facts_of(dict(files), [first])).score == 0
    again = [first, commit(2, {"a0.py": 1})]
    assert ai_detection.iteration_depth(facts_of(dict(files), again)).score == 5
    twice = [*again, commit(3, {"a1.py": 1, "gone.py": 4})]
    assert ai_detection.iteration_depth(facts_of(dict(files), twice)).score == 10


def test_signs_of_ai_take_three_each() -> None:
    plain = [commit(n, {"a.py": 100}) for n in range(3)]
    assert ai_detection.ai_generation_indicators(facts_of({"a.py": CODE}, plain)).score == 10
    signed = [*plain, commit(4, message="Fix\n\nCo-Authored-By: Claude <x@y.z>")]
    assert ai_detection.ai_generation_indicators(facts_of({"a.py": CODE}, signed)).score == 7
    files = {
        "a.py": f"# In a real-world application you would check this\n{CODE}",
        ".cursorrules": "Be brief.\n",
    }
    found = ai_detection.ai_generation_indicators(facts_of(dict(files), signed))
    assert found.score == 1
    assert {(each.file, each.line) for each in found.findings} == {("a.py", 1), (".cursorrules", 1)}
    dumped = [commit(1, {"a.py": 900}), commit(2, {"a.py": 100})]
    assert ai_detection.ai_generation_indicators(facts_of({"a.py": CODE}, dumped)).score == 7
    people = [*plain, commit(4, message="Fix\n\nCo-authored-by: Claudia Copiloti <x@y.z>")]
    assert ai_detection.ai_generation_indicators(facts_of({"a.py": CODE}, people)).score == 10
