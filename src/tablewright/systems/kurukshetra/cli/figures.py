"""``stats``: what happened at an event, day by day."""

from __future__ import annotations

from typing import Annotated

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.typed import facts
from tablewright.service.wording import several
from tablewright.systems.kurukshetra.cli import meant
from tablewright.systems.kurukshetra.cli.given import Festival
from tablewright.systems.kurukshetra.cli.words import Flag, money

_HEAD = ("day", "people", "teams", "checkouts", "paid", "revenue", "refunded", "check-ins")


async def stats(
    festival: Festival,
    desk: Desk,
    /,
    event: str,
    *,
    since: str | None = None,
    until: str | None = None,
    all_days: Annotated[bool, Flag] = False,
) -> Answer:
    """Show what happened at an event, day by day at its place, and in all.

    Parameters
    ----------
    event
        Its id.
    since
        From this day on, such as 2026-11-01; else the last thirty days.
    until
        To this day.
    all_days
        Also days on which nothing happened.
    """
    from tablewright.systems.kurukshetra.bodies.admin import statistics_out
    from tablewright.systems.kurukshetra.rules.figures import Figures

    await meant.typist(festival, desk, event)
    first, last = meant.day(since, "--since"), meant.day(until, "--until")
    found = await festival.statistics.of(event, first, last)
    config = await festival.events.config(event)

    def row(name: str, each: Figures) -> tuple[str, ...]:
        numbers = (each.registrations, each.teams, each.checkouts, each.paid)
        sums = (money(each.revenue, config.currency), money(each.refunded, config.currency))
        return (name, *(f"{one:,}" for one in numbers), *sums, f"{each.checkins:,}")

    days = [each for each in found.days if all_days or each.figures != Figures()]
    rows = [row(each.day.isoformat(), each.figures) for each in days]
    table = columns(_HEAD, [*rows, row("in all", found.sums)], set(_HEAD[1:]))
    lines: list[Line] = [*table[:-1], Styled(str(table[-1]), "bold")]
    lines += ["", f"{several(found.now.paid, 'team')} paid now."]
    if found.now.paid_by_track:
        tracks = [(track, several(each, "team")) for track, each in found.now.paid_by_track]
        lines += ["Paid now, by track:", *facts(tracks)]
    return Answer(lines, statistics_out(found).model_dump(mode="json"))
