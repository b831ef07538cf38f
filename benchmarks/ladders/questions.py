"""What people ask, by the use case and by the address; of whichever team and member."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from benchmarks.ladders.extent import CROWD, MEMBERS, Crew, Extent, Someone
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company


@dataclass(frozen=True)
class Question:
    name: str
    who: Someone
    path: str
    ask: Callable[[Company, Caller], Awaitable[object]]


def questions(extent: Extent, number: int) -> list[Question]:
    """One of each kind; other numbers are about other people."""
    # Far from each other, so that they do not share what was just read.
    crew = extent.crews[(number * 7) % len(extent.crews)]
    return [
        *_of_member(crew, crew.members[number % MEMBERS]),
        *_of_manager(crew, MEMBERS),
        *_of_manager(extent.crowd, CROWD),
    ]


def _of_member(crew: Crew, member: Someone) -> Iterator[Question]:
    assessment, report = crew.assessment_id(member), crew.report_id(member)
    yield Question("my tasks", member, "/me/tasks", lambda all_, by: all_.tasks.of(by))
    yield Question(
        "my assessment",
        member,
        f"/assessments/{assessment}",
        lambda all_, by: all_.assessments.read(by, assessment),
    )
    yield Question(
        "my report",
        member,
        f"/reports/{report}",
        lambda all_, by: all_.reports.read(by, report),
    )
    yield Question(
        "my history",
        member,
        f"/members/{member.user_id}/history",
        lambda all_, by: all_.growth.history(by, member.user_id),
    )


def _of_manager(crew: Crew, count: int) -> Iterator[Question]:
    team, plan, who = crew.team_id, crew.plan_id(), crew.manager
    yield Question(
        f"a manager's tasks, team of {count}", who, "/me/tasks", lambda all_, by: all_.tasks.of(by)
    )
    yield Question(
        f"board of {count}",
        who,
        f"/plans/{plan}/board",
        lambda all_, by: all_.boards.board(by, plan),
    )
    yield Question(
        f"heat map of {count}",
        who,
        f"/teams/{team}/heatmap?plan_id={plan}&source=self",
        lambda all_, by: all_.growth.heatmap(by, team, plan, "self"),
    )
