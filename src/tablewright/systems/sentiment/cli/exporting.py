"""``export``: articles for spreadsheets and programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tablewright.service.commands import Answer, Desk
from tablewright.service.output_files import to_file, to_stream
from tablewright.service.problems import FieldError, invalid
from tablewright.systems.sentiment.cli import reading
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.words import Since, Status, Tone, Until

Form = Literal["csv", "json", "jsonl"]


async def export(
    newsroom: Newsroom,
    desk: Desk,
    /,
    *,
    form: Annotated[Form | None, Parameter(name="--format")] = None,
    since: Since = None,
    until: Until = None,
    tag: str | None = None,
    source: str | None = None,
    sentiment: Tone | None = None,
    status: Status | None = None,
    words: Annotated[str | None, Parameter(name=("--words", "-q"))] = None,
    authors: bool = False,
    out: Path | None = None,
) -> Answer:
    """Write articles from the oldest on: those with a tone, unless --status says otherwise.

    Up to 100,000; of the last 24 hours, if nothing is said.

    Parameters
    ----------
    form
        csv, json or jsonl; else the name of the file says, or it is csv.
    since
        The first moment, such as 2026-11-15, 2026-11-15T12:00:00Z, or 7d for seven days ago.
    until
        The moment after the last; now if nothing is said.
    tag
        Articles of this topic.
    source
        Articles of this publisher, such as bbc-news.
    sentiment
        Articles of this tone.
    status
        pending and failed have no tone.
    words
        Words that all have to be in the title or the beginning.
    authors
        With the authors' names.
    out
        A file to write; it is there when it is complete. Else standard output.
    """
    from tablewright.systems.sentiment.rules.filters import ArticleFilter, words_of

    if out is None and desk.json:
        raise invalid(FieldError("--out", "is needed with --json: the rows cannot go there, too"))
    wanted = ArticleFilter(
        sentiment=sentiment,
        tag=reading.tag("--tag", tag),
        source=source,
        words=words_of(words),
        status=status,
    )
    span = reading.span(since, until, newsroom.now())
    kind = form or _form_of(out)
    pieces = await newsroom.exports.export(span, wanted, kind, authors=authors)
    if out is None:
        await to_stream(pieces, desk.stdout)
        return Answer()
    size = await to_file(pieces, out)
    lines = [f"{out}: {size:,} bytes of {kind.upper()}"]
    return Answer(lines, {"file": str(out), "format": kind, "bytes": size})


def _form_of(out: Path | None) -> Form:
    """What the name of the file says."""
    forms: dict[str, Form] = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}
    return "csv" if out is None else forms.get(out.suffix.lower(), "csv")
