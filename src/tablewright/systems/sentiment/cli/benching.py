"""``bench ...``: whether it keeps up, here and now.

What is measured are the use cases themselves, with a real database; HTTP is not part of it. Both
kinds follow a plan that does not wait: a question that comes late because others were slow counts
from the moment when it was due.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number

from tablewright.service.commands import Answer, Desk, Line, Needs, Styled, columns, needs
from tablewright.service.typed import number
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.words import example

#: Given its place among the others, and when it is due.
Call = Callable[[int, float], Coroutine[Any, Any, None]]

app = App(name="bench", help="Whether it keeps up, here and now.")
#: What has to hold.
ANALYSED_SECS, P95_MS = 60.0, 100.0


@app.command(help_epilogue=example("bench burst --articles 200 --seconds 2"))
@needs(Needs.SCRATCH)
async def burst(
    newsroom: Newsroom,
    desk: Desk,
    /,
    *,
    articles: Annotated[int, Parameter(validator=Number(gte=1, lte=20_000))] = 1000,
    seconds: Annotated[float, Parameter(validator=Number(gt=0, lte=600))] = 10.0,
) -> Answer:
    """Send many articles at once, and see whether all of them are there, analysed and counted.

    Without a place, that is in one that is made for it and gone afterwards. In one that is named,
    it is done with a topic of its own, which is deleted afterwards; the articles end as any do. If
    an article is lost or doubled, a count is wrong, or it takes more than 60 seconds until all are
    analysed, the exit code is 1.

    Parameters
    ----------
    articles
        How many. Every tenth is sent twice, at the same time.
    seconds
        In which time they are sent.
    """
    from tablewright.systems.sentiment.cli.bursting import Burst

    async with newsroom.lifespan():
        found = await Burst(newsroom, desk, articles, seconds).run()
    rows: list[tuple[str, str, bool]] = [
        ("sent", f"{number(found.sent)} in {found.sending_secs:.1f} s", True),
        ("lost", number(found.lost), not found.lost),
        ("doubled", number(found.doubled), not found.doubled),
        ("analysed", _analysed(found.analysed_secs, found.waiting), found.analysed_in_time),
        ("drift", number(found.drift), not found.drift),
    ]
    ok = all(is_well for _, _, is_well in rows)
    lines: list[Line] = [_line(*each) for each in rows]
    return Answer([*lines, _verdict(ok)], {**found.data(), "ok": ok}, ok=ok)


def _analysed(secs: float | None, waiting: int) -> str:
    return f"after {secs:.1f} s" if secs is not None else f"{number(waiting)} still wait"


def _line(name: str, value: str, is_well: bool) -> Line:
    text = f"  {name:10}{value}"
    return text if is_well else Styled(text, "red")


def _verdict(ok: bool) -> Line:
    return Styled("As it should be.", "green") if ok else Styled("Not as it should be.", "red")


@app.command(help_epilogue=example("bench read --minutes 0.5"))
@needs(Needs.SCRATCH)
async def read(
    newsroom: Newsroom,
    desk: Desk,
    /,
    *,
    minutes: Annotated[float, Parameter(validator=Number(gt=0, lte=600))] = 10.0,
    rate: Annotated[float, Parameter(validator=Number(gt=0, lte=5000))] = 100.0,
) -> Answer:
    """Ask for overviews, series, shares, lists and articles, many times a second.

    A place without articles gets some first, of a topic that is deleted afterwards. If a question
    fails, or of a hundred more than five take longer than 100 ms, the exit code is 1.

    Parameters
    ----------
    minutes
        How long.
    rate
        Questions a second.
    """
    from tablewright.systems.sentiment.cli.asking import Asking

    async with newsroom.lifespan():
        found = await Asking(newsroom, desk, rate, minutes * 60).run()
    head = ("question", "asked", "median ms", "p95 ms", "p99 ms", "errors")
    rows = [
        (
            each.name,
            number(len(each.times) + each.failures),
            *(f"{each.quantile(share):.1f}" for share in (0.5, 0.95, 0.99)),
            number(each.failures),
        )
        for each in found
    ]
    whole = found[-1]
    ok = not whole.failures and whole.quantile(0.95) <= P95_MS
    data = {
        "rate": rate,
        "seconds": minutes * 60,
        "questions": [each.data() for each in found],
        "ok": ok,
    }
    errors = sorted({text for each in found for text in each.errors})
    lines = [*columns(head, rows, set(head[1:])), *errors, _verdict(ok)]
    return Answer(lines, data, ok=ok)


async def paced(count: int, rate: float, call: Call) -> None:
    """Begin so many calls a second, whatever becomes of those before; each is told when it was due.

    Ends when all have ended.
    """
    began = time.perf_counter()
    try:
        async with asyncio.TaskGroup() as tasks:
            for place in range(count):
                due = began + place / rate
                # Others have a turn, also if we are late.
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                tasks.create_task(call(place, due))
    except* Exception as errors:
        raise _first(errors) from None


def _first(errors: BaseExceptionGroup[Exception]) -> BaseException:
    """Of all that went wrong at the same time, one."""
    found: BaseException = errors
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
