"""Why something about a team is not done."""

from __future__ import annotations

from typing import Final

from tablewright.service.problems import FieldError, Problem, conflict, invalid
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.rules.team_states import RosterFault
from tablewright.systems.kurukshetra.service.mail_texts import local
from tablewright.systems.kurukshetra.service.refusing import ended
from tablewright.systems.kurukshetra.teams import Team

_STATES: Final = {
    "pending": "holds a seat that is being paid for",
    "offered": "is offered a seat",
    "waitlisted": "is on the waitlist",
    "paid": "has paid",
    "refunded": "has its money back",
    "cancelled": "was disbanded",
}


def invite_invalid() -> Problem:
    """The same for a code that is none, was, or leads to a team that is no more."""
    detail = "This code leads to no team. Ask the leader for the one that is valid now."
    return Problem(404, "INVITE_INVALID", detail)


def not_invited() -> Problem:
    detail = "Your address is not invited to this team, or not any more. Ask for its code."
    return Problem(404, "INVITE_INVALID", detail)


def already_in_team() -> Problem:
    detail = "You are in a team already. Leave it first."
    return conflict("ALREADY_IN_TEAM", detail)


def name_taken() -> Problem:
    return conflict("NAME_TAKEN", "Another team has this name. Choose another one.")


def repository_taken() -> Problem:
    return conflict("REPO_TAKEN", "Another team has this repository.")


def unknown_track(config: Config) -> Problem:
    return invalid(FieldError("body.track", f"must be one of {', '.join(config.tracks)}"))


def not_unpaid(team: Team) -> Problem:
    """What can be done with unpaid teams alone."""
    if team.payment_status in ("refunded", "cancelled"):
        return ended()
    detail = f"The team {_STATES[team.payment_status]}: it can no longer be changed like this."
    return conflict("WRONG_STATE", detail)


def roster(fault: RosterFault, config: Config) -> Problem:
    """Why nobody may come or go."""
    if fault == "roster_locked":
        until = local(config.roster_lock_at, config.zone)
        return conflict("ROSTER_LOCKED", f"Members could come and go until {until}.")
    if fault == "team_full":
        return conflict("TEAM_FULL", "The team has as many members as it may have.")
    if fault == "too_few":
        detail = f"A team with a seat keeps at least {config.min_team_size} members."
        return conflict("TOO_FEW_MEMBERS", detail)
    if fault == "leader_must_hand_over":
        detail = "Hand the team over to another member first; or disband it, as long as it is "
        return conflict("LEADER_MUST_HAND_OVER", f"{detail}unpaid.")
    return ended()
