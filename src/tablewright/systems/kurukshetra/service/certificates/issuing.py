"""The job that issues certificates: who gets one, and one transaction for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from tablewright.model import together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.gathering import at_most
from tablewright.systems.kurukshetra import lists, organising, reads
from tablewright.systems.kurukshetra.base import SHARDS
from tablewright.systems.kurukshetra.certificates.press import Kind, printable_name
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.people import Certificate, Participant
from tablewright.systems.kurukshetra.plain import Plain, text_of
from tablewright.systems.kurukshetra.service.jobs import Going

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: People who are looked at together, and written side by side.
_TOGETHER: Final = 50
_BESIDE: Final = 8
#: People whom a job names that got none.
_MOST_NAMED: Final = 100


@dataclass(frozen=True)
class Order:
    """What is to be issued."""

    config: Config
    kind: Kind
    #: Who passed it was there.
    list_id: str
    #: None is everybody.
    people: tuple[str, ...] | None
    #: Nothing is issued; it is only found out who would get one.
    check_only: bool = False

    @property
    def event_id(self) -> str:
        return self.config.event_id


class Issuing:
    """Certificates for everybody who was there, or for some of them."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._db = festival.db

    async def run(self, going: Going, order: Order) -> Mapping[str, JsonValue]:
        """Some people at a time, from where it stopped: what is issued already is passed over."""
        said = going.job.result
        counts = Counter({name: int(str(said.get(name, 0))) for name in _COUNTED})
        named = [str(each) for each in _listed(said.get("without"))]
        unprintable = [str(each) for each in _listed(said.get(UNPRINTABLE_PEOPLE))]
        total = None if order.people is None else len(order.people)
        done = going.job.done
        async for position, some in self._people(order, going.job.position):
            found = await self._some(order, some)
            counts.update(found.values())
            if order.people is not None:
                named += [who for who, what in found.items() if what == "not_there"]
            unprintable += [who for who, what in found.items() if what == "unprintable"]
            done += len(some)
            result = _result(counts, named, unprintable)
            await going.reached(done, total=total, position=position, result=result)
        return _result(counts, named, unprintable)

    # --- who -------------------------------------------------------------------------------------

    async def _people(
        self, order: Order, position: str | None
    ) -> AsyncIterator[tuple[str, list[str]]]:
        """Some people at a time, with where to go on after them: a shard and the last of it."""
        shard, _, last = (position or "0/").partition("/")
        if order.people is not None:
            left = [each for each in sorted(order.people) if each > last]
            for some in _chunks(left):
                yield f"0/{some[-1]}", some
            return
        for number in range(int(shard), SHARDS):
            after = last if number == int(shard) else ""
            async for some in self._of_shard(order.event_id, number, after):
                yield f"{number}/{some[-1]}", some

    async def _of_shard(self, e: str, shard: int, after: str) -> AsyncIterator[list[str]]:
        some: list[str] = []
        async for link in self._db.iterate(lists.people(e, shard)):
            if link.participant_id > after:
                some.append(link.participant_id)
            if len(some) == _TOGETHER:
                yield some
                some = []
        if some:
            yield some

    # --- what ------------------------------------------------------------------------------------

    async def _some(self, order: Order, ids: Sequence[str]) -> dict[str, str]:
        """What became of each of them: issued, there already, or why not."""
        e = order.event_id
        passed = await self._db.run(reads.check_ins_of(e, ids, order.list_id))
        there = [each.participant_id for each in passed if each and each.state == "redeemed"]
        found = dict.fromkeys(ids, "not_there")
        people = [each for each in await self._db.run(reads.participants(e, there)) if each]
        if order.kind == "completion" and order.people is None:
            people, without = await self._with_project(e, people)
            found |= dict.fromkeys(without, "no_project")
        work = (self._one(order, each) for each in people if each.erased_at is None)
        return found | dict(await at_most(_BESIDE, work))

    async def _with_project(
        self, e: str, people: Sequence[Participant]
    ) -> tuple[list[Participant], list[str]]:
        """Those whose team has handed in a repository, and the ids of the others."""
        teams = sorted({each.team_id for each in people if each.team_id is not None})
        found = await self._db.run(reads.submissions(e, teams))
        ready = {each.team_id for each in found if each is not None}
        without = [each.participant_id for each in people if each.team_id not in ready]
        return [each for each in people if each.team_id in ready], without

    async def _one(self, order: Order, person: Participant) -> tuple[str, str]:
        """One transaction: the certificate, which is new; on condition that the person is checked
        in; and the mail that tells of it."""
        p, festival, now = person.participant_id, self._festival, self._festival.now()
        code = festival.certificates.code_of(order.event_id, p, order.kind)
        if await self._db.run(reads.certificate(code)) is not None:
            return p, "there_already"
        name = printable_name(self._name(person))
        if not await festival.certificates.can_print(name):
            return p, "unprintable"
        if order.check_only:
            return p, "printable"
        certificate = Certificate(
            code=code,
            event_id=order.event_id,
            participant_id=p,
            kind=order.kind,
            name=Plain(name),
            created_at=now,
            updated_at=now,
        )
        sealed = festival.privacy.vault.sealed(certificate)
        mail = festival.messages.certificate(order.config, p, code)
        op = together(organising.issue_certificate(sealed, order.list_id), mail)
        try:
            await settled(self._db, lambda: op, code="BUSY")
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            # Issued by somebody else just now, or the check-in was undone.
            again = await self._db.run(reads.certificate(code))
            return p, "not_there" if again is None else "there_already"
        return p, "issued"

    def _name(self, person: Participant) -> str:
        opened = self._festival.privacy.vault.opened(person)
        return f"{text_of(opened.first_name)} {text_of(opened.last_name)}".strip()


#: The member of a job's result that lists whose names cannot be printed.
UNPRINTABLE_PEOPLE: Final = "unprintable_people"
_COUNTED: Final = (
    "issued",
    "printable",
    "unprintable",
    "there_already",
    "not_there",
    "no_project",
)


def _result(
    counts: Counter[str], named: Sequence[str], unprintable: Sequence[str]
) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {name: counts[name] for name in _COUNTED}
    return {
        **told,
        "without": list(named[:_MOST_NAMED]),
        UNPRINTABLE_PEOPLE: list(unprintable[:_MOST_NAMED]),
    }


def _listed(said: JsonValue) -> list[JsonValue]:
    return said if isinstance(said, list) else []


def _chunks(ids: Sequence[str]) -> list[list[str]]:
    return [list(ids[at : at + _TOGETHER]) for at in range(0, len(ids), _TOGETHER)]
