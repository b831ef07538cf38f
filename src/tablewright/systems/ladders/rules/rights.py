"""Who may do what: the whole of it, as data.

A caller is to an item whatever of these applies, and what each may do adds up. ``reader`` is what
everybody is who has signed in and is active.

=============  ====================================================================
``reader``     signed in, whoever it is
``leader``     has the role of a manager, whichever teams that is for
``subject``    the item is about them
``member``     belongs to the team of the item
``manager``    answers for the team of the item now, or for the person it is about
``admin``      has the role of an admin, and the item is not about them
=============  ====================================================================

A review follows its person. As long as they are in the team of the review, its manager answers for
it. Once they have moved, the managers of the teams that they are in now do, and the former manager
is nobody to it. Only while they are in no team at all it stays with the team of the review.

About their own review, an administrator is a member like everybody else.

Some rights depend on the item: what is true of it is a set of :data:`Fact`. Whether something can
be done now (an assessment that is locked, a plan that is over) is not a question of rights.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tablewright.systems.ladders.entities import Team, User
from tablewright.systems.ladders.fields import AssessmentStatus, ReportStatus

Who: TypeAlias = Literal["reader", "leader", "subject", "member", "manager", "admin"]
#: ``submitted``: the assessment is, or both that a report is made of. ``released``: the member may
#: see the report. ``acknowledged``: and has. ``in_use``: a ladder is the active one, or that of a
#: plan of the caller's teams.
Fact: TypeAlias = Literal["submitted", "released", "acknowledged", "in_use"]
#: ``unknown``: the caller is not even told that there is such an item.
Answer: TypeAlias = Literal["yes", "forbidden", "unknown"]


@dataclass(frozen=True)
class Grant:
    """Those who may, if all of some facts hold and none of others does."""

    who: Who
    needs: frozenset[Fact] = frozenset()
    unless: frozenset[Fact] = frozenset()

    def holds(self, who: frozenset[Who], facts: frozenset[Fact]) -> bool:
        return self.who in who and self.needs <= facts and not self.unless & facts


@dataclass(frozen=True)
class Action:
    """Something that is done to an item, or to what there is of a kind."""

    grants: tuple[Grant, ...]
    #: Who knows that the item exists; to all others it does not.
    seen_by: frozenset[Who]


def _to(*who: Who, needs: Fact | None = None, unless: Fact | None = None) -> tuple[Grant, ...]:
    needed = frozenset[Fact]() if needs is None else frozenset((needs,))
    barred = frozenset[Fact]() if unless is None else frozenset((unless,))
    return tuple(Grant(each, needed, barred) for each in who)


def _about(seen_by: frozenset[Who], *grants: tuple[Grant, ...]) -> Action:
    return Action(tuple(each for part in grants for each in part), seen_by)


#: What everybody knows to be there, such as the list of all users.
_PUBLIC: Final[frozenset[Who]] = frozenset(("reader",))
#: What is about one person.
_CLOSE: Final[frozenset[Who]] = frozenset(("subject", "manager", "admin"))
#: What is about a team.
_TEAM: Final[frozenset[Who]] = frozenset(("member", "manager", "admin"))
#: What only admins know of.
_ADMIN: Final[frozenset[Who]] = frozenset(("admin",))

_SHARED: Final = (_to("subject", needs="released"), _to("manager"), _to("admin", needs="submitted"))

ACTIONS: Final[Mapping[str, Action]] = {
    # --- oneself
    "read_me": _about(_PUBLIC, _to("reader")),
    # --- users
    "list_users": _about(_PUBLIC, _to("admin")),
    "create_user": _about(_PUBLIC, _to("admin")),
    "read_user": _about(_ADMIN, _to("admin")),
    "edit_user": _about(_ADMIN, _to("admin")),
    "end_user": _about(_ADMIN, _to("admin")),
    "read_audit": _about(_PUBLIC, _to("admin")),
    # --- teams
    "list_teams": _about(_PUBLIC, _to("admin")),
    "read_own_teams": _about(_PUBLIC, _to("reader")),
    "create_team": _about(_PUBLIC, _to("leader", "admin")),
    "read_team": _about(_TEAM, _to("member", "manager", "admin")),
    "edit_team": _about(_TEAM, _to("manager", "admin")),
    "delete_team": _about(_TEAM, _to("admin")),
    "assign_manager": _about(_TEAM, _to("admin")),
    "change_members": _about(_TEAM, _to("manager", "admin")),
    "read_heatmap": _about(_TEAM, _to("manager", "admin")),
    # --- plans
    "list_plans": _about(_PUBLIC, _to("admin")),
    "read_own_plans": _about(_PUBLIC, _to("reader")),
    "read_plan": _about(_TEAM, _to("member", "manager", "admin")),
    "create_plan": _about(_TEAM, _to("manager", "admin")),
    "edit_plan": _about(_TEAM, _to("manager", "admin")),
    "run_plan": _about(_TEAM, _to("manager", "admin")),
    "reopen_plan": _about(_TEAM, _to("admin")),
    "change_roster": _about(_CLOSE | _TEAM, _to("manager", "admin")),
    "read_board": _about(_TEAM, _to("manager", "admin")),
    "remind": _about(_TEAM, _to("manager", "admin")),
    # --- assessments
    "list_assessments": _about(_TEAM, _to("manager", "admin")),
    "list_assessments_of": _about(_CLOSE, _to("subject", "manager", "admin")),
    "read_self_assessment": _about(
        _CLOSE, _to("subject"), _to("manager", "admin", needs="submitted")
    ),
    "read_manager_assessment": _about(_CLOSE, *_SHARED),
    "write_self_assessment": _about(_CLOSE, _to("subject")),
    "write_manager_assessment": _about(_CLOSE, _to("manager")),
    "submit_self_assessment": _about(_CLOSE, _to("subject")),
    "submit_manager_assessment": _about(_CLOSE, _to("manager")),
    "reopen_assessment": _about(_CLOSE, _to("manager", unless="acknowledged"), _to("admin")),
    # --- reports
    "list_reports": _about(_TEAM, _to("manager", "admin")),
    "list_reports_of": _about(_CLOSE, _to("subject", "manager", "admin")),
    "build_report": _about(_CLOSE, _to("manager", "admin")),
    "read_report": _about(_CLOSE, *_SHARED),
    "export_report": _about(_CLOSE, *_SHARED),
    "release_report": _about(_CLOSE, _to("manager", "admin")),
    "acknowledge_report": _about(_CLOSE, _to("subject", needs="released")),
    "change_actions": _about(_CLOSE, _to("subject", "manager", needs="released")),
    # --- ladders
    "read_active_config": _about(_PUBLIC, _to("reader")),
    "read_config": _about(_ADMIN, _to("reader", needs="in_use"), _to("admin")),
    "manage_configs": _about(_PUBLIC, _to("admin")),
}


def may(action: str, who: frozenset[Who], facts: frozenset[Fact] = frozenset()) -> bool:
    """Whether somebody who is all of these to an item may do this to it."""
    return any(each.holds(who, facts) for each in ACTIONS[action].grants)


def could(action: str, who: frozenset[Who]) -> bool:
    """Whether somebody who is all of these may do this to an item in some state or other."""
    return any(each.who in who for each in ACTIONS[action].grants)


def answer(action: str, who: frozenset[Who], facts: frozenset[Fact] = frozenset()) -> Answer:
    """The same, and what others are told: that they may not, or that there is nothing."""
    if may(action, who, facts):
        return "yes"
    return "forbidden" if who & ACTIONS[action].seen_by else "unknown"


def who_is(
    user: User,
    team: Team | None = None,
    subject_id: str | None = None,
    subject_teams: AbstractSet[str] | None = None,
) -> frozenset[Who]:
    """Tell what a user is to an item of a team, about somebody; to none, what they are anywhere.

    ``subject_teams`` are the teams that the person is in now; None means still in ``team``.
    """
    if not user.is_active:
        return frozenset()
    is_subject = user.user_id == subject_id
    found: dict[Who, bool] = {
        "reader": True,
        "leader": "manager" in user.roles,
        "admin": "admin" in user.roles and not is_subject,
        "subject": is_subject,
        "member": team is not None and user.user_id in team.member_ids,
        # A manager of the team that they were in themselves does not assess themselves.
        "manager": not is_subject and team is not None and _manages(user, team, subject_teams),
    }
    return frozenset(who for who, is_one in found.items() if is_one)


def _manages(user: User, team: Team, subject_teams: AbstractSet[str] | None) -> bool:
    if not has_moved(team.team_id, subject_teams):
        return user.user_id == team.manager_id
    return bool(user.managed_team_ids & (subject_teams or frozenset()))


def has_moved(team_id: str, subject_teams: AbstractSet[str] | None) -> bool:
    """Whether a person has left the team of a review for other teams."""
    return bool(subject_teams) and team_id not in (subject_teams or frozenset())


def assessment_facts(status: AssessmentStatus, report: ReportStatus | None) -> frozenset[Fact]:
    """What is true of an assessment, by its status and that of the report, if there is one."""
    submitted: frozenset[Fact] = frozenset(("submitted",)) if status == "submitted" else frozenset()
    return submitted | (_released(report) if report is not None else frozenset())


def report_facts(status: ReportStatus) -> frozenset[Fact]:
    """What is true of a report. What a stale one is made of has been reopened."""
    submitted: frozenset[Fact] = frozenset() if status == "stale" else frozenset(("submitted",))
    return submitted | _released(status)


def _released(status: ReportStatus) -> frozenset[Fact]:
    if status == "acknowledged":
        return frozenset(("released", "acknowledged"))
    return frozenset(("released",)) if status == "released" else frozenset()
