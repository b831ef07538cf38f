"""What the pages on kurukshetra list is what there is."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from tests.docs.markdown import ROOT, blocks, names, section, table
from tests.service.support import asgi
from tests.systems.kurukshetra.api_requests import EVERYBODY, MAY, PEOPLE
from tests.systems.kurukshetra.api_world import LEADER, MEMBER, OTHER, PROGRAM

from tablewright.clock import SystemClock
from tablewright.engine import Engine
from tablewright.service.conflicts import busy
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.service.system import Parts
from tablewright.systems.kurukshetra.bodies import (
    checkout,
    mail,
    organising,
    payments,
    refunds,
    registration,
    teams,
    tickets,
)
from tablewright.systems.kurukshetra.bodies.events import EventIn
from tablewright.systems.kurukshetra.fields import PAYMENT_STATUSES
from tablewright.systems.kurukshetra.gateway.webhooks import KNOWN
from tablewright.systems.kurukshetra.options import Options
from tablewright.systems.kurukshetra.payments import FindingKind
from tablewright.systems.kurukshetra.people import ScanResult
from tablewright.systems.kurukshetra.rules.team_states import NEXT
from tablewright.systems.kurukshetra.sandbox import Misbehaviour
from tablewright.systems.kurukshetra.service import messages
from tablewright.systems.kurukshetra.system import system
from tablewright.testing.backends import Backend, in_process

FIRST, API = "docs/kurukshetra.md", "docs/kurukshetra-api.md"
OPERATION = "docs/kurukshetra-operation.md"
PACKAGE = ROOT / "src" / "tablewright" / "systems" / "kurukshetra"
EVENT = "/api/v1/events/{e}"
STAFF = {"volunteer", "finance", "organizer", "auditor"}
#: What is not the same for everything that a route gives, or is for roles at all events alone.
OTHERWISE = {
    "export_csv": {"finance", "organizer", "auditor"},
    "export_xlsx": {"finance", "organizer", "auditor"},
    "create_stream_token": STAFF,
}
#: The bodies of the page, in their order.
BODIES: list[Any] = [
    EventIn,
    registration.RegistrationIn,
    teams.TeamRegistrationIn,
    registration.DraftIn,
    teams.JoinIn,
    teams.InviteIn,
    teams.LeaderIn,
    teams.RepositoryIn,
    teams.TeamChange,
    checkout.CheckoutIn,
    payments.VerifyIn,
    refunds.RefundIn,
    refunds.ReconcileIn,
    tickets.ScanIn,
    tickets.BatchIn,
    tickets.SearchIn,
    tickets.ManualIn,
    tickets.UndoIn,
    tickets.CertificatesIn,
    organising.QuestionsIn,
    organising.VoucherIn,
    organising.RolesIn,
    mail.MailIn,
]


@pytest.fixture
def backend(tablewright_engine: Engine) -> Iterator[Backend]:
    with in_process(tablewright_engine) as backend:
        yield backend


def sources(*parts: str) -> str:
    """The code of the service, or of some parts of it."""
    found = (each for each in PACKAGE.rglob("*.py") if each.relative_to(PACKAGE).parts[0] in parts)
    return "\n".join(each.read_text() for each in sorted(found))


def listed(page: str, heading: str, first_cell: str) -> list[str]:
    """The names in the first column of a table."""
    rows = table(section(page, heading), first_cell)
    return [name for row in rows for name in names(row[0])]


# --- the first page ------------------------------------------------------------------------------


def test_the_states() -> None:
    assert set(listed(FIRST, "## States", "Team")) == set(NEXT)
    assert " < ".join(PAYMENT_STATUSES) in section(FIRST, "## States")


# --- the API -------------------------------------------------------------------------------------


def test_the_routes_and_who_may_call_them(backend: Backend) -> None:
    """Who may is tested where the routes are; here, that the page says the same."""

    async def document() -> Any:
        async with asgi(system, backend) as (client, _):
            return (await client.get("/kurukshetra/openapi.json")).json()

    there = {
        f"{method.upper()} {path}": route["operationId"]
        for path, routes in asyncio.run(document())["paths"].items()
        for method, route in routes.items()
    }
    rows = table(section(API, "## Routes"), "Route")
    said = {
        names(row[0])[0].replace("..", EVENT): set(row[1].replace("oneself", MEMBER).split(", "))
        for row in rows
    }
    assert sorted(said) == sorted(there)
    assert said == {route: words_of(name) for route, name in there.items()}


def words_of(operation: str) -> set[str]:
    """Those who may do something, as the page calls them."""
    may = MAY[operation]
    if operation in OTHERWISE:
        return OTHERWISE[operation]
    if may == EVERYBODY:
        return {"everybody"}
    if may >= PEOPLE:
        return {"user"}
    own = "participant" if OTHER in may else MEMBER if MEMBER in may else LEADER
    # A key has its roles at all events, and so has who makes them.
    staff = may & STAFF | ({"organizer"} if PROGRAM in may else set())
    found = {*staff, *(may & {own}), *({own} if OTHER in may else ())}
    return found or {"admin"}


def test_the_bodies_are_taken() -> None:
    found = blocks(ROOT / API, "json")
    for block, body in zip(found, BODIES, strict=True):
        body.model_validate_json(block.text)
        assert json.loads(block.text)


def test_the_members_of_an_event() -> None:
    assert listed(API, "## Events", "Member") == list(EventIn.model_fields)


def test_the_lists_of_the_api() -> None:
    assert set(listed(API, "## Webhooks", "Event")) == KNOWN
    kinds = listed(API, "## Refunds and reconciliation", "Kind")
    assert sorted(kinds) == sorted(get_args(FindingKind))
    assert sorted(listed(API, "## The door", "Result")) == sorted(get_args(ScanResult))
    code = sources("service")
    results = set(listed(API, "## Webhooks", "Result"))
    assert [each for each in results if f'"{each}"' not in code] == []


def test_the_problems() -> None:
    rows = table(section(API, "## Problems"), "Code")
    said = {code: row[1] for row in rows for code in names(row[0]) if code.isupper()}
    code = sources("api", "service", "rules")
    made = dict.fromkeys(re.findall(r'conflict\(\s*"([A-Z_]+)"', code), "409")
    made |= dict.fromkeys(re.findall(r'^_CODE = "([A-Z_]+)"', code, re.M), "412")
    made |= {name: status for status, name in re.findall(r'Problem\(\s*(\d+),\s*"([A-Z_]+)"', code)}
    shared = {
        name
        for row in table(section("docs/service.md", "### Problems"), "Code")
        for name in names(row[0])
    }
    own = {name: status for name, status in made.items() if name not in shared}
    assert said == {**own, "BUSY": str(busy("BUSY").status)}


# --- operation -----------------------------------------------------------------------------------


def test_the_settings() -> None:
    rows = table(section(OPERATION, "## Settings"), "Setting")
    assert [names(row[0])[0] for row in rows] == list(Options.model_fields)
    for setting, variable, default, _ in rows:
        name = names(setting)[0]
        field = Options.model_fields[name]
        also = field.json_schema_extra or {}
        assert isinstance(also, dict)
        given = [also["variable"]] if "variable" in also else []
        assert names(variable) == [f"TABLEWRIGHT_KURUKSHETRA_{name.upper()}", *given]
        if field.default not in (None, {}, ()):
            assert default == str(field.default).replace("False", "false")


def parts(backend: Backend) -> Parts:
    runtime = runtime_of(
        system, backend.async_transport(), Settings(), clock=SystemClock(), environ={}
    )
    return system.build(runtime)


def test_the_workers(backend: Backend) -> None:
    there = {each.name: f"{each.every:g} s" for each in parts(backend).workers}
    rows = table(section(OPERATION, "## Workers"), "Worker")
    assert {names(row[0])[0]: row[1] for row in rows} == {**there, "outbox": "3 s"}


def test_the_lists_of_the_operation() -> None:
    assert set(listed(OPERATION, "## Metrics", "Metric")) == set(
        re.findall(r'"(kurukshetra_[a-z_]+)",', sources("service"))
    )
    kinds = [value for value in vars(messages).values() if isinstance(value, str)]
    assert set(listed(OPERATION, "## Mail", "Kind")) == {
        each for each in kinds if each.startswith("kurukshetra.")
    }
    assert listed(OPERATION, "## The sandbox", "Fault") == list(Misbehaviour.__dataclass_fields__)


def test_the_keys() -> None:
    said = {name.partition(" ")[0] for name in listed(OPERATION, "## Keys", "Key")}
    assert said == set(
        re.findall(
            r'"(kurukshetra-[a-z]+)"', sources("service", "privacy", "tickets", "certificates")
        )
    )


def test_the_components() -> None:
    said = set(listed(OPERATION, "## Policies", "Component"))
    modules = "\n".join(each.read_text() for each in PACKAGE.glob("*.py"))
    assert set(re.findall(r'component="([a-z-]+)"', modules)) <= said
    assert said - {"backup"} <= set(re.findall(r'component="([a-z-]+)"', modules + _kit()))


def _kit() -> str:
    kit = ROOT / "src" / "tablewright" / "service"
    return "\n".join(each.read_text() for each in kit.rglob("*.py"))
