"""``certs ...`` and ``handover``: what follows an event."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App

from tablewright.service.commands import Answer, Desk
from tablewright.service.typed import facts
from tablewright.service.wording import plain
from tablewright.systems.kurukshetra.cli import meant
from tablewright.systems.kurukshetra.cli.given import Festival
from tablewright.systems.kurukshetra.cli.words import Flag, Kind, example

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller

app = App(name="certs", help="Certificates: issued, checked, printed.")


@app.command(help_epilogue=example("certs issue kurukshetra-2026 participation"))
async def issue(
    festival: Festival,
    desk: Desk,
    /,
    event: str,
    kind: Kind = "participation",
    *,
    list: str = "entry",
    who: tuple[str, ...] = (),
    check: Annotated[bool, Flag] = False,
) -> Answer:
    """Issue certificates to who was there, and follow it to the end. Each person gets one once.

    Parameters
    ----------
    event
        Its id.
    kind
        participation; completion, for teams with a repository; or winner, who have to be named.
    list
        Who passed this list of the door was there.
    who
        Only for these people: e-mail addresses or ids. It can be given several times.
    check
        Issue nothing, and tell who would get one and whose names cannot be printed.
    """
    from tablewright.systems.kurukshetra.cli.doing import followed

    by = await meant.typist(festival, desk, event)
    people = [await meant.person(festival, by, each) for each in who] or None
    async with festival.lifespan():
        job = await festival.certificates.issue(by, kind, list, people, check_only=check)
        answer = await followed(festival, desk, by, job, f"Certificates of {kind} at {event}:")
        return await _with_names(festival, by, answer)


async def _with_names(festival: Festival, by: Caller, answer: Answer) -> Answer:
    """The answer with the names that cannot be printed."""
    data = answer.data if isinstance(answer.data, dict) else {}
    ids = (data.get("result") or {}).get("unprintable_people") or []
    if not ids:
        return answer
    names = await festival.certificates.names_of(by, ids)
    lines = [*answer.lines, "Cannot be printed, since no font has all their letters:"]
    return Answer([*lines, *(f"  {plain(each)}" for each in names)], answer.data, ok=answer.ok)


@app.command(help_epilogue=example("certs check 7ZKX-3M9Q-02HB-4TGW --pdf certificate.pdf"))
async def check(festival: Festival, desk: Desk, /, code: str, *, pdf: Path | None = None) -> Answer:
    """Say what a certificate's code stands for.

    Parameters
    ----------
    code
        As it is printed.
    pdf
        Write the certificate to this file as well.
    """
    from tablewright.systems.kurukshetra.bodies.tickets import CertificateOut

    found = await festival.certificates.check(code)
    if pdf is not None:
        pdf.write_bytes(await festival.certificates.pdf(code))
    pairs = [
        ("code", found.code),
        ("name", plain(found.name)),
        ("for", found.kind),
        ("event", plain(found.event_name)),
        ("from", found.starts),
        ("to", found.ends),
        ("issued", found.issued),
    ]
    lines = [*facts(pairs), *([] if pdf is None else [f"Written to {pdf}."])]
    return Answer(lines, CertificateOut.model_validate(found).model_dump(mode="json"))


async def handover(festival: Festival, desk: Desk, /, event: str) -> Answer:
    """Hand paid teams with a repository over to judging, and follow it to the end.

    Each team goes there once, however often this is run. Where judging is, is a setting:
    vibejudge_url and its key; without it, the vibejudge that runs in the same process.

    Parameters
    ----------
    event
        Its id. Its setting vibejudge_hack_id says which hackathon it is there.
    """
    from tablewright.systems.kurukshetra.cli.doing import followed

    by = await meant.typist(festival, desk, event)
    async with festival.lifespan():
        job = await festival.handover.start(by)
        answer = await followed(festival, desk, by, job, f"Teams of {event}:")
    data = answer.data if isinstance(answer.data, dict) else {}
    refused = bool((data.get("result") or {}).get("refused"))
    return Answer(answer.lines, answer.data, ok=answer.ok and not refused)
