"""Mails to many: what organisers say, and reminders.

Both are jobs that go through everybody at an event, some people at a time. The messages to them and
how far the job has come are one transaction: whatever happens, each of them gets it once. How many
mails leave on a day is decided when they leave; what is too much waits in the outbox for the next
day, the mails to many before those that tell somebody of their own payment or seat.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeAlias

from pydantic import JsonValue

from tablewright.model import Put, attr, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import refused_at, settled
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox.sinks.base import SendFailed
from tablewright.systems.kurukshetra import forgetting, jobs, lists, mails, reads
from tablewright.systems.kurukshetra.base import SHARDS
from tablewright.systems.kurukshetra.bodies.mail import MailIn
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.fields import slug_of
from tablewright.systems.kurukshetra.jobs import Job, JobTurn
from tablewright.systems.kurukshetra.people import Participant
from tablewright.systems.kurukshetra.rules import reminders
from tablewright.systems.kurukshetra.rules.crockford import ALPHABET
from tablewright.systems.kurukshetra.rules.reminders import Reminder
from tablewright.systems.kurukshetra.rules.retention import JOB
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.jobs import Going, TakenOver
from tablewright.systems.kurukshetra.teams import Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

MAIL, REMINDER = "mail", "reminder"
#: People of one transaction: as many messages, and the job.
TOGETHER: Final = 50
#: The share of a day's mails that those to many may use up.
_BULK: Final = 0.8
_REMINDERS: Final = "system:kurukshetra/reminders"


#: The message to somebody who is meant.
Telling: TypeAlias = Callable[[Participant, "Team | None"], Put[OutboxEntry]]


@dataclass(frozen=True)
class Audience:
    """Who gets a mail; what is empty does not matter."""

    status: frozenset[str] = frozenset()
    track: str | None = None
    college: str | None = None
    leaders: bool = False

    @classmethod
    def of(cls, detail: Mapping[str, JsonValue]) -> Audience:
        """As a job keeps it."""
        track, college, status = (detail.get(name) for name in ("track", "college", "status"))
        return cls(
            frozenset(str(each) for each in status) if isinstance(status, list) else frozenset(),
            str(track) if track else None,
            str(college) if college else None,
            detail.get("leaders") is True,
        )

    @property
    def by_team(self) -> bool:
        return bool(self.status or self.track or self.leaders)

    def has(self, person: Participant, team: Team | None) -> bool:
        """Whether somebody is meant, as they are now."""
        if person.erased_at is not None or person.email is None:
            return False
        if self.college is not None and person.college_slug != self.college:
            return False
        if not self.by_team:
            return True
        if team is None:
            return False
        return (
            (not self.status or team.payment_status in self.status)
            and (self.track is None or team.track == self.track)
            and (not self.leaders or team.leader_participant_id == person.participant_id)
        )


class Mailing:
    """Mails to many."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        #: Reminders that are known to have been begun.
        self._begun: set[str] = set()
        festival.jobs.handle(MAIL, self._broadcast)
        festival.jobs.handle(REMINDER, self._remind)

    async def start(self, by: Caller, body: MailIn) -> Job:
        """What an organiser says, to be sent to everybody who is meant. The job is durable."""
        by.require("organizer")
        wanted = body.to
        audience: dict[str, JsonValue] = {
            "status": list(wanted.status),
            "track": wanted.track,
            "college": None if wanted.college is None else slug_of(wanted.college),
            "leaders": wanted.leaders,
        }
        # The log outlives the job: it keeps who was meant, not what was said.
        detail: dict[str, JsonValue] = {"subject": body.subject, "text": body.text, **audience}
        return await self._festival.jobs.start(by, MAIL, detail, logged=audience)

    # --- reminders -------------------------------------------------------------------------------

    async def remind_due(self) -> int:
        """Begin the reminders that are due and were not begun; how many."""
        now, begun = self._festival.now(), 0
        async for event in self._festival.db.iterate(lists.events()):
            if event.event_end <= now:
                continue
            config = await self._festival.events.config(event.event_id)
            for reminder in reminders.due(config, now):
                begun += await self._begin(config, reminder)
        return begun

    async def _begin(self, config: Config, reminder: Reminder) -> bool:
        """One transaction: the job, which is new, with its turn. Its id says what it reminds of."""
        job_id, now = _id_of(config.event_id, reminder), self._festival.now()
        if job_id in self._begun:
            return False
        status: list[JsonValue] = list(reminders.STATUSES[reminder.about])
        detail: dict[str, JsonValue] = {
            "about": reminder.about,
            "hours": reminder.hours,
            "status": status,
            "leaders": reminder.about == "closing",
        }
        job = Job(
            event_id=config.event_id,
            job_id=job_id,
            kind=REMINDER,
            detail=detail,
            by=self._festival.privacy.blind.uid(_REMINDERS),
            created_at=now,
            updated_at=now,
            ttl=max(now, reminder.deadline) + JOB,
        )
        new = await self._festival.db.run(jobs.job(job.event_id, job_id)) is None
        if new:
            new = await self._started(job)
        self._begun.add(job_id)
        return new

    async def _started(self, job: Job) -> bool:
        turn = JobTurn(
            kind=job.kind,
            due_at=job.created_at,
            job_id=job.job_id,
            event_id=job.event_id,
            created_at=job.created_at,
        )
        op = jobs.start_job(job, turn)
        try:
            await settled(self._festival.db, lambda: op)
        except TransactionCancelled as cancelled:
            if not refused_at(cancelled, Job):
                raise
            return False
        return True

    # --- going through everybody -----------------------------------------------------------------

    async def _broadcast(self, going: Going) -> Mapping[str, JsonValue]:
        detail, messages = going.job.detail, self._festival.messages
        subject, text = str(detail.get("subject", "")), str(detail.get("text", ""))
        config = await self._festival.events.config(going.job.event_id)

        def told(person: Participant, team: Team | None) -> Put[OutboxEntry]:
            return messages.broadcast(
                config, person.participant_id, subject, text, job_id=going.job.job_id
            )

        return await self._to_all(going, told)

    async def _remind(self, going: Going) -> Mapping[str, JsonValue]:
        hours = int(str(going.job.detail.get("hours", 0)))
        config = await self._festival.events.config(going.job.event_id)

        def told(person: Participant, team: Team | None) -> Put[OutboxEntry]:
            assert team is not None, "reminders are about teams"
            return self._festival.messages.reminder(config, team, hours, person.participant_id)

        return await self._to_all(going, told)

    async def _to_all(self, going: Going, told: Telling) -> Mapping[str, JsonValue]:
        audience = Audience.of(going.job.detail)
        shard, after = _position(going.job.position)
        for place in range(shard, SHARDS):
            async for ids in self._some(going.job.event_id, place, after):
                found = await self._meant(going.job.event_id, ids, audience)
                puts = [told(person, team) for person, team in found]
                await self._queue(going, puts, f"{place}/{ids[-1]}")
            after = None
        return {"queued": going.job.done}

    async def _some(self, event_id: str, shard: int, after: str | None) -> AsyncIterator[list[str]]:
        """Ids of people of a shard, in their order."""
        ids: list[str] = []
        async for link in self._festival.db.iterate(lists.people(event_id, shard, after=after)):
            ids.append(link.participant_id)
            if len(ids) == TOGETHER:
                yield ids
                ids = []
        if ids:
            yield ids

    async def _meant(
        self, event_id: str, ids: Sequence[str], audience: Audience
    ) -> list[tuple[Participant, Team | None]]:
        db = self._festival.db
        found = await db.run(reads.participants(event_id, ids))
        people = [each for each in found if each is not None]
        teams: dict[str, Team] = {}
        if audience.by_team:
            named = sorted({each.team_id for each in people if each.team_id is not None})
            read = await db.run(forgetting.teams_listed(event_id, named)) if named else []
            teams = {each.team_id: each for each in read if each is not None}
        pairs = [(each, teams.get(each.team_id or "")) for each in people]
        return [(person, team) for person, team in pairs if audience.has(person, team)]

    async def _queue(self, going: Going, puts: Iterable[Put[OutboxEntry]], position: str) -> None:
        """One transaction: the messages, and the job, where it was and nobody has taken it over."""
        queued = list(puts)
        job = going.job
        noted = job.model_copy(update={"done": job.done + len(queued), "position": position})
        was = (
            attr(Job.position).missing() if not job.position else attr(Job.position) == job.position
        )
        op = together(jobs.note_progress(noted, self._festival.now()).when(was), *queued)
        try:
            await settled(self._festival.db, lambda: op)
        except TransactionCancelled as cancelled:
            if refused_at(cancelled, Job):
                raise TakenOver from None
            raise
        going.job = noted.model_copy(update={"attempts": 0})

    # --- how many leave --------------------------------------------------------------------------

    async def allow_one(self, *, bulk: bool = False) -> None:
        """Count a mail that is about to leave; :class:`SendFailed` if there have been enough today.

        One write, on condition that the day has room. A mail that does not arrive after all has
        been counted too: the cap is what we ask of the mail server.
        """
        now, most = self._festival.now(), self._festival.options.mails_per_day
        allowed = max(1, int(most * _BULK)) if bulk else most
        try:
            await self._festival.db.run(mails.count_mail(now.date(), allowed, now))
        except ConditionFailed:
            wait = (_next_day(now) - now).total_seconds()
            raise SendFailed(
                "the mails of the day are sent", retry_after=wait, lasting=True
            ) from None


def _position(text: str | None) -> tuple[int, str | None]:
    """The shard, and after whom to go on."""
    shard, _, after = (text or "0/").partition("/")
    return int(shard), after or None


def _next_day(now: datetime) -> datetime:
    return datetime.combine(now.date() + timedelta(days=1), time(), UTC)


def _id_of(event_id: str, reminder: Reminder) -> str:
    """A ULID of when it is due that is the same in all processes."""
    said = f"{event_id} {reminder.about} {reminder.hours} {reminder.deadline:%Y%m%d%H%M%S}"
    tail = int.from_bytes(sha256(said.encode()).digest()[:10])
    number = (int(reminder.at.timestamp() * 1000) << 80) | tail
    return "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(26)))
