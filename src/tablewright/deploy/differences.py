"""How a deployed table differs from its model: each difference with its weight and its remedy.

An ``error`` breaks patterns or loses data; a ``warning`` costs money, speed or order; an ``info``
is worth knowing and no mismatch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tablewright.deploy.state import IndexState, TableState
from tablewright.deploy.words import billing_text, key_text, projection_text

Severity: TypeAlias = Literal["error", "warning", "info"]
Kind: TypeAlias = Literal["missing", "extra", "changed", "waiting"]

MIGRATE = "Run `tablewright tables migrate MODEL` to bring it to what the model says."
_NEW_TABLE = (
    "This cannot be changed in place: declare a new table under a new name, copy the items "
    "(export and import, or a script that scans and puts), switch the code, delete the old one."
)
_BY_HAND = "Migrate leaves it on. Declare it in the model, or switch it off by hand."
_WAIT = "Wait until it is ACTIVE, then verify again."


@dataclass(frozen=True)
class Difference:
    """One thing that is not as the model says."""

    table: str
    #: ``table``, ``key``, ``index GSI1``, ``ttl`` and so on.
    place: str
    kind: Kind
    severity: Severity
    #: What the model declares and what is deployed, as text; None is nothing.
    declared: str | None
    deployed: str | None
    remedy: str
    #: It is about stored items rather than settings, which a diff of settings does not show.
    of_items: bool = False

    @property
    def message(self) -> str:
        if self.kind == "missing":
            return f"{self.place} is missing: {self.declared}"
        if self.kind == "extra":
            return f"{self.place} is not in the model: {self.deployed}"
        if self.kind == "waiting":
            return f"{self.place} is {self.deployed}"
        return f"{self.place} is {self.deployed}, the model says {self.declared}"

    def as_json(self) -> dict[str, object]:
        return {
            "table": self.table,
            "place": self.place,
            "kind": self.kind,
            "severity": self.severity,
            "declared": self.declared,
            "deployed": self.deployed,
            "message": self.message,
            "remedy": self.remedy,
        }


def differences(declared: TableState, deployed: TableState | None) -> list[Difference]:
    """Everything in which ``deployed`` is not what is ``declared``, the worst first."""
    if deployed is None:
        return [_missing_table(declared)]
    if deployed.status in ("CREATING", "DELETING"):
        # It tells neither its settings nor whether its indexes can be used yet.
        found = [_waiting(declared, "table", deployed.status)]
    else:
        checks = (_table, _indexes, _settings, _tags)
        found = [each for check in checks for each in check(declared, deployed)]
    weights = ("error", "warning", "info")
    return sorted(found, key=lambda each: weights.index(each.severity))


def mismatches(found: list[Difference]) -> list[Difference]:
    """Those that are not for information only."""
    return [each for each in found if each.severity != "info"]


def _missing_table(declared: TableState) -> Difference:
    remedy = "Run `tablewright tables setup MODEL` or check --region, --env and --prefix."
    text = f"{declared.physical} ({key_text(declared.key[:1], declared.key[1:])})"
    return Difference(declared.name, "table", "missing", "error", text, None, remedy)


def _waiting(declared: TableState, place: str, status: str) -> Difference:
    return Difference(declared.name, place, "waiting", "error", "ACTIVE", status, _WAIT)


# --- table and indexes -------------------------------------------------------------------


def _table(declared: TableState, deployed: TableState) -> Iterator[Difference]:
    # A table is UPDATING while one of its indexes is: the index says more.
    indexes = deployed.indexes.values()
    if deployed.status != "ACTIVE" and all(each.status == "ACTIVE" for each in indexes):
        yield _waiting(declared, "table", deployed.status)
    if declared.key != deployed.key:
        wanted, found = (key_text(each.key[:1], each.key[1:]) for each in (declared, deployed))
        yield Difference(declared.name, "key", "changed", "error", wanted, found, _NEW_TABLE)


def _indexes(declared: TableState, deployed: TableState) -> Iterator[Difference]:
    for name, index in declared.indexes.items():
        other = deployed.indexes.get(name)
        if other is None:
            remedy = _NEW_TABLE if index.local else MIGRATE
            yield Difference(
                declared.name, f"index {name}", "missing", "error", index_text(index), None, remedy
            )
        else:
            yield from _index(declared.name, index, other)
    for name, index in deployed.indexes.items():
        if name not in declared.indexes:
            remedy = _NEW_TABLE if index.local else f"{MIGRATE} It drops the index last, if asked."
            text = index_text(index)
            yield Difference(declared.name, f"index {name}", "extra", "warning", None, text, remedy)


def _index(table: str, declared: IndexState, deployed: IndexState) -> Iterator[Difference]:
    place = f"index {declared.name}"

    def changed(part: str, text: Callable[[IndexState], str], severity: Severity) -> Difference:
        rebuilt = part in ("key", "projection", "kind")
        remedy = (_NEW_TABLE if declared.local else RENAME) if rebuilt else MIGRATE
        texts = text(declared), text(deployed)
        return Difference(table, f"{place} {part}", "changed", severity, *texts, remedy)

    if declared.local != deployed.local:
        yield changed("kind", lambda each: "local" if each.local else "global", "error")
        return
    if deployed.status != "ACTIVE":
        yield Difference(table, place, "waiting", "error", "ACTIVE", deployed.status, _WAIT)
    if declared.keys != deployed.keys:
        yield changed("key", lambda each: key_text(*each.keys), "error")
    if (declared.projection, declared.include) != (deployed.projection, deployed.include):
        yield changed("projection", projection_text, "error")
    if type(declared.billing) is type(deployed.billing) and declared.billing != deployed.billing:
        yield changed("units", lambda each: billing_text(each.billing), "warning")


RENAME = (
    "An index cannot be changed in place: give it a new name in the model, so that `tablewright "
    "tables migrate` builds the new one beside the old, and drop the old one when no code uses it. "
    "`migrate --rebuild` keeps the name, but queries on the index fail until it is there again."
)


def index_text(index: IndexState) -> str:
    """An index in one line."""
    kind = "local, " if index.local else ""
    return f"{kind}{key_text(*index.keys)}, {projection_text(index)}"


# --- settings ----------------------------------------------------------------------------


def _settings(declared: TableState, deployed: TableState) -> Iterator[Difference]:
    if declared.billing != deployed.billing:
        texts = billing_text(declared.billing), billing_text(deployed.billing)
        yield Difference(declared.name, "billing", "changed", "warning", *texts, MIGRATE)
    # What the model asks for and is not there is worse than what is there beside it.
    if "ttl" not in deployed.unseen:
        yield from _ttl(declared, deployed)
    yield from _one(declared, "stream", declared.stream, deployed.stream, extra="warning")
    if "pitr" not in deployed.unseen:
        yield from _pitr(declared, deployed)
    if declared.table_class != deployed.table_class:
        texts = declared.table_class, deployed.table_class
        yield Difference(declared.name, "class", "changed", "warning", *texts, MIGRATE)
    if declared.protected != deployed.protected:
        wanted, found = ("on" if each.protected else "off" for each in (declared, deployed))
        severity: Severity = "error" if declared.protected else "info"
        place, remedy = "deletion protection", MIGRATE if declared.protected else _BY_HAND
        yield Difference(declared.name, place, "changed", severity, wanted, found, remedy)


def _one(
    state: TableState, place: str, wanted: str | None, found: str | None, extra: Severity
) -> Iterator[Difference]:
    if wanted == found:
        return
    kind: Kind = "changed" if wanted and found else "missing" if wanted else "extra"
    severity: Severity = "error" if wanted else extra
    # What is for information only, nobody takes away.
    remedy = _BY_HAND if severity == "info" else MIGRATE
    yield Difference(state.name, place, kind, severity, wanted, found, remedy)


def _ttl(declared: TableState, deployed: TableState) -> Iterator[Difference]:
    # An attribute that the model does not mean to end items deletes data.
    yield from _one(declared, "ttl", declared.ttl, deployed.ttl, extra="error")
    if declared.ttl == deployed.ttl and deployed.ttl_status == "ENABLING":
        text = "It takes effect within an hour."
        yield Difference(
            declared.name, "ttl", "waiting", "info", "ENABLED", deployed.ttl_status, text
        )


def _pitr(declared: TableState, deployed: TableState) -> Iterator[Difference]:
    wanted, found = (
        None if each.pitr is None else f"{each.pitr} days" for each in (declared, deployed)
    )
    yield from _one(declared, "point-in-time recovery", wanted, found, extra="info")


def _tags(declared: TableState, deployed: TableState) -> Iterator[Difference]:
    if "tags" in deployed.unseen:
        return
    for key, value in declared.tags.items():
        yield from _tag(declared.name, key, value, deployed.tags.get(key))
    for key, value in deployed.tags.items():
        if key not in declared.tags and not key.startswith("aws:"):
            text = "Declare it in the model, or remove it by hand."
            yield Difference(declared.name, f"tag {key}", "extra", "info", None, value, text)


def _tag(table: str, key: str, value: str, found: str | None) -> Iterator[Difference]:
    if value != found:
        kind: Kind = "missing" if found is None else "changed"
        yield Difference(table, f"tag {key}", kind, "warning", value, found, MIGRATE)
