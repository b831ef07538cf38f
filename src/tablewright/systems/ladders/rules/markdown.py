"""Markdown as ladders are written in: what is a name in it, and where somebody put HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, html_inline
from markdown_it.token import Token

#: So deep may lists and quotes be inside of each other. The parser gives up a little later, and
#: then takes all the rest of the text for part of what is too deep.
DEEPEST: Final = 15


def _placed_html(state: StateInline, silent: bool) -> bool:
    at = state.pos
    found = html_inline(state, silent)
    if found and not silent:
        state.tokens[-1].meta["at"] = at
    return found


def _parser() -> MarkdownIt:
    # Nothing may vanish from a ladder, as definitions of links do.
    made = MarkdownIt("commonmark").disable("reference")
    made.inline.ruler.at("html_inline", _placed_html)
    return made


_WHOLE: Final = _parser()
_BLOCKS: Final = _parser().disable("inline")

# What would be read as something else than itself: inside a line, at its start, at its end.
_INSIDE: Final = re.compile(r"[\\`*_\[\]<]|&(?=#?\w{1,32};)")
_START: Final = re.compile(r"^(?=[-+#>~=])|^(\d{1,9})(?=[.)])")
_END: Final = re.compile(r"(?<= )#+$")


def block_tokens(text: str) -> list[Token]:
    """The blocks of a text; what is inside a line is not looked at."""
    return _BLOCKS.parse(text)


def tokens(text: str) -> list[Token]:
    """The blocks of a text, with what is inside their lines if that can be HTML."""
    return _WHOLE.parse(text) if "<" in text else _BLOCKS.parse(text)


def html_places(inline: Token) -> Iterator[int]:
    """Where in its content a block has HTML."""
    for each in inline.children or ():
        if each.type == "html_inline":
            yield each.meta["at"]
        yield from html_places(each)


def html_in_line(text: str) -> list[int]:
    """Where in one line, which may be long, HTML begins."""
    if "<" not in text:
        return []
    return [at for each in _WHOLE.parseInline(text) for at in html_places(each)]


def plain(text: str) -> str:
    """The text of a line without its marks, for names."""
    read = (said for each in _WHOLE.parseInline(text) for said in _said(each.children or ()))
    return " ".join("".join(read).split())


def _said(children: Sequence[Token]) -> Iterator[str]:
    for each in children:
        if each.type in ("text", "text_special", "code_inline"):
            yield each.content
        elif each.type in ("softbreak", "hardbreak"):
            yield " "
        yield from _said(each.children or ())


def escaped(name: str) -> str:
    """A line that is read as this name."""
    inside = _INSIDE.sub(r"\\\g<0>", name)
    begun = _START.sub(lambda found: f"{found[1] or ''}\\", inside)
    return _END.sub(lambda found: found[0].replace("#", "\\#"), begun)
