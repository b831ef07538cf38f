"""``verify``: whether all that must always be so is so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.wording import plain, several
from tablewright.systems.kurukshetra.cli.given import Festival

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.verifying import Verified

#: Findings that are shown; a program gets all.
_SHOWN = 50


async def verify(festival: Festival, desk: Desk, /, event: str | None = None) -> Answer:
    """Compare seats, queues, members, locks, links and statistics with what they are made of.

    There should be nothing to find; if there is, the exit code is 1. Others may write meanwhile:
    what was only on its way is not told. The whole table is read several times, which on AWS is
    paid for.

    Parameters
    ----------
    event
        Only what is found at this event.
    """
    from tablewright.systems.kurukshetra.cli import meant
    from tablewright.systems.kurukshetra.service.verifying import Verifying

    if event is not None:
        await meant.typist(festival, desk, event)
    found = await Verifying(festival).run(tick=desk.tick, only=event)
    return _answer(found)


def _answer(found: Verified) -> Answer:
    looked = (
        f"Looked at {several(found.events, 'event')} with {several(found.teams, 'team')} and "
        f"{several(found.people, 'person', 'people')}"
    )
    data = {
        "events": found.events,
        "teams": found.teams,
        "people": found.people,
        "findings": [vars(each) for each in found.findings],
    }
    if not found.findings:
        return Answer([f"{looked}: all of it agrees."], data)
    rows = [
        (each.event_id, each.kind, plain(each.subject), plain(each.found), plain(each.expected))
        for each in found.findings[:_SHOWN]
    ]
    more = len(found.findings) - len(rows)
    lines: list[Line] = [
        Styled(f"{looked}: {several(len(found.findings), 'finding')}.", "yellow"),
        *columns(("event", "finding", "of", "is", "should be"), rows),
        *([f"and {several(more, 'other')}"] if more else []),
    ]
    return Answer(lines, data, ok=False)
