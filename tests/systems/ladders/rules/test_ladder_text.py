"""The text of a ladder: what is read of it, and what is wrong on which line."""

from __future__ import annotations

import pytest

from tablewright.systems.ladders.fields import MAX_CONFIG_BYTES, MAX_ITEM_BYTES, Ladder
from tablewright.systems.ladders.rules.ladder_lines import MOST_ERRORS
from tablewright.systems.ladders.rules.ladder_size import stored_size
from tablewright.systems.ladders.rules.ladder_text import parse, written
from tablewright.systems.ladders.rules.shipped import shipped_text

SMALL = """\
1. Junior
2. Senior

# Craft

## Code

1. Writes code that others
   can read.

   - with names from the domain

   ```
   # not a heading
   1. not a level
   ```
2. Shapes a service.

More about that.

## R&D | Ops

1. Asks.
2. Decides.
"""

#: Each line with what is wrong on it.
FAULTY = (
    ("Welcome to our ladder.", "text_outside"),
    ("", None),
    ("## Code", "orphan_competency"),
    ("", None),
    ("1. Reads.", None),
    ("2. Writes.", None),
    ("", None),
    ("# Craft", None),
    ("## Testing", None),
    ("1. Runs the tests.", None),
    ("3. Owns the tests.", "level_gap"),
    ("## Design", "level_count"),
    ("1. Sketches.", None),
    ("# craft", "duplicate"),
    ("## Reviews", None),
    ("1. Reads a review.", None),
    ("2) Writes a review.", "bad_marker"),
    ("## ", "empty"),
    ("1. Listens.", None),
    ("2. Speaks.", None),
    (f"## {'Talk' * 21}", "name_too_long"),
    ("1. Talks.", None),
    ("2. Talks more.", None),
)


def read(text: str) -> Ladder:
    found = parse(text)
    assert found.errors == ()
    assert found.ladder is not None
    return found.ladder


def wrong(text: str | bytes) -> list[tuple[int, str]]:
    found = parse(text)
    assert found.ladder is None
    assert all(each.message for each in found.errors)
    return [(each.line, each.code) for each in found.errors]


def test_scenario_05_eight_faults_and_the_shipped_ladder() -> None:
    """File with 8 faults returns 8 exact lines; example has 112 levels; export-import identical."""
    faults = [(line, code) for line, (_, code) in enumerate(FAULTY, 1) if code is not None]
    text = "\n".join(line for line, _ in FAULTY)
    assert len(faults) == 8
    assert wrong(text) == faults

    ladder = read(shipped_text())
    levels = [
        level
        for category in ladder.categories
        for competency in category.competencies
        for level in competency.levels
    ]
    assert len(levels) == 112
    exported = written(ladder)
    assert read(exported) == ladder
    assert written(read(exported)) == exported == shipped_text()


def test_the_shipped_ladder_says_something_else_on_every_level() -> None:
    ladder = read(shipped_text())
    assert [each.name for each in ladder.categories] == [
        "Craft",
        "Delivery",
        "Collaboration",
        "Influence",
    ]
    assert {len(each.competencies) for each in ladder.categories} == {4}
    assert len(ladder.level_names) == 7
    inside = [each for category in ladder.categories for each in category.competencies]
    assert {len(each.levels) for each in inside} == {7}
    said = [level.description for each in inside for level in each.levels]
    assert len(set(said)) == len(said)
    assert all(40 < len(each) < 250 for each in said)
    assert all(any(level.detail for level in each.levels) for each in inside)


def test_what_is_read() -> None:
    ladder = read(SMALL)
    assert ladder.level_names == ["Junior", "Senior"]
    (craft,) = ladder.categories
    code, ops = craft.competencies
    assert (craft.name, code.name, ops.name) == ("Craft", "Code", "R&D | Ops")
    first, second = code.levels
    assert first.description == "Writes code that others can read."
    assert first.detail == (
        "- with names from the domain\n\n```\n# not a heading\n1. not a level\n```"
    )
    assert (second.level, second.description, second.detail) == (
        2,
        "Shapes a service.",
        "More about that.",
    )
    assert [each.detail for each in ops.levels] == [None, None]
    assert read(written(ladder)) == ladder


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("2. Decides", "2.\tDecides"),
        lambda text: text.replace("# Craft", "Craft\n====="),
        lambda text: text.replace("## Code", "## **Code** ##"),
        lambda text: text.replace("## Code", "---\n\n## Code"),
        lambda text: text.replace("R&D", "R&amp;D"),
        lambda text: text.replace("1. Asks", "   1.\u00a0 Asks"),
    ],
)
def test_the_same_ladder_written_otherwise(change) -> None:
    assert parse(change(SMALL)).ladder == read(SMALL)


