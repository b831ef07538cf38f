"""Evidence is kept only if it is there."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.timing import at_most

from tablewright.systems.vibejudge.llm.answers import Finding
from tablewright.systems.vibejudge.llm.citations import Lines, anchor, check

TEXT = "import os\n\n\ndef lend(number):\n    return  store.take( number )\n\n\n\n\nlast = 1\n"
#: What code is made of, and what may stand in it besides.
CHARS = st.characters(codec="utf-8", exclude_characters="\n\r") | st.sampled_from(
    "ab (){}=\t\u200b…"
)
CORES = st.tuples(st.text("abc_", min_size=3, max_size=5), st.text(CHARS, max_size=9)).map("".join)
LINES = st.lists(st.text(CHARS, max_size=30), min_size=1, max_size=12)


def finding(
    file: str = "a.py", line: int = 5, excerpt: str = "return store.take(number)"
) -> Finding:
    return Finding(file=file, line=line, severity="low", message="why", excerpt=excerpt)


def kept(*findings: Finding) -> list[tuple[str, int, str]]:
    return [(each.file, each.line, each.excerpt) for each in check(findings, {"a.py": TEXT}).kept]


@pytest.mark.parametrize("line", [3, 4, 5, 6, 7])
def test_two_lines_more_or_less_are_put_right(line: int) -> None:
    assert kept(finding(line=line)) == [("a.py", 5, "return  store.take( number )")]


@pytest.mark.parametrize(
    "false",
    [
        finding(line=2),
        finding(line=8),
        finding(line=9_999),
        finding(file="b.py"),
        finding(file="A.py"),
        finding(file="../a.py"),
        finding(excerpt="return store.give(number)"),
        finding(excerpt=""),
        finding(excerpt="  "),
        finding(excerpt="re"),
        finding(excerpt="…"),
    ],
    ids=str,
)
def test_what_is_not_there_is_dropped(false: Finding) -> None:
    checked = check([false], {"a.py": TEXT})
    assert (checked.kept, checked.false, checked.false_share) == ((), 1, 1)


@pytest.mark.parametrize(
    "excerpt",
    [
        "    5|     return  store.take( number )",
        "return store.take…",
        "return store.take...",
        "5| return store.ta…",
        "def lend(number):\n    return store.take(number)",
        "    4| def lend(number):\n    5|     return store.take(number)",
    ],
)
def test_how_models_quote_what_they_were_shown(excerpt: str) -> None:
    assert len(kept(finding(excerpt=excerpt, line=4))) == 1


def test_a_path_may_begin_with_a_dot() -> None:
    assert kept(finding(file="./a.py"))[0][0] == "a.py"


def test_the_nearest_of_several_places_wins() -> None:
    lines = Lines("x = 1\ny = 2\nx = 1\nx = 1\n")
    assert anchor(lines, 3, "x = 1") == (3, "x = 1")
    assert anchor(lines, 2, "x = 1") == (1, "x = 1")
    assert anchor(lines, 6, "x = 1") == (4, "x = 1")


def test_what_was_spelled_out_for_a_model_is_found() -> None:
    shown = finding(line=1, excerpt="pass<U+200B>word = 1")
    assert check([shown], {"a.py": "pass\u200bword = 1"}).kept[0].excerpt == "pass\u200bword = 1"


@pytest.mark.parametrize(
    ("line", "kept_of_it"),
    [
        ('password = "correct-horse-battery"', 'password = "corr'),
        ("AWS = AKIAIOSFODNN7EXAMPLE", "AWS = AKIA"),
        ('headers["X-Api-Key"]: "sk-live-0123456789abcdef"', 'headers["X-Api-Key"]: "sk-l'),
        ("token: ghp_0123456789abcdefghij", "token: ghp_"),
        ('password = input("Password: ")', 'password = input("Password: ")'),
        ("task-management = sk", "task-management = sk"),
    ],
)
def test_a_secret_is_cited_and_not_spread(line: str, kept_of_it: str) -> None:
    given_one = Finding(file="a.py", line=1, severity="critical", message=line, excerpt=line)
    (found,) = check([given_one], {"a.py": line}).kept
    assert found.excerpt == kept_of_it
    assert found.message in (line, kept_of_it + "…", kept_of_it + '…"')


def test_what_looks_spelled_out_and_is_not_is_found() -> None:
    text = "print('<U+200B>')"
    assert check([finding(line=1, excerpt=text)], {"a.py": text}).kept


def test_ten_are_kept_and_repetitions_once() -> None:
    text = "\n".join(f"line_{at} = {at}" for at in range(1, 30))
    many = [finding(line=at, excerpt=f"line_{at} = {at}") for at in range(1, 30)]
    assert len(check(many, {"a.py": text}).kept) == 10
    assert len(check([many[0]] * 3, {"a.py": text}).kept) == 1


@pytest.mark.parametrize(("false", "share"), [(0, "0"), (3, "0.3"), (4, "0.4"), (10, "1")])
def test_the_share_of_false_ones(false: int, share: str) -> None:
    many = [finding()] * (10 - false) + [finding(file="nowhere")] * false
    assert check(many, {"a.py": TEXT}).false_share == Decimal(share)


def test_a_long_line_is_cut_where_the_excerpt_is() -> None:
    text = "x" * 900_000 + " needle in here " + "y" * 900_000
    with at_most(5):
        checked = check([finding(line=1, excerpt="needle in here")] * 20, {"a.py": text})
        assert checked.kept[0].excerpt == "needle in here"


@given(LINES, CORES, st.text(CHARS, max_size=9), st.text(CHARS, max_size=9), st.data())
def test_what_is_there_is_found_where_it_is(
    lines: list[str], core: str, before: str, after: str, data: st.DataObject
) -> None:
    number = data.draw(st.integers(1, len(lines)))
    lines[number - 1] = before + core + after
    said = data.draw(st.integers(max(1, number - 2), number + 2))
    spaced = data.draw(st.sampled_from([core, f"  {core}\t", core.replace(" ", "   ")]))
    place = anchor(Lines("\n".join(lines)), said, spaced)
    assert place is not None
    found, text = place
    # No further than where it was put, and what is kept is in the file as it is.
    assert abs(found - said) <= abs(number - said)
    assert 0 <= "\n".join(lines[found - 1 :]).find(text) <= len(lines[found - 1])
    assert "".join(text.split()) == "".join(core.split())


@given(LINES, st.integers(1, 20), st.text(CHARS, max_size=20))
def test_what_is_kept_is_always_there(lines: list[str], line: int, excerpt: str) -> None:
    text = "\n".join(lines)
    given_one: Any = {"file": "f", "line": line, "severity": "low", "message": "m"}
    for each in check([Finding(**given_one, excerpt=excerpt)], {"f": text}).kept:
        assert 1 <= each.line <= len(lines)
        assert each.excerpt in "\n".join(lines[each.line - 1 :])
        assert abs(each.line - line) <= 2
