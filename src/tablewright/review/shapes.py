"""Regular expressions as automata: the part of their language that designs use.

Literals, classes, ``\\d`` and ``\\w``, groups, alternatives and counted repetition. Whatever else
an expression holds is beyond this module, which then says so: :class:`Beyond`.
"""

from __future__ import annotations

import string
from collections.abc import Callable

from tablewright.review.automata import ANY, Automaton, Characters, only

_DIGITS = string.digits
_WORD = string.ascii_letters + string.digits + "_"
_ESCAPED = {"d": only(_DIGITS), "w": only(_WORD), "s": only(" \t\n\r")}
_MOST = 512


class Beyond(Exception):
    """An expression that cannot be read here."""


def add_expression(automaton: Automaton, expression: str) -> None:
    """Read on with all texts that match the whole ``expression``."""
    reader = _Reader(expression.removeprefix("^").removesuffix("$").removesuffix("\\Z"))
    build = reader.alternatives()
    if reader.rest:
        raise Beyond(expression)
    build(automaton)


_Build = Callable[[Automaton], None]


class _Reader:
    def __init__(self, rest: str) -> None:
        self.rest = rest

    def take(self, text: str) -> bool:
        if self.rest.startswith(text):
            self.rest = self.rest[len(text) :]
            return True
        return False

    def next(self) -> str:
        if not self.rest:
            raise Beyond("the expression ends too early")
        character, self.rest = self.rest[0], self.rest[1:]
        return character

    def alternatives(self) -> _Build:
        branches = [self.sequence()]
        while self.take("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else _either(branches)

    def sequence(self) -> _Build:
        parts: list[_Build] = []
        while self.rest and self.rest[0] not in "|)":
            parts.append(self.repeated(self.atom()))

        def build(automaton: Automaton) -> None:
            for part in parts:
                part(automaton)

        return build

    def atom(self) -> _Build:
        if self.take("(?:") or (self.rest[:2] != "(?" and self.take("(")):
            inner = self.alternatives()
            if not self.take(")"):
                raise Beyond("a group is not closed")
            return inner
        character = self.next()
        if character == "[":
            return _one(self.members())
        if character == ".":
            return _one(ANY)
        if character == "\\":
            return _one(self.escape())
        if character in "^$(*+?{":
            raise Beyond(character)
        return _one(only(character))

    def escape(self) -> Characters:
        character = self.next()
        if character in _ESCAPED:
            return _ESCAPED[character]
        if character.isalnum():
            raise Beyond(character)
        return only(character)

    def members(self) -> Characters:
        inverted = self.take("^")
        found: set[str] = set()
        while not self.take("]") or not found:
            character = self.next()
            if character == "\\":
                found |= self.escape().members
            elif len(self.rest) > 1 and self.rest[0] == "-" and self.rest[1] != "]":
                last = self.rest[1]
                self.rest = self.rest[2:]
                found |= {chr(code) for code in range(ord(character), ord(last) + 1)}
            else:
                found.add(character)
        return Characters(frozenset(found), inverted)

    def repeated(self, part: _Build) -> _Build:
        made = self.times(part)
        if made is not part:
            # Lazy or possessive: that changes how a text is matched, not whether it is.
            _ = self.take("?") or self.take("+")
        return made

    def times(self, part: _Build) -> _Build:
        if self.take("?"):
            return _times(part, 0, 1)
        if self.take("*"):
            return _times(part, 0, None)
        if self.take("+"):
            return _times(part, 1, None)
        if self.take("{"):
            text, closed, self.rest = self.rest.partition("}")
            low, comma, high = text.partition(",")
            if not closed or not low.isdigit() or (high and not high.isdigit()):
                raise Beyond(text)
            most = int(low) if not comma else int(high) if high else None
            if int(low) > _MOST or (most or 0) > _MOST:
                raise Beyond(text)
            return _times(part, int(low), most)
        return part


def _one(characters: Characters) -> _Build:
    return lambda automaton: automaton.one(characters)


def _either(branches: list[_Build]) -> _Build:
    def build(automaton: Automaton) -> None:
        start, end = automaton.end, automaton.state()
        for branch in branches:
            automaton.end = automaton.state()
            automaton.jumps[start].append(automaton.end)
            branch(automaton)
            automaton.jumps[automaton.end].append(end)
        automaton.end = end

    return build


def _times(part: _Build, low: int, high: int | None) -> _Build:
    def build(automaton: Automaton) -> None:
        for _ in range(low):
            part(automaton)
        if high is None:
            # A state of its own, so that what loops cannot be entered from the middle.
            start = automaton.state()
            automaton.jumps[automaton.end].append(start)
            automaton.end = start
            part(automaton)
            automaton.jumps[automaton.end].append(start)
            end = automaton.state()
            automaton.jumps[start].append(end)
            automaton.end = end
            return
        skips = []
        for _ in range(high - low):
            skips.append(automaton.end)
            part(automaton)
        for skipped in skips:
            automaton.jumps[skipped].append(automaton.end)

    return build