def at_level(text: str) -> str:
    return SMALL.replace("Shapes a service.", text)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", [(1, "empty")]),
        (" \n\n", [(1, "empty")]),
        ("# Craft\n", [(1, "empty")]),
        ("# Craft\n## Code\n", [(2, "empty")]),
        ("# Craft\n\nWords <b>.\n\n## Code\n1. a\n", [(3, "html")]),
        ("# Craft\n1. a\n2. b\n\n## Code\n1. a\n", [(2, "text_outside")]),
        ("# Craft\n## Code\nWords.\n\n1. a\n", [(3, "text_outside")]),
        ("# Craft\n## Code\n- a\n- b\n", [(3, "bad_marker"), (4, "bad_marker")]),
        ("# Craft\n## Code\n01. a\n", [(3, "bad_marker")]),
        ("# Craft\n## Code\n0. a\n", [(3, "level_gap")]),
        ("# Craft\n## Code\n0. a\n1. b\n2. c\n", [(3, "level_gap")]),
        ("# Craft\n## Code\n1. a\n1. b\n1. c\n", [(4, "duplicate"), (5, "duplicate")]),
        ("# Craft\n## Code\n1. a\n3. b\n4. c\n", [(4, "level_gap")]),
        ("# Craft\n## Code\n1. a\n99999. b\n3. c\n", [(4, "level_gap")]),
        ("# Craft\n## Code\n1. a\n\nmore\n2. b\n3. c\n", [(6, "bad_marker")]),
        ("# Craft\n## Code\n1. a\n2.\n3. ---\n", [(4, "empty"), (5, "empty")]),
        ("# Craft\n## Code\n1. a\n### Third\nmore\n", [(4, "text_outside")]),
        ("# Craft\n## Code\n1. a\n   # Delivery\n", [(4, "text_outside")]),
        ("# Craft\n## Code\n1. a\n## CODE\n1. a\n", [(4, "duplicate")]),
        ("# Craft\n## Code\n1. a\n# Other\n## Code\n1. a\n2. b\n", [(5, "level_count")]),
        ("1. x\n2. y\n# Craft\n## Code\n1. a\n## Test\n1. a\n", [(1, "level_count")]),
        ("1. x\n2. X\n# Craft\n## Code\n1. a\n2. b\n", [(2, "duplicate")]),
        ("1. x\n\n   more\n# Craft\n## Code\n1. a\n", [(3, "text_outside")]),
        ("- x\n# Craft\n## Code\n1. a\n", [(1, "bad_marker")]),
        ("1. x\n\nWords\n\n# Craft\n## Code\n1. a\n", [(3, "text_outside")]),
        ("<!-- x -->\n# Craft\n## Code\n1. a\n", [(1, "html")]),
        ("# <i>Craft</i>\n## Code\n1. a\n", [(1, "html")]),
        (f"# {'c' * 80}\n## {'d' * 81}\n1. a\n", [(2, "name_too_long")]),
        (at_level("`<b>`\n   a\n   <b>bold</b>"), [(19, "html")]),
        (at_level("A\n\n   - `<b>`\n     x <img src=x onerror=alert(1)>"), [(20, "html")]),
        (at_level("A\n\n   <script>alert(1)</script>"), [(19, "html")]),
        (at_level("A\n\n   ![alt <b>](x)"), [(19, "html")]),
        (at_level("<div>A</div>"), [(17, "html")]),
        (b"# Craft\n## Code\n1. a\xff\n2. a\xe2\x82\n", [(3, "not_utf8"), (4, "not_utf8")]),
        ("# Craft\n## Code\n1. a\x00b\n2. \x1b[2J\n", [(3, "not_utf8"), (4, "not_utf8")]),
        ("# Craft\n## Code\n1. a\ud800\n", [(3, "not_utf8")]),
        (b"# Craft\n## \xfe\n1. \xff\n2. b\n", [(2, "not_utf8"), (3, "not_utf8")]),
        ("# Craft\n".encode("utf-16"), [(1, "not_utf8")]),
        ("# Craft\n## Code\n1. a\n\n   " + "> " * 30 + "x\n2. b\n", [(5, "too_large")]),
        ("# C\n## D\n1. a\n\n   " + "> " * 16 + "x\n2. b\n", [(5, "too_large")]),
    ],
)
def test_faults(text: str | bytes, faults: list[tuple[int, str]]) -> None:
    assert wrong(text) == faults


