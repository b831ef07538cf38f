"""Organisers whose hackathons are judged: by rules, or by a model that costs something."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.vibejudge.repositories import START

from soak.journal import outcome_of
from soak.load.driver import Driver, Interrupted
from tablewright.systems.vibejudge.entities import ALL_AGENTS
from tablewright.systems.vibejudge.rules.templates import TEMPLATES

MODELS = {agent: {"label": "quick", "model_id": "gpt-4.1-mini"} for agent in ALL_AGENTS}
#: Of a hackathon.
SUBMISSIONS = 2
_OVER = ("completed", "failed", "cancelled")
_PATIENCE_SECS = 300.0


class Vibejudge(Driver):
    system = "vibejudge"
    clients = 2
    pause_secs = 1.0
    #: What is handed in; made by who starts the run.
    repositories: Sequence[Path] = ()

    async def prepare(self) -> None:
        self.numbers = count()
        body = {"email": "soak@people.example", "name": "Soak"}
        found = await self.done("POST", "/organizers", body, token="")
        self.key = str(found["api_key"])
        org_id = (await self.done("GET", "/organizers/me", token=self.key))["org_id"]
        tier = {"tier": "enterprise"}
        await self.done("PUT", f"/organizers/{org_id}/tier", tier, token=self.admin())
        #: Hackathons with a job that we have begun: its id.
        self.jobs: dict[str, str] = {}

    async def step(self) -> None:
        if len(self.jobs) < self.clients:
            await self._hackathon()
            return
        if self.chance.random() < 0.3:
            name = {"name": f"Soak {self.chance.randrange(1000)}"}
            await self.ask("PATCH", "/organizers/me", name, token=self.key)
            return
        await self._look(self.chance.choice(list(self.jobs)))

    async def _hackathon(self) -> None:
        """One with submissions, whose analysis is begun."""
        hack_id = await self._created()
        rows = [
            {"team_name": f"Team {number}", "repo_url": str(each)}
            for number, each in enumerate(self.chance.sample(self.repositories, SUBMISSIONS))
        ]
        path = f"/hackathons/{hack_id}"
        reply = await self.surely(
            "POST", f"{path}/submissions", {"submissions": rows}, token=self.key
        )
        if not reply.ok:
            raise Interrupted("nothing handed in")
        for each in reply.body["results"]:
            outcome = outcome_of(int(each["status"]))
            self.note("submission", str(each.get("sub_id")), outcome, hackathon=hack_id)
        begun = await self.surely("POST", f"{path}/analyze", token=self.key)
        job_id = (begun.body or {}).get("job_id") if begun.known else None
        if job_id:
            self.jobs[hack_id] = str(job_id)
            self.note("job", str(job_id), "acknowledged", hackathon=hack_id)

    async def _created(self) -> str:
        models: dict[str, Any] = {}
        if self.chance.random() < 0.5:
            models = {"agent_provider": "openai", "agent_models": MODELS, "budget_limit_usd": 50}
        body = {
            "name": f"Soak {next(self.numbers)}",
            "start_date": f"{START:%Y-%m-%dT%H:%M:%SZ}",
            "end_date": self.after(days=30),
            "rubric": TEMPLATES[0].rubric.model_dump(mode="json"),
            **models,
        }
        reply = await self.ask("POST", "/hackathons", body, token=self.key)
        if not reply.ok:
            raise Interrupted("no hackathon")
        hack_id = str(reply.body["hack_id"])
        self.audited(reply, "hackathon.create", f"hackathon/{hack_id}")
        self.note("hackathon", hack_id, "acknowledged")
        await self.surely("POST", f"/hackathons/{hack_id}/activate", token=self.key)
        return hack_id

    async def _look(self, hack_id: str) -> None:
        path = f"/hackathons/{hack_id}"
        job = await self.done("GET", f"{path}/jobs/{self.jobs[hack_id]}", token=self.key)
        if job["status"] in _OVER:
            self.jobs.pop(hack_id, None)
            await self.ask("GET", f"{path}/leaderboard", token=self.key)
        elif self.chance.random() < 0.03:
            await self.ask("POST", f"{path}/jobs/{job['job_id']}/cancel", token=self.key)
        else:
            await self.ask("GET", f"{path}/stats", token=self.key)

    async def settle(self) -> None:
        """Until every job has ended."""
        ends = time.monotonic() + _PATIENCE_SECS
        while self.jobs and time.monotonic() < ends:
            for hack_id in list(self.jobs):
                try:
                    await self._look(hack_id)
                except Interrupted:
                    continue
            await asyncio.sleep(1)
        for hack_id, job_id in self.jobs.items():
            self.journal.complain(self.system, f"job {job_id} of {hack_id} does not end")
