"""What the reference pages list is what there is."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

import pytest
from tests.docs.markdown import PAGES, ROOT, names, section, table

from tablewright import clock, engine, values
from tablewright.cli.database import Options
from tablewright.engine import Engine, Fault, Realism, schema, shapes
from tablewright.engine.backups import continuous
from tablewright.engine.items import batches, changes, transactions, writes
from tablewright.engine.operations import OPERATIONS
from tablewright.engine.queries import pages
from tablewright.engine.shapes.model import input_of
from tablewright.engine.streams import reading, recording
from tablewright.engine.tables import definitions, policies, tags
from tablewright.expressions import check, scope, syntax
from tablewright.server import Limits
from tablewright.testing import EngineProcess, plugin

ENGINE, SERVER, TESTING = "docs/engine.md", "docs/server.md", "docs/testing.md"
KB, MB = 1024, 1024 * 1024


def words(text: str) -> list[str]:
    return re.findall(r"\b[A-Z][A-Za-z]+\b", text)


# --- operations --------------------------------------------------------------------------


def test_the_operations_are_those_of_the_engine() -> None:
    listed = [
        name
        for row in table(section(ENGINE, "## Operations"), "Area")
        for name in row[1].split(", ")
    ]
    assert sorted(listed) == sorted(OPERATIONS)


def test_what_is_not_offered_is_the_rest() -> None:
    (listed,) = [
        paragraph
        for paragraph in section(ENGINE, "### What is not offered").split("\n\n")
        if paragraph.startswith("CancelBulkOperation")
    ]
    every = shapes.OPERATIONS | shapes.STREAM_OPERATIONS
    assert sorted(words(listed)) == sorted(every - set(OPERATIONS))


# --- limits ------------------------------------------------------------------------------


def most(operation: str, member: str) -> int:
    """The most members or characters AWS's model allows."""
    found = input_of(operation).members[member].max
    assert found is not None
    return int(found)


LIMITS = {
    "item": f"{changes.MAX_ITEM_SIZE // KB} KB, attribute names included",
    "nesting of maps and lists": f"{values.MAX_NESTING} levels",
    "number": f"{values.MAX_DIGITS} digits, magnitude 1E{values.MIN_MAGNITUDE} to "
    f"9.99...E+{values.MAX_MAGNITUDE}",
    "partition key": f"{schema.MAX_HASH_KEY} bytes",
    "sort key": f"{schema.MAX_RANGE_KEY} bytes",
    "table and index names": "3 to 255 characters",
    "global secondary indexes per table": f"{definitions.MAX_GLOBAL_INDEXES}",
    "local secondary indexes per table": f"{definitions.MAX_LOCAL_INDEXES}",
    "items with one partition key, in a table with local indexes": (
        f"{writes.MAX_COLLECTION_BYTES // 1024**3} GB"
    ),
    "attributes projected by name, over all indexes": f"{definitions.MAX_PROJECTED}",
    "page of Query or Scan": f"{pages.PAGE_BYTES // MB} MB, before filtering",
    "BatchGetItem": f"{batches.MAX_GETS} items, {batches.MAX_BYTES // MB} MB",
    "BatchWriteItem": f"{batches.MAX_WRITES} items, {batches.MAX_BYTES // MB} MB",
    "transaction": f"{most('TransactWriteItems', 'TransactItems')} items, "
    f"{transactions.MAX_BYTES // MB} MB",
    "idempotency token of a transaction": f"{transactions.TOKEN_SECONDS // 60} minutes",
    "expression": f"{syntax.MAX_BYTES // KB} KB, {check.MAX_OPERATORS} operators",
    "expression attribute values": f"{scope.MAX_VALUES // MB} MB",
    "PartiQL statement": f"{most('ExecuteStatement', 'Statement')} characters",
    "BatchExecuteStatement": f"{most('BatchExecuteStatement', 'Statements')} statements",
    "ExecuteTransaction": f"{most('ExecuteTransaction', 'TransactStatements')} statements",
    "tags per table": f"{tags.MAX_TAGS}",
    "resource policy": f"{policies.MAX_BYTES // KB} KB",
    "stream records": f"{recording.RETENTION_SECONDS // 3600} hours",
    "shard iterator": f"{reading.ITERATOR_SECONDS // 60} minutes",
    "page of GetRecords": f"{reading.MAX_RECORDS} records, {reading.MAX_BYTES // MB} MB",
    "recovery window": f"1 to {continuous.MAX_DAYS} days",
}


