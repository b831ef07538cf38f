"""Writes about users and teams. Membership stands on both sides, and is changed on both at once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TypeAlias

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
from tablewright.systems.ladders.entities import (
    MAX_MANAGED_TEAMS,
    MAX_MEMBERS,
    MAX_SUBJECTS,
    MAX_TEAMS_OF_USER,
    EmailLock,
    SubjectLink,
    Team,
    User,
)
from tablewright.systems.ladders.fields import RoleName

ERASED = "Erased user"

_Erasing: TypeAlias = Delete[EmailLock] | Delete[SubjectLink] | Update[Team] | Check[User]


def _active() -> Condition:
    return attr(User.is_active).eq(True)


# --- signing in ----------------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.001))
def invite_user(
    user: User, actor: Uuid | None = None
) -> tuple[Put[User], Put[EmailLock], *tuple[Check[User], ...]]:
    """Somebody who may sign in, before they do; by ``actor``, who still is an active admin."""
    return put(user).new(), put(_lock(user)).new(), *_by_admin(actor)


def _by_admin(actor: Uuid | None) -> tuple[Check[User], ...]:
    """That the actor may still do it; None is for operators, who are no users."""
    allowed = _active() & attr(User.roles).contains("admin")
    return () if actor is None else (check(User, actor).when(allowed),)


def _lock(user: User) -> EmailLock:
    if user.email is None:
        raise ValueError("a new user has an address")
    return EmailLock(
        email=user.email,
        owner_id=user.user_id,
        created_by=user.created_by,
        created_at=user.created_at,
        updated_at=user.created_at,
    )


def _link(owner: Uuid, subject_hash: str, at: datetime) -> SubjectLink:
    return SubjectLink(
        subject_hash=subject_hash, owner_id=owner, created_by=owner, created_at=at, updated_at=at
    )


@transaction(component="api", rate=Rate(0.001))
def link_user(
    user_id: Uuid, subject_hash: str, at: datetime
) -> tuple[Put[SubjectLink], Update[User]]:
    """The first sign-in of somebody who was invited."""
    known = update(User, user_id).do(
        attr(User.subject_hashes).add_members({subject_hash}), attr(User.updated_at).set(at)
    )
    room = attr(User.subject_hashes).missing() | (attr(User.subject_hashes).size() < MAX_SUBJECTS)
    return put(_link(user_id, subject_hash, at)).new(), known.when(_active() & room)


@transaction(component="api", rate=Rate(0.001))
def provision_user(
    user: User, subject_hash: str
) -> tuple[Put[User], Put[EmailLock], Put[SubjectLink]]:
    """The first sign-in of somebody whose domain may come in uninvited."""
    linked = user.model_copy(update={"subject_hashes": {subject_hash}})
    link = _link(user.user_id, subject_hash, user.created_at)
    return put(linked).new(), put(_lock(user)).new(), put(link).new()


# --- users ---------------------------------------------------------------------------------------


@write(component="api", rate=Rate(0.001))
def rename_user(user: User, name: str, at: datetime) -> Update[User]:
    """Another name."""
    return update(user).do(attr(User.name).set(name), attr(User.updated_at).set(at))


@transaction(component="api", rate=Rate(0.001))
def change_roles(
    user: User, roles: set[RoleName], actor: Uuid | None, at: datetime, name: str | None = None
) -> tuple[Update[User], *tuple[Check[User], ...]]:
    """Other roles, and perhaps another name, by somebody else who still is an active admin."""
    changed = update(user).do(
        attr(User.roles).set(roles),
        attr(User.name).set(user.name if name is None else name),
        attr(User.updated_at).set(at),
    )
    return changed, *_by_admin(actor)


def _without_teams(user: User, at: datetime) -> tuple[Update[Team], ...]:
    return tuple(_removed(each, {user.user_id}, at) for each in sorted(user.team_ids))


@transaction(component="api", rate=Rate(0.001), expect=3)
def deactivate_user(
    user: User, at: datetime, actor: Uuid | None = None
) -> tuple[Update[User], *tuple[Update[Team] | Check[User], ...]]:
    """Somebody who manages no team leaves all of theirs, and may not come in."""
    gone = update(user).do(
        attr(User.is_active).set(False), attr(User.team_ids).remove(), attr(User.updated_at).set(at)
    )
    left: tuple[Update[Team] | Check[User], ...] = (*_without_teams(user, at), *_by_admin(actor))
    return gone.when(attr(User.managed_team_ids).missing()), *left


@write(component="api", rate=Rate(0.001))
def reactivate_user(user: User, at: datetime) -> Update[User]:
    """Somebody is back, unless they were erased."""
    back = update(user).do(attr(User.is_active).set(True), attr(User.updated_at).set(at))
    return back.when(attr(User.is_active).eq(False) & attr(User.email).exists())


@transaction(component="api", rate=Rate(0.001), expect=5)
def erase_user(
    user: User, at: datetime, actor: Uuid | None = None
) -> tuple[Update[User], *tuple[_Erasing, ...]]:
    """Forget who it was: name, address, sign-ins and membership go, the id stays."""
    erased = update(user).do(
        attr(User.name).set(ERASED),
        attr(User.email).remove(),
        attr(User.roles).remove(),
        attr(User.team_ids).remove(),
        attr(User.subject_hashes).remove(),
        attr(User.is_active).set(False),
        attr(User.updated_at).set(at),
    )
    more: tuple[_Erasing, ...] = (
        *(() if user.email is None else (delete(EmailLock, user.email),)),
        *(delete(SubjectLink, each) for each in sorted(user.subject_hashes)),
        *_without_teams(user, at),
        *_by_admin(actor),
    )
    return erased.when(attr(User.managed_team_ids).missing()), *more


# --- teams ---------------------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.001), expect=2)
def create_team(team: Team) -> tuple[Put[Team], *tuple[Update[User], ...]]:
    """A team without members, with a manager or without."""
    if team.manager_id is None:
        return (put(team).new(),)
    return put(team).new(), _manages(team.manager_id, team.team_id, team.created_at)


@write(component="api", rate=Rate(0.001))
def edit_team(team: Team, name: str, description: str | None, at: datetime) -> Update[Team]:
    """Another name or description."""
    return update(team).do(
        attr(Team.team_name).set(name),
        attr(Team.description).set(description),
        attr(Team.updated_at).set(at),
    )


@write(component="api", rate=Rate(0.001))
def close_team(team: Team, at: datetime) -> Update[Team]:
    """A team that is no more; it has no open plans, and stays to be read."""
    closed = update(team).do(attr(Team.is_active).set(False), attr(Team.updated_at).set(at))
    return closed.when(attr(Team.open_plan_ids).missing())


@transaction(component="api", rate=Rate(0.001), expect=11)
def add_members(
    team_id: Uuid, user_ids: Iterable[Uuid], at: datetime
) -> tuple[Update[Team], *tuple[Update[User], ...]]:
    """One to fifty users join a team that is not too large; the manager is never a member."""
    joining = sorted(set(user_ids))
    grown = update(Team, team_id).do(
        attr(Team.member_ids).add_members(joining), attr(Team.updated_at).set(at)
    )
    room = attr(Team.member_ids).missing() | (
        attr(Team.member_ids).size() <= MAX_MEMBERS - len(joining)
    )
    others = attr(Team.manager_id).missing() | ~attr(Team.manager_id).is_in(joining)
    allowed = room & others & attr(Team.is_active).eq(True)
    return grown.when(allowed), *(_joins(each, team_id, at) for each in joining)


def _joins(user_id: Uuid, team_id: Uuid, at: datetime) -> Update[User]:
    joined = update(User, user_id).do(
        attr(User.team_ids).add_members({team_id}), attr(User.updated_at).set(at)
    )
    room = attr(User.team_ids).missing() | (attr(User.team_ids).size() <= MAX_TEAMS_OF_USER - 1)
    return joined.when(_active() & room)


def _removed(team_id: Uuid, user_ids: Iterable[Uuid], at: datetime) -> Update[Team]:
    return update(Team, team_id).do(
        attr(Team.member_ids).delete_members(user_ids), attr(Team.updated_at).set(at)
    )


@transaction(component="api", rate=Rate(0.001), expect=2)
def remove_members(
    team_id: Uuid, user_ids: Iterable[Uuid], at: datetime
) -> tuple[Update[Team], *tuple[Update[User], ...]]:
    """One to fifty users leave a team."""
    leaving = sorted(set(user_ids))
    left = (
        update(User, each).do(
            attr(User.team_ids).delete_members({team_id}), attr(User.updated_at).set(at)
        )
        for each in leaving
    )
    return _removed(team_id, leaving, at), *left


def _manages(user_id: Uuid, team_id: Uuid, at: datetime) -> Update[User]:
    chosen = update(User, user_id).do(
        attr(User.managed_team_ids).add_members({team_id}), attr(User.updated_at).set(at)
    )
    managed = attr(User.managed_team_ids)
    room = managed.missing() | (managed.size() < MAX_MANAGED_TEAMS)
    return chosen.when(_active() & attr(User.roles).contains("manager") & room)


@transaction(component="api", rate=Rate(0.001), expect=3)
def assign_manager(
    team: Team, manager_id: Uuid | None, at: datetime
) -> tuple[Update[Team], *tuple[Update[User], ...]]:
    """Another manager, who is active and no member; or none."""
    led = update(team).do(attr(Team.manager_id).set(manager_id), attr(Team.updated_at).set(at))
    changed: list[Update[User]] = []
    if manager_id is not None:
        led = led.when(
            attr(Team.member_ids).missing() | ~attr(Team.member_ids).contains(manager_id)
        )
        changed.append(_manages(manager_id, team.team_id, at))
    if team.manager_id is not None:
        before = attr(User.managed_team_ids).delete_members({team.team_id})
        changed.append(update(User, team.manager_id).do(before, attr(User.updated_at).set(at)))
    return led, *changed
