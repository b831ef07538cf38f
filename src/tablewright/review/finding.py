"""Findings: what a rule has to say about one place of a design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "note"]
#: From the gravest down.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True)
class Place:
    """Where something is: ``Place("pattern", "orders_of_customer")``.

    Parts of things are written behind them: ``Order.status``, ``Orders/GSI1``, ``Order[by_email]``.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def table(name: str) -> Place:
    return Place("table", name)


def index(table_name: str, name: str) -> Place:
    return Place("index", f"{table_name}/{name}")


def entity(name: str) -> Place:
    return Place("entity", name)


def attribute(entity_name: str, name: str) -> Place:
    return Place("attribute", f"{entity_name}.{name}")


def key(entity_name: str, name: str) -> Place:
    return Place("key", f"{entity_name}[{name}]")


def pattern(name: str) -> Place:
    return Place("pattern", name)


def sample(entity_name: str, deployed: str = "") -> Place:
    """A sample of an entity, or an item of it in the table that is ``deployed`` under a name."""
    return (
        Place("item", f"{entity_name} in {deployed}") if deployed else Place("sample", entity_name)
    )


@dataclass(frozen=True)
class Found:
    """What a check yields; the rule's own words are used for what is left out."""

    place: Place
    message: str
    fix: str = ""
    severity: Severity | None = None
    #: Which of many items it is about. The same of several is one finding, with their number.
    item: str = ""


@dataclass(frozen=True)
class Finding:
    """One finding, complete."""

    code: str
    severity: Severity
    place: Place
    message: str
    why: str
    fix: str
    #: The page about the rule.
    docs: str
    #: Why it was accepted; None is a finding that stands.
    suppressed: str | None = None
