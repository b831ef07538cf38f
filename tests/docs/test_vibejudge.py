"""What the pages on vibejudge list is what there is."""

from __future__ import annotations

import asyncio
import csv
import json
import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from tests.docs.markdown import ROOT, blocks, names, section, table
from tests.service.support import asgi

from tablewright.clock import SystemClock
from tablewright.engine import Engine
from tablewright.service.conflicts import STORE_BUSY, busy
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.vibejudge.bodies.hackathons import HackathonIn, ReleaseIn
from tablewright.systems.vibejudge.bodies.judges import (
    MOST_CONFLICTS,
    MOST_JUDGES,
    AnswerIn,
    JudgeIn,
    OverrideIn,
    RoundIn,
)
from tablewright.systems.vibejudge.bodies.judging import ComparisonIn, ScoreIn, SkipIn
from tablewright.systems.vibejudge.bodies.results import AppealIn
from tablewright.systems.vibejudge.bodies.submissions import (
    MOST_ROWS,
    SubmissionPatch,
    SubmissionsIn,
)
from tablewright.systems.vibejudge.options import Options
from tablewright.systems.vibejudge.repos.errors import Code
from tablewright.systems.vibejudge.repos.limits import MB, Limits
from tablewright.systems.vibejudge.rules.csv_rows import rows_of
from tablewright.systems.vibejudge.rules.tiers import TIERS
from tablewright.systems.vibejudge.service import messages
from tablewright.systems.vibejudge.service.organizers import MOST_KEYS
from tablewright.systems.vibejudge.system import IMPORTS, system
from tablewright.testing.backends import Backend, in_process

FIRST, API = "docs/vibejudge.md", "docs/vibejudge-api.md"
PACKAGE = ROOT / "src" / "tablewright" / "systems" / "vibejudge"
HACKATHON = "/api/v1/hackathons/{hack_id}"
#: The bodies of the page, in their order.
BODIES: list[Any] = [
    HackathonIn,
    SubmissionsIn,
    SubmissionPatch,
    SubmissionPatch,
    JudgeIn,
    RoundIn,
    ScoreIn,
    ComparisonIn,
    SkipIn,
    OverrideIn,
    AppealIn,
    AnswerIn,
    ReleaseIn,
]


@pytest.fixture
def backend(tablewright_engine: Engine) -> Iterator[Backend]:
    with in_process(tablewright_engine) as backend:
        yield backend


def sources() -> str:
    """The code of the service, without that of the command line."""
    found = (each for each in PACKAGE.rglob("*.py") if "cli" not in each.parts)
    return "\n".join(each.read_text() for each in sorted(found))


def test_the_settings() -> None:
    rows = table(section(FIRST, "## Settings"), "Setting")
    assert [names(row[0])[0] for row in rows] == list(Options.model_fields)
    for setting, variable, default, _ in rows:
        name = names(setting)[0]
        field = Options.model_fields[name]
        also = field.json_schema_extra or {}
        assert isinstance(also, dict)
        given = [also["variable"]] if "variable" in also else []
        assert names(variable) == [f"TABLEWRIGHT_VIBEJUDGE_{name.upper()}", *given]
        if field.default is not None and field.default_factory is None:
            assert default == str(field.default).replace("True", "true").replace("False", "false")


def test_the_workers(backend: Backend) -> None:
    runtime = runtime_of(
        system, backend.async_transport(), Settings(), clock=SystemClock(), environ={}
    )
    there = {each.name: f"{each.every:g} s" for each in system.build(runtime).workers}
    rows = table(section(FIRST, "## Workers"), "Worker")
    assert {names(row[0])[0]: row[1] for row in rows} == {**there, "outbox": "3 s"}


def test_the_metrics() -> None:
    listed = {names(row[0])[0] for row in table(section(FIRST, "## Metrics"), "Metric")}
    assert listed == set(re.findall(r'"(vibejudge_[a-z_]+)",', sources()))


def test_the_messages() -> None:
    listed = {names(row[0])[0] for row in table(section(FIRST, "## Messages"), "Kind")}
    kinds = [value for value in vars(messages).values() if isinstance(value, str)]
    assert listed == {each for each in kinds if each.startswith("vibejudge.")}


