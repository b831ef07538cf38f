"""A design as the rules read it: plain, permissive declarations that check nothing.

A typed model cannot be wrong in many of the ways that documents are: it refuses an empty key or
two ADD clauses when it is declared. A review has to be able to say so of a design that nobody has
built yet. These classes hold anything: what a document says, word by word, mistakes included.
:func:`tablewright.review.from_model.design_of` makes the same from a typed model.

Everything has a default that means "nothing is said about it", so a declaration names only what is
known. ``Design.of("shop", Table(...), Entity(...), Pattern(...), ...)`` sorts the parts.
"""

from tablewright.review.design.entities import Attribute, Entity, Key, Retention, Unique
from tablewright.review.design.patterns import READS, Begins, Between, Flow, KeyTerm, Kind, Pattern
from tablewright.review.design.sayings import Alarm, Figure, Limit, Permission, Sample, Suppression
from tablewright.review.design.tables import (
    Definition,
    Index,
    KeyAttribute,
    Names,
    Projection,
    Table,
    key_attributes,
)
from tablewright.review.design.whole import Design, Part

__all__ = [
    "READS",
    "Alarm",
    "Attribute",
    "Begins",
    "Between",
    "Definition",
    "Design",
    "Entity",
    "Figure",
    "Flow",
    "Index",
    "Key",
    "KeyAttribute",
    "KeyTerm",
    "Kind",
    "Limit",
    "Names",
    "Part",
    "Pattern",
    "Permission",
    "Projection",
    "Retention",
    "Sample",
    "Suppression",
    "Table",
    "Unique",
    "key_attributes",
]
