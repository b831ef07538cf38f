"""Writes about reports and ladders."""

from __future__ import annotations

from datetime import datetime

from tablewright.model import (
    Check,
    Condition,
    Put,
    Rate,
    Update,
    Uuid,
    attr,
    check,
    put,
    transaction,
    update,
    write,
)
from tablewright.systems.ladders.entities import (
    ActiveConfig,
    Assessment,
    ConfigVersion,
    Report,
    Team,
    User,
)
from tablewright.systems.ladders.fields import GrowthAction, ReportStatus
from tablewright.systems.ladders.oversight import Oversight, managed_team, membership

MAX_ACTIONS = 20

# --- reports -------------------------------------------------------------------------------------


@transaction(component="report-builder", rate=Rate(0.01, peak=1), expect=3, item_size=8_000)
def build_report(
    report: Report,
) -> tuple[Put[Report], Check[Assessment], Check[Assessment]]:
    """A report, new or made anew from the revisions it names, both still submitted."""
    revisions = report.source_revisions
    return (
        put(report),
        _unchanged(report.self_assessment_id, revisions.own),
        _unchanged(report.manager_assessment_id, revisions.manager),
    )


def _unchanged(assessment_id: Uuid, revision: int) -> Check[Assessment]:
    same = (attr(Assessment.status) == "submitted") & (attr(Assessment.revision) == revision)
    return check(Assessment, assessment_id).when(same)


def _turned(
    report: Report, before: ReportStatus, after: ReportStatus, at: datetime
) -> Update[Report]:
    turned = update(report).do(attr(Report.status).set(after), attr(Report.updated_at).set(at))
    return turned.when(attr(Report.status) == before)


@write(component="api", rate=Rate(0.005), item_size=8_000)
def release_report(report: Report, at: datetime) -> Update[Report]:
    """The member may read it."""
    released = _turned(report, "generated", "released", at)
    return released.do(attr(Report.released_at).set(at))


@write(component="api", rate=Rate(0.001), item_size=8_000)
def withdraw_report(report: Report, at: datetime) -> Update[Report]:
    """The member may not read it any more."""
    withdrawn = _turned(report, "released", "generated", at)
    return withdrawn.do(attr(Report.released_at).remove())


@write(component="api", rate=Rate(0.005), item_size=8_000)
def acknowledge_report(report: Report, comment: str | None, at: datetime) -> Update[Report]:
    """The member has read it."""
    seen = _turned(report, "released", "acknowledged", at)
    return seen.do(attr(Report.acknowledged_at).set(at), attr(Report.ack_comment).set(comment))


@write(component="api", rate=Rate(0.001), item_size=8_000)
def mark_exported(report: Report, at: datetime) -> Update[Report]:
    """Somebody took a copy."""
    return update(Report, report.report_id).do(
        attr(Report.exported_at).set(at), attr(Report.updated_at).set(at)
    )


def _shared() -> Condition:
    return attr(Report.status).is_in(("released", "acknowledged"))


def _counted(report: Report, actions: dict[str, GrowthAction], at: datetime) -> Update[Report]:
    return update(report).do(
        attr(Report.open_actions).set(_open_actions(actions)),
        attr(Report.next_action_due).set(_next_due(actions)),
        attr(Report.updated_at).set(at),
    )


@transaction(component="api", rate=Rate(0.005), expect=2, item_size=8_000)
def save_action(
    report: Report,
    action_id: Uuid,
    action: GrowthAction,
    at: datetime,
    oversight: Oversight | None = None,
) -> tuple[Update[Report], Check[User], *tuple[Check[Team], ...]]:
    """A growth action, new or changed; the report has room for twenty, and is not of somebody who
    was erased. A manager still answers for that person.
    """
    found = {**report.actions, action_id: action}
    saved = _counted(report, found, at).do(attr(Report.actions[action_id]).set(action))
    room = attr(Report.actions[action_id]).exists() | (attr(Report.actions).size() < MAX_ACTIONS)
    there = attr(User.email).exists()
    stands = None if oversight is None else membership(oversight)
    known = check(User, report.team_member_id).when(there if stands is None else there & stands)
    managed = () if oversight is None else (managed_team(oversight),)
    return saved.when(_shared() & room), known, *managed


@write(component="api", rate=Rate(0.001), item_size=8_000)
def drop_action(report: Report, action_id: Uuid, at: datetime) -> Update[Report]:
    """A growth action that was a mistake."""
    found = {name: action for name, action in report.actions.items() if name != action_id}
    dropped = _counted(report, found, at)
    return dropped.do(attr(Report.actions[action_id]).remove()).when(_shared())


def _open_actions(actions: dict[str, GrowthAction]) -> int:
    return sum(action.status == "open" for action in actions.values())


def _next_due(actions: dict[str, GrowthAction]) -> datetime | None:
    return min((each.due_at for each in actions.values() if each.status == "open"), default=None)


@write(component="api", rate=Rate(0.001), item_size=8_000)
def erase_report_texts(report: Report, at: datetime) -> Update[Report]:
    """What was written about somebody goes."""
    return _counted(report, {}, at).do(
        attr(Report.way_forward).remove(),
        attr(Report.override_reason).remove(),
        attr(Report.ack_comment).remove(),
        attr(Report.actions).set({}),
    )


# --- ladders -------------------------------------------------------------------------------------


@write(component="api", rate=Rate(0.001), item_size=60_000)
def upload_config(config: ConfigVersion) -> Put[ConfigVersion]:
    """A new version of the ladder, under a number that is not taken."""
    return put(config).new()


@transaction(component="api", rate=Rate(0.001), expect=3, item_size=60_000)
def activate_config(
    config_id: Uuid, pointer: ActiveConfig, at: datetime
) -> tuple[Update[ConfigVersion], Put[ActiveConfig], *tuple[Update[ConfigVersion], ...]]:
    """Another version is the active one; of two at the same time, one wins.

    ``pointer`` is what there will be, at the revision that was read: it names the old version.
    """
    chosen = update(ConfigVersion, config_id).do(
        attr(ConfigVersion.is_active).set(1), attr(ConfigVersion.updated_at).set(at)
    )
    old = pointer.previous_config_id
    if old is None:
        return chosen, put(pointer)
    ended = update(ConfigVersion, old).do(
        attr(ConfigVersion.is_active).remove(), attr(ConfigVersion.updated_at).set(at)
    )
    return chosen, put(pointer), ended
