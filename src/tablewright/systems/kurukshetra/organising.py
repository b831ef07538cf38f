"""Writes of who runs an event: settings, roles, the door, certificates, keys."""

from __future__ import annotations

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
from tablewright.systems.kurukshetra.people import (
    Answer,
    Certificate,
    CheckIn,
    Draft,
    ListId,
    Participant,
    QuestionId,
    Role,
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
def change_config(config: Config, seats: int, at: datetime) -> tuple[Put[Config], Update[Seats]]:
    """Settings at the version that was read, and more seats, or fewer if they are free. [T8]"""
    adapted = update(Seats, config.event_id).do(
        attr(Seats.capacity).add(seats),
        attr(Seats.free).add(seats),
        attr(Seats.registration_open).set(config.registration_open),
        attr(Seats.registration_start).set(config.registration_start),
        attr(Seats.registration_end).set(config.registration_end),
        attr(Seats.updated_at).set(at),
    )
    return put(config).replace(), adapted.when(attr(Seats.free) >= max(-seats, 0))


@write(component="api", rate=Rate(0.01))
def save_question(question: Question) -> Put[Question]:
    """A question, new or changed at the version that was read."""
    return put(question)


@write(component="api", rate=Rate(0.01))
def drop_question(event_id: EventId, number: int, question_id: QuestionId) -> Delete[Question]:
    """Ask no longer; answers stay."""
    return delete(Question, event_id, number, question_id)


@write(component="api", rate=Rate(0.01))
def grant_roles(role: Role) -> Put[Role]:
    """What a user may do at an event, at the version that was read."""
    return put(role)


@write(component="api", rate=Rate(0.01))
def revoke_roles(uid_hash: Hash, event_id: EventId) -> Delete[Role]:
    """A user may do nothing more than everybody."""
    return delete(Role, uid_hash, event_id)


# --- the door ------------------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.5, peak=30))
def check_in(
    scan: Scan, checkin: CheckIn, team_id: Uuid, now: Moment
) -> tuple[Put[Scan], Put[CheckIn], Check[Team], Update[Statistics]]:
    """A valid ticket is redeemed once on a list, if the team has paid."""
    first = attr(CheckIn.state).missing() | (attr(CheckIn.state) == "undone")
    paid = check(Team, checkin.event_id, team_id).when(attr(Team.payment_status) == "paid")
    return (
        put(scan).new(),
        put(checkin).when(first),
        paid,
        counted(checkin.event_id, now, checkin.participant_id, checkins=1),
    )


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
) -> tuple[Put[Certificate], Check[CheckIn]]:
    """For somebody who was there, by a list of the door."""
    there = check(CheckIn, certificate.event_id, certificate.participant_id, list_id)
    return put(certificate).new(), there.when(attr(CheckIn.state) == "redeemed")


@write(component="api", rate=Rate(0.001))
def erase_certificate(code: str) -> Delete[Certificate]:
    """Take a certificate back, when its holder is erased: the check page no longer knows it."""
    return delete(Certificate, code)


# --- keys ----------------------------------------------------------------------------------------

#: What holds sealed texts.
Sealing: TypeAlias = Participant | Answer | Team | Invited | Draft | Certificate


@transaction(component="re-encrypt", rate=Rate(1))
def reseal(
    item: Sealing,
) -> tuple[
    Put[Participant] | Put[Answer] | Put[Team] | Put[Invited] | Put[Draft] | Put[Certificate]
]:
    """An item whose texts were sealed with a new key, unless it has changed since it was read."""
    # A put of one of them is one of the puts: checkers cannot tell.
    return (put(item).replace(),)  # type: ignore[return-value]