def test_the_limits() -> None:
    told = {row[0]: row[1] for row in table(section(FIRST, "## Limits"), "What")}
    free, premium, most = TIERS["free"], TIERS["premium"], TIERS["enterprise"]
    repo = Limits()
    assert told["free: hackathons a year, submissions in each"] == (
        f"{free.hackathons_a_year}, {free.submissions}"
    )
    assert told["premium"] == f"{premium.hackathons_a_year}, {premium.submissions}"
    assert told["enterprise"] == f"no limit, {most.submissions:,}"
    assert told["rows of a request; of a file"] == f"{MOST_ROWS}; {IMPORTS.max_bytes // MB} MB"
    assert told["a repository"] == (
        f"{repo.repo_bytes // MB} MB, {repo.files:,} files, "
        f"{repo.file_bytes // MB} MB a file read, "
        f"{repo.text_bytes // MB} MB of text, the newest {repo.commits:,} commits"
    )
    assert told["fetching; reading"] == f"{repo.secs:g} s; {repo.secs:g} s"
    assert told["judges; conflicts of one"] == f"{MOST_JUDGES}; {MOST_CONFLICTS}"
    assert told["keys of an organiser"] == str(MOST_KEYS)


# --- the API -------------------------------------------------------------------------------------


def test_the_routes_and_who_may_call_them(backend: Backend) -> None:
    """Whoever needs no proof is told in OpenAPI; roles are tested where the routes are."""

    async def document() -> Any:
        async with asgi(system, backend) as (client, _):
            return (await client.get("/vibejudge/openapi.json")).json()

    paths = asyncio.run(document())["paths"]
    rows = table(section(API, "## Routes"), "Route")
    listed = {names(row[0])[0].replace("..", HACKATHON): row[1] for row in rows}
    there = {
        f"{method.upper()} {path}": "401" not in route["responses"]
        for path, routes in paths.items()
        for method, route in routes.items()
    }
    assert sorted(listed) == sorted(there)
    # Registering and leaderboards answer 401 to a key that is none.
    either = {"POST /api/v1/organizers", f"GET {HACKATHON}/leaderboard"}
    for route, free in there.items():
        assert free == (listed[route] in ("everybody", "team")) or route in either, route


def test_the_bodies_are_taken() -> None:
    found = blocks(ROOT / API, "json")
    for block, body in zip(found, BODIES, strict=True):
        body.model_validate(json.loads(block.text))
    (file,) = blocks(ROOT / API, "csv")
    rows = rows_of(file.text.encode())
    assert [row.members for row in rows] == list(csv.DictReader(file.text.splitlines()))


def test_the_members_of_a_hackathon() -> None:
    rows = table(section(API, "## Hackathons"), "Member")
    assert [names(row[0])[0] for row in rows] == list(HackathonIn.model_fields)


#: Those that every system has, and what a round's state makes of one.
SHARED = {"NOT_FOUND", "INVALID", "STORE_UNAVAILABLE", "REPO_NOT_FOUND", "REPO_REFUSED"}
ROUNDS = {"ROUND_CLOSED", "ROUND_LOCKED"}


def test_the_problems() -> None:
    listed = {
        code: row[1]
        for row in table(section(API, "## Problems"), "Code")
        for code in names(row[0])
        if code.isupper()
    }
    code = sources()
    made = dict.fromkeys(re.findall(r'conflict\(\s*"([A-Z_]+)"', code), "409")
    made |= {
        found: status for status, found in re.findall(r'Problem\(\s*(\d+),\s*"([A-Z_]+)"', code)
    }
    made |= dict.fromkeys(ROUNDS, "409") | {STORE_BUSY: str(busy().status)}
    assert listed == {name: status for name, status in made.items() if name not in SHARED}


def test_the_codes_of_submissions() -> None:
    rows = table(section(API, "## Codes of submissions"), "Code")
    listed = {code for row in rows for code in names(row[0])}
    assert listed >= set(get_args(Code))
    code = sources()
    assert [each for each in listed if f'"{each}"' not in code] == []
