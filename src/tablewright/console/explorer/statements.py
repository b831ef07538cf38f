"""PartiQL statements: which may be run where, and on which tables.

Tables are called by the model's names, which are put into the database's own before the statement
is sent. On the live tables a statement is a SELECT from one table of this system, and nothing in it
may be read differently by somebody else: comments and Ion literals are refused there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

MOST_STATEMENT = 8192

_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<comment>--[^\r\n]*|/\*.*?\*/)"
    r"|(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<string>'(?:[^']|'')*')"
    r'|(?P<quoted>"(?:[^"]|"")*")'
    r"|(?P<ion>`[^`]*`)"
    r"|(?P<symbol><<|>>|<=|>=|<>|!=|\|\||[()\[\]{}:,;?.*=<>+\-%@/])",
    re.DOTALL,
)
#: The words that a table's name follows, with the statements that they are in.
_BEFORE_TABLE = {"from", "into", "update"}


class StatementError(ValueError):
    """The statement cannot be run; the text says why, and where it is wrong."""


class Token(NamedTuple):
    kind: str
    text: str
    start: int

    @property
    def word(self) -> str:
        return self.text.lower() if self.kind == "word" else ""


def tokens(text: str) -> list[Token]:
    """What a statement is made of, without the space between."""
    found, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise StatementError(_unreadable(text, place))
        kind = str(match.lastgroup)
        if kind != "space":
            found.append(Token(kind, match[0], place))
        place = match.end()
    return found


def is_select(text: str) -> bool:
    """Whether the statement reads."""
    first = next((each for each in tokens(text) if each.kind != "comment"), None)
    return first is not None and first.word == "select"


def sendable(
    text: str, tables: Collection[str], physical: Callable[[str], str], *, reads_only: bool
) -> str:
    """The statement with the tables' own names; StatementError if it may not be run."""
    if not text.strip():
        raise StatementError('Write a statement, such as SELECT * FROM "…".')
    if len(text) > MOST_STATEMENT:
        raise StatementError(f"A statement has at most {MOST_STATEMENT:,} characters.")
    parts = tokens(text)
    if reads_only:
        _check_reading(text, parts)
    named = list(_table_names(parts))
    if reads_only and not (len(named) == 1 and _ends_well(parts, named[0])):
        raise StatementError(
            "A SELECT here has one FROM, then one table (and index), then WHERE or ORDER BY."
        )
    for token in reversed(named):
        text = _renamed(text, token, tables, physical, reads_only)
    return text


def tables_named(text: str) -> list[str]:
    """The tables of a statement, by the names that it has for them."""
    return [_name(each) for each in _table_names(tokens(text))]


def _check_reading(text: str, parts: list[Token]) -> None:
    if not parts or parts[0].word != "select":
        raise StatementError(
            "On the live tables only SELECT can be run. Other statements are for the practice "
            "tables."
        )
    for each in parts:
        if each.kind in ("comment", "ion"):
            what = "Comments" if each.kind == "comment" else "Ion literals"
            place = _place(text, each.start)
            raise StatementError(f"{what} are not for the live tables ({place}).")


def _table_names(parts: list[Token]) -> Iterator[Token]:
    told = [each for each in parts if each.kind != "comment"]
    for position, (before, name) in enumerate(pairwise(told)):
        begins = position == 0 or before.word != "update"
        if before.word in _BEFORE_TABLE and begins and name.kind in ("word", "quoted"):
            yield name


def _ends_well(parts: list[Token], name: Token) -> bool:
    """Nothing but an index follows a table before what is asked of it: no second table."""
    rest = parts[parts.index(name) + 1 :]
    if rest and rest[0].text == ".":
        rest = rest[2:]
    return not rest or rest[0].text == ";" or rest[0].word in ("where", "order")


def _renamed(
    text: str,
    token: Token,
    tables: Collection[str],
    physical: Callable[[str], str],
    reads_only: bool,
) -> str:
    name = _name(token)
    known = {each: physical(each) for each in tables}
    if name not in known and name not in known.values():
        if reads_only:
            place = _place(text, token.start)
            listed = ", ".join(known)
            raise StatementError(f"There is no table {name} ({place}); there are {listed}.")
        return text
    own = known.get(name, name)
    return f'{text[: token.start]}"{own}"{text[token.start + len(token.text) :]}'


def _name(token: Token) -> str:
    return token.text[1:-1].replace('""', '"') if token.kind == "quoted" else token.text


def _unreadable(text: str, place: int) -> str:
    where = _place(text, place)
    sign = text[place]
    if sign in "'\"`":
        return f"The quote {sign} that opens in {where} is not closed."
    return f"{sign!r} in {where} has no meaning in PartiQL."


def _place(text: str, start: int) -> str:
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return f"line {line}, column {column}"
