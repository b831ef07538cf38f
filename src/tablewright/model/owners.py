"""Whose an item of a table is that has no attribute to tell its entities apart: their keys do.

The templates are put in order once, so that most items are told by the way their key begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablewright.values import Item

if TYPE_CHECKING:
    from tablewright.model.definition import EntityDef
    from tablewright.model.table import Table


class Owners:
    """The entities of a table, as they are asked for an item."""

    def __init__(self, table: Table) -> None:
        self.number = len(table.entities)
        #: Of unique constraints; who has a lock's form is nobody's item.
        self.locks = [each for known in table.entities.values() for each in known.uniques]
        # The key that says most about itself is asked first: `{ts}#@{model}` before `{ts}#{tag}`.
        ordered = sorted(table.entities.values(), key=_literal_length, reverse=True)
        self._entities = [(_beginning(known), known, known.primary.matches) for known in ordered]
        self._key = table.pk.name

    def owner(self, item: Item) -> EntityDef[Any] | None:
        """The entity that owns the item, or None."""
        for lock in self.locks:
            if lock.owns(item):
                return None
        begins = item.get(self._key, {}).get("S", "").startswith
        for beginning, known, matches in self._entities:
            if begins(beginning) and matches(item):
                return known
        return None


def owners_of(table: Table) -> Owners:
    """Made anew when the table has got another entity."""
    kept = table.owners
    if kept is None or kept.number != len(table.entities):
        kept = table.owners = Owners(table)
    return kept


def _literal_length(known: EntityDef[Any]) -> int:
    pieces = (piece for part in known.primary.parts for piece in part.template.pieces)
    return sum(len(piece) for piece in pieces if isinstance(piece, str))


def _beginning(known: EntityDef[Any]) -> str:
    """The letters that its partition key begins with, whatever the values."""
    (part, *_) = known.primary.partition
    piece = part.template.pieces[0] if part.template.pieces else ""
    return piece if isinstance(piece, str) else ""
