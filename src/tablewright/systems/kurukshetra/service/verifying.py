"""What must always be so, compared with what is.

Everything is read, and compared in memory. Others may write meanwhile, so whatever does not agree
is looked at again: only what is found twice is told. Nothing is changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra import upkeep
from tablewright.systems.kurukshetra.fields import ENDED, SEATED, folded
from tablewright.systems.kurukshetra.service.statistics.counting import Counting

if TYPE_CHECKING:
    from tablewright.model import PageOp
    from tablewright.systems.kurukshetra.service.festival import Festival

#: An event, and something of it.
Ref: TypeAlias = tuple[str, str]

KINDS: Final = (
    "seats",
    "queue",
    "hold",
    "member",
    "leader",
    "email_lock",
    "user_link",
    "people_link",
    "team_name",
    "invite",
    "repository",
    "order_link",
    "statistics",
)
_HOLDING: Final = ("pending", "offered")


@dataclass(frozen=True, order=True)
class Finding:
    """Something that is not as it should be."""

    event_id: str
    #: One of :data:`KINDS`.
    kind: str
    subject: str
    found: str
    expected: str


@dataclass(frozen=True)
class Verified:
    """What was looked at, and what was found."""

    events: int
    teams: int
    people: int
    findings: tuple[Finding, ...]


@dataclass
class Everything:
    """All that is compared, as it was read."""

    configs: dict[str, m.Config] = field(default_factory=dict)
    seats: dict[str, m.Seats] = field(default_factory=dict)
    teams: dict[Ref, m.Team] = field(default_factory=dict)
    people: dict[Ref, m.Participant] = field(default_factory=dict)
    payments: dict[Ref, m.Payment] = field(default_factory=dict)
    members: list[m.Member] = field(default_factory=list)
    submissions: list[m.Submission] = field(default_factory=list)
    holds: list[m.Hold] = field(default_factory=list)
    waits: list[m.Wait] = field(default_factory=list)
    email_locks: list[m.EmailLock] = field(default_factory=list)
    user_links: list[m.UidLink] = field(default_factory=list)
    people_links: list[m.PeopleLink] = field(default_factory=list)
    names: list[m.TeamNameLock] = field(default_factory=list)
    invites: list[m.InviteLock] = field(default_factory=list)
    repositories: list[m.RepositoryLock] = field(default_factory=list)
    orders: list[m.OrderLink] = field(default_factory=list)


class Verifying:
    """Compares everything with everything."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def run(
        self, *, tick: Callable[[str], None] = lambda _: None, only: str | None = None
    ) -> Verified:
        """Look at all events, or tell of one only."""
        all_, found = await self._look(tick)
        if found:
            tick("looking again at what did not agree")
            all_, again = await self._look(tick)
            # What was on its way the first time has arrived, or is on another way by now.
            found &= again
        told = sorted(each for each in found if only in (None, each.event_id))
        return Verified(len(all_.configs), len(all_.teams), len(all_.people), tuple(told))

    async def _look(self, tick: Callable[[str], None]) -> tuple[Everything, set[Finding]]:
        all_ = await self._read(tick)
        found = set(_compared(all_))
        tick("counting again what happened")
        for each in await Counting(self._festival).differences():
            subject = f"{each.day} {each.name}"
            found.add(
                Finding(each.event_id, "statistics", subject, str(each.stored), str(each.counted))
            )
        return all_, found

    async def _read(self, tick: Callable[[str], None]) -> Everything:
        all_, db = Everything(), self._festival.db
        async for event in db.iterate(m.events()):
            config, seats = (
                await db.run(m.config(event.event_id)),
                await db.run(m.seats(event.event_id)),
            )
            if config is not None and seats is not None:
                all_.configs[event.event_id], all_.seats[event.event_id] = config, seats
        tick("reading teams, people and payments")
        all_.teams = {
            (each.event_id, each.team_id): each async for each in db.iterate(m.every_team())
        }
        all_.people = {
            (each.event_id, each.participant_id): each
            async for each in db.iterate(m.every_participant())
        }
        all_.payments = {
            (each.event_id, each.payment_id): each async for each in db.iterate(m.every_payment())
        }
        for name, every in _LISTS.items():
            tick(f"reading {name.replace('_', ' ')}")
            setattr(all_, name, [each async for each in db.iterate(every())])
        return all_


_LISTS: Final[Mapping[str, Callable[[], PageOp[Any]]]] = {
    "members": upkeep.every_member,
    "submissions": upkeep.every_submission,
    "holds": upkeep.every_hold,
    "waits": upkeep.every_wait,
    "email_locks": upkeep.every_email_lock,
    "user_links": upkeep.every_user_link,
    "people_links": upkeep.every_people_link,
    "names": upkeep.every_team_name,
    "invites": upkeep.every_invite,
    "repositories": upkeep.every_repository,
    "orders": upkeep.every_order_link,
}


# --- comparing -----------------------------------------------------------------------------------


def _compared(all_: Everything) -> Iterator[Finding]:
    yield from _seats(all_)
    yield from _queues(all_)
    yield from _holds(all_)
    yield from _members(all_)
    yield from _locks(all_)


