"""What the pages on running systems and on the service kit list is what there is."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import re
from pathlib import Path

import pytest
from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from tests.docs.markdown import ROOT, blocks, names, section, table
from tests.service.support import asgi

from tablewright.cli.up import up
from tablewright.service.keys import COMMON
from tablewright.service.kit.outbox.sinks.addressed import KEY as WEBHOOKS
from tablewright.service.loading import load
from tablewright.service.runtime import Runtime
from tablewright.service.setting_words import allowed
from tablewright.service.settings import Issuer, Settings
from tablewright.systems.pricekeeper.service.credentials import PEPPER
from tablewright.systems.pricekeeper.service.tokens.tokens import SIGNING
from tablewright.systems.pricekeeper.system import system
from tablewright.systems.vibejudge.service.organizers import PEOPLE
from tablewright.testing.backends import Backend

UP, SERVICE = "docs/up.md", "docs/service.md"
SOURCE = ROOT / "src" / "tablewright"


def sources(folder: str) -> str:
    return "".join(path.read_text() for path in sorted((SOURCE / folder).rglob("*.py")))


# --- settings and options ------------------------------------------------------------------------


def default(value: object) -> str:
    if value is PydanticUndefined:
        return "needed"
    if value in (None, "", ()):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def rows(kind: type[BaseModel], above: str = "") -> list[list[str]]:
    return [
        [
            f"`{above}{name}`",
            default(field.default),
            allowed(field).removesuffix(f" ({field.description})"),
            str(field.description),
        ]
        for name, field in kind.model_fields.items()
        if name != "issuer"
    ]


def test_the_settings() -> None:
    listed = table(section(UP, "## Settings"), "Setting")
    assert listed == [*rows(Settings), *rows(Issuer, "issuer.")]


def test_the_settings_file_of_the_page_can_be_read(tmp_path: Path) -> None:
    (example,) = blocks(ROOT / UP, "toml")
    file = tmp_path / "up.toml"
    file.write_text(example.text)
    settings = load(Settings, "service", file=file, environ={}, sections=["pricekeeper"])
    assert settings.issuer is not None
    assert load(system.options, "pricekeeper", file=file, environ={}) != system.options()


def test_the_options_of_up() -> None:
    listed = [
        name.split(" ")[0].removeprefix("--")
        for row in table(section(UP, "## Options"), "Option")
        for name in names(row[0])
    ]
    assert sorted(listed) == sorted({"SYSTEM", *inspect.signature(up).parameters} - {"systems"})


# --- keys and metrics ----------------------------------------------------------------------------


def test_the_keys() -> None:
    listed = {
        names(row[0])[0]: "(ring)" in row[0]
        for row in table(section(UP, "## Keys and their rotation"), "Key")
    }
    asked = re.findall(r'keys\.(ring|signing|secret|text)\("([\w.-]+)"', sources("service"))
    rings = {name: how in ("ring", "signing") for how, name in asked} | {WEBHOOKS: False}
    assert listed == {**rings, PEPPER: True, SIGNING: True, PEOPLE: False}
    assert set(COMMON) == set(rings) - {"local-issuer", "admin.key"}, "these are for one machine"


def families(backend: Backend) -> dict[str, str]:
    """The metrics of a process that has just started, with their labels."""

    async def found() -> dict[str, str]:
        async with asgi(system, backend, workers=True) as (_, runtime):
            known = runtime.metrics._known
            return {name: ", ".join(each._labelnames) for name, each in known.items()}

    return asyncio.run(found())


@pytest.mark.parametrize(
    ("page", "prefix"), [(UP, "tablewright_"), ("docs/pricekeeper-operation.md", "pricekeeper_")]
)
def test_the_metrics(tablewright_backend: Backend, page: str, prefix: str) -> None:
    listed = {names(row[0])[0]: row[1] for row in table(section(page, "## Metrics"), "Metric")}
    found = families(tablewright_backend)
    # Made by systems that are backed up.
    found.setdefault("tablewright_last_backup_timestamp_seconds", "system, table")
    # Made by the first answer to a caller.
    found.setdefault("pricekeeper_sticky_flips", "level")
    assert listed == {name: labels for name, labels in found.items() if name.startswith(prefix)}


# --- the kit -------------------------------------------------------------------------------------


def test_the_fields_of_the_runtime() -> None:
    listed = [
        name
        for row in table(section(SERVICE, "### Runtime"), "`Runtime`")
        for name in names(row[0])
    ]
    assert listed == [field.name for field in dataclasses.fields(Runtime)]


def test_the_problems_of_every_system() -> None:
    listed = {
        (code, row[1])
        for row in table(section(SERVICE, "### Problems"), "Code")
        for code in names(row[0])
    }
    text = sources("service")
    raised = {
        (code, status) for status, code in re.findall(r'Problem\(\s*(\d{3}),\s*"([A-Z_]+)"', text)
    }
    answered = {
        (code, status) for status, code in re.findall(r'^    (\d{3}): \("([A-Z_]+)"', text, re.M)
    }
    stale = {(code, "412") for code in re.findall(r'def stale\(code: str = "([A-Z_]+)"', text)}
    assert listed == raised | answered | stale


def test_the_parts() -> None:
    listed = {
        name for row in table(section(SERVICE, "## The parts"), "Module") for name in names(row[0])
    }
    there = {path.stem for path in (SOURCE / "service").iterdir()}
    assert listed <= there
