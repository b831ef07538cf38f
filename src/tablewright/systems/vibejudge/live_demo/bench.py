"""Judges of the demo, and what they have said so far: a round is under way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from tablewright.systems.vibejudge.bodies.judges import JudgeIn, RoundChange, RoundIn
from tablewright.systems.vibejudge.bodies.judging import ScoreIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.judging import Judge
from tablewright.systems.vibejudge.live_demo.cast import JUDGED, TEAMS
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.judges import principal_of

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


@dataclass(frozen=True)
class Person:
    """A judge: how they score, and how far they are."""

    name: str
    #: Added to what most would give: some are harsh, some are kind.
    mood: Decimal = Decimal(0)
    #: So many have been judged; None: the invitation lies unopened.
    done: int | None = None
    #: A team that they have to do with.
    knows: str | None = None


PEOPLE: Final = (
    Person("Ottoline Grey", Decimal("-1.5"), 4, knows="boardwalk"),
    Person("Femi Adebayo", Decimal("0.5"), 3),
    Person("Ruth Calloway", Decimal(1), 1),
    Person("Hiro Tanabe"),
    Person("Demo judge"),
)
#: What most would give, from 0 to 10 for each dimension of the rubric.
_OPINIONS: Final[Mapping[str, tuple[str, str, str]]] = {
    "toolshed": ("8.5", "8", "8.5"),
    "boardwalk": ("7", "7.5", "8"),
    "driftwatch": ("8.5", "8", "6.5"),
    "queuecumber": ("7.5", "8", "6"),
    "riverlevels": ("6", "6.5", "9"),
}
_COMMENTS: Final[Mapping[str, str]] = {
    "toolshed": "A loan and its check in one transaction: somebody has thought about this.",
    "riverlevels": "I would want this for my own village. More tests for the forecast, please.",
}
_PROJECTS: Final = {team: project for project, team in TEAMS.items()}


async def seat_judges(courtroom: Courtroom, caller: Caller, made: HackathonDetail) -> None:
    """Invite them, open a round, and let them begin; what has been done before stays."""
    judges = {each.name: each for each in await courtroom.judging.judges.all(made.hack_id)}
    for person in PEOPLE:
        if person.name not in judges:
            judges[person.name] = await _invite(courtroom, caller, made, person)
    if not await courtroom.judging.rounds.of(caller, made.hack_id):
        await courtroom.judging.rounds.add(caller, made.hack_id, RoundIn())
    first, *_ = await courtroom.judging.rounds.of(caller, made.hack_id)
    if first.state == "setup":
        change = RoundChange(state="open")
        await courtroom.judging.rounds.change(caller, made.hack_id, first.round_number, change)
    for person in PEOPLE:
        if judges[person.name].state == "active":
            await _judge(courtroom, made, first.round_number, person, judges[person.name])


async def _invite(
    courtroom: Courtroom, caller: Caller, made: HackathonDetail, person: Person
) -> Judge:
    conflicts = [
        each.sub_id
        for each in await courtroom.submissions.list(caller, made.hack_id, limit=100)
        if person.knows is not None and each.team_name == TEAMS[person.knows]
    ]
    body = JudgeIn(name=person.name, conflicts=conflicts)
    invited = await courtroom.judging.judges.invite(caller, made.hack_id, body)
    if person.done is None:
        return invited.judge
    return await courtroom.judging.judges.followed(invited.token)


async def _judge(
    courtroom: Courtroom, made: HackathonDetail, number: int, person: Person, judge: Judge
) -> None:
    """As many as they have got to, in the order in which they are shown."""
    caller = Caller(principal_of(judge), judge=(judge.hack_id, judge.judge_id))
    while True:
        following = await courtroom.judging.desk.next(caller, made.hack_id)
        shown = following.round and following.round.round_number
        if shown != number or following.done >= (person.done or 0):
            return
        (submission,) = following.submissions
        body = _said(made, person, submission, number)
        await courtroom.judging.desk.score(caller, made.hack_id, body)


def _said(made: HackathonDetail, person: Person, submission: Submission, number: int) -> ScoreIn:
    project = _PROJECTS[submission.team_name]
    given = [
        max(Decimal(0), min(Decimal(10), Decimal(o) + person.mood)) for o in _OPINIONS[project]
    ]
    names = [each.name for each in made.rubric.dimensions]
    return ScoreIn(
        round_number=number,
        sub_id=submission.sub_id,
        scores=dict(zip(names, given, strict=True)),
        comment=_COMMENTS.get(project),
    )


async def invite_demo_judge(courtroom: Courtroom, caller: Caller) -> str | None:
    """Make a new invitation for the judge that a visitor of the demo plays; None without a demo."""
    rows = await courtroom.hackathons.of(caller, limit=100)
    for row in rows:
        if row.name != JUDGED.name:
            continue
        for judge in await courtroom.judging.judges.all(row.hack_id):
            if judge.name == PEOPLE[-1].name and judge.state != "removed":
                invited = await courtroom.judging.judges.invite_again(
                    caller, row.hack_id, judge.judge_id
                )
                return invited.token
    return None
