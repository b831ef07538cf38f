"""Who may come to the door: found by name, phone number, team or short code.

Names and numbers are sealed in the table, so they cannot be looked for there. The first search at
an event opens those of all its people in memory, without e-mail addresses and answers; the list is
used for a minute, and after a search without a result for five seconds. Reading 2,000 people takes
about 40 requests to the store, each search after that at most three: what is shown of the people
who were found is read at that moment.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from tablewright.service.limits import Rate
from tablewright.service.names import comparison_key
from tablewright.service.problems import FieldError, invalid
from tablewright.service.remembered import Remembered
from tablewright.systems.kurukshetra import lists, model
from tablewright.systems.kurukshetra.base import SHARDS
from tablewright.systems.kurukshetra.certificates import codes
from tablewright.systems.kurukshetra.people import Participant
from tablewright.systems.kurukshetra.plain import text_of
from tablewright.systems.kurukshetra.tickets import short_codes
from tablewright.systems.kurukshetra.tickets.token import Ticket

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

#: People of one event that are kept; a larger event is searched as far as this.
MOST_PEOPLE: Final = 20_000
MOST_FOUND: Final = 20
_KNOWN_SECS: Final = 60.0
#: After a search without a result, the list is read again if it is older than this.
_STALE_SECS: Final = 5.0
_BATCH: Final = 100
#: Searches of one person at the door.
_SEARCHES: Final = Rate(120)
_LEAST_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody as the directory knows them: texts to compare with, and nothing to show."""

    participant_id: str
    #: Name and team, in the form in which texts are compared.
    words: str
    #: The digits of the phone number.
    digits: str
    code: str


@dataclass(frozen=True, slots=True)
class Directory:
    """The people of an event, as of a moment."""

    read_at: float
    entries: tuple[Entry, ...]

    def find(self, text: str) -> list[Entry]:
        """Find people by a short code, the end of a phone number, or words of name and team."""
        code, digits = short_codes.parse_code(text), _digits(text)
        if code is not None and (found := [each for each in self.entries if each.code == code]):
            return found
        if len(digits) >= _LEAST_DIGITS and not _letters(text):
            return [each for each in self.entries if each.digits.endswith(digits[-10:])]
        words = _comparable(text).split()
        return [each for each in self.entries if all(word in each.words for word in words)]


@dataclass(frozen=True)
class DoorPerson:
    """Somebody who was found, as a volunteer may see them."""

    participant_id: str
    first_name: str
    last_name: str
    team: str
    #: Whether the team has a seat that is paid.
    paid: bool
    #: When the person passed the list; None if not yet.
    redeemed_at: datetime | None


class Directories:
    """Searches at the door."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._known: Remembered[str, Directory] = Remembered(
            self._read, festival.runtime.clock, secs=_KNOWN_SECS, size=20
        )

    async def search(self, by: Caller, text: str, list_id: str) -> list[DoorPerson]:
        """Find people at the caller's event, as they are now; the first twenty by name."""
        by.require("volunteer", "organizer")
        await self._festival.runtime.limits.check("door-search", by.uid_hash, _SEARCHES)
        if len(_comparable(text)) < 2:
            raise invalid(FieldError("body.q", "Enter at least two characters."))
        found = await self._find(by.event_id, text)
        ids = [each.participant_id for each in found[:MOST_FOUND]]
        return await self._people(by.event_id, ids, list_id)

    async def ids_of(self, event_id: str, text: str) -> list[str]:
        """The ids of the people whom a text leads to, by name."""
        return [each.participant_id for each in await self._find(event_id, text)]

    async def page(self, event_id: str, start: int, size: int) -> tuple[list[str], int]:
        """Ids of people in the order of their names, from a place on; and how many there are."""
        entries = (await self._known.get(event_id)).entries
        ordered = sorted(entries, key=lambda each: (each.words, each.participant_id))
        return [each.participant_id for each in ordered[start : start + size]], len(entries)

    async def ticket_of_code(self, event_id: str, code: str) -> Ticket | None:
        """The ticket of a short code; None if nobody has it, or more than one person."""
        found = [each for each in await self._find(event_id, code) if each.code == code]
        if len(found) != 1:
            return None
        person = await self._festival.db.run(model.participant(event_id, found[0].participant_id))
        if person is None or person.erased_at is not None:
            return None
        ticket = Ticket(event_id, person.participant_id, person.ticket_version)
        return ticket if self.code_of(ticket) == code else None

    def code_of(self, ticket: Ticket) -> str:
        """Return the short code of a ticket."""
        return short_codes.code_of(self._festival.keys.secret(codes.KEY), ticket)

    # --- inside ----------------------------------------------------------------------------------

    async def _find(self, event_id: str, text: str) -> list[Entry]:
        directory = await self._known.get(event_id)
        found = directory.find(text)
        age = self._festival.runtime.clock.now() - directory.read_at
        if not found and age > _STALE_SECS:
            self._known.forget(event_id)
            found = (await self._known.get(event_id)).find(text)
        return sorted(found, key=lambda each: (each.words, each.participant_id))

    async def _read(self, event_id: str) -> Directory:
        read_at, db = self._festival.runtime.clock.now(), self._festival.db
        entries: list[Entry] = []
        for shard in range(SHARDS):
            links = db.iterate(lists.people(event_id, shard))
            ids = [link.participant_id async for link in links]
            for start in range(0, min(len(ids), MOST_PEOPLE - len(entries)), _BATCH):
                entries += await self._entries(event_id, ids[start : start + _BATCH])
        return Directory(read_at, tuple(entries))

    async def _entries(self, event_id: str, ids: Sequence[str]) -> list[Entry]:
        rows = await self._festival.lists.rows.of(event_id, ids, masked=False)
        return [
            self._entry(row.participant, "" if row.team is None else row.team.name) for row in rows
        ]

    def _entry(self, person: Participant, team: str) -> Entry:
        ticket = Ticket(person.event_id, person.participant_id, person.ticket_version)
        name = f"{text_of(person.first_name)} {text_of(person.last_name)}"
        return Entry(
            person.participant_id,
            _comparable(f"{name} {team}"),
            _digits(text_of(person.phone)),
            self.code_of(ticket),
        )

    async def _people(self, event_id: str, ids: Sequence[str], list_id: str) -> list[DoorPerson]:
        rows = await self._festival.lists.rows.of(event_id, ids, masked=False)
        passed = await self._festival.db.run(model.check_ins_of(event_id, ids, list_id))
        redeemed = {
            each.participant_id: each.at
            for each in passed
            if each is not None and each.state == "redeemed"
        }
        return [
            DoorPerson(
                row.participant.participant_id,
                text_of(row.participant.first_name),
                text_of(row.participant.last_name),
                "" if row.team is None else row.team.name,
                row.team is not None and row.team.payment_status == "paid",
                redeemed.get(row.participant.participant_id),
            )
            for row in rows
        ]


def _comparable(text: str) -> str:
    """A text without case and accents."""
    plain = unicodedata.normalize("NFKD", comparison_key(text[:200]))
    return "".join(each for each in plain if unicodedata.category(each) != "Mn")


def _digits(text: str) -> str:
    return "".join(each for each in text if each.isdigit() and each.isascii())


def _letters(text: str) -> bool:
    return any(each.isalpha() for each in text)
