"""Writes about people: registering, editing, and being forgotten.

Each transaction is named by its number in the design, ``[T0]`` to ``[T9]``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

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
    shard_of,
    transaction,
    update,
    write,
)
from tablewright.systems.kurukshetra.base import SHARDS
from tablewright.systems.kurukshetra.events import Statistics, counted
from tablewright.systems.kurukshetra.fields import EventId, Hash, Moment
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.people import (
    Answer,
    Draft,
    EmailLock,
    Participant,
    PeopleLink,
    PhoneLink,
    UidLink,
)
from tablewright.systems.kurukshetra.teams import InviteLock, Member, Team


@transaction(component="api", rate=Rate(1, peak=50), expect=9)
def register(
    participant: Participant, answers: Iterable[Answer], now: Moment
) -> tuple[
    Put[Participant],
    Put[EmailLock],
    Put[UidLink],
    Put[PeopleLink],
    Update[Statistics],
    *tuple[Put[PhoneLink] | Put[Answer], ...],
]:
    """A new participant, whose address and user are new to the event. [T0, 1b]"""
    if participant.email_hash is None or participant.firebase_uid is None:
        raise ValueError("a participant registers with an address and a user")
    event_id, me = participant.event_id, participant.participant_id
    lock = EmailLock(
        event_id=event_id, email_hash=participant.email_hash, owner=me, created_at=now.at
    )
    link = UidLink(
        event_id=event_id, uid_hash=participant.firebase_uid, target=me, created_at=now.at
    )
    more: tuple[Put[PhoneLink] | Put[Answer], ...] = (
        *_phone_link(participant, now.at),
        *(put(answer).new() for answer in answers),
    )
    return (
        put(participant).new(),
        put(lock).new(),
        put(link).new(),
        put(PeopleLink(event_id=event_id, participant_id=me, created_at=now.at)),
        counted(event_id, now, me, registrations=1),
        *more,
    )


def _phone_link(participant: Participant, at: datetime) -> tuple[Put[PhoneLink], ...]:
    if participant.phone_hash is None:
        return ()
    link = PhoneLink(
        event_id=participant.event_id,
        phone_hash=participant.phone_hash,
        participant_id=participant.participant_id,
        created_at=at,
    )
    return (put(link),)


@transaction(component="api", rate=Rate(0.2, peak=5), expect=1.2)
def edit_participant(
    participant: Participant,
    old_phone_hash: Hash | None,
    answers: Iterable[Answer],
    at: datetime,
    taken_back: Iterable[Answer] = (),
) -> tuple[
    Put[Participant],
    *tuple[Put[PhoneLink] | Delete[PhoneLink] | Put[Answer] | Delete[Answer], ...],
]:
    """The profile at the version that was read, with changed answers, and without those taken back.

    A number moves its link.
    """
    more: tuple[Put[PhoneLink] | Delete[PhoneLink] | Put[Answer] | Delete[Answer], ...]
    more = (*(put(answer) for answer in answers), *(delete(answer) for answer in taken_back))
    if participant.phone_hash != old_phone_hash:
        more = (
            *more,
            *_phone_link(participant, at),
            *_phone_unlink(participant, old_phone_hash),
        )
    return put(participant).replace(), *more


def _phone_unlink(
    participant: Participant, phone_hash: Hash | None
) -> tuple[Delete[PhoneLink], ...]:
    if phone_hash is None:
        return ()
    return (delete(PhoneLink, participant.event_id, phone_hash, participant.participant_id),)


@write(component="api", rate=Rate(0.01))
def revoke_tickets(participant: Participant, at: datetime) -> Update[Participant]:
    """Make every ticket that was given out so far worthless."""
    raised = attr(Participant.ticket_version).add(1), attr(Participant.updated_at).set(at)
    return update(participant).do(*raised)


@dataclass(frozen=True)
class Leaving:
    """The team that somebody is erased from, as it was read."""

    team: Team
    #: Who leads it from then on, if that was them; None if it was not, or nobody is left.
    leader: Uuid | None = None

    @property
    def alone(self) -> bool:
        return self.team.member_count <= 1


Erased: TypeAlias = (
    Delete[EmailLock]
    | Delete[UidLink]
    | Delete[Draft]
    | Delete[PhoneLink]
    | Delete[Answer]
    | Update[Team]
    | Delete[Member]
    | Check[Member]
    | Delete[InviteLock]
)


@transaction(component="retention", rate=Rate(0.01), expect=9)
def erase_participant(
    participant: Participant,
    answers: Iterable[Answer],
    at: datetime,
    leaving: Leaving | None = None,
) -> tuple[Update[Participant], Delete[PeopleLink], *tuple[Erased, ...]]:
    """Forget a person: the row stays, with nothing in it that tells who it was.

    Locks and links go, so that the address can register again. In the same transaction they leave
    their team, however few are left of it, and the earliest member leads it. Who was alone in it
    stays as its only member, without a code by which others could join a team that nobody leads.
    """
    event_id, me = participant.event_id, participant.participant_id
    more: tuple[Erased, ...] = (
        *_unlocked(participant),
        *_phone_unlink(participant, participant.phone_hash),
        *(delete(Answer, event_id, me, answer.question_id) for answer in answers),
        *(() if leaving is None else _left(leaving, me, at)),
    )
    listed = delete(PeopleLink, event_id=event_id, shard=shard_of(me, SHARDS), participant_id=me)
    emptied = _emptied(participant, at)
    if leaving is not None and not leaving.alone:
        emptied = emptied.do(attr(Participant.team_id).remove())
    return emptied, listed, *more


def _left(leaving: Leaving, who: Uuid, at: datetime) -> tuple[Erased, ...]:
    team, leader = leaving.team, leaving.leader
    changed = update(team).do(attr(Team.updated_at).set(at))
    if leaving.alone:
        return _closed(team, changed)
    changed = changed.do(attr(Team.member_count).add(-1))
    gone = delete(Member, team.event_id, team.team_id, who).existing()
    if leader is None:
        return changed.when(attr(Team.leader_participant_id) != who), gone
    led = changed.do(attr(Team.leader_participant_id).set(leader))
    return led, gone, check(Member, team.event_id, team.team_id, leader)


def _closed(team: Team, changed: Update[Team]) -> tuple[Erased, ...]:
    if team.invite_hash is None:
        return (changed,)
    changed = changed.do(attr(Team.invite_hash).remove(), attr(Team.invite_code).remove())
    return changed, delete(InviteLock, team.event_id, team.invite_hash)


def _emptied(participant: Participant, at: datetime) -> Update[Participant]:
    personal = (
        attr(Participant.first_name),
        attr(Participant.last_name),
        attr(Participant.email),
        attr(Participant.phone),
        attr(Participant.github_username),
        attr(Participant.linkedin),
        attr(Participant.email_hash),
        attr(Participant.phone_hash),
        attr(Participant.college_slug),
        attr(Participant.firebase_uid),
    )
    return update(participant).do(
        *(each.remove() for each in personal),
        attr(Participant.college).set(""),
        attr(Participant.year).set(""),
        attr(Participant.ticket_version).add(1),
        attr(Participant.erased_at).set(at),
        attr(Participant.updated_at).set(at),
    )


def _unlocked(
    participant: Participant,
) -> tuple[Delete[EmailLock] | Delete[UidLink] | Delete[Draft], ...]:
    found: list[Delete[EmailLock] | Delete[UidLink] | Delete[Draft]] = []
    if participant.email_hash is not None:
        found.append(delete(EmailLock, participant.event_id, participant.email_hash))
    if participant.firebase_uid is not None:
        found.append(delete(UidLink, participant.firebase_uid, participant.event_id))
        found.append(delete(Draft, participant.firebase_uid, participant.event_id))
    return tuple(found)


@write(component="retention", rate=Rate(0.01))
def forget_payer(payment: Payment, payer_ref: str, at: datetime) -> Update[Payment]:
    """The payment stays in the books, under a reference that leads to nobody."""
    renamed = attr(Payment.payer_ref).set(payer_ref), attr(Payment.updated_at).set(at)
    return update(Payment, payment.event_id, payment.payment_id).do(*renamed)


@write(component="api", rate=Rate(1, peak=50))
def save_draft(draft: Draft) -> Put[Draft]:
    """Keep a form as far as it is filled in."""
    return put(draft)


@write(component="api", rate=Rate(0.5, peak=20))
def drop_draft(uid_hash: Hash, event_id: EventId) -> Delete[Draft]:
    """A form that was sent, or given up."""
    return delete(Draft, uid_hash, event_id)
