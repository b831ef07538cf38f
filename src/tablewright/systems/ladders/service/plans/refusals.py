"""Why something is not done with a plan."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from tablewright.service.problems import FieldError, Problem, conflict, invalid
from tablewright.systems.ladders.entities import MAX_MEMBERS, MAX_OPEN_PLANS
from tablewright.systems.ladders.fields import PlanStatus

_NOW: dict[PlanStatus, str] = {
    "draft": "It is a draft.",
    "active": "It is under way.",
    "completed": "It is completed.",
    "archived": "It is archived.",
}


def bad_state(status: PlanStatus) -> Problem:
    return conflict("BAD_STATE", f"{_NOW[status]} This cannot be done with it now.")


def own_review() -> Problem:
    detail = "You take part in this review. Ask its manager or another administrator to do this."
    return Problem(403, "OWN_REVIEW", detail)


def not_draft() -> Problem:
    detail = "Only a draft can be changed or deleted, and not while it is being activated."
    return conflict("NOT_DRAFT", detail)


def only_later() -> Problem:
    detail = "Of a review that is under way only name and description change, and a later end."
    return conflict("NOT_DRAFT", detail)


def season_taken() -> Problem:
    return conflict("SEASON_TAKEN", "The team has a plan for this season.")


def open_assessments(count: int) -> Problem:
    detail = f"{count} assessments are not submitted. Wait for them, or complete it with force."
    return Problem(409, "OPEN_ASSESSMENTS", detail, extra={"open": count})


def team_closed() -> Problem:
    return conflict("TEAM_CLOSED", "The team is closed.")


def not_begun(start: datetime, zone: str) -> Problem:
    detail = (
        f"The first day of this plan is {_day(start, zone)}. Activate it then, or set an earlier "
        "first day."
    )
    return conflict("PLAN_NOT_BEGUN", detail)


def already_ended(end: datetime, zone: str) -> Problem:
    detail = (
        f"The last day of this plan was {_day(end, zone)}: whoever submits is late. Set a later "
        "last day, or confirm that you want to activate it all the same."
    )
    return conflict("PLAN_ENDED", detail)


def _day(moment: datetime, zone: str) -> str:
    there = moment.astimezone(ZoneInfo(zone))
    return f"{there.day} {there:%B %Y} ({zone})"


def not_managed() -> Problem:
    detail = "The team has no manager, who would assess its members. Assign one first."
    return conflict("TEAM_NOT_READY", detail)


def nobody_there() -> Problem:
    return conflict("TEAM_NOT_READY", "The team has no members. Add some first.")


def too_many_open() -> Problem:
    return conflict("TOO_MANY_PLANS", f"A team has at most {MAX_OPEN_PLANS} plans under way.")


def not_in_team() -> Problem:
    return conflict("NOT_A_MEMBER", "Only a member of the team takes part in its review.")


def plan_full() -> Problem:
    return conflict("PLAN_FULL", f"At most {MAX_MEMBERS} take part in a review.")


def no_ladder() -> Problem:
    detail = "No version of the ladder is active. Activate one, or name one."
    return conflict("NO_ACTIVE_CONFIG", detail)


def unknown_version() -> Problem:
    return invalid(FieldError("body.config_version", "There is no such version of the ladder."))


def ends_too_early() -> Problem:
    return invalid(FieldError("body.end_date", "The last day has to be after the first day."))
