"""Drafts, large teams, the outbox, and the mails that leave it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

from tests.systems.ladders.support import SEASON, Crew, config_made, team_made

from tablewright.service.kit.entities import OUTBOX_SLOTS, OutboxEntry
from tablewright.service.kit.outbox.dispatch import worker as outbox_worker
from tablewright.service.kit.patterns import messages_in
from tablewright.service.settings import Settings
from tablewright.service.workers import run_once
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company
from tablewright.systems.ladders.service.plans import Draft


def draft(company: Company, season: str = SEASON, **fields: Any) -> Draft:
    """A review of a fortnight."""
    now = company.now()
    wanted: dict[str, Any] = {
        "season": season,
        "plan_name": f"Review {season}",
        "start_date": now,
        "end_date": now + timedelta(days=14),
        **fields,
    }
    return Draft(**wanted)


async def drafted(company: Company, crew: Crew, season: str = SEASON, **fields: Any) -> m.Plan:
    """A draft of the team's manager, with an active ladder."""
    if await company.configs.pointer() is None:
        await config_made(company)
    wanted = draft(company, season, **fields)
    return (await company.plans.draft(crew.manager, crew.team_id, wanted)).plan


async def large_team(company: Company, manager: Caller, size: int) -> m.Team:
    """A team of people who have not signed in, and need not."""
    return await team_made(company, manager, member_ids={str(uuid4()) for _ in range(size)})


async def all_of(company: Company, plan: m.Plan) -> list[m.AssessmentLine]:
    return [each async for each in company.db.iterate(m.board(plan.plan_id))]


async def submitted(company: Company, plan: m.Plan, member: Caller, kind: Any = "self") -> None:
    """An assessment is done, as if somebody had answered everything."""
    from tests.systems.ladders.support import assessment_of

    from tablewright.model import put

    found = await assessment_of(company, plan, member, kind)
    now = company.now()
    done = {"status": "submitted", "current_level": 3, "submitted_at": now, "updated_at": now}
    await company.db.run(put(found.model_copy(update=done)).replace())


async def waiting(company: Company, kind: str = "") -> list[OutboxEntry]:
    """Messages that have not been sent, in the order in which they were written."""
    found: list[OutboxEntry] = []
    for slot in range(OUTBOX_SLOTS):
        found += [each async for each in company.db.iterate(messages_in(f"PENDING#{slot:02d}"))]
    wanted = [each for each in found if each.kind.startswith(kind)]
    return sorted(wanted, key=lambda each: (each.at, each.message_id))


async def send(company: Company, smtp_url: str) -> None:
    """What the outbox does with what is due."""
    settings = Settings(smtp_url=smtp_url, smtp_from="ladders@example.org")  # type: ignore[arg-type]
    runtime = replace(company.runtime, settings=settings)
    await run_once(outbox_worker(runtime, (), company.messages.address_of))
