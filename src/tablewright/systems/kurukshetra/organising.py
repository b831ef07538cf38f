"""Writes of who runs an event: settings, roles, the door, certificates, keys."""

from __future__ import annotations

from collections.abc import Iterable
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
    transaction,
    update,
    write,
)
from tablewright.systems.kurukshetra.events import (
    Config,
    Event,
    Question,
    Seats,
    Statistics,
    counted,
)
from tablewright.systems.kurukshetra.fields import EventId, Hash, Moment
from tablewright.systems.kurukshetra.payments import Voucher, VoucherLink
from tablewright.systems.kurukshetra.people import (
    Answer,
    Certificate,
    CheckIn,
    Draft,
    ListId,
    Participant,
    QuestionId,
    Role,
    RoleHolder,
    Scan,
)
from tablewright.systems.kurukshetra.teams import Invited, Team

# --- set-up --------------------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.001))
def create_event(
    event: Event, config: Config, seats: Seats
) -> tuple[Put[Event], Put[Config], Put[Seats]]:
    """A new event, with all of its seats free."""
    return put(event).new(), put(config).new(), put(seats).new()


@transaction(component="api", rate=Rate(0.01))
def change_config(
    config: Config, seats: int, at: datetime
) -> tuple[Put[Config], Update[Seats], Update[Event]]:
    """Settings at the version that was read, and more seats, or fewer if they are free. [T8]

    The line in the list of events follows.
    """
    adapted = update(Seats, config.event_id).do(
        attr(Seats.capacity).add(seats),
        attr(Seats.free).add(seats),
        attr(Seats.registration_open).set(config.registration_open),
        attr(Seats.registration_start).set(config.registration_start),
        attr(Seats.registration_end).set(config.registration_end),
        attr(Seats.updated_at).set(at),
    )
    listed = update(Event, config.event_id).do(
        attr(Event.event_name).set(config.event_name),
        attr(Event.event_start).set(config.event_start),
        attr(Event.event_end).set(config.event_end),
        attr(Event.visibility).set(config.visibility),
        attr(Event.updated_at).set(at),
    )
    return put(config).replace(), adapted.when(attr(Seats.free) >= max(-seats, 0)), listed


#: What an event has beside its settings, before anybody registers.
_Belonging: TypeAlias = (
    Delete[Question] | Delete[Role] | Delete[RoleHolder] | Delete[Voucher] | Delete[VoucherLink]
)


@transaction(component="api", rate=Rate(0.001), expect=10)
def delete_event(
    config: Config,
    questions: Iterable[Question],
    holders: Iterable[RoleHolder],
    vouchers: Iterable[VoucherLink],
) -> tuple[Delete[Config], Delete[Seats], Delete[Event], *tuple[_Belonging, ...]]:
    """Delete an event that nobody has registered for, with its questions, roles and vouchers.

    Its settings are as they were read, with registration closed, and all of its seats are free.
    """
    event_id = config.event_id
    unused = (attr(Seats.free) == config.max_teams) & (attr(Seats.waiting) == 0)
    more: tuple[_Belonging, ...] = (
        *(delete(Question, event_id, each.number, each.question_id) for each in questions),
        *(
            gone
            for each in holders
            for gone in (
                delete(Role, each.uid_hash, event_id),
                delete(RoleHolder, event_id, each.uid_hash),
            )
        ),
        *(
            gone
            for each in vouchers
            for gone in (
                delete(Voucher, event_id, each.code),
                delete(VoucherLink, event_id, each.code),
            )
        ),
    )
    return (
        delete(config).when(attr(Config.registration_open) == False),  # noqa: E712
        delete(Seats, event_id).when(unused),
        delete(Event, event_id),
        *more,
    )


@write(component="api", rate=Rate(0.01))
def save_question(question: Question) -> Put[Question]:
    """A question, new or changed at the version that was read."""
    return put(question)


@write(component="api", rate=Rate(0.01))
def drop_question(event_id: EventId, number: int, question_id: QuestionId) -> Delete[Question]:
    """Ask no longer; answers stay."""
    return delete(Question, event_id, number, question_id)


@transaction(component="api", rate=Rate(0.01))
def grant_roles(role: Role, holder: RoleHolder) -> tuple[Put[Role], Put[RoleHolder]]:
    """What a user may do at an event, at the version that was read."""
    return put(role), put(holder)


@transaction(component="api", rate=Rate(0.01))
def revoke_roles(uid_hash: Hash, event_id: EventId) -> tuple[Delete[Role], Delete[RoleHolder]]:
    """A user may do nothing more than everybody."""
    return delete(Role, uid_hash, event_id), delete(RoleHolder, event_id, uid_hash)


