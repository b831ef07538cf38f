"""The costs of a hackathon over HTTP."""

from __future__ import annotations

from decimal import Decimal

from tests.systems.vibejudge.api_support import OTTO, api_on, code_of
from tests.systems.vibejudge.budgets.support import MODELS, Case, call_of
from tests.systems.vibejudge.support import caller_of, run, submission, wanted_body

from tablewright.clock import ManualClock
from tablewright.systems.vibejudge import reads
from tablewright.testing.backends import Backend


def test_costs_over_http(engine_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        async with api_on(engine_backend, clock) as api:
            given = {"agent_provider": "openai", "agent_models": MODELS}
            body = await api.done("POST", "/hackathons", wanted_body(**given))
            hack_id = body["hack_id"]
            await api.done("POST", f"/hackathons/{hack_id}/activate")
            courtroom = api.courtroom
            found = await courtroom.db.require(reads.hackathon(hack_id))
            sent = await submission(courtroom, found)
            made = Case(caller_of(found.org_id), found, sent)
            first, second = call_of("0.25"), call_of("0.000000001")
            purse = made.purse(courtroom, first.id.run_id)
            money = await purse.reserve(first)
            await money.started()
            await money.settle(call_of("0.123456789", first.id.run_id))
            await purse.reserve(second)

            costs = await api.get(f"/hackathons/{hack_id}/costs")
            assert costs["total_cost_usd"] == 0.123456789
            assert costs["budget_remaining_usd"] == float(Decimal(5) - Decimal("0.12345679"))
            assert costs["reserved_usd"] == 1e-9
            assert costs["cost_by_agent"] == {"bug_hunter": 0.123456789}
            assert [each["call_started_at"] for each in costs["reservations"]] == [None]
            calls = await api.get(f"/hackathons/{hack_id}/submissions/{sent.sub_id}/costs")
            (call,) = calls["items"]
            assert (call["total_cost_usd"], call["agent"]) == (0.123456789, "bug_hunter")
            assert call["created_at"] == "2026-11-20T12:00:00Z"

            paths = [
                ("GET", f"/hackathons/{hack_id}/costs"),
                ("GET", f"/hackathons/{hack_id}/submissions/{sent.sub_id}/costs"),
                ("POST", f"/hackathons/{hack_id}/analyze/estimate"),
            ]
            for method, path in paths:
                assert code_of(await api.as_(OTTO)(method, path)) == (404, "NOT_FOUND")
                assert code_of(await api.as_("nobody")(method, path))[0] == 401
                bad = path.replace(hack_id, "no-id")
                assert code_of(await api(method, bad)) == (404, "NOT_FOUND")

    run(check())


def test_an_estimate_over_http(engine_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        async with api_on(engine_backend, clock) as api:
            body = await api.done("POST", "/hackathons", wanted_body())
            told = await api.done("POST", f"/hackathons/{body['hack_id']}/analyze/estimate")
            assert (told["basis"], told["total_usd"], told["enough"]) == ("free", 0, True)

    run(check())
