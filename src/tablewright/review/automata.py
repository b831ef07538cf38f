"""Sets of texts, and whether two of them have a text in common.

A key template stands for all texts it can become. Two entities collide if their sets meet; a
prefix matches another entity if the set of all texts that begin with it meets the entity's. A set
is a nondeterministic automaton; the shortest common text is found by walking two at once, and is
the example that a finding shows.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Characters:
    """Some characters, or all but some."""

    members: frozenset[str] = frozenset()
    inverted: bool = False

    def __and__(self, other: Characters) -> Characters:
        if self.inverted and other.inverted:
            return Characters(self.members | other.members, True)
        if self.inverted:
            return Characters(other.members - self.members)
        if other.inverted:
            return Characters(self.members - other.members)
        return Characters(self.members & other.members)

    def example(self) -> str | None:
        """One of them, a readable one if possible; None if there is none."""
        if not self.inverted:
            return min(self.members, key=lambda each: (not each.isalnum(), each), default=None)
        return next((each for each in "xyzabc0123456789#/-_ ~" if each not in self.members), "\x7f")


ANY = Characters(inverted=True)
_MOST = 20_000
State: TypeAlias = int


def only(text: str) -> Characters:
    return Characters(frozenset(text))


def without(text: str) -> Characters:
    return Characters(frozenset(text), True)


@dataclass
class Automaton:
    """Built from left to right: every method reads on from where the last one ended."""

    steps: list[list[tuple[Characters, State]]] = field(default_factory=lambda: [[]])
    jumps: list[list[State]] = field(default_factory=lambda: [[]])
    end: State = 0
    _closed: dict[State, frozenset[State]] = field(default_factory=dict)

    def state(self) -> State:
        self.steps.append([])
        self.jumps.append([])
        return len(self.steps) - 1

    def literal(self, text: str) -> None:
        for character in text:
            self.one(only(character))

    def one(self, characters: Characters) -> None:
        follow = self.state()
        self.steps[self.end].append((characters, follow))
        self.end = follow

    def some(self, characters: Characters) -> None:
        """One or more."""
        self.one(characters)
        self.steps[self.end].append((characters, self.end))

    def anything(self) -> None:
        """Any text, an empty one too."""
        follow = self.state()
        self.jumps[self.end].append(follow)
        self.end = follow
        self.steps[follow].append((ANY, follow))

    def closed(self, start: State) -> frozenset[State]:
        """``start`` and what is reached without reading. Only of an automaton that is complete."""
        known = self._closed.get(start)
        if known is not None:
            return known
        found = {start}
        pending = [start]
        while pending:
            for follow in self.jumps[pending.pop()]:
                if follow not in found:
                    found.add(follow)
                    pending.append(follow)
        self._closed[start] = frozenset(found)
        return self._closed[start]


def common_text(first: Automaton, second: Automaton) -> str | None:
    """The shortest text that both accept, or None."""
    pending = deque([((0, 0), "")])
    seen = {(0, 0)}
    # Keys are short: what needs more steps than this is no key.
    while pending and len(seen) < _MOST:
        (one, two), text = pending.popleft()
        here, there = first.closed(one), second.closed(two)
        if first.end in here and second.end in there:
            return text
        for a in here:
            for b in there:
                for characters, next_one in first.steps[a]:
                    for others, next_two in second.steps[b]:
                        pair = (next_one, next_two)
                        example = (characters & others).example()
                        if example is not None and pair not in seen:
                            seen.add(pair)
                            pending.append((pair, text + example))
    return None
