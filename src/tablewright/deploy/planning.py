"""From what is deployed to what the model says, as ordered steps.

Settings come first, then what new indexes need in the items, then the new indexes one by one, and
what loses something comes last. What only a new table could have is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from tablewright.deploy.differences import RENAME, index_text
from tablewright.deploy.settings import settings
from tablewright.deploy.state import IndexState, TableState, declared
from tablewright.deploy.steps import Step
from tablewright.deploy.words import key_text
from tablewright.model.table import Table
from tablewright.model.tables import create_request

#: Stands for every index in ``--backfill``.
ALL = "all"


@dataclass(frozen=True)
class Migration:
    """What is to be done, in this order."""

    steps: list[Step] = field(default_factory=list)
    #: What cannot be done to tables that are there.
    refused: list[Step] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        return {
            "steps": [step.as_json() for step in self.steps],
            "refused": [step.as_json() for step in self.refused],
        }


def plan(
    table: Table,
    physical: str,
    deployed: TableState | None,
    *,
    rebuild: bool = False,
    backfill: Collection[str] = (),
) -> Migration:
    """The steps for one table.

    ``rebuild`` lets an index be dropped and created again under its name; ``backfill`` names
    indexes whose keys are computed again though the index is there: their templates may have
    changed, or code that knew nothing of them may have written.
    """
    wanted = declared(table, physical)
    if deployed is None:
        return Migration([Step(table, "create table", f"create table {physical}")])
    refused = list(_refused(table, wanted, deployed, rebuild))
    if any(step.kind == "refused" and not step.indexes for step in refused):
        return Migration([], refused)
    return Migration(list(_steps(table, wanted, deployed, rebuild, backfill)), refused)


def _steps(
    table: Table,
    wanted: TableState,
    deployed: TableState,
    rebuild: bool,
    backfill: Collection[str],
) -> Iterator[Step]:
    steps = list(settings(table, wanted, deployed))
    yield from (step for step in steps if not step.loses)
    fresh = [each for each in _everywhere(wanted) if each.name not in deployed.indexes]
    there = {each.name: each for each in _everywhere(deployed)}
    rebuilt = [
        each
        for each in _everywhere(wanted)
        if each.name in there and _differs(each, there[each.name])
    ]
    again = _again(wanted, backfill)
    filled = dict.fromkeys(each.name for each in (*fresh, *(rebuilt if rebuild else ()), *again))
    if filled:
        yield _backfill(table, tuple(filled))
    for index in fresh:
        yield _create(table, index, _replaced(index, wanted, deployed))
    if rebuild:
        for index in rebuilt:
            yield _drop(table, index.name, "queries on it fail until it is built again")
            yield _create(table, index, None)
    yield from (step for step in steps if step.loses)
    for index in _everywhere(deployed):
        if index.name not in wanted.indexes:
            yield _drop(table, index.name, f"the index: {index_text(index)}")


def _everywhere(state: TableState) -> list[IndexState]:
    """The global indexes."""
    return [each for each in state.indexes.values() if not each.local]


def _differs(declared: IndexState, deployed: IndexState) -> bool:
    """Whether an index of this name would have to be built anew."""
    return (declared.keys, declared.projection, declared.include) != (
        deployed.keys,
        deployed.projection,
        deployed.include,
    )


def _again(wanted: TableState, backfill: Collection[str]) -> list[IndexState]:
    return [each for each in wanted.indexes.values() if {each.name, ALL} & set(backfill)]


def _backfill(table: Table, indexes: tuple[str, ...]) -> Step:
    return Step(
        table,
        "backfill",
        f"write the keys of {', '.join(indexes)} into items that lack them",
        indexes=indexes,
        advice="Let the code that writes these keys run everywhere first: what older code writes "
        "meanwhile lacks them. `migrate --backfill INDEX` looks again later.",
    )


def _create(table: Table, index: IndexState, replaced: str | None) -> Step:
    body = create_request(table)
    names = {each.name for side in index.keys for each in side}
    definitions = [each for each in body["AttributeDefinitions"] if each["AttributeName"] in names]
    spec = next(each for each in body["GlobalSecondaryIndexes"] if each["IndexName"] == index.name)
    request = {
        "AttributeDefinitions": definitions,
        "GlobalSecondaryIndexUpdates": [{"Create": spec}],
    }
    return Step(
        table,
        "create index",
        f"create index {index.name}: {index_text(index)}",
        (("UpdateTable", request),),
        (index.name,),
        advice=f"It takes the place of {replaced}." if replaced else "",
    )


def _drop(table: Table, name: str, loses: str) -> Step:
    request = {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}
    return Step(
        table,
        "drop index",
        f"drop index {name}",
        (("UpdateTable", request),),
        (name,),
        loses,
        "Make sure that no running code queries it.",
    )


def _replaced(index: IndexState, wanted: TableState, deployed: TableState) -> str | None:
    """An index that goes and has the same keys: this one is its successor."""
    for other in _everywhere(deployed):
        if other.name not in wanted.indexes and other.keys == index.keys:
            return other.name
    return None


# --- what cannot be done -----------------------------------------------------------------

_COPY = (
    "Declare the table under a new name, run setup, copy the items (export and import, or a "
    "script that scans and puts), switch the code to it, then delete the old table."
)


def _refused(
    table: Table, wanted: TableState, deployed: TableState, rebuild: bool
) -> Iterator[Step]:
    if wanted.key != deployed.key:
        texts = [key_text(each.key[:1], each.key[1:]) for each in (deployed, wanted)]
        text = f"change the table's key from {texts[0]} to {texts[1]}: a table keeps its key"
        yield Step(table, "refused", text, advice=_COPY)
        return
    yield from _local(table, wanted, deployed)
    for index in _everywhere(wanted):
        found = deployed.indexes.get(index.name)
        if found is None or found.local or rebuild or not _differs(index, found):
            continue
        text = f"change index {index.name} from {index_text(found)} to {index_text(index)}"
        yield Step(table, "refused", text, indexes=(index.name,), advice=RENAME)


def _local(table: Table, wanted: TableState, deployed: TableState) -> Iterator[Step]:
    names = dict.fromkeys((*wanted.indexes, *deployed.indexes))
    for name in names:
        new, old = wanted.indexes.get(name), deployed.indexes.get(name)
        local = any(each is not None and each.local for each in (new, old))
        if not local or (new and old and new.local and old.local and not _differs(new, old)):
            continue
        verb = "change" if new and old else "add" if new else "remove"
        text = f"{verb} local index {name}: local indexes are made with their table"
        yield Step(table, "refused", text, indexes=(name,), advice=_COPY)
