"""``/alert-rules`` and ``/alerts``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.systems.sentiment.alerts.support import HOUR, USUAL, history
from tests.systems.sentiment.api_support import Api, api_on
from tests.systems.sentiment.support import NOW

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.sentiment.samples import alert_of, topic
from tablewright.systems.sentiment.samples import rule as sample
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.system import system
from tablewright.systems.sentiment.writes import create_watch, raise_alert
from tablewright.testing import Backend

RULE = {"name": "Bad news", "tag": "AI", "metric": "negative_share"}
Test = Callable[[Api], Coroutine[Any, Any, None]]


@pytest.fixture
def run(engine_backend: Backend, clock: ManualClock) -> Callable[[Test], None]:
    async def opened(test: Test) -> None:
        async with api_on(engine_backend, clock) as api:
            await api.db.run(create_watch(topic("AI")))
            await test(api)

    return lambda test: asyncio.run(opened(test))


def test_the_life_of_a_rule(run: Callable[[Test], None]) -> None:
    async def main(api: Api) -> None:
        analyst = api.as_("analyst")
        made = await analyst("POST", "/alert-rules", RULE)
        assert (made.status_code, made.headers["ETag"]) == (201, '"1"'), made.text
        rule = made.json()
        assert (rule["tag"], rule["window"], rule["delivery"]) == ("ai", "1h", "immediate")
        path = f"/alert-rules/{rule['id']}"
        assert (await api.as_("viewer").get(path)) == rule
        edited = {**RULE, "name": "Worse news", "channel": "desk@example.com"}
        assert (await analyst("PUT", path, edited)).status_code == 428
        assert (await analyst("PUT", path, edited, If_Match='"7"')).status_code == 412
        saved = await analyst("PUT", path, edited, If_Match='"1"')
        assert (saved.status_code, saved.headers["ETag"]) == (200, '"2"'), saved.text
        again = await analyst("PUT", path, RULE, If_Match='"1"')
        assert (again.status_code, again.json()["code"]) == (412, "STALE_VERSION")
        assert (await analyst("DELETE", path, If_Match='"1"')).status_code == 412
        assert (await analyst("DELETE", path, If_Match='"2"')).status_code == 204
        assert (await analyst("GET", path)).status_code == 404
        actions = {action for _, action, _ in await api.audited()}
        assert actions >= {"alert_rule.create", "alert_rule.save", "alert_rule.delete"}

    run(main)


def test_viewers_read_and_analysts_write(run: Callable[[Test], None]) -> None:
    async def main(api: Api) -> None:
        for role in ("viewer", "operator"):
            assert (await api.as_(role)("GET", "/alert-rules")).status_code == 200
            assert (await api.as_(role)("GET", "/alerts")).status_code == 200
            assert (await api.as_(role)("POST", "/alert-rules", RULE)).status_code == 403
            assert (await api.as_(role)("POST", "/alerts/x/ack")).status_code == 403
        assert (await api.as_("ingest")("GET", "/alerts")).status_code == 403
        assert (await api.as_("nobody")("GET", "/alert-rules")).status_code == 401

    run(main)


REFUSED: list[tuple[dict[str, object], str]] = [
    ({"channel": "http://hooks.example.com/x"}, "UNSAFE_URL"),
    ({"channel": "https://127.0.0.1/x"}, "UNSAFE_URL"),
    ({"channel": "https://169.254.169.254/latest"}, "UNSAFE_URL"),
    ({"channel": "https://[::1]/"}, "UNSAFE_URL"),
    ({"channel": "ftp://example.com/"}, "UNSAFE_URL"),
    ({"channel": "not an address"}, "INVALID"),
    ({"channel": "a@b.example, c@d.example"}, "INVALID"),
    ({"tag": "nobody-follows-it"}, "INVALID"),
    ({"metric": "ops"}, "INVALID"),
    ({"ops": "stuck"}, "INVALID"),
    ({"metric": "ops", "ops": "stuck"}, "INVALID"),
    ({"window": "2h"}, "INVALID"),
    ({"cooldown_minutes": -1}, "INVALID"),
    ({"name": "two\nlines"}, "INVALID"),
    ({"unknown": 1}, "INVALID"),
]


def test_what_is_refused(run: Callable[[Test], None]) -> None:
    async def main(api: Api) -> None:
        for change, code in REFUSED:
            answer = await api.as_("analyst")("POST", "/alert-rules", {**RULE, **change})
            assert (answer.status_code, answer.json()["code"]) == (422, code), change

    run(main)


def test_rules_of_the_system_can_be_switched_off_and_not_deleted(
    run: Callable[[Test], None],
) -> None:
    async def main(api: Api) -> None:
        found = await api.get("/alert-rules?limit=100")
        assert sum(each["built_in"] for each in found["items"]) == 8
        rule = await api.get("/alert-rules/ops-stuck")
        answer = await api("DELETE", "/alert-rules/ops-stuck")
        assert (answer.status_code, answer.json()["code"]) == (409, "BUILT_IN")
        body = {"name": rule["name"], "metric": "ops", "ops": "stuck", "enabled": False}
        saved = await api("PUT", "/alert-rules/ops-stuck", body, If_Match='"1"')
        assert (saved.status_code, saved.json()["enabled"]) == (200, False), saved.text
        await api("PUT", "/alert-rules/ops-stuck", {**body, "ops": "failed"}, If_Match='"2"')
        assert answer.json()["code"] == "BUILT_IN"
        assert (await api("GET", "/alert-rules/ops-stuck/chart")).json()["code"] == "NO_CHART"
        assert (await api("GET", "/alert-rules/ops-stuck/secret")).json()["code"] == "NO_WEBHOOK"

    run(main)


def test_the_log_and_who_has_seen_it(run: Callable[[Test], None]) -> None:
    async def main(api: Api) -> None:
        analyst = api.as_("analyst")
        rule = (await analyst("POST", "/alert-rules", RULE)).json()
        for hours in (3, 2, 1):
            alert = alert_of(sample(1, "x"), hours).model_copy(update={"rule_id": rule["id"]})
            if hours == 3:
                await api.db.run(raise_alert(alert, NOW, quiet_since=NOW))
            else:
                await api.db.run(put(alert))
        page = await api.as_("viewer").get("/alerts?limit=2")
        assert len(page["items"]) == 2
        rest = await api.as_("viewer").get(f"/alerts?limit=2&cursor={page['next_cursor']}")
        (oldest,) = rest["items"]
        assert oldest["window_start"] == "2026-11-20T09:00:00.000Z"
        assert len((await api.get("/alerts?from=2026-11-20T10:30:00Z"))["items"]) == 1
        path = f"/alerts/{oldest['id']}/ack"
        seen = await analyst("POST", path)
        assert seen.status_code == 200, seen.text
        again = await api("POST", path)
        assert again.json()["acknowledged_by"] == seen.json()["acknowledged_by"]
        for wrong in (
            "x",
            f"2026-11-20T09:00:00.000Z:{'x' * 50}",
            oldest["id"].replace("09", "08"),
        ):
            assert (await analyst("POST", f"/alerts/{wrong}/ack")).status_code == 404
        assert [action for _, action, _ in await api.audited()].count("alert.ack") == 1

    run(main)


def test_the_chart_of_a_rule(
    engine_backend: Backend, clock: ManualClock, run: Callable[[Test], None]
) -> None:
    async def filled() -> None:
        transport = engine_backend.async_transport()
        runtime = runtime_of(system, transport, Settings(), clock=clock, environ={})
        tones = [USUAL] * 72
        tones[-10] = (0, 0, 40)
        await history(Newsroom(runtime), "tag#ai", NOW, HOUR, tones)
        await transport.close()

    async def main(api: Api) -> None:
        await filled()
        rule = (await api("POST", "/alert-rules", RULE)).json()
        chart = await api.as_("viewer").get(f"/alert-rules/{rule['id']}/chart")
        points = chart["points"]
        assert len(points) == 48
        assert points[-1]["start"] == "2026-11-20T11:00:00.000Z"
        highest = max(points, key=lambda each: each["z"])
        assert highest["start"] == "2026-11-20T02:00:00.000Z"
        assert highest["z"] >= chart["fires_at"] == 3
        assert points[0]["z"] == 0

    run(main)
