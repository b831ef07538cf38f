"""Writes about plans and assessments.

A plan is activated in steps, since a roster may be larger than a transaction: the plan and its team
are prepared, the assessments made, the plan opened, its members notified. Whoever finds it
half-way goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple, TypeAlias

from tablewright.model import (
    Check,
    Condition,
    Delete,
    Put,
    Rate,
    Update,
    Uuid,
    attr,
    check,
    delete,
    put,
    transaction,
    update,
    write,
)
from tablewright.systems.ladders import ids
from tablewright.systems.ladders.entities import (
    MAX_MEMBERS,
    MAX_OPEN_PLANS,
    Assessment,
    ConfigVersion,
    Plan,
    Report,
    Team,
    User,
)
from tablewright.systems.ladders.fields import (
    Activation,
    Feedback,
    FeedbackMap,
    PlanStatus,
    Reopening,
)
from tablewright.systems.ladders.oversight import Oversight, oversight_checks

# --- plans ---------------------------------------------------------------------------------------


def _untouched() -> Condition:
    return (attr(Plan.status) == "draft") & attr(Plan.activation).missing()


def _room_for_a_plan() -> Condition:
    plans = attr(Team.open_plan_ids)
    return plans.missing() | (plans.size() < MAX_OPEN_PLANS)


@transaction(component="api", rate=Rate(0.001))
def draft_plan(plan: Plan) -> tuple[Put[Plan], Check[Team]]:
    """A plan for a season that the team has none for."""
    return put(plan).new(), check(Team, plan.team_id).when(attr(Team.is_active).eq(True))


@write(component="api", rate=Rate(0.001))
def edit_draft(plan: Plan) -> Put[Plan]:
    """A draft at the revision that was read, unless it is being activated."""
    return put(plan).replace().when(_untouched())


@write(component="api", rate=Rate(0.001))
def delete_draft(plan: Plan) -> Delete[Plan]:
    """Drafts, and nothing else, are really deleted."""
    return delete(plan).existing().when(_untouched())


@transaction(component="api", rate=Rate(0.001))
def begin_activation(
    plan: Plan, team: Team, activation: Activation
) -> tuple[Update[Plan], Update[Team], Check[ConfigVersion]]:
    """The first step: the plan has its roster, the team has an open plan."""
    begun = update(plan).do(
        attr(Plan.member_ids).set(team.member_ids),
        attr(Plan.activation).set(activation),
        attr(Plan.updated_at).set(activation.at),
    )
    opened = update(Team, team.team_id).do(
        attr(Team.open_plan_ids).add_members({plan.plan_id}),
        attr(Team.updated_at).set(activation.at),
    )
    ready = (
        attr(Team.is_active).eq(True)
        & attr(Team.manager_id).exists()
        & (attr(Team.member_ids) == team.member_ids)
        & _room_for_a_plan()
    )
    return begun.when(_untouched()), opened.when(ready), check(ConfigVersion, plan.config_id)


@write(component="activation-resumer", rate=Rate(0.01), item_size=3_000)
def start_assessment(assessment: Assessment) -> Put[Assessment]:
    """The second step, for each member twice; one that is there is done."""
    return put(assessment).new()


@transaction(component="activation-resumer", rate=Rate(0.001))
def finish_activation(plan: Plan, at: datetime) -> tuple[Update[Plan]]:
    """The third step: now everybody sees it. Members are still to be notified."""
    opened = update(Plan, plan.plan_id).do(
        attr(Plan.status).set("active"), attr(Plan.updated_at).set(at)
    )
    return (opened.when((attr(Plan.status) == "draft") & attr(Plan.activation).exists()),)


@write(component="activation-resumer", rate=Rate(0.001))
def end_activation(plan: Plan, at: datetime) -> Update[Plan]:
    """The last step: all messages to members are queued."""
    ended = update(Plan, plan.plan_id).do(
        attr(Plan.activation).remove(), attr(Plan.updated_at).set(at)
    )
    return ended.when((attr(Plan.status) != "draft") & attr(Plan.activation).exists())


def _turned(plan: Plan, before: PlanStatus, after: PlanStatus, at: datetime) -> Update[Plan]:
    turned = update(plan).do(attr(Plan.status).set(after), attr(Plan.updated_at).set(at))
    return turned.when(attr(Plan.status) == before)


@write(component="api", rate=Rate(0.001))
def edit_active_plan(
    plan: Plan, name: str, description: str | None, end_date: datetime, at: datetime
) -> Update[Plan]:
    """What may still change: name, description, and a later end."""
    edited = update(plan).do(
        attr(Plan.plan_name).set(name),
        attr(Plan.description).set(description),
        attr(Plan.end_date).set(end_date),
        attr(Plan.updated_at).set(at),
    )
    return edited.when((attr(Plan.status) == "active") & (attr(Plan.end_date) <= end_date))


@transaction(component="api", rate=Rate(0.001))
def complete_plan(plan: Plan, at: datetime) -> tuple[Update[Plan], Update[Team]]:
    """Nothing more is to be done in it."""
    closed = update(Team, plan.team_id).do(
        attr(Team.open_plan_ids).delete_members({plan.plan_id}), attr(Team.updated_at).set(at)
    )
    return _turned(plan, "active", "completed", at), closed


@transaction(component="api", rate=Rate(0.001))
def reopen_plan(plan: Plan, at: datetime) -> tuple[Update[Plan], Update[Team]]:
    """An admin has a reason to go on with it."""
    opened = update(Team, plan.team_id).do(
        attr(Team.open_plan_ids).add_members({plan.plan_id}), attr(Team.updated_at).set(at)
    )
    return (
        _turned(plan, "completed", "active", at),
        opened.when(attr(Team.is_active).eq(True) & _room_for_a_plan()),
    )


@write(component="api", rate=Rate(0.001))
def archive_plan(plan: Plan, at: datetime) -> Update[Plan]:
    """Out of sight."""
    return _turned(plan, "completed", "archived", at)


@transaction(component="api", rate=Rate(0.001))
def enrol_member(
    plan: Plan, own: Assessment, managers: Assessment, at: datetime
) -> tuple[Update[Plan], Put[Assessment], Put[Assessment]]:
    """Somebody who joined the team later takes part, too."""
    return _enrolled(plan, own.team_member_id, at), put(own).new(), put(managers).new()


def _enrolled(plan: Plan, member: Uuid, at: datetime) -> Update[Plan]:
    enrolled = update(Plan, plan.plan_id).do(
        attr(Plan.member_ids).add_members({member}), attr(Plan.updated_at).set(at)
    )
    room = attr(Plan.member_ids).missing() | (attr(Plan.member_ids).size() <= MAX_MEMBERS - 1)
    return enrolled.when(room & (attr(Plan.status) == "active"))


@transaction(component="api", rate=Rate(0.001))
def withdraw_member(
    plan: Plan, member: Uuid, at: datetime
) -> tuple[Update[Plan], Update[Assessment], Update[Assessment]]:
    """Somebody who left the team does not take part any more; what was written stays."""
    without = update(Plan, plan.plan_id).do(
        attr(Plan.member_ids).delete_members({member}), attr(Plan.updated_at).set(at)
    )
    return (
        without.when((attr(Plan.status) == "active") & attr(Plan.member_ids).contains(member)),
        _withdrawn(ids.assessment_id(plan.plan_id, member, "self"), at),
        _withdrawn(ids.assessment_id(plan.plan_id, member, "manager"), at),
    )


def _withdrawn(assessment_id: Uuid, at: datetime) -> Update[Assessment]:
    """Perhaps it is so already, since somebody was erased who still stands in the roster."""
    return update(Assessment, assessment_id).do(
        attr(Assessment.withdrawn_at).set(at), attr(Assessment.updated_at).set(at)
    )


@transaction(component="api", rate=Rate(0.001))
def rejoin_member(
    plan: Plan, member: Uuid, at: datetime
) -> tuple[Update[Plan], Update[Assessment], Update[Assessment]]:
    """Somebody who was withdrawn takes part again, and goes on with what was written."""
    return (
        _enrolled(plan, member, at),
        _back(ids.assessment_id(plan.plan_id, member, "self"), at),
        _back(ids.assessment_id(plan.plan_id, member, "manager"), at),
    )


def _back(assessment_id: Uuid, at: datetime) -> Update[Assessment]:
    back = update(Assessment, assessment_id).do(
        attr(Assessment.withdrawn_at).remove(), attr(Assessment.updated_at).set(at)
    )
    return back.when(attr(Assessment.withdrawn_at).exists())


# --- assessments ---------------------------------------------------------------------------------

#: By category and competency; None takes the answer back.
LevelChanges: TypeAlias = Mapping[tuple[str, str], int | None]
#: By category, competency and level: each map is written whole.
FeedbackChanges: TypeAlias = Mapping[tuple[str, str, int], Feedback]


class Outlook(NamedTuple):
    """Where somebody is to go, and how."""

    goal_level: int | None
    way_forward: str | None
    overall_level: int | None = None
    overall_reason: str | None = None


@write(component="api", rate=Rate(0.1, peak=10), item_size=15_000)
def save_answers(
    assessment: Assessment,
    levels: LevelChanges,
    feedback: FeedbackChanges,
    answered: int,
    assessor: Uuid,
    at: datetime,
    outlook: Outlook | None = None,
) -> Update[Assessment]:
    """Some answers, into the revision that was read, while it is open."""
    saved = update(assessment).do(
        attr(Assessment.status).set("in_progress"),
        attr(Assessment.answered).set(answered),
        attr(Assessment.assessor_id).set(assessor),
        attr(Assessment.updated_at).set(at),
    )
    if outlook is not None:
        saved = saved.do(
            attr(Assessment.goal_level).set(outlook.goal_level),
            attr(Assessment.way_forward).set(outlook.way_forward),
            attr(Assessment.overall_level).set(outlook.overall_level),
            attr(Assessment.overall_reason).set(outlook.overall_reason),
        )
    # A change inside a map needs the map: it is missing if the ladder has no such competency.
    asked = _open()
    for (category, competency), level in levels.items():
        place = attr(Assessment.selections[category][competency])
        saved = saved.do(place.remove() if level is None else place.set(level))
        asked &= attr(Assessment.selections[category]).exists()
    for (category, competency, step), said in feedback.items():
        inside = Assessment.feedback[category][competency]
        saved = saved.do(attr(inside[str(step)]).set(said))
        asked &= attr(inside).exists()
    return saved.when(asked)


def _open() -> Condition:
    return (attr(Assessment.status) != "submitted") & attr(Assessment.withdrawn_at).missing()


@transaction(component="api", rate=Rate(0.01, peak=1), expect=3, item_size=15_000)
def submit_assessment(
    assessment: Assessment,
    current_level: int,
    late: bool,
    at: datetime,
    oversight: Oversight | None = None,
) -> tuple[Update[Assessment], Check[Plan], *tuple[Check[Team] | Check[User], ...]]:
    """Done by its assessor, at the revision that was read, while the plan is active.

    A manager's assessment is submitted by who manages the person at that moment.
    """
    submitted = update(assessment).do(
        attr(Assessment.status).set("submitted"),
        attr(Assessment.assessor_id).set(assessment.assessor_id),
        attr(Assessment.current_level).set(current_level),
        attr(Assessment.submitted_at).set(at),
        attr(Assessment.late).set(True if late else None),
        attr(Assessment.updated_at).set(at),
    )
    checks: tuple[Check[Team] | Check[User], ...] = (check(Team, assessment.team_id),)
    if oversight is not None:
        checks = oversight_checks(oversight)
    elif assessment.assessment_type == "manager":
        managed = attr(Team.manager_id) == assessment.assessor_id
        checks = (check(Team, assessment.team_id).when(managed),)
    plan = check(Plan, assessment.plan_id).when(attr(Plan.status) == "active")
    open_now = (attr(Assessment.status) == "in_progress") & attr(Assessment.withdrawn_at).missing()
    return submitted.when(open_now), plan, *checks


@transaction(component="api", rate=Rate(0.001), expect=3, item_size=15_000)
def reopen_assessment(
    assessment: Assessment, report: Report | None, reopening: Reopening
) -> tuple[Update[Assessment], Check[Plan], Update[Report] | Check[Report]]:
    """Go on with a submitted assessment; a report that rests on it is stale."""
    reopened = update(assessment).do(
        attr(Assessment.status).set("in_progress"),
        attr(Assessment.current_level).remove(),
        attr(Assessment.submitted_at).remove(),
        attr(Assessment.late).remove(),
        attr(Assessment.reopens).append(reopening),
        attr(Assessment.updated_at).set(reopening.at),
    )
    plan = check(Plan, assessment.plan_id).when(attr(Plan.status) == "active")
    room = attr(Assessment.reopens).missing() | (attr(Assessment.reopens).size() < 20)
    submitted = (attr(Assessment.status) == "submitted") & attr(Assessment.withdrawn_at).missing()
    return reopened.when(submitted & room), plan, _stale(assessment, report, reopening.at)


def _stale(
    assessment: Assessment, report: Report | None, at: datetime
) -> Update[Report] | Check[Report]:
    if report is None:
        found = ids.report_id(assessment.plan_id, assessment.team_member_id)
        return check(Report, found).absent()
    return update(report).do(attr(Report.status).set("stale"), attr(Report.updated_at).set(at))


@write(component="api", rate=Rate(0.001), item_size=15_000)
def erase_texts(assessment: Assessment, at: datetime) -> Update[Assessment]:
    """What was written about somebody goes, and nothing more is written, whatever becomes of the
    plan; the levels stay, for the team's figures.
    """
    emptied: FeedbackMap = {
        category: {competency: {} for competency in found}
        for category, found in assessment.feedback.items()
    }
    return update(assessment).do(
        attr(Assessment.feedback).set(emptied),
        attr(Assessment.way_forward).remove(),
        attr(Assessment.overall_reason).remove(),
        attr(Assessment.reopens).remove(),
        attr(Assessment.withdrawn_at).set(assessment.withdrawn_at or at),
        attr(Assessment.updated_at).set(at),
    )
