"""``stuck`` and ``requeue``: what waits or has failed, and another chance for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.problems import FieldError, invalid
from tablewright.service.typed import moment
from tablewright.service.wording import several
from tablewright.systems.sentiment.cli import reading
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.words import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablewright.systems.sentiment.bodies.ops import UnfinishedOut

_WORDS = {
    "requeued": "queued again",
    "gone": "there is no such article any more",
    "not_requeueable": "neither failed nor stuck",
}


async def stuck(
    newsroom: Newsroom,
    /,
    *,
    limit: Annotated[int, Parameter(validator=Number(gte=1, lte=1000))] = 20,
) -> Answer:
    """Say which articles have waited for more than five minutes, and which have failed.

    If there is any, the exit code is 1.

    Parameters
    ----------
    limit
        Articles of each kind that are listed; all of them are counted.
    """
    from tablewright.systems.sentiment.bodies.ops import unfinished_out

    queue = newsroom.queue
    waiting, failing = await queue.stuck_count(), await queue.failed_count()
    late = [unfinished_out(each) for each in (await queue.stuck(limit))[0]]
    bad = [unfinished_out(each) for each in (await queue.failed(limit))[0]]
    lines: list[Line] = [
        *_listed(f"{several(waiting, 'article')} stuck.", late),
        *_listed(f"{several(failing, 'article')} failed.", bad),
    ]
    if waiting or failing:
        lines.append("Another chance for all of them: tablewright sentiment requeue --all")
    data = {
        "stuck": {"count": waiting, "items": [each.model_dump(mode="json") for each in late]},
        "failed": {"count": failing, "items": [each.model_dump(mode="json") for each in bad]},
    }
    return Answer(lines, data, ok=not waiting and not failing)


def _listed(head: str, found: Sequence[UnfinishedOut]) -> list[Line]:
    if not found:
        return [head]
    rows = [
        (
            each.id,
            moment(each.queued_at),
            "-" if each.attempts is None else str(each.attempts),
            each.error_code or "-",
            cut(each.title or "-", 50),
        )
        for each in found
    ]
    titles = ("article", "queued", "attempts", "error", "title")
    return [Styled(head, "yellow"), *columns(titles, rows, {"attempts"})]


async def requeue(newsroom: Newsroom, desk: Desk, /, *ids: str, all: bool = False) -> Answer:
    """Give articles that have failed, or are stuck, another chance.

    They are analysed by the process that runs here; if there is none, by this command.

    Parameters
    ----------
    ids
        Articles, as `stuck` shows them.
    all
        All that have failed or are stuck.
    """
    from tablewright.systems.sentiment.cli.analysing import analyse_waiting
    from tablewright.systems.sentiment.rules.ids import shown_id

    if bool(ids) == all:
        raise invalid(FieldError("ids", "name the articles, or say --all"))
    results: list[tuple[str, str]] = []
    if all:
        done = await newsroom.queue.requeue_all(desk.by)
    else:
        found = await newsroom.queue.requeue(reading.article_ids(ids), desk.by)
        results = [(shown_id(each.source_id), each.result) for each in found]
        done = sum(result == "requeued" for _, result in results)
    analysed = await analyse_waiting(newsroom, desk) if done else None
    lines: list[Line] = [
        f"{several(done, 'article')} queued again.",
        *(f"  {shown}: {_WORDS[result]}" for shown, result in results if result != "requeued"),
        *([] if analysed is None else analysed.lines()),
    ]
    data = {
        "requeued": done,
        "results": [{"id": shown, "result": result} for shown, result in results],
        "analysis": None if analysed is None else analysed.data(),
    }
    wrong = any(result != "requeued" for _, result in results)
    return Answer(lines, data, ok=not wrong and not (analysed and analysed.failed))