# --- the door ------------------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.5, peak=30))
def check_in(
    scan: Scan, checkin: CheckIn, team_id: Uuid, version: int, now: Moment
) -> tuple[Put[Scan], Put[CheckIn], Check[Team], Check[Participant], Update[Statistics]]:
    """A ticket that is the person's last one is redeemed once on a list, if the team has paid."""
    first = attr(CheckIn.state).missing() | (attr(CheckIn.state) == "undone")
    return (
        put(scan).new(),
        put(checkin).when(first),
        _paid(checkin.event_id, team_id),
        _holds(checkin, team_id, version),
        counted(checkin.event_id, now, checkin.participant_id, checkins=1),
    )


@transaction(component="api", rate=Rate(0.001), expect=5)
def check_in_earlier(
    scan: Scan, checkin: CheckIn, team_id: Uuid, version: int, later: CheckIn, lost: Scan | None
) -> tuple[Put[Scan], Put[CheckIn], Check[Team], Check[Participant], *tuple[Update[Scan], ...]]:
    """A door that was offline tells of a scan before the one that redeemed the ticket.

    The earliest counts: the other, ``lost``, has found a ticket that was redeemed already.
    """
    same = (attr(CheckIn.state) == "redeemed") & (attr(CheckIn.nonce) == later.nonce)
    return (
        put(scan).new(),
        put(checkin).when(same & (attr(CheckIn.at) == later.at)),
        _paid(checkin.event_id, team_id),
        _holds(checkin, team_id, version),
        *(() if lost is None else (_outrun(lost),)),
    )


def _paid(event_id: EventId, team_id: Uuid) -> Check[Team]:
    return check(Team, event_id, team_id).when(attr(Team.payment_status) == "paid")


def _holds(checkin: CheckIn, team_id: Uuid, version: int) -> Check[Participant]:
    """The ticket is still this person's, and the person is still in the team."""
    current = (attr(Participant.team_id) == team_id) & (attr(Participant.ticket_version) == version)
    return check(Participant, checkin.event_id, checkin.participant_id).when(
        current & attr(Participant.erased_at).missing()
    )


def _outrun(lost: Scan) -> Update[Scan]:
    second = update(Scan, lost.event_id, lost.nonce).do(attr(Scan.result).set("already_redeemed"))
    return second.when(attr(Scan.result) == "ok")


@write(component="api", rate=Rate(0.05, peak=5))
def note_scan(scan: Scan) -> Put[Scan]:
    """A scan that redeems nothing; the same nonce will hear the same."""
    return put(scan).new()


@transaction(component="api", rate=Rate(0.01))
def undo_check_in(
    event_id: EventId, participant_id: Uuid, list_id: ListId, by: Hash, now: Moment
) -> tuple[Update[CheckIn], Update[Statistics]]:
    """A ticket that was scanned by mistake can be redeemed again."""
    undone = update(CheckIn, event_id, participant_id, list_id).do(
        attr(CheckIn.state).set("undone"), attr(CheckIn.at).set(now.at), attr(CheckIn.by).set(by)
    )
    return (
        undone.when(attr(CheckIn.state) == "redeemed"),
        counted(event_id, now, participant_id, checkins=-1),
    )


@transaction(component="api", rate=Rate(0.1, peak=5))
def issue_certificate(
    certificate: Certificate, list_id: ListId
) -> tuple[Put[Certificate], Check[CheckIn], Check[Participant]]:
    """For somebody who was there, by a list of the door, and is not erased."""
    event_id, who = certificate.event_id, certificate.participant_id
    there = check(CheckIn, event_id, who, list_id).when(attr(CheckIn.state) == "redeemed")
    known = check(Participant, event_id, who).when(attr(Participant.erased_at).missing())
    return put(certificate).new(), there, known


@write(component="api", rate=Rate(0.001))
def erase_certificate(code: str) -> Delete[Certificate]:
    """Take a certificate back, when its holder is erased: the check page no longer knows it."""
    return delete(Certificate, code)


# --- keys ----------------------------------------------------------------------------------------

#: What holds sealed texts.
Sealing: TypeAlias = Participant | Answer | Team | Invited | Draft | Certificate | RoleHolder


@transaction(component="re-encrypt", rate=Rate(1))
def reseal(
    item: Sealing,
) -> tuple[
    Put[Participant]
    | Put[Answer]
    | Put[Team]
    | Put[Invited]
    | Put[Draft]
    | Put[Certificate]
    | Put[RoleHolder]
]:
    """An item whose texts were sealed with a new key, unless it has changed since it was read."""
    # A put of one of them is one of the puts: checkers cannot tell.
    return (put(item).replace(),)  # type: ignore[return-value]
