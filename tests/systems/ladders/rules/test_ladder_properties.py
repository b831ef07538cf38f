"""Any text is read without failing, and what is read is written so that it is read the same."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tablewright.service.names import clean_text, comparison_key
from tablewright.systems.ladders.fields import Category, Competency, Ladder, LadderLevel
from tablewright.systems.ladders.rules import markdown
from tablewright.systems.ladders.rules.ladder_lines import MOST_ERRORS
from tablewright.systems.ladders.rules.ladder_text import parse, written

#: What Markdown is made of, in any order.
PIECES = (
    *("# A", "## B", "### C", "#", "A\n===", "B\n---", "# C #", "## D # #"),
    *("1. a", "2. b", "3. c", "1) d", "10.   e", "1.", "2.\n   f", "- g", "* h", "+", "  1. i"),
    *("   more", "lazy", "       code", "    # x", "   ```", "```", "~~~", "   - n", "     - m"),
    *("   # x", "   ### y", "> q", "   > r", "---", "***", "   **\n   *", "<b>", "<!--", "`<b>`"),
    *("", "", "\t1. j", "\u00a0# k", "[a]: /b", "[a]:\n/b", "&#10;x", "\\", "x\\", "`", "a\u2028b"),
    *("[a](`) <b> [c](`)", "1234567890. z", "   10. n", "\x00", "   1. n", "a  b", "| a | b |"),
)
pieces = st.lists(st.sampled_from(PIECES), max_size=25).map("\n".join)
#: Such a text in the middle of a ladder, where most of it is taken.
inside = pieces.map(lambda text: f"# Craft\n\n## Code\n\n1. Reads.\n\n{text}\n\n2. Writes.\n")
texts = pieces | inside | st.text() | st.text(alphabet="#1.2)- >*`<b\n\t a\\&;[]=~_")


@given(texts | st.binary())
@settings(deadline=None)
@example("\ufeff# A\n## B\n1. a")
def test_reading_never_fails(text: str | bytes) -> None:
    found = parse(text)
    assert (found.ladder is None) == bool(found.errors)
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
    assert all(1 <= each.line <= lines for each in found.errors)
    assert [each.line for each in found.errors] == sorted(each.line for each in found.errors)
    assert len({(each.line, each.code) for each in found.errors}) == len(found.errors)
    assert len(found.errors) <= MOST_ERRORS


@given(texts)
@settings(deadline=None)
def test_what_is_read_is_written_so_that_it_is_read_the_same(text: str) -> None:
    ladder = parse(text).ladder
    if ladder is not None:
        again = written(ladder)
        assert parse(again).ladder == ladder
        assert written(ladder) == again


def _line(text: str) -> str:
    return " ".join(text.split())


words = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=60).map(_line)
names = words.filter(lambda text: any(map(str.isalnum, text)))
#: Of categories and competencies.
titles = words.map(clean_text).filter(lambda text: any(map(str.isalnum, text)))
details = st.lists(words.map(markdown.escaped), min_size=1, max_size=4).map("\n\n".join)
details = details.filter(lambda text: bool(text.strip()) and text == text.strip())


@st.composite
def ladders(draw: st.DrawFn) -> Ladder:
    """Names of all kinds; descriptions that are paragraphs."""

    def named(most: int) -> list[str]:
        return draw(st.lists(titles, min_size=1, max_size=most, unique_by=comparison_key))

    count = draw(st.integers(1, 4))

    def competency(name: str) -> Competency:
        levels = [
            LadderLevel(
                level=number,
                description=markdown.escaped(draw(names)),
                detail=draw(st.none() | details),
            )
            for number in range(1, count + 1)
        ]
        return Competency(name=name, levels=levels)

    found = [Category(name=name, competencies=[*map(competency, named(2))]) for name in named(3)]
    level_names = draw(
        st.just([]) | st.lists(titles, min_size=count, max_size=count, unique_by=comparison_key)
    )
    return Ladder(level_names=level_names, categories=found)


@given(ladders())
@settings(max_examples=40, deadline=None)
def test_any_ladder_can_be_written_and_read(ladder: Ladder) -> None:
    found = parse(written(ladder))
    assert found.errors == ()
    assert found.ladder == ladder


@given(names)
@settings(deadline=None)
def test_a_name_is_what_is_read_of_it(name: str) -> None:
    assert markdown.plain(markdown.escaped(name)) == name
    assert markdown.html_in_line(markdown.escaped(name)) == []
