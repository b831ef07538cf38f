"""What the audit log says of those who read live items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.console.explorer.workbench import MODEL, run, workbench
from tests.console.support import Browser, signed_in
from tests.service.support import Running

from tablewright.client.transports import Failure, Request, Response
from tablewright.console.assets import Assets
from tablewright.console.explorer.noting import ACTION
from tablewright.console.explorer.statements import tables_named
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry


@pytest.fixture
def service(assets: Assets) -> Iterator[Running]:
    with workbench(assets) as running:
        yield running


@pytest.fixture
def admin(service: Running) -> Iterator[Browser]:
    with signed_in(service, "demo-admin") as browser:
        yield browser


def noted(service: Running) -> list[AuditEntry]:
    async def listed() -> list[AuditEntry]:
        runtime = service.runtime
        found = await audit.entries(runtime.db, until=runtime.clock.now() + 1, action=ACTION)
        return list(found)

    return service.do(listed())


def browse(browser: Browser, ground: str) -> None:
    asked = {"ground": ground, "place": "Gallery", "p0": "WALL#north"}
    assert browser.get(f"{MODEL}/browse", params=asked).status_code == 200


def select(browser: Browser, ground: str) -> None:
    statement = "SELECT * FROM \"Gallery\" WHERE PK = 'WALL#north'"
    answer = browser.post(f"{MODEL}/partiql", {"ground": ground, "statement": statement})
    assert answer.status_code == 200


def run_pattern(browser: Browser, ground: str) -> None:
    run(browser, "paintings", ground=ground, wall="north")


@pytest.mark.parametrize(
    ("read", "subject", "way"),
    [
        (browse, "table/Gallery", "browse"),
        (select, "table/Gallery", "PartiQL"),
        (run_pattern, "pattern/paintings", "run"),
    ],
)
def test_live_reads_are_noted_without_a_value(
    service: Running,
    admin: Browser,
    read: Callable[[Browser, str], None],
    subject: str,
    way: str,
) -> None:
    read(admin, "practice")
    assert noted(service) == []
    read(admin, "live")
    (entry,) = noted(service)
    assert (entry.actor, entry.actor_kind) == ("demo-admin", "user")
    assert (entry.subject, entry.detail) == (subject, {"by": way})


def test_what_is_refused_was_not_read(service: Running, admin: Browser) -> None:
    admin.post(f"{MODEL}/partiql", {"ground": "live", "statement": "DELETE FROM Gallery"})
    with signed_in(service, "demo-visitor") as visitor:
        visitor.get(f"{MODEL}/browse", params={"ground": "live"})
    assert noted(service) == []


def test_what_cannot_be_noted_is_not_shown(
    service: Running, admin: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = service.runtime.db.transport.send

    async def no_writes(request: Request) -> Response:
        if request.operation == "PutItem":
            raise Failure("AccessDeniedException", "may not write", 400)
        return await inner(request)

    monkeypatch.setattr(service.runtime.db.transport, "send", no_writes)
    asked: dict[str, Any] = {"ground": "live", "statement": 'SELECT * FROM "Gallery"'}
    for answer in (
        admin.get(f"{MODEL}/browse", params={"ground": "live"}),
        admin.post(f"{MODEL}/partiql", asked),
        admin.post(f"{MODEL}/patterns/paintings/run", {"run-ground": "live", "wall": "north"}),
    ):
        assert "number00" not in answer.text
        assert answer.status_code == 503 or "may not write" in answer.text


def test_a_statement_names_its_tables_as_it_likes() -> None:
    assert tables_named('select * from "A""b"."GSI1" where x = 1') == ['A"b']
    assert tables_named("UPDATE Gallery SET a = 1 WHERE PK = 'from x'") == ["Gallery"]
