"""``export`` and ``erase``: people's data leaves, or goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tablewright.service.commands import Answer, Desk
from tablewright.service.output_files import to_file, to_stream
from tablewright.service.problems import FieldError, invalid
from tablewright.service.wording import several
from tablewright.systems.kurukshetra.cli import meant
from tablewright.systems.kurukshetra.cli.given import Festival
from tablewright.systems.kurukshetra.cli.words import Flag, Rows, Yes

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.spreadsheets import FileFormat


async def export(
    festival: Festival,
    desk: Desk,
    /,
    event: str,
    rows: Rows = "registrations",
    *,
    out: Path | None = None,
    full: Annotated[bool, Flag] = False,
    reason: str | None = None,
) -> Answer:
    """Write registrations, teams, payments or refunds of an event as CSV or XLSX.

    What names people is masked, the same person always in the same way. Every export is in the
    audit log.

    Parameters
    ----------
    event
        Its id.
    rows
        Which: registrations, teams, payments or refunds.
    out
        A file to write; it is there when it is complete. A name that ends with .xlsx makes it an
        Excel workbook, any other CSV. Without it, CSV goes to standard output.
    full
        People as they are, not masked: in production only, and with a reason.
    reason
        Why they are needed in full.
    """
    if out is None and desk.json:
        raise invalid(FieldError("--out", "is needed with --json: the rows cannot go there, too"))
    by = await meant.typist(festival, desk, event)
    desk.tick(f"writing the {rows} of {event}")
    workbook = out is not None and out.suffix.lower() == ".xlsx"
    file_format: FileFormat = "xlsx" if workbook else "csv"
    pieces = await festival.exports.file(by, rows, file_format, full=full, reason=reason)
    if out is None:
        desk.tick("")
        await to_stream(pieces, desk.stdout)
        return Answer()
    size = await to_file(pieces, out)
    return Answer(
        [f"{out}: {size:,} bytes of {file_format.upper()}"], {"file": str(out), "bytes": size}
    )


async def erase(
    festival: Festival,
    desk: Desk,
    /,
    event: str | None = None,
    who: str | None = None,
    *,
    replay: Annotated[bool, Flag] = False,
    yes: Annotated[bool, Yes] = False,
) -> Answer:
    """Forget somebody at an event, or again everybody whom a restore has brought back.

    Names, addresses, answers, drafts, certificates and mails go. Payments, statistics and the audit
    log stay, and name nobody.

    Parameters
    ----------
    event
        The event's id.
    who
        Whose data: an e-mail address, or the id of a participant.
    replay
        Erase all those again who were erased before, after the table was restored.
    yes
        Do not ask.
    """
    if replay:
        if event is not None:
            raise invalid(FieldError("--replay", "is for all events: leave the rest out"))
        return await _replayed(festival, desk)
    if event is None or who is None:
        raise invalid(FieldError("who", "say the event and who, or --replay"))
    return await _erased(festival, desk, event, who, yes)


async def _replayed(festival: Festival, desk: Desk) -> Answer:
    desk.tick("erasing again who was erased before")
    done = await festival.erasing.replay(desk.by)
    people = several(done.known, "person", "people")
    line = f"{people} in the journal of erasures; {done.erased:,} were there again, and are gone."
    return Answer([line], {"known": done.known, "erased": done.erased})


async def _erased(festival: Festival, desk: Desk, event: str, who: str, yes: bool) -> Answer:
    from tablewright.service.agreeing import agreed
    from tablewright.systems.kurukshetra import forgetting

    by = await meant.typist(festival, desk, event)
    p = await meant.person(festival, by, who)
    agreed(desk, yes, f"Forget this person at {event}? There is no way back.")
    await festival.erasing.erase(by, p)
    left = [
        each
        async for each in festival.db.iterate(forgetting.erasures())
        if (each.event_id, each.participant_id) == (event, p) and not each.gone
    ]
    lines = ["The person is forgotten."]
    if left:
        lines.append("Their team holds a seat: what is left goes when that has ended.")
    return Answer(lines, {"event_id": event, "participant_id": p, "erased": not left})
