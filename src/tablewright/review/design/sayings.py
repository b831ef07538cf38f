"""What else a document says: limits, samples, figures, permissions, alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limit:
    """A rule of the business that has to hold whoever writes: ``Limit("max_teams", "Team")``."""

    name: str
    entity: str
    #: Patterns whose conditions make sure of it.
    enforced_by: Sequence[str] = ()


@dataclass(frozen=True)
class Sample:
    """An item that the document shows: plain JSON, wire JSON, or the text of either.

    Items of a deployed table name it in ``deployed``. Their values belong to somebody: findings
    show only what they look like.
    """

    #: "" is an item that no entity owns.
    entity: str
    item: Mapping[str, Any] | str
    #: What the deployed table is called; "" is an item of the document.
    deployed: str = ""
    #: The design's table, where no entity says so.
    table: str = ""
    #: What is wrong with its keys, where whoever read the item knows; None: judge by the texts.
    key_problems: Sequence[str] | None = None


@dataclass(frozen=True)
class Figure:
    """A number that the document states: its own arithmetic, or a limit of the service.

    ``formula`` is how it says it came about: "10 * 10 * 2". Names of limits are in
    :mod:`tablewright.review.limits`; the same name twice with different values is a finding.
    """

    name: str
    value: float
    formula: str = ""
    #: For costs: the units that it pays for, "read" or "write".
    units: float | None = None
    kind: str = ""


@dataclass(frozen=True)
class Permission:
    """What a component may do: ``Permission("worker", ("PutItem",), ("table/Orders",))``."""

    component: str
    actions: Sequence[str]
    #: ARNs, or their ends: "table/Orders", "table/Orders/index/*". Empty: the document names none.
    resources: Sequence[str] = ()


@dataclass(frozen=True)
class Alarm:
    """An alarm as the document defines it, in CloudWatch's words."""

    name: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Suppression:
    """A finding that is known and accepted: by code and place (``*`` for any part), with a reason.

    It stays visible in every report, with its reason.
    """

    code: str
    place: str = "*"
    reason: str = ""
