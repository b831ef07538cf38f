"""``/reanalyses`` over HTTP, with the models that come with the program."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from tests.systems.sentiment.analysis.test_api import API, served
from tests.systems.sentiment.support import NOW

from tablewright.clock import ManualClock
from tablewright.systems.sentiment.config_reads import (
    models,
    settings,
)
from tablewright.testing.backends import Backend


def test_a_job_from_beginning_to_end(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with served(engine_backend, clock) as (http, runtime, keys):
            active = (await runtime.db.require(settings())).active_model
            others = [each.model_version for each in await runtime.db.run(models())]
            other = next(each for each in others if each != active)

            async def ask(method: str, path: str = "", body: Any = None) -> tuple[int, Any]:
                answer = await http.request(
                    method, f"{API}/reanalyses{path}", json=body, headers=keys["admin"]
                )
                return answer.status_code, answer.json()

            body = {
                "model_version": other,
                "since": (NOW - timedelta(days=1)).isoformat(),
                "until": NOW.isoformat(),
            }
            status, job = await ask("POST", body=body)
            assert (status, job["state"], job["old_version"]) == (201, "running", active)
            path = f"/{job['job_id']}"
            assert await ask("GET", path) == (200, job)
            assert (await ask("GET"))[1]["items"] == [job]
            for step in ("/promote", "/rollback"):
                status, problem = await ask("POST", path + step)
                assert (status, problem["code"]) == (409, "JOB_STATE")
            status, job = await ask("POST", path + "/cancel")
            assert (status, job["state"]) == (200, "cancelled")
            assert (await ask("POST", path + "/cancel"))[0] == 409
            wrong = {**body, "model_version": "v9.9.9+none"}
            status, problem = await ask("POST", body=wrong)
            assert (status, problem["code"]) == (409, "MODEL_UNAVAILABLE")
            status, problem = await ask("POST", body={**body, "until": body["since"]})
            assert (status, problem["code"]) == (422, "BAD_RANGE")
            for bad in ({**body, "x": 1}, {**body, "since": "2026-11-19"}, {}):
                assert (await ask("POST", body=bad))[0] == 422, bad
            assert (await ask("GET", "/" + "0" * 26))[0] == 404
            assert (await ask("GET", "/nonsense"))[0] == 422
            seen = {
                role: (await http.get(f"{API}/reanalyses", headers=headers)).status_code
                for role, headers in {**keys, "nobody": {}}.items()
            }
            assert seen == {
                "admin": 200,
                "operator": 403,
                "analyst": 403,
                "viewer": 403,
                "nobody": 401,
            }

    asyncio.run(go())
