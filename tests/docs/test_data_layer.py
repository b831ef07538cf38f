"""What the pages on the model and the client list is what there is."""

from __future__ import annotations

import dataclasses
import inspect
import re

import pytest
from tests.docs.markdown import ROOT, names, section, table

from tablewright import client, model
from tablewright.client import AsyncDb, AsyncHttpTransport, Db, HttpTransport, RequestEvent, Retries
from tablewright.model import Entity, Index, Key, Table, collect, errors, scan
from tablewright.model.errors import TablewrightError
from tablewright.model.queries import QueryOptions

MODEL, CLIENT = "docs/model.md", "docs/client.md"


def listed(page: str, heading: str, head: str) -> list[str]:
    """All names in the first cells of a table."""
    return [name for row in table(section(page, heading), head) for name in names(row[0])]


def parameters(of: object) -> set[str]:
    found = inspect.signature(of).parameters  # type: ignore[arg-type]
    return set(found) - {"self", "args", "options", "config"}


# --- errors --------------------------------------------------------------------------------------


def every_error() -> dict[str, type[TablewrightError]]:
    found = vars(errors).values()
    return {
        each.__name__: each
        for each in found
        if isinstance(each, type) and issubclass(each, TablewrightError)
    }


def test_the_errors_and_their_codes() -> None:
    rows = table(section(CLIENT, "## Errors"), "Error")
    told = {names(row[0])[0]: names(row[1])[0] for row in rows}
    there = {name: each.code for name, each in every_error().items()}
    assert told == {name: code for name, code in there.items() if name != "TablewrightError"}


def test_the_tree_of_errors() -> None:
    parents: dict[int, str] = {}
    told: dict[str, str] = {}
    for line in re.findall(r"^    (.*\w)$", section(CLIENT, "## Errors"), re.MULTILINE):
        depth = len(line) - len(line.lstrip(" │├└─"))
        name = line[depth:]
        parents[depth] = name
        if depth:
            told[name] = parents[max(other for other in parents if other < depth)]
        parents = {other: each for other, each in parents.items() if other <= depth}
    there = {name: each.__bases__[0].__name__ for name, each in every_error().items()}
    assert told == {name: base for name, base in there.items() if name != "TablewrightError"}


# --- parameters ----------------------------------------------------------------------------------


def test_the_settings_of_a_db() -> None:
    told = {*listed(CLIENT, "## Db and AsyncDb", "`Db(transport, ...)`"), "transport"}
    assert told == parameters(Db.__init__) == parameters(AsyncDb.__init__)


def test_the_settings_of_transports() -> None:
    told = set(listed(CLIENT, "## Transports", "`HttpTransport(...)`, `AsyncHttpTransport(...)`"))
    there = parameters(HttpTransport.__init__) | parameters(AsyncHttpTransport.__init__)
    assert told == there - {"site"}


def test_the_settings_of_retries() -> None:
    text = ", ".join(f"{each.name}={each.default}" for each in dataclasses.fields(Retries))
    assert f"`Retries({text})`" in section(CLIENT, "## Retries")


def test_the_fields_of_an_event() -> None:
    told = listed(CLIENT, "## The hook", "`RequestEvent`")
    assert told == [each.name for each in dataclasses.fields(RequestEvent)]


@pytest.mark.parametrize("kind", [Table, Index])
def test_the_parameters_of_tables_and_indexes(kind: type) -> None:
    told = {*listed(MODEL, "## Tables", f"`{kind.__name__}(name, ...)`"), "name"}
    assert told == parameters(kind)


def test_the_options_of_entities() -> None:
    told = set(listed(MODEL, "## Entities", "In the class's head"))
    assert told == parameters(Entity.__init_subclass__)


def page(name: str) -> str:
    return (ROOT / name).read_text()


def test_the_arguments_of_reads() -> None:
    told = set(listed(MODEL, "## Patterns that read", "Argument"))
    described = {"rate", "expect", "item_size", "hottest", "component"}
    described |= {"order", "filter_keeps", "fresh"}
    assert [name for name in described if f"{name}" not in page(MODEL)] == []
    there = {*QueryOptions.__annotations__, "into"} | parameters(collect)
    assert told == there - {"view"} - described
    assert parameters(scan) - {"entity", "admin"} <= told | described


def test_the_parameters_of_a_key_are_told() -> None:
    text = (ROOT / MODEL).read_text()
    assert [
        name for name in parameters(Key) if f"`{name}" not in text and f"{name}=" not in text
    ] == []


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("page", "module"), [(MODEL, model), (CLIENT, client)])
def test_every_public_name_is_told(page: str, module: object) -> None:
    # What types of signatures are called, and what only tools need.
    unsaid = {"Attr", "Condition", "InTransaction", "Op", "PageOp", "Pattern", "Context"}
    unsaid |= {"Batch", "Transaction", "Check", "Delete"}
    text = (ROOT / page).read_text()
    public: list[str] = module.__all__  # type: ignore[attr-defined]
    untold = [name for name in public if not re.search(rf"\b{name}\b", text)]
    assert set(untold) <= unsaid
