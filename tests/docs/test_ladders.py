"""What the pages on ladders list is what there is."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.docs.markdown import ROOT, blocks, names, section, table
from tests.service.support import asgi
from tests.systems.ladders.api_requests import ALL, MAY, OPERATORS
from tests.systems.ladders.api_world import COLLEAGUE, MANAGER, MEMBER

from tablewright.cli.models import find_access, find_deployed
from tablewright.clock import SystemClock
from tablewright.deploy.templates.iam import Account, policies
from tablewright.engine import Engine
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings, load
from tablewright.service.system import Parts
from tablewright.systems.ladders.bodies.assessments import MOST_CHANGES, ChangeIn
from tablewright.systems.ladders.bodies.plans import PlanIn
from tablewright.systems.ladders.entities import (
    MAX_MANAGED_TEAMS,
    MAX_MEMBERS,
    MAX_OPEN_PLANS,
    MAX_TEAMS_OF_USER,
)
from tablewright.systems.ladders.fields import MAX_CONFIG_BYTES, MAX_ITEM_BYTES, ReportStatus
from tablewright.systems.ladders.options import Options
from tablewright.systems.ladders.reporting import MAX_ACTIONS
from tablewright.systems.ladders.rules.ladder_lines import Code
from tablewright.systems.ladders.rules.ladder_reader import (
    MOST_CATEGORIES,
    MOST_COMPETENCIES,
    MOST_LEVELS,
)
from tablewright.systems.ladders.rules.variance import Verdict
from tablewright.systems.ladders.service import messages
from tablewright.systems.ladders.service.teams.roster import MOST_AT_ONCE
from tablewright.systems.ladders.system import system
from tablewright.testing.backends import Backend, in_process

API, OPERATION = "docs/ladders-api.md", "docs/ladders-operation.md"
PACKAGE = ROOT / "src" / "tablewright" / "systems" / "ladders"
#: Of the two assessments each has one author; the page has both.
OTHERWISE = {name: {"subject", "manager"} for name in ("save_assessment", "submit_assessment")}


@pytest.fixture
def backend(tablewright_engine: Engine) -> Iterator[Backend]:
    with in_process(tablewright_engine) as backend:
        yield backend


def sources(*parts: str) -> str:
    """The code of some parts of the service."""
    found = (each for each in PACKAGE.rglob("*.py") if each.relative_to(PACKAGE).parts[0] in parts)
    return "\n".join(each.read_text() for each in sorted(found))


def listed(page: str, heading: str, first_cell: str) -> list[str]:
    """The names in the first column of a table."""
    rows = table(section(page, heading), first_cell)
    return [name for row in rows for name in names(row[0])]


# --- the API -------------------------------------------------------------------------------------


def test_the_routes_and_who_may_call_them(backend: Backend) -> None:
    """Who may is tested where the routes are; here, that the page says the same."""

    async def document() -> Any:
        async with asgi(system, backend) as (client, _):
            return (await client.get("/ladders/openapi.json")).json()

    found = asyncio.run(document())["paths"]
    there = {
        f"{method.upper()} {path}": route
        for path, routes in found.items()
        for method, route in routes.items()
    }
    rows = {names(row[0])[0]: row for row in table(section(API, "## Routes"), "Route")}
    said = {route: set(row[1].split(", ")) for route, row in rows.items()}
    assert said == {route: words_of(each["operationId"]) for route, each in there.items()}
    # Where a revision has to be said.
    needed = {route for route, row in rows.items() if "(`If-Match`)" in row[2]}
    assert needed == {route for route, each in there.items() if "428" in each["responses"]}


def words_of(operation: str) -> set[str]:
    """Those who may do something, as the page calls them."""
    may = MAY[operation]
    if operation in OTHERWISE:
        return OTHERWISE[operation]
    if may == ALL:
        return {"user"}
    if may == OPERATORS:
        return {"operator"}
    own = "member" if COLLEAGUE in may else "subject"
    return {*(may & {MANAGER, "admin"}), *({own} if MEMBER in may else ())}


def test_the_members_of_bodies() -> None:
    assert listed(API, "## Plans", "Member") == list(PlanIn.model_fields)
    assert listed(API, "## Assessments", "Member of a change") == list(ChangeIn.model_fields)


def test_the_lists_of_the_api() -> None:
    assert listed(API, "## Ladders", "Code of a line") == list(get_args(Code))
    assert listed(API, "## Reports", "Verdict") == list(get_args(Verdict))
    text = section(API, "## Reports")
    assert [each for each in get_args(ReportStatus) if f"`{each}`" not in text] == []


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
    assert said == {name: status for name, status in made.items() if name not in shared}


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
        assert names(variable) == [f"TABLEWRIGHT_LADDERS_{name.upper()}", *given]
        if field.default:
            assert default == str(field.default)


def test_the_names_of_the_issuers_settings() -> None:
    rows = table(section(OPERATION, "## Identity"), "Setting of the process")
    listed = {names(setting)[0]: names(variables) for setting, variables in rows}
    assert listed == {
        setting.replace("_", ".", 1): [f"TABLEWRIGHT_{setting.upper()}", variable]
        for variable, setting in system.variables.items()
    }


def test_the_settings_file_of_the_page_can_be_read(tmp_path: Path) -> None:
    (example,) = blocks(ROOT / OPERATION, "toml")
    file = tmp_path / "up.toml"
    file.write_text(example.text)
    secret = {"TABLEWRIGHT_ISSUER_CLIENT_SECRET": "only-a-test"}
    settings = load(Settings, "service", file=file, environ=secret, sections=["ladders"])
    assert settings.issuer is not None
    assert settings.issuer.client_secret is not None
    assert load(Options, "ladders", file=file, environ={}) != Options()


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
        re.findall(r'"(ladders_[a-z_]+)",', sources("service", "workers"))
    )
    kinds = [value for value in vars(messages).values() if isinstance(value, str)]
    assert set(listed(OPERATION, "## Mail", "Kind")) == {
        each for each in kinds if each.startswith("ladders.")
    }


def test_the_policies() -> None:
    named = find_deployed("ladders")
    made = policies(named.model, Account(), named.calls, find_access("ladders"))
    assert set(listed(OPERATION, "## Policies", "Component")) == set(made)
    may = {name: str(policy) for name, policy in made.items()}
    assert [name for name, text in may.items() if "dynamodb:Scan" in text] == ["api"]
    assert [name for name, text in may.items() if "dynamodb:GetRecords" in text] == [
        "report-builder"
    ]


def test_the_limits() -> None:
    told = {row[0]: row[1] for row in table(section(OPERATION, "## Limits"), "What")}
    assert told == {
        "members of a team; of a review": f"{MAX_MEMBERS}; {MAX_MEMBERS}",
        "teams that one is in; that one manages": f"{MAX_TEAMS_OF_USER}; {MAX_MANAGED_TEAMS}",
        "open plans of a team": str(MAX_OPEN_PLANS),
        "users who join at once": str(MOST_AT_ONCE),
        "changes of one save": str(MOST_CHANGES),
        "growth actions of a report": str(MAX_ACTIONS),
        "a ladder: categories, competencies in one, levels": (
            f"{MOST_CATEGORIES}, {MOST_COMPETENCIES}, {MOST_LEVELS}"
        ),
        "its text": f"{MAX_CONFIG_BYTES // 1024} KB",
        "an assessment with all its texts": f"{MAX_ITEM_BYTES // 1024} KB",
    }