def test_the_limits_are_those_that_are_enforced() -> None:
    assert dict(table(section(ENGINE, "## Limits"), "What")) == LIMITS


def test_the_limits_of_the_server() -> None:
    rows = table(section(SERVER, "## Limits"), "`Limits`")
    assert [names(row[0]) for row in rows] == [[f.name] for f in dataclasses.fields(Limits)]
    sizes = {"KB": KB, "MB": MB, "s": 1}
    for name, default, _ in rows:
        figure, _, unit = default.partition(" ")
        expected = float(figure) * sizes.get(unit, 1)
        assert getattr(Limits(), name.strip("`")) == pytest.approx(expected), name


# --- options, fields, parameters ---------------------------------------------------------


def test_the_options_of_the_command() -> None:
    rows = table(section(SERVER, "## Options"), "Option")
    given = {
        name.removeprefix("--").replace("-", "_"): row for row in rows for name in names(row[0])
    }
    fields = {field.name: field.default for field in dataclasses.fields(Options)}
    assert list(given) == list(fields)
    for name in ("host", "port", "durability", "region"):
        assert given[name][1] == str(fields[name])


@pytest.mark.parametrize("kind", [Realism, Fault])
def test_the_fields_of_realism(kind: type) -> None:
    rows = table(section(ENGINE, "## Realism"), f"`{kind.__name__}`")
    listed = [name for row in rows for name in names(row[0])]
    assert sorted(listed) == sorted(field.name for field in dataclasses.fields(kind))


@pytest.mark.parametrize(
    ("page", "heading", "head", "kind"),
    [
        (ENGINE, "## In your process", "`Engine(path, ...)`", Engine),
        (TESTING, "## In a process of its own", "`EngineProcess(data=None, ...)`", EngineProcess),
    ],
)
def test_the_parameters_of_a_class(page: str, heading: str, head: str, kind: type) -> None:
    listed = [name for row in table(section(page, heading), head) for name in names(row[0])]
    assert listed == list(inspect.signature(kind).parameters)


def test_the_clocks() -> None:
    rows = table(section(ENGINE, "## Clocks"), "`tablewright.clock`")
    listed = {names(row[0])[0].partition("(")[0] for row in rows}
    there = {name for name, _ in inspect.getmembers(clock, inspect.isclass) if "Clock" in name}
    assert listed == there - {"Clock"}


def test_the_fixtures_of_the_plugin() -> None:
    rows = table(section(TESTING, "## Fixtures"), "Fixture")
    there = [name for name in vars(plugin) if name.startswith("tablewright_")]
    assert sorted(name for row in rows for name in names(row[0])) == sorted(there)


def test_the_errors_of_the_engine() -> None:
    tree = re.findall(r"[├└]─ (\w+)", section(ENGINE, "## In your process"))
    there = [getattr(engine, name) for name in engine.__all__]
    assert sorted(tree) == sorted(
        each.__name__ for each in there if isinstance(each, type) and issubclass(each, Exception)
    )


# --- places ------------------------------------------------------------------------------


#: What programs of ours write, and what readers have in projects of their own.
WRITTEN = {
    *("run.json", "demo.json"),
    *("model.py", "demo.py", "review.py", "order_book/model.py", "order_book/demo.py"),
}


def test_files_that_are_named_exist() -> None:
    missing = [
        (page.name, name)
        for page in [*PAGES, *(ROOT / "docs" / "decisions").glob("*.md")]
        for name in re.findall(r"`((?:\w+/)*\w+\.(?:py|json))`", page.read_text())
        if name not in WRITTEN
        and not any((base / name).is_file() for base in (ROOT, ROOT / "src" / "tablewright"))
    ]
    assert missing == []


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_links_into_pages_lead_to_a_heading() -> None:
    broken = [
        (page.name, f"{target}#{anchor}")
        for page in PAGES
        for target, anchor in re.findall(r"\]\(([^)#]*)#([^)]+)\)", page.read_text())
        if "://" not in target and anchor not in anchors((page.parent / target) if target else page)
    ]
    assert broken == []


def test_every_decision_is_listed_by_its_title() -> None:
    folder = ROOT / "docs" / "decisions"
    rows = re.findall(
        r"^\| \[(\d+)\]\((.+)\) \| (.+) \|$", (folder / "README.md").read_text(), re.M
    )
    listed = {name: f"# {number} {title}" for number, name, title in rows}
    there = {path.name: path.read_text().partition("\n")[0] for path in folder.glob("0*.md")}
    assert listed == there
