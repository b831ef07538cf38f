"""The text of a ladder as a row of blocks: headings, items of numbered lists, and all the rest.

Only the outermost blocks count. What is inside an item beyond its first paragraph is text, moved
to the left by as much as the item is indented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from markdown_it.token import Token

from tablewright.systems.ladders.rules import markdown
from tablewright.systems.ladders.rules.ladder_lines import Line

_MARKER: Final = re.compile(r"( {0,3}\d{1,9}[.)])( *)(.?)")


@dataclass(frozen=True)
class Title:
    """A heading, with one # or more."""

    line: int
    depth: int
    text: str


@dataclass(frozen=True)
class Item:
    """An item of a numbered list."""

    line: int
    #: As it is written: ``1.``, ``02.``, ``3)``.
    marker: str
    #: Where its list begins.
    list_line: int
    #: What it begins with: ``paragraph_open``, or another block that is no description.
    begins: str
    first: tuple[Line, ...]
    rest: tuple[Line, ...]

    @property
    def number(self) -> int:
        return int(self.marker[:-1])


@dataclass(frozen=True)
class Loose:
    """Anything else."""

    #: As the parser calls it.
    kind: str
    lines: tuple[Line, ...]
    #: The lines of items, if it is a list without numbers.
    bullets: tuple[int, ...] = ()

    @property
    def line(self) -> int:
        return self.lines[0].number


Block: TypeAlias = Title | Item | Loose


@dataclass(frozen=True)
class TooDeep:
    """Lists inside of lists without end: what follows cannot be told."""

    line: int


def blocks_of(lines: Sequence[Line]) -> list[Block] | TooDeep:
    """The blocks in their order."""
    found = markdown.block_tokens("\n".join(each.text for each in lines))
    deep = next((each for each in found if each.level > markdown.DEEPEST + 2 and each.map), None)
    if deep is not None and deep.map is not None:
        return TooDeep(lines[deep.map[0]].number)
    return [block for part in _outermost(found) for block in _blocks(part, lines)]


def _outermost(found: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The tokens of each outermost block."""
    begin = 0
    for at, token in enumerate(found, 1):
        if token.level == 0 and token.nesting <= 0:
            yield found[begin:at]
            begin = at


def _blocks(part: Sequence[Token], lines: Sequence[Line]) -> Iterator[Block]:
    first = part[0]
    if first.type == "heading_open":
        yield Title(_span(first, lines)[0].number, int(first.tag[1:]), part[1].content)
    elif first.type == "ordered_list_open":
        yield from _items(part, lines)
    else:
        items = (each for each in part if each.type == "list_item_open" and each.level == 1)
        bullets = tuple(_span(each, lines)[0].number for each in items)
        yield Loose(first.type, _span(first, lines), bullets)


def _items(part: Sequence[Token], lines: Sequence[Line]) -> Iterator[Item]:
    list_line = _span(part[0], lines)[0].number
    for at, token in enumerate(part):
        if token.type == "list_item_open" and token.level == 1:
            yield _item(token, part[at + 1 : at + 3], lines, list_line)


def _item(opened: Token, inside: Sequence[Token], lines: Sequence[Line], list_line: int) -> Item:
    whole = _span(opened, lines)
    begins, first, rest = inside[0].type, tuple[Line, ...](), whole
    if begins == "paragraph_open":
        described = _span(inside[0], lines)
        texts = inside[1].content.split("\n")
        first = tuple(Line(each.number, text) for each, text in zip(described, texts, strict=False))
        rest = tuple(each for each in whole if each.number > described[-1].number)
    indent = _indent(whole[0].text)
    moved = tuple(_moved(each, indent) for each in rest)
    return Item(whole[0].number, opened.info + opened.markup, list_line, begins, first, moved)


def _indent(text: str) -> int:
    """So far to the right the text of an item stands, by its first line."""
    found = _MARKER.match(text)
    assert found is not None, "it is an item because it has a marker"
    marker, spaces, sign = found.groups()
    # With nothing behind the marker, or code, one space counts.
    return len(marker) + (len(spaces) if sign and len(spaces) <= 4 else 1)


def _moved(line: Line, by: int) -> Line:
    return Line(line.number, re.sub(f"^ {{0,{by}}}", "", line.text))


def _span(token: Token, lines: Sequence[Line]) -> tuple[Line, ...]:
    assert token.map is not None, "blocks know their lines"
    return tuple(lines[token.map[0] : token.map[1]])
