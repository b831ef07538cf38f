"""``audit``: the books of all hackathons."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.wording import plain, several
from tablewright.systems.vibejudge.cli import meant
from tablewright.systems.vibejudge.cli.given import Courtroom

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablewright.systems.vibejudge.service.auditing import Audited, Finding

#: Findings that are shown; a program gets all.
_SHOWN = 50


async def audit(
    courtroom: Courtroom,
    desk: Desk,
    /,
    hackathon: str | None = None,
    *,
    fix: Annotated[bool, Parameter(negative=())] = False,
) -> Answer:
    """Compare copies, counters, locks, costs and ranks with what they are made of.

    There should be nothing to find. If there is, and it is not put right, the exit code is 1.
    Others may write meanwhile. On AWS the whole table is read and paid for, unless a hackathon is
    named by its id.

    Parameters
    ----------
    hackathon
        One hackathon, by id or name; else all of them.
    fix
        Put right what follows from the rest without a choice. It may be run again.
    """
    found: list[Audited] = []
    async for each in _audited(courtroom, desk, hackathon, fix):
        found.append(each)
        wrong = sum(len(one.findings) for one in found)
        desk.tick(f"{_looked(found)}{f': {wrong:,} findings' if wrong else ''}")
    return _answer(found, fix)


async def _audited(
    courtroom: Courtroom, desk: Desk, text: str | None, fix: bool
) -> AsyncIterator[Audited]:
    by = meant.typist(desk)
    if text is None:
        async for each in courtroom.auditing.all(by, fix=fix):
            yield each
        return
    wanted = await meant.hackathon(courtroom, desk, text)
    one = await courtroom.auditing.one(by, wanted.hack_id, fix=fix)
    if one is not None:
        yield one


def _answer(found: Sequence[Audited], fix: bool) -> Answer:
    wrong = [(one, each) for one in found for each in one.findings]
    fixed = [(one, each) for one in found for each in one.fixed]
    looked = f"Looked at {_looked(found)}"
    lines: list[Line] = [f"{looked}: all of it agrees." if not wrong else f"{looked}."]
    if fixed:
        lines += _listed(several(len(fixed), "thing put right:", "things put right:"), fixed)
    if wrong:
        lines += _listed(several(len(wrong), "finding:", "findings:"), wrong)
        rest = "for people to decide, or written to all the time: look again."
        lines.append(f"What is left is {rest}" if fix else "--fix puts right what is safe.")
    told = {
        "hackathons": len(found),
        "submissions": sum(each.submissions for each in found),
        "findings": len(wrong),
        "fixed": len(fixed),
        "found": [each.as_json() for each in found if each.findings or each.fixed],
    }
    return Answer(lines, told, ok=not wrong)


def _looked(found: Sequence[Audited]) -> str:
    submissions = several(sum(each.submissions for each in found), "submission")
    return f"{several(len(found), 'hackathon')} with {submissions}"


def _listed(head: str, pairs: Sequence[tuple[Audited, Finding]]) -> list[Line]:
    rows = [
        (
            plain(one.hackathon.name),
            each.kind,
            plain(each.subject.removeprefix(f"hackathon/{one.hackathon.hack_id}/")),
            plain(each.found),
            plain(each.expected),
        )
        for one, each in pairs[:_SHOWN]
    ]
    more = len(pairs) - len(rows)
    return [
        Styled(head, "yellow"),
        *columns(("hackathon", "finding", "of", "is", "should be"), rows),
        *([f"and {several(more, 'other')}"] if more else []),
    ]
