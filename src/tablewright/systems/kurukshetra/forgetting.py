"""Being forgotten: what is still to be done for somebody, and the books of what is left.

An :class:`Erasure` is written before anything goes and taken away last. Whoever dies in between,
the next one finds it and goes on; what is gone already is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from tablewright.model import (
    Check,
    Delete,
    Get,
    IsoSeconds,
    Key,
    Put,
    Rate,
    Update,
    Uuid,
    attr,
    batch,
    check,
    delete,
    get,
    put,
    query,
    transaction,
    update,
    write,
)
from tablewright.systems.kurukshetra.base import Changing, table
from tablewright.systems.kurukshetra.events import (
    Statistics,
    TrackStatistics,
    count_own_track,
    counted,
)
from tablewright.systems.kurukshetra.fields import EventId, Hash, Moment, Slug
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.people import Answer, Participant, QuestionId
from tablewright.systems.kurukshetra.reads import payment, team
from tablewright.systems.kurukshetra.teams import RepositoryLock, Submission, Team


class Erasure(
    Changing,
    table=table,
    type="erasure",
    keys={"primary": Key("ERASURES", "EVENT#{event_id}#PARTICIPANT#{participant_id}")},
):
    """Somebody who is to be forgotten. It holds what leads to the rest of them: hashes and ids."""

    event_id: EventId
    participant_id: Uuid
    email_hash: Hash | None = None
    uid_hash: Hash | None = None
    team_id: Uuid | None = None
    #: Not before: a seat may be held until then.
    resume_at: IsoSeconds
    #: Nothing is left that keys lead to; the rest is looked for with that of others.
    gone: bool = False


@query(Erasure, consistent=True, component="retention", rate=Rate(0.02), expect=1)
def erasures() -> None:
    """Everybody who is still to be forgotten. [5b]"""


@transaction(component="api", rate=Rate(0.01))
def begin_erasure(erasure: Erasure) -> tuple[Put[Erasure], Check[Participant]]:
    """Somebody who is there, and was not forgotten before, is to be."""
    there = check(Participant, erasure.event_id, erasure.participant_id)
    return put(erasure).new(), there.when(attr(Participant.erased_at).missing())


@write(component="retention", rate=Rate(0.01))
def put_off_erasure(erasure: Erasure, resume_at: datetime, at: datetime) -> Update[Erasure]:
    """Something has to end by itself first."""
    later = attr(Erasure.resume_at).set(resume_at), attr(Erasure.updated_at).set(at)
    return update(Erasure, erasure.event_id, erasure.participant_id).do(*later)


@write(component="retention", rate=Rate(0.01))
def nearly_erased(erasure: Erasure, at: datetime) -> Update[Erasure]:
    """All that can be found by keys is gone."""
    done = attr(Erasure.gone).set(True), attr(Erasure.updated_at).set(at)
    return update(Erasure, erasure.event_id, erasure.participant_id).do(*done)


@write(component="retention", rate=Rate(0.01))
def end_erasure(erasure: Erasure) -> Delete[Erasure]:
    """Nothing is left of them."""
    return delete(Erasure, erasure.event_id, erasure.participant_id)


@transaction(component="retention", rate=Rate(0.01))
def forget_repository(submission: Submission) -> tuple[Delete[Submission], Delete[RepositoryLock]]:
    """The address of a repository, which often names its owner, once the event is long over."""
    return (
        delete(Submission, submission.event_id, submission.team_id),
        delete(RepositoryLock, submission.event_id, submission.repository),
    )


@write(component="stats-audit", rate=Rate(0.001))
def correct_statistics(
    event_id: EventId, day: Moment, lane: str, amounts: dict[str, Any]
) -> Update[Statistics]:
    """Add what a day was found to lack, or take away what it had too much."""
    return counted(event_id, day, lane, **amounts)


@write(component="stats-audit", rate=Rate(0.001))
def correct_track_statistics(
    event_id: EventId, day: Moment, lane: str, track: Slug, paid: int
) -> Update[TrackStatistics]:
    """Correct the payments of one of the event's own tracks on a day."""
    return count_own_track(event_id, day, lane, track, paid)


# --- many at once, for lists and exports ---------------------------------------------------------


@batch(component="export", rate=Rate(0.05, peak=2), expect=40)
def teams_listed(event_id: EventId, team_ids: Iterable[Uuid]) -> list[Get[Team]]:
    """The teams of many people. [4a, 4e]"""
    return [team(event_id, each) for each in team_ids]


@batch(component="export", rate=Rate(0.05, peak=2), expect=100)
def payments_listed(event_id: EventId, payment_ids: Iterable[Uuid]) -> list[Get[Payment]]:
    """Many payments in full. [4c]"""
    return [payment(event_id, each) for each in payment_ids]


@get(Answer, consistent=True, component="export", rate=Rate(0.01))
def answer_to(event_id: EventId, participant_id: Uuid, question_id: QuestionId) -> None:
    """What somebody answered to one question. [5b]"""


@batch(component="export", rate=Rate(0.02), expect=1000)
def answers_listed(
    event_id: EventId, asked: Iterable[tuple[Uuid, QuestionId]]
) -> list[Get[Answer]]:
    """What many people answered to some questions. [4e]"""
    return [answer_to(event_id, person, question) for person, question in asked]
