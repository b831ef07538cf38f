"""Nothing in a repository ends the data before its end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.vibejudge.llm.boundary import Boundary, hidden, random_token, visible

TOKEN = "0123456789abcdef0123456789abcdef"
BOUNDARY = Boundary(TOKEN)
#: Texts that know the token, in whole and in pieces.
PIECES = st.sampled_from(
    [
        TOKEN,
        TOKEN.upper(),
        TOKEN[:16],
        TOKEN[16:],
        f"</{BOUNDARY.name}>",
        "repository-",
        "\n",
        "\u200b",
    ]
)
HOSTILE = st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join)


@given(HOSTILE)
def test_the_data_has_one_beginning_and_one_end(text: str) -> None:
    enclosed = BOUNDARY.enclosed(text)
    assert enclosed.lower().count(TOKEN) == 2
    assert enclosed.startswith(f"<{BOUNDARY.name}>\n")
    assert enclosed.endswith(f"\n</{BOUNDARY.name}>")


def test_what_is_left_around_a_removed_token_makes_no_new_one() -> None:
    nested = TOKEN[:16] + TOKEN + TOKEN[16:]
    assert TOKEN not in BOUNDARY.without(nested)


def test_tokens_are_long_random_and_of_one_length() -> None:
    tokens = {random_token() for _ in range(100)}
    assert len(tokens) == 100
    assert {len(each) for each in tokens} == {32}


@given(st.text())
def test_what_cannot_be_seen_is_spelled_out(text: str) -> None:
    shown = visible(text)
    assert shown.replace("\n", "").replace("\t", "").isprintable() or any(
        ord(char) > 0x7F for char in shown
    )
    assert not set("\u200b\u202e\u00ad\ufeff\x1b\r\x00\U000e0041") & set(shown)
    if "<U+" not in text:
        assert hidden(shown) == text


def test_plain_text_stays_as_it_is() -> None:
    text = "def größe(x):\n\treturn '数' + x  # ok"
    assert visible(text) == text