def _seats(all_: Everything) -> Iterator[Finding]:
    """``free`` and the teams with a seat are together the capacity, which is what is set."""
    taken = Counter(e for (e, _), team in all_.teams.items() if team.payment_status in SEATED)
    waiting = Counter(each.event_id for each in all_.waits)
    for event_id, seats in all_.seats.items():
        said = (seats.capacity, seats.free, seats.waiting)
        capacity = all_.configs[event_id].max_teams
        right = (capacity, capacity - taken[event_id], waiting[event_id])
        if said != right:
            yield Finding(event_id, "seats", "seats", _three(*said), _three(*right))


def _three(capacity: int, free: int, waiting: int) -> str:
    return f"{capacity}, {free} free, {waiting} waiting"


def _queues(all_: Everything) -> Iterator[Finding]:
    places = {(each.event_id, each.team_id): f"waits at {each.position}" for each in all_.waits}
    wanted = {
        ref: f"waits at {team.wait_position}"
        for ref, team in all_.teams.items()
        if team.payment_status == "waitlisted"
    }
    yield from _differing("queue", places, wanted, "does not wait")


def _holds(all_: Everything) -> Iterator[Finding]:
    held = {(each.event_id, each.team_id): f"held until {each.expires_at}" for each in all_.holds}
    wanted = {
        ref: f"held until {team.hold_expires_at}"
        for ref, team in all_.teams.items()
        if team.payment_status in _HOLDING
    }
    yield from _differing("hold", held, wanted, "not held")


def _members(all_: Everything) -> Iterator[Finding]:
    """Who is a member of a team is in that team, and the other way round; a member leads.

    From a team that has ended everybody may go, its leader too.
    """
    listed = {(each.event_id, each.participant_id): f"in {each.team_id}" for each in all_.members}
    said = {
        ref: f"in {person.team_id}"
        for ref, person in all_.people.items()
        if person.team_id is not None
    }
    yield from _differing("member", listed, said, "in no team")
    counted = Counter((each.event_id, each.team_id) for each in all_.members)
    in_team = {(each.event_id, each.team_id, each.participant_id) for each in all_.members}
    for (event_id, team_id), team in all_.teams.items():
        count = counted[event_id, team_id]
        if team.member_count != count:
            yield Finding(event_id, "member", team_id, f"{team.member_count}", f"{count}")
        led = (event_id, team_id, team.leader_participant_id) in in_team
        if count and not led and team.payment_status not in ENDED:
            yield Finding(event_id, "leader", team_id, team.leader_participant_id, "a member")


def _locks(all_: Everything) -> Iterator[Finding]:
    """Locks and links have owners, and owners have theirs."""
    here = {ref: each for ref, each in all_.people.items() if each.erased_at is None}
    alive = {ref: each for ref, each in all_.teams.items() if each.payment_status != "cancelled"}
    yield from _owned(
        "email_lock",
        ((each.event_id, each.email_hash, each.owner) for each in all_.email_locks),
        ((e, each.email_hash, p) for (e, p), each in here.items()),
    )
    yield from _owned(
        "user_link",
        ((each.event_id, each.uid_hash, each.target) for each in all_.user_links),
        ((e, each.firebase_uid, p) for (e, p), each in here.items()),
    )
    yield from _owned(
        "people_link",
        ((each.event_id, each.participant_id, each.participant_id) for each in all_.people_links),
        ((e, p, p) for e, p in here),
    )
    yield from _owned(
        "team_name",
        ((each.event_id, each.folded_name, each.owner) for each in all_.names),
        ((e, folded(each.name), t) for (e, t), each in alive.items()),
    )
    yield from _owned(
        "invite",
        ((each.event_id, each.invite_hash, each.owner) for each in all_.invites),
        ((e, each.invite_hash, t) for (e, t), each in alive.items()),
    )
    yield from _owned(
        "repository",
        ((each.event_id, each.repository, each.owner) for each in all_.repositories),
        ((each.event_id, each.repository, each.team_id) for each in all_.submissions),
    )
    yield from _owned(
        "order_link",
        ((each.event_id, each.order_id, each.payment_id) for each in all_.orders),
        ((e, each.razorpay_order_id, y) for (e, y), each in all_.payments.items()),
    )


def _owned(
    kind: str,
    locks: Iterable[tuple[str, str, str]],
    owners: Iterable[tuple[str, str | None, str]],
) -> Iterator[Finding]:
    """Each is an event, a value, and whose it is; who has no value needs no lock."""
    there = {(event_id, value): owner for event_id, value, owner in locks}
    wanted = {(event_id, value): owner for event_id, value, owner in owners if value is not None}
    yield from _differing(kind, there, wanted, "nobody's")


def _differing(
    kind: str, there: Mapping[Ref, str], wanted: Mapping[Ref, str], nothing: str
) -> Iterator[Finding]:
    for ref in sorted(there.keys() | wanted.keys()):
        found, expected = there.get(ref, nothing), wanted.get(ref, nothing)
        if found != expected:
            yield Finding(ref[0], kind, ref[1], found, expected)
