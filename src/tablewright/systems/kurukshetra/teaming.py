"""Writes about teams: founding, joining, leaving, leading, naming, and giving up."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tablewright.model import (
    Check,
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
from tablewright.systems.kurukshetra.events import Statistics, counted
from tablewright.systems.kurukshetra.fields import (
    ENDED,
    SEATED,
    EventId,
    Hash,
    Moment,
    Sealed,
    Slug,
    TeamName,
    folded,
)
from tablewright.systems.kurukshetra.people import Participant
from tablewright.systems.kurukshetra.teams import (
    Invited,
    InviteLock,
    Member,
    RepositoryLock,
    Submission,
    Team,
    TeamNameLock,
)


def _enters(event_id: EventId, team_id: Uuid, who: Uuid, at: datetime) -> Update[Participant]:
    """Nobody is in two teams."""
    joined = update(Participant, event_id, who).do(
        attr(Participant.team_id).set(team_id),
        attr(Participant.registration_type).set("team_member"),
        attr(Participant.updated_at).set(at),
    )
    return joined.when(attr(Participant.team_id).missing())


def _leaves(event_id: EventId, team_id: Uuid, who: Uuid, at: datetime) -> Update[Participant]:
    left = update(Participant, event_id, who).do(
        attr(Participant.team_id).remove(),
        attr(Participant.registration_type).set("individual"),
        attr(Participant.updated_at).set(at),
    )
    return left.when(attr(Participant.team_id) == team_id)


def _member(event_id: EventId, team_id: Uuid, who: Uuid, at: datetime) -> Put[Member]:
    member = Member(
        event_id=event_id, team_id=team_id, participant_id=who, joined_at=at, created_at=at
    )
    return put(member).new()


def _name_lock(team: Team, name: TeamName, at: datetime) -> Put[TeamNameLock]:
    lock = TeamNameLock(
        event_id=team.event_id, folded_name=folded(name), owner=team.team_id, created_at=at
    )
    return put(lock).new()


def _invite_lock(team: Team, invite_hash: Hash, at: datetime) -> Put[InviteLock]:
    lock = InviteLock(
        event_id=team.event_id, invite_hash=invite_hash, owner=team.team_id, created_at=at
    )
    return put(lock).new()


# --- members -------------------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.3, peak=20), expect=6)
def found_team(
    team: Team, now: Moment
) -> tuple[
    Put[Team],
    Put[TeamNameLock],
    Put[Member],
    Update[Participant],
    Update[Statistics],
    *tuple[Put[InviteLock], ...],
]:
    """A new team, whose leader is in none and whose name is free. [T1]"""
    event_id, leader = team.event_id, team.leader_participant_id
    codes = () if team.invite_hash is None else (_invite_lock(team, team.invite_hash, now.at),)
    return (
        put(team).new(),
        _name_lock(team, team.name, now.at),
        _member(event_id, team.team_id, leader, now.at),
        _enters(event_id, team.team_id, leader, now.at),
        counted(event_id, now, team.team_id, teams=1),
        *codes,
    )


@transaction(component="api", rate=Rate(1, peak=50))
def join_team(
    event_id: EventId, team_id: Uuid, invite_hash: Hash, participant_id: Uuid, now: Moment
) -> tuple[Update[Team], Put[Member], Update[Participant], Update[Statistics]]:
    """Take a free place in a team, by the code that is valid now. [T2]"""
    grown = update(Team, event_id, team_id).do(
        attr(Team.member_count).add(1), attr(Team.updated_at).set(now.at)
    )
    open_to_all = (
        (attr(Team.member_count) < attr(Team.max_members))
        & (attr(Team.invite_hash) == invite_hash)
        & ~attr(Team.payment_status).is_in(ENDED)
    )
    return (
        grown.when(open_to_all),
        _member(event_id, team_id, participant_id, now.at),
        _enters(event_id, team_id, participant_id, now.at),
        counted(event_id, now, participant_id, joins=1),
    )


@transaction(component="api", rate=Rate(0.1, peak=5))
def leave_team(
    event_id: EventId, team_id: Uuid, participant_id: Uuid, least: int, at: datetime
) -> tuple[Update[Team], Delete[Member], Update[Participant]]:
    """A member goes; a team with a seat keeps ``least`` members, and the leader stays. [T2b]

    A team that has ended keeps nobody.
    """
    shrunk = update(Team, event_id, team_id).do(
        attr(Team.member_count).add(-1), attr(Team.updated_at).set(at)
    )
    seated = attr(Team.payment_status).is_in(SEATED)
    enough = (seated & (attr(Team.member_count) > least)) | (
        ~seated & (attr(Team.member_count) > 1)
    )
    may = enough & (attr(Team.leader_participant_id) != participant_id)
    return (
        shrunk.when(may | attr(Team.payment_status).is_in(ENDED)),
        delete(Member, event_id, team_id, participant_id).existing(),
        _leaves(event_id, team_id, participant_id, at),
    )


@transaction(component="api", rate=Rate(0.01))
def hand_over(team: Team, leader: Uuid, at: datetime) -> tuple[Update[Team], Check[Member]]:
    """Another member leads. [T2c]"""
    led = update(team).do(
        attr(Team.leader_participant_id).set(leader), attr(Team.updated_at).set(at)
    )
    return (
        led.when(attr(Team.leader_participant_id) == team.leader_participant_id),
        check(Member, team.event_id, team.team_id, leader),
    )


@transaction(component="api", rate=Rate(0.05), expect=8)
def disband_team(
    team: Team,
    members: Iterable[Member],
    invited: Iterable[Invited],
    submission: Submission | None,
    at: datetime,
) -> tuple[
    Update[Team],
    Delete[TeamNameLock],
    *tuple[
        Delete[InviteLock]
        | Delete[Member]
        | Update[Participant]
        | Delete[Invited]
        | Delete[Submission]
        | Delete[RepositoryLock],
        ...,
    ],
]:
    """An unpaid team gives up: its name, code and repository are free again."""
    event_id, team_id, people = team.event_id, team.team_id, tuple(members)
    ended = update(team).do(
        attr(Team.payment_status).set("cancelled"),
        attr(Team.member_count).set(0),
        attr(Team.invite_hash).remove(),
        attr(Team.invite_code).remove(),
        attr(Team.updated_at).set(at),
    )
    more: tuple[
        Delete[InviteLock]
        | Delete[Member]
        | Update[Participant]
        | Delete[Invited]
        | Delete[Submission]
        | Delete[RepositoryLock],
        ...,
    ] = (
        *_old_code(team),
        *(delete(Member, event_id, team_id, each.participant_id) for each in people),
        *(_leaves(event_id, team_id, each.participant_id, at) for each in people),
        *(delete(Invited, event_id, team_id, each.email_hash) for each in invited),
        *_without(submission),
    )
    return (
        ended.when(attr(Team.payment_status) == "unpaid"),
        delete(TeamNameLock, event_id, folded(team.name)),
        *more,
    )


def _old_code(team: Team) -> tuple[Delete[InviteLock], ...]:
    if team.invite_hash is None:
        return ()
    return (delete(InviteLock, team.event_id, team.invite_hash),)


def _without(
    submission: Submission | None,
) -> tuple[Delete[Submission] | Delete[RepositoryLock], ...]:
    if submission is None:
        return ()
    return (
        delete(Submission, submission.event_id, submission.team_id),
        delete(RepositoryLock, submission.event_id, submission.repository),
    )


# --- invitations ---------------------------------------------------------------------------------


@write(component="api", rate=Rate(0.5, peak=20))
def invite_person(invited: Invited) -> Put[Invited]:
    """Ask somebody to join, or ask again."""
    return put(invited)


@write(component="api", rate=Rate(0.5, peak=20))
def withdraw_invitation(event_id: EventId, team_id: Uuid, email_hash: Hash) -> Delete[Invited]:
    """Somebody came, or is not wanted any more."""
    return delete(Invited, event_id, team_id, email_hash)


@transaction(component="api", rate=Rate(0.01), expect=3)
def rotate_invite(
    team: Team, code: Sealed, invite_hash: Hash, at: datetime
) -> tuple[Update[Team], Put[InviteLock], *tuple[Delete[InviteLock], ...]]:
    """A new code; the old one leads nowhere."""
    changed = update(team).do(
        attr(Team.invite_code).set(code),
        attr(Team.invite_hash).set(invite_hash),
        attr(Team.updated_at).set(at),
    )
    return changed, _invite_lock(team, invite_hash, at), *_old_code(team)


# --- name, track, repository ---------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.02), expect=3)
def rename_team(
    team: Team, name: TeamName, at: datetime, track: Slug | None = None
) -> tuple[Update[Team], *tuple[Put[TeamNameLock] | Delete[TeamNameLock], ...]]:
    """Another name, if it is free; another spelling of the same one is only written. [T9]

    With it another track, if wanted.
    """
    renamed = update(team).do(attr(Team.name).set(name), attr(Team.updated_at).set(at))
    if track is not None and track != team.track:
        renamed = renamed.do(attr(Team.track).set(track))
    if folded(name) == folded(team.name):
        return (renamed,)
    old = delete(TeamNameLock, team.event_id, folded(team.name))
    return renamed, _name_lock(team, name, at), old


@write(component="api", rate=Rate(0.02))
def change_track(team: Team, track: Slug, at: datetime) -> Update[Team]:
    """Another track, before anything is paid."""
    moved = update(team).do(attr(Team.track).set(track), attr(Team.updated_at).set(at))
    return moved.when(attr(Team.payment_status) == "unpaid")


@transaction(component="api", rate=Rate(0.3, peak=10), expect=3)
def set_repository(
    submission: Submission, old: str | None
) -> tuple[
    Put[Submission], Update[Team], *tuple[Put[RepositoryLock] | Delete[RepositoryLock], ...]
]:
    """A team's repository, if no other team has it; ``old`` is the one it had. [T9]

    The team is written too: who disbands it at the same time has to look again.
    """
    event_id, owner, at = submission.event_id, submission.team_id, submission.updated_at
    alive = update(Team, event_id, owner).do(attr(Team.updated_at).set(at))
    alive = alive.when(attr(Team.payment_status) != "cancelled")
    if submission.repository == old:
        return put(submission), alive
    lock = RepositoryLock(
        event_id=event_id, repository=submission.repository, owner=owner, created_at=at
    )
    freed = () if old is None else (delete(RepositoryLock, event_id, old),)
    return put(submission), alive, put(lock).new(), *freed


@write(component="handover", rate=Rate(0.1))
def mark_handed_over(submission: Submission, sub_id: str, at: datetime) -> Update[Submission]:
    """Judging has the repository, and calls it ``sub_id``."""
    return update(submission).do(
        attr(Submission.sub_id).set(sub_id), attr(Submission.updated_at).set(at)
    )
