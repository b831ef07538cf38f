"""New versions of the ladder, and what is wrong with a text."""

from __future__ import annotations

import asyncio
import threading

import pytest
from tests.systems.ladders.configs.support import FAULTY, TEXT, admin, marked, pointed, text
from tests.systems.ladders.support import (
    OPERATOR,
    api_on,
    audited,
    code_in,
    company_on,
    config_made,
    crew_made,
    plan_made,
    refused,
    run,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.rules import ladder_text
from tablewright.systems.ladders.rules.ladder_text import Parsed
from tablewright.systems.ladders.rules.shipped import shipped_text
from tablewright.testing.backends import Backend

#: As the text has them.
FAULTS = [
    (1, "text_outside"),
    (3, "orphan_competency"),
    (14, "level_gap"),
    (22, "duplicate"),
    (28, "name_too_long"),
    (34, "empty"),
    (36, "html"),
    (40, "bad_marker"),
]


def test_scenario_04_a_boolean_is_no_mark(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    """isActive as BOOL: engine rejects. What the service writes is a number, or nothing."""

    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            by = await admin(company)
            one = await company.configs.upload(by, "1.0.0", TEXT)
            await company.configs.activate(by, one.config_id)
            await company.configs.upload(by, "2.0.0", TEXT)
            table = next(
                each
                for each in tablewright_engine.call("ListTables", {})["TableNames"]
                if each.endswith("ConfigVersions")
            )
            items = tablewright_engine.call("Scan", {"TableName": table})["Items"]
            marks = {each["configId"]["S"]: each.get("isActive") for each in items}
            assert marks == {
                one.config_id: {"N": "1"},
                ids.config_id("2.0.0"): None,
                "ACTIVE": None,
            }
            wrong = next(each for each in items if each["configId"]["S"] == one.config_id)
            wrong["isActive"] = {"BOOL": True}
            with pytest.raises(AwsError, match="isActive"):
                tablewright_engine.call("PutItem", {"TableName": table, "Item": wrong})

    run(story())


def test_scenario_05_all_faults_by_line_and_the_text_comes_back(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """File with 8 faults returns 8 exact lines; example has 112 levels; export-import identical."""

    async def story() -> None:
        async with api_on(tablewright_backend, clock) as api:
            ines = api.as_(OPERATOR)
            told = await ines.done("POST", "/configs/validate", {"content": FAULTY})
            assert (told["valid"], told["ladder"]) == (False, None)
            assert [(each["line"], each["code"]) for each in told["errors"]] == FAULTS
            assert all(each["message"] for each in told["errors"])
            answer = await ines("POST", "/configs", {"version": "1.0.0", "content": FAULTY})
            assert (answer.status_code, answer.json()["code"]) == (422, "INVALID_LADDER")
            assert answer.json()["lines"] == told["errors"]
            assert (await ines.get("/configs"))["items"] == [], "invalid text is never stored"

            shipped = {"version": "1.0.0", "content": shipped_text()}
            made = await ines.done("POST", "/configs", shipped)
            inside = [one for each in made["ladder"]["categories"] for one in each["competencies"]]
            assert sum(len(each["levels"]) for each in inside) == 112
            names = [each["name"] for each in made["ladder"]["categories"]]
            assert names == ["Craft", "Delivery", "Collaboration", "Influence"]

            exported = await ines("GET", f"/configs/{made['config_id']}/markdown")
            assert exported.headers["content-type"].startswith("text/markdown")
            assert exported.text == shipped_text()
            again = {"version": "1.0.1", "content": exported.text}
            second = await ines.done("POST", "/configs", again)
            assert second["ladder"] == made["ladder"]
            path = f"/configs/{made['config_id']}/diff/{second['config_id']}"
            assert await ines.get(path) == {"added": [], "removed": [], "reworded": []}

    run(story())


def test_a_ladder_that_would_not_fit_is_refused_like_any_other_fault(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """Tabs are spaces once they are read: a short text can be a long ladder."""
    lines = f"   x{chr(9) * 90}y\n" * 1000
    long = f"# Craft\n## Code\n1. a\n\n   ```\n{lines}   ```\n"

    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            ines = api.as_(OPERATOR)
            told = await ines.done("POST", "/configs/validate", {"content": long})
            assert [(each["line"], each["code"]) for each in told["errors"]] == [(1, "too_large")]
            answer = await ines("POST", "/configs", {"version": "1.0.0", "content": long})
            assert (answer.status_code, answer.json()["code"]) == (422, "INVALID_LADDER")
            assert answer.json()["lines"] == told["errors"]
            assert (await ines.get("/configs"))["items"] == []

    run(story())


def test_a_version_is_there_once(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            by = await admin(company)
            texts = [text(f"number {each}") for each in range(8)]
            found = await asyncio.gather(
                *(company.configs.upload(by, "1.0.0", each) for each in texts),
                return_exceptions=True,
            )
            made = [each for each in found if isinstance(each, m.ConfigVersion)]
            assert len(made) == 1
            assert {getattr(each, "code", "") for each in found} == {"", "VERSION_EXISTS"}
            assert await company.configs.read(by, ids.config_id("1.0.0")) == made[0]
            assert [each for each, _ in await audited(company)] == ["config.upload"]
            assert (await marked(company), await pointed(company)) == ([], None)
            work = company.configs.upload(by, "01.0.0", TEXT)
            assert await code_in(work) == (422, "INVALID")

    run(story())


def test_the_longest_ladder_fits_into_an_item(engine_backend: Backend, clock: ManualClock) -> None:
    said = "x" * 80

    def longest() -> str:
        parts = []
        for category in range(12):
            parts.append(f"# Category {category}\n")
            for competency in range(12):
                levels = [f"{level}. {said}" for level in range(1, 11)]
                parts.append(
                    f"## Competency {category}-{competency}\n\n" + "\n".join(levels) + "\n"
                )
        return "\n".join(parts)

    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            whole = longest()
            assert 120_000 < len(whole) <= 150 * 1024
            by = await admin(company)
            made = await company.configs.upload(by, "1.0.0", whole)
            assert made.config_content == whole
            too_large = await company.configs.validate(by, whole + " " * 40_000)
            assert [each.code for each in too_large.errors] == ["too_large"]

    run(story())


def test_a_text_is_read_beside_the_loop(
    engine_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not by everybody at once: each takes a processor."""
    readers, most, lock = 0, 0, threading.Lock()
    parse = ladder_text.parse

    def slow(said: bytes | str) -> Parsed:
        nonlocal readers, most
        assert threading.current_thread() is not threading.main_thread()
        with lock:
            readers += 1
            most = max(most, readers)
        parsed = parse(said)
        threading.Event().wait(0.02)
        with lock:
            readers -= 1
        return parsed

    monkeypatch.setattr(ladder_text, "parse", slow)

    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            by = await admin(company)
            await asyncio.gather(*(company.configs.validate(by, TEXT) for _ in range(6)))

    run(story())
    assert most == 2


def test_a_file_is_taken_as_bytes(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            by = await admin(company)
            made = await company.configs.upload(by, "1.0.0", TEXT.encode())
            assert made.config_content == TEXT
            problem = await refused(company.configs.upload(by, "1.0.1", b"# \xff\n"))
            lines = problem.extra["lines"]
            assert isinstance(lines, list)
            assert "not_utf8" in {each["code"] for each in lines}

    run(story())


def test_who_may_read_which_version(engine_backend: Backend, clock: ManualClock) -> None:
    """Admins all of them; others the active one, and those of their own reviews."""

    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            company = api.company
            old = await config_made(company, "1.0.0")
            crew = await crew_made(company)
            await plan_made(company, crew.team, status="completed")
            await config_made(company, "2.0.0")
            unused = await config_made(company, "3.0.0", active=False)
            member, stranger = crew.members[0], await user_made(company)
            ids_of = {
                "admin": [OPERATOR, 200, 200, 200],
                "manager": [crew.manager, 200, 200, 404],
                "member": [member, 200, 200, 404],
                "stranger": [stranger, 200, 404, 404],
            }
            active = ids.config_id("2.0.0")
            for who, *wanted in ids_of.values():
                as_them = api.as_(who)  # type: ignore[arg-type]
                paths = [f"/configs/{each}" for each in (active, old.config_id, unused.config_id)]
                got = [(await as_them("GET", each)).status_code for each in paths]
                assert got == wanted
                got = [(await as_them("GET", f"{each}/markdown")).status_code for each in paths]
                assert got == wanted
                assert (await as_them("GET", "/configs/active")).status_code == 200
            as_member = api.as_(member)
            assert await as_member.refused("GET", "/configs") == (403, "FORBIDDEN")
            path = f"/configs/{active}/diff/{old.config_id}"
            assert await as_member.refused("GET", path) == (403, "FORBIDDEN")
            body = {"content": TEXT}
            assert await as_member.refused("POST", "/configs/validate", body) == (403, "FORBIDDEN")
            # Who has left the team may still look at what they were measured by.
            await company.db.run(m.remove_members(crew.team_id, [member.user_id], company.now()))
            assert (await as_member("GET", f"/configs/{old.config_id}")).status_code == 200
            assert (await api.as_(OPERATOR)("GET", "/configs/EMAIL")).status_code == 404

    run(story())


def test_without_an_active_ladder(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            ines = api.as_(OPERATOR)
            assert await ines.refused("GET", "/configs/active") == (404, "NOT_FOUND")
            answer = await ines("GET", "/configs")
            assert answer.headers["ETag"] == '"0"'
            assert await ines.refused("POST", "/configs/rollback") == (409, "NO_PREVIOUS_CONFIG")
            odd = {"version": "1.0.0", "content": TEXT, "is_active": 1}
            assert (await ines("POST", "/configs", odd)).status_code == 422

    run(story())


def test_versions_are_in_the_order_of_their_numbers(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            by = await admin(company)
            for each in ("1.9.0", "1.10.0", "0.1.0"):
                await company.configs.upload(by, each, TEXT)
            # The pointer is beside them, and is none.
            await company.configs.activate(by, ids.config_id("1.9.0"))
            found = await company.configs.list(by)
            assert [each.version for each in found.configs] == ["1.10.0", "1.9.0", "0.1.0"]
            assert found.pointer is not None
            assert found.pointer.version == "1.9.0"

    run(story())
