"""Which keys a pattern asks for, and which entities have such keys."""

from __future__ import annotations

from tablewright.review.automata import Automaton, common_text
from tablewright.review.design import Begins, Between, Entity, Key, KeyTerm, Pattern, Table
from tablewright.review.languages import automaton_of
from tablewright.review.templates import Slot, disjoint, pieces


def asks_for(pattern: Pattern, entity: Entity, key: Key, table: Table) -> bool:
    """Whether items of the entity can be what the pattern's key condition selects."""
    if not pattern.key:
        # Nothing more is said than which entity it is about.
        return pattern.entity is None or entity.name in (pattern.entity, *pattern.also)
    side = table.index(key.on) if key.on else table
    if side is None:
        return False
    declared = [each.name for each in (*side.partition, *side.sort)]
    for name, template in zip(declared, key.templates, strict=False):
        term = pattern.key.get(name)
        if term is not None and not meets(term, template, entity, key, table.delimiter):
            return False
    return True


def meets(term: KeyTerm, template: str, entity: Entity, key: Key, delimiter: str) -> bool:
    """Whether the term can select a key of this template; True where it cannot be told."""
    text = _text(term)
    if disjoint(text, template):
        return False
    asked = _asked(term, entity, delimiter)
    written = automaton_of(template, entity, delimiter, key=key)
    if asked is None or written is None:
        return True
    return common_text(asked, written) is not None


def _asked(term: KeyTerm, entity: Entity, delimiter: str) -> Automaton | None:
    """The texts that a term selects; of a range, what both ends have in common."""
    automaton = automaton_of(_text(term), entity, delimiter, pasted=True)
    if automaton is not None and not isinstance(term, str):
        automaton.anything()
    return automaton


def _text(term: KeyTerm) -> str:
    """The text that a key has, or begins with."""
    if isinstance(term, str):
        return term
    return term.text if isinstance(term, Begins) else _shared(term)


def _shared(term: Between) -> str:
    """The literal text that every key in a range begins with."""
    texts = []
    for bound in (term.low, term.high):
        first = pieces(bound)[:1] if bound else ()
        texts.append("" if not first or isinstance(first[0], Slot) else first[0])
    low, high = texts
    length = 0
    while length < min(len(low), len(high)) and low[length] == high[length]:
        length += 1
    return low[:length]
