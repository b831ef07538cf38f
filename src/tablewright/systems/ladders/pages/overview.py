"""What administrators see on their first page: what to set up, then how far reviews are."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.service.gathering import at_most
from tablewright.systems.ladders import reads
from tablewright.systems.ladders.entities import Plan
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Reviews that are listed; the list of all teams leads to the others.
_LISTED: Final = 20
_AT_ONCE: Final = 8
#: Users of a place that is set up: an administrator, a manager, a member.
_PEOPLE: Final = 3


@dataclass(frozen=True)
class SetupStep:
    """Something to do before the first review."""

    title: str
    hint: str
    path: str
    done: bool


@dataclass(frozen=True)
class ReviewProgress:
    """A review that is under way: how much of it is submitted."""

    plan: Plan
    team: str
    submitted: int
    total: int

    @property
    def percent(self) -> float:
        return 100 * self.submitted / self.total if self.total else 0.0

    @property
    def path(self) -> str:
        return paths.board_path(self.plan.plan_id)


@dataclass(frozen=True)
class Overview:
    """The first page of an administrator, beside their own tasks."""

    steps: tuple[SetupStep, ...] = ()
    reviews: tuple[ReviewProgress, ...] = ()

    @property
    def is_set_up(self) -> bool:
        return all(each.done for each in self.steps)


async def read_overview(company: Company, by: Caller) -> Overview | None:
    """Read a few items of each kind, and the boards of the reviews that are listed."""
    if not by.admin:
        return None
    db = company.db
    pointer, users, teams, active, completed = await asyncio.gather(
        company.configs.pointer(),
        db.run(reads.all_users(), limit=_PEOPLE),
        db.run(reads.all_teams(), limit=1),
        db.run(reads.plans_by_status("active"), limit=_LISTED),
        db.run(reads.plans_by_status("completed"), limit=1),
    )
    people = len(list(users)) >= _PEOPLE or users.cursor is not None
    steps = (
        SetupStep(
            "Activate a ladder",
            "Start from the ladder that comes with the program, or bring your own.",
            paths.VERSIONS,
            pointer is not None,
        ),
        SetupStep("Invite people", "Managers and members.", paths.USERS, people),
        SetupStep(
            "Create a team",
            "Choose its manager and add its members.",
            paths.ALL_TEAMS,
            bool(list(teams)) or teams.cursor is not None,
        ),
        SetupStep(
            "Start the first review",
            "Open a team, plan a season and activate it.",
            paths.ALL_TEAMS,
            bool(list(active) or list(completed)),
        ),
    )
    plans = sorted(active, key=lambda each: (each.end_date, each.plan_id))
    return Overview(steps, tuple(await at_most(_AT_ONCE, (_progress(company, x) for x in plans))))


async def _progress(company: Company, plan: Plan) -> ReviewProgress:
    team = await company.db.run(reads.team(plan.team_id))
    lines = [
        each
        async for each in company.db.iterate(reads.board(plan.plan_id))
        if each.team_member_id in plan.member_ids
    ]
    submitted = sum(each.status == "submitted" for each in lines)
    return ReviewProgress(plan, "" if team is None else team.team_name, submitted, len(lines))