@pytest.mark.parametrize(
    "text", ["a < b", r"\<b>", "`<b>`", "<https://example.com>", "a &lt;b&gt;", "[x](<y z>)"]
)
def test_what_is_no_html(text: str) -> None:
    ladder = read(at_level(text))
    assert ladder.categories[0].competencies[0].levels[1].description == text


def test_twelve_by_twelve_by_ten_and_no_more() -> None:
    levels = "".join(f"{number}. level {number}\n" for number in range(1, 11))
    competencies = "".join(f"## competency {number}\n{levels}" for number in range(12))
    full = "".join(f"# category {number}\n{competencies}" for number in range(12))
    ladder = read(full)
    assert sum(len(each.competencies) for each in ladder.categories) == 144
    assert read(written(ladder)) == ladder

    more = ("11. level 11", "## one more", *levels.splitlines(), "# one more", "## x")
    last = len(full.splitlines())
    assert wrong(full + "\n".join((*more, levels))) == [
        (last + 1, "level_count"),
        (last + 2, "too_large"),
        (last + 13, "too_large"),
    ]


def test_a_text_that_is_too_long_is_not_read_at_all() -> None:
    begin = "# Craft\n## Code\n1. "
    room = MAX_CONFIG_BYTES - len(begin)
    assert parse(begin + "a" * room).errors == ()
    assert wrong(begin + "a" * (room + 1)) == [(3, "too_large")]
    assert wrong("ä" * MAX_CONFIG_BYTES) == [(1, "too_large")]


def tabbed(tabs: int) -> str:
    """A text that is far shorter than the ladder in it."""
    lines = f"   x{chr(9) * tabs}y\n" * 1000
    return f"# Craft\n## Code\n1. a\n\n   ```\n{lines}   ```\n"


def test_a_ladder_that_is_longer_than_its_text_is_measured_as_it_is_read() -> None:
    short, long = tabbed(60), tabbed(76)
    assert len(long.encode()) < MAX_CONFIG_BYTES / 1.5
    assert MAX_ITEM_BYTES * 0.8 < stored_size(short, read(short)) <= MAX_ITEM_BYTES
    assert wrong(long) == wrong(long.encode()) == [(1, "too_large")]


def test_a_text_that_is_no_ladder_has_errors_up_to_a_limit() -> None:
    assert len(wrong("words\n\n" * 1000)) == MOST_ERRORS
    assert len(wrong(b"\xff\n" * 1000)) == MOST_ERRORS


@pytest.mark.parametrize(
    "name",
    [
        "R&D | Ops",
        "status",
        "C#",
        "C # #",
        "1. first",
        "2) second",
        "- dash",
        "+ plus",
        "> quote",
        "~~~ tilde",
        "a*b*c _d_",
        "`code` [link](x) ![image](y)",
        "a\\b \\* c",
        "&amp; &#35; x",
        "<b> x",
        "x ===",
        "1986",
        "日本語",
    ],
)
def test_names_are_written_so_that_they_are_read_as_they_are(name: str) -> None:
    ladder = read(SMALL)
    craft = ladder.categories[0]
    craft.competencies[1].name = "Other"
    craft.name = craft.competencies[0].name = ladder.level_names[1] = name
    assert read(written(ladder)) == ladder


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Code", "code"),
        ("Code", "Co\u200bde"),
        ("Code", "Code\u2060"),
        ("Caf\u00e9 talk", "Cafe\u0301 talk"),
        ("Ｃode", "Code"),
    ],
)
def test_names_that_look_the_same_are_duplicates(first: str, second: str) -> None:
    text = f"# Craft\n\n## {first}\n\n1. One.\n\n## {second}\n\n1. One.\n"
    assert [(each.line, each.code) for each in parse(text).errors] == [(7, "duplicate")]


def test_names_are_stored_without_what_nobody_sees() -> None:
    ladder = parse("# Cra\u200bft\n\n## Cafe\u0301\n\n1. One.\n").ladder
    assert ladder is not None
    assert ladder.categories[0].name == "Craft"
    assert ladder.categories[0].competencies[0].name == "Caf\u00e9"


def test_text_below_a_category_is_left_out_with_a_note() -> None:
    bare = "# Craft\n\n## Code\n1. a\n2. b\n"
    text = "# Craft\n\nHow we build.\nTwo lines.\n\n- a point\n\n## Code\n1. a\n2. b\n"
    parsed = parse(text)
    assert parsed.errors == ()
    assert parsed.ladder == parse(bare).ladder
    assert [(each.line, each.code) for each in parsed.notes] == [(3, "left_out"), (6, "left_out")]
    assert parsed.notes[0].message == "Lines 3 to 4 are left out: a category has a name only."
    assert parsed.notes[1].message == "Line 6 is left out: a category has a name only."
    assert parse(bare).notes == ()
