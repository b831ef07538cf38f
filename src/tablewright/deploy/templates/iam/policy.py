"""Policies: all needs of a component, joined into statements.

Within a table or index, an action is held to the union of the keys that its patterns touch, if all
of them are known; likewise to attributes, and to counting. ``ForAllValues`` is true of a request
without any key, so a ``Null`` test stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tablewright.deploy.templates.iam.access import Access
from tablewright.deploy.templates.iam.arns import Arns
from tablewright.deploy.templates.iam.backups import backup_statements
from tablewright.deploy.templates.iam.feeds import ASKING, feed_needs, stream_statements
from tablewright.deploy.templates.iam.needs import Need, needs_of
from tablewright.deploy.templates.iam.prefixes import simplified
from tablewright.model.errors import ModelError
from tablewright.model.model import Model
from tablewright.model.ops import Op
from tablewright.model.pattern import Pattern

Document: TypeAlias = dict[str, Any]

#: The component of patterns that name none.
DEFAULT = "default"
VERSION = "2012-10-17"


@dataclass(frozen=True)
class Grant:
    """One action on one table or index, and what it is held to."""

    action: str
    table: str
    index: str | None
    keys: tuple[str, ...] | None
    attributes: tuple[str, ...] | None
    counts: bool

    @property
    def condition(self) -> Document:
        condition: Document = {}
        if self.keys is not None:
            condition["ForAllValues:StringLike"] = {"dynamodb:LeadingKeys": list(self.keys)}
            condition["Null"] = {"dynamodb:LeadingKeys": "false"}
        if self.attributes is not None:
            condition["ForAllValues:StringEquals"] = {"dynamodb:Attributes": list(self.attributes)}
            condition["StringEqualsIfExists"] = {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}
        elif self.counts:
            condition["StringEquals"] = {"dynamodb:Select": "COUNT"}
        return condition


def components(model: Model) -> dict[str, list[Pattern[..., Any]]]:
    """The patterns of each component, by its name."""
    found: dict[str, list[Pattern[..., Any]]] = {}
    for pattern in model.patterns.values():
        found.setdefault(pattern.component or DEFAULT, []).append(pattern)
    return dict(sorted(found.items()))


def policies(
    model: Model,
    arns: Arns,
    calls: Mapping[str, Op[Any]] | None = None,
    access: Access | None = None,
) -> dict[str, Document]:
    """The policy document of every component."""
    told = access or Access()
    named = (told.feeds, told.beside, told.asking, told.backups)
    names = sorted({*components(model), *(name for each in named for name in each)})
    return {name: policy_of(model, name, arns, calls, told) for name in names}


def policy_of(
    model: Model,
    component: str,
    arns: Arns,
    calls: Mapping[str, Op[Any]] | None = None,
    access: Access | None = None,
) -> Document:
    """The policy document of one component; ``access`` is what it does beside its patterns."""
    known, told = calls or {}, access or Access()
    beside = _named(model, told.beside.get(component, ()))
    needs = [
        need
        for pattern in (*components(model).get(component, ()), *beside)
        for need in needs_of(pattern, known.get(pattern.name))
    ]
    followed = [model.table(name) for name in told.feeds.get(component, ())]
    if followed:
        needs += feed_needs(model.tables.values())
    elif component in told.asking:
        needs += feed_needs(model.tables.values(), ASKING)
    document = document_of(needs, arns)
    document["Statement"] += stream_statements(followed, arns)
    document["Statement"] += backup_statements(told.backups.get(component, ()), arns)
    return document


def _named(model: Model, names: Iterable[str]) -> list[Pattern[..., Any]]:
    lacking = [name for name in names if name not in model.patterns]
    if lacking:
        raise ModelError(f"{model.name} has no pattern {', '.join(lacking)}")
    return [model.patterns[name] for name in names]


def document_of(needs: Iterable[Need], arns: Arns) -> Document:
    """A policy document that allows these needs."""
    return {"Version": VERSION, "Statement": _statements(_grants(needs), arns)}


def _grants(needs: Iterable[Need]) -> list[Grant]:
    groups: dict[tuple[str, str, str], list[Need]] = {}
    for need in needs:
        groups.setdefault((need.table.name, need.index or "", need.action), []).append(need)
    return [_grant(groups[place]) for place in sorted(groups)]


def _grant(needs: Sequence[Need]) -> Grant:
    first = needs[0]
    return Grant(
        first.action,
        first.table.name,
        first.index,
        _union([need.keys for need in needs], simplified),
        _union([need.attributes for need in needs], _sorted),
        all(need.counts for need in needs),
    )


def _union(given: Sequence[tuple[str, ...] | None], join: Any) -> tuple[str, ...] | None:
    known = [each for each in given if each is not None]
    if len(known) < len(given):
        return None
    joined: tuple[str, ...] = join(text for each in known for text in each)
    return joined


def _sorted(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(texts)))


def _statements(grants: Iterable[Grant], arns: Arns) -> list[Document]:
    groups: dict[tuple[object, ...], list[Grant]] = {}
    for grant in grants:
        held = (grant.table, grant.index, grant.keys, grant.attributes, grant.counts)
        groups.setdefault(held, []).append(grant)
    made: list[Document] = []
    sids: dict[str, int] = {}
    for group in groups.values():
        first = group[0]
        statement: Document = {
            "Sid": _sid(first, sids),
            "Effect": "Allow",
            "Action": [f"dynamodb:{grant.action}" for grant in group],
            "Resource": _resource(first, arns),
        }
        if first.condition:
            statement["Condition"] = first.condition
        made.append(statement)
    return made


def _resource(grant: Grant, arns: Arns) -> Any:
    if grant.index is None:
        return arns.table(grant.table)
    return arns.index(grant.table, grant.index)


def _sid(grant: Grant, taken: dict[str, int]) -> str:
    name = re.sub(r"[^A-Za-z0-9]", "", f"{grant.table}{grant.index or ''}")
    taken[name] = taken.get(name, 0) + 1
    return name if taken[name] == 1 else f"{name}Part{taken[name]}"
