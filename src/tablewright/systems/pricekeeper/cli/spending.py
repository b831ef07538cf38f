"""``totals``: what was spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tablewright.service.commands import Answer, Line, Styled, columns
from tablewright.service.problems import FieldError, invalid
from tablewright.service.typed import moment, number, percent
from tablewright.systems.pricekeeper.cli import reading
from tablewright.systems.pricekeeper.cli.finding import app_of, org_of
from tablewright.systems.pricekeeper.cli.given import Keeper
from tablewright.systems.pricekeeper.cli.words import Window, usd

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.bodies import AggregatesOut, LabelAmounts

_HEAD = ("label", "requests", "errors", "input", "output", "cache", "spent", "limit", "used")


async def totals(
    keeper: Keeper,
    /,
    org: str,
    app: str | None = None,
    *,
    period: str | None = None,
    first: Annotated[str | None, Parameter(name="--from")] = None,
    last: Annotated[str | None, Parameter(name="--to")] = None,
    window: Window = "DAY",
    now: bool = False,
) -> Answer:
    """Show what was spent by label: today, in a period, or day by day.

    Totals are made every minute while pricekeeper runs, and by `record`; `as of` says when.

    Parameters
    ----------
    org
        The id or the name of the organisation.
    app
        The id of one of its apps; else all of them together.
    period
        A day (2026-11-15), a week (2026-W47) or a month (2026-11); today if nothing is said.
    first
        The first day, to see several periods.
    last
        The last day; today if only --from is said.
    window
        How to cut what lies from --from to --to.
    now
        Sum up the counters first.
    """
    from tablewright.systems.pricekeeper.cli.summing import sum_up
    from tablewright.systems.pricekeeper.service.aggregates import Sheet

    owner = await org_of(keeper, org)
    sheet = Sheet(owner, await app_of(keeper, owner, app))
    if now:
        await sum_up(keeper, owner.org_id)
    today = keeper.aggregates.today(owner)
    if first is None and last is None:
        found = await keeper.aggregates.of_period(sheet, _period(period, today))
        return Answer(_lines(found), found.model_dump(mode="json"))
    if period is not None:
        raise invalid(FieldError("--period", "is either given, or --from and --to are"))
    start, end = reading.days(first, last)
    if start is None:
        raise invalid(FieldError("--from", "is missing"))
    history = await keeper.aggregates.between(sheet, start, end or max(today, start), window)
    rows = [_row(each.period, each.totals) for each in history.items]
    lines = columns(("period", *_HEAD[1:]), rows, set(_HEAD[1:]))
    return Answer(lines, history.model_dump(mode="json"))


def _period(text: str | None, today: str) -> str:
    from tablewright.systems.pricekeeper.rules.periods import read_period

    if text is None:
        return f"DAY#{today}"
    found = read_period(text)
    if found is None:
        message = f"{text!r} is no day (2026-11-15), week (2026-W47) or month (2026-11)"
        raise invalid(FieldError("--period", message))
    return found


def _lines(found: AggregatesOut) -> list[Line]:
    state = "final" if found.final else "not summed yet"
    if not found.final and found.as_of is not None:
        state = f"as of {moment(found.as_of)}"
    rows = [_row(label, each) for label, each in sorted(found.models.items())]
    rows.append(_row("all", found.totals))
    return [
        Styled(f"{found.period}, {state}", "bold"),
        *columns(_HEAD, rows, set(_HEAD[1:])),
    ]


def _row(name: str, found: LabelAmounts) -> tuple[str, ...]:
    quota = found.quota_usd_micros
    share = "" if not quota else percent(found.cost_usd_micros / quota * 100)
    return (
        name,
        number(found.requests),
        number(found.errors),
        number(found.input_tokens),
        number(found.output_tokens),
        number(found.cache_read_tokens + found.cache_write_tokens),
        usd(found.cost_usd_micros),
        "" if quota is None else usd(quota),
        share,
    )
