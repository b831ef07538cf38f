"""``reconcile`` and ``reprice``: the ledger beside its sums, and beside the prices of today."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.typed import number
from tablewright.systems.pricekeeper.cli import reading
from tablewright.systems.pricekeeper.cli.finding import org_ids
from tablewright.systems.pricekeeper.cli.given import Keeper
from tablewright.systems.pricekeeper.cli.words import usd_of_picos

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.ledger import Reconciled, Repriced
    from tablewright.systems.pricekeeper.service.ledger.reconciling import Difference
    from tablewright.systems.pricekeeper.service.ledger.rolled import WrongTotal
    from tablewright.systems.pricekeeper.shapes import TotalKey

#: What is wrong with a count, for people.
STATES = {
    "drift": "lacks rows of the ledger",
    "above": "has more than the ledger",
    "fixed": "was repaired",
    "busy": "is written to just now",
    "waiting": "waits for the stream",
    "total": "has another total",
}


async def reconcile(
    keeper: Keeper,
    desk: Desk,
    /,
    org: str | None = None,
    app: str | None = None,
    *,
    fix: bool = False,
    force: bool = False,
) -> Answer:
    """Compare the ledger with its counters and totals. If they differ, the exit code is 1.

    Parameters
    ----------
    org
        The id or the name of the organisation; else all of them.
    app
        The id of one of its apps.
    fix
        Count what counters lack, and have totals made again.
    force
        With --fix: also take away what counters have and the ledger does not. Only where rows of
        the ledger cannot have been lost.
    """
    from tablewright.systems.pricekeeper.cli.summing import sum_up

    found: dict[str, Reconciled] = {}
    for org_id in await org_ids(keeper, org):
        desk.tick(f"reconciling {org_id}")
        found[org_id] = await keeper.ledger.reconcile(org_id, _app(app), fix=fix, force=force)
        if _has_repaired(found[org_id]):
            await sum_up(keeper, org_id)
    clean = all(each.clean for each in found.values())
    data = {"organisations": [_reconciled(*each) for each in found.items()], "clean": clean}
    return Answer(_reconciled_lines(found, clean, fix), data, ok=clean)


def _has_repaired(found: Reconciled) -> bool:
    marked = found.fixed and bool(found.totals)
    return marked or any(each.state == "fixed" for each in found.differences)


def _app(app_id: str | None) -> str | None:
    from tablewright.systems.pricekeeper.rules.ids import checked_app_id

    return None if app_id is None else checked_app_id(app_id)


def _reconciled(org_id: str, found: Reconciled) -> dict[str, object]:
    return {
        "org_id": org_id,
        "apps": found.apps,
        "rows": found.rows,
        "counts": found.counts,
        "differences": [
            {
                "app_id": each.key.app_id,
                "label": each.key.label,
                "day": each.key.day,
                "state": each.state,
                "ledger": each.ledger._asdict(),
                "counters": each.counters._asdict(),
            }
            for each in found.differences
        ],
        "totals": [
            {
                "app_id": _app_of(each.key) or None,
                "label": each.key.label,
                "period": each.key.period,
                "state": _total_state(found),
                "sum": each.sum._asdict(),
                "stored": each.stored._asdict(),
            }
            for each in found.totals
        ],
    }


def _app_of(key: TotalKey) -> str:
    return key.scope.partition("#APP#")[2]


def _total_state(found: Reconciled) -> str:
    return "fixed" if found.fixed else "total"


def _reconciled_lines(found: dict[str, Reconciled], clean: bool, fix: bool) -> list[Line]:
    rows = sum(each.rows for each in found.values())
    counts = sum(each.counts for each in found.values())
    shown = [_difference(each) for one in found.values() for each in one.differences]
    shown += [
        _wrong_total(each, _total_state(one)) for one in found.values() for each in one.totals
    ]
    looked = f"{number(rows)} rows of {len(found)} organisations, {number(counts)} counts"
    if not shown:
        return [Styled(f"{looked}: all of them agree.", "green")]
    head = ("app", "label", "day", "count", "requests", "ledger", "counted")
    table = columns(head, shown, {"requests", "ledger", "counted"})
    lines: list[Line] = [f"{looked}:", *table]
    if not clean and not fix:
        lines.append(Styled("--fix counts what is missing.", "yellow"))
    return lines


def _difference(found: Difference) -> tuple[str, ...]:
    key, missing = found.key, found.missing
    return (
        key.app_id,
        key.label,
        key.day,
        STATES[found.state],
        f"{missing.requests:+,}",
        usd_of_picos(found.ledger.cost_usd_picos),
        usd_of_picos(found.counters.cost_usd_picos),
    )


def _wrong_total(found: WrongTotal, state: str) -> tuple[str, ...]:
    return (
        _app_of(found.key) or "(all)",
        found.key.label,
        found.key.period.partition("#")[2],
        STATES[state],
        f"{found.sum.requests - found.stored.requests:+,}",
        usd_of_picos(found.sum.cost_usd_picos),
        usd_of_picos(found.stored.cost_usd_picos),
    )


async def reprice(
    keeper: Keeper,
    desk: Desk,
    /,
    org: str | None = None,
    app: str | None = None,
    *,
    label: str | None = None,
    first: Annotated[str | None, Parameter(name="--from")] = None,
    last: Annotated[str | None, Parameter(name="--to")] = None,
    apply: bool = False,
) -> Answer:
    """Say what records would cost at the prices that are known now.

    If some would cost something else, the exit code is 1; with --apply, only if a correction was
    refused.

    Parameters
    ----------
    org
        The id or the name of the organisation; else all of them.
    app
        The id of one of its apps.
    label
        Only records of this label.
    first
        The first day, such as 2026-11-01.
    last
        The last day.
    apply
        Write corrections, so that they do. A second time changes nothing.
    """
    from tablewright.systems.pricekeeper.cli.summing import sum_up
    from tablewright.systems.pricekeeper.service.ledger.scanning import Days

    days = Days(*reading.days(first, last))
    actor = desk.by if apply else None
    found: dict[str, Repriced] = {}
    for org_id in await org_ids(keeper, org):
        desk.tick(f"repricing {org_id}")
        found[org_id] = await keeper.ledger.reprice(
            org_id, _app(app), days=days, label=label, apply=actor
        )
        if found[org_id].applied:
            await sum_up(keeper, org_id)
    refused = any(each.refused for each in found.values())
    changed = any(each.changed for each in found.values())
    data = {"applied": apply, "organisations": [_repriced(*each) for each in found.items()]}
    ok = not refused if apply else not changed
    return Answer(_repriced_lines(found, apply), data, ok=ok)


def _repriced(org_id: str, found: Repriced) -> dict[str, object]:
    return {
        "org_id": org_id,
        "rows": found.rows,
        "changed": found.changed,
        "applied": found.applied,
        "difference_usd_picos": found.difference_picos,
        "by_label": found.by_label,
        "refused": [{"request_id": each, "code": code} for each, code in found.refused],
        "examples": [
            {
                "app_id": each.app_id,
                "request_id": each.request_id,
                "label": each.label,
                "day": each.day,
                "before_usd_picos": each.before_picos,
                "after_usd_picos": each.after_picos,
                "price_id": each.price_id,
            }
            for each in found.examples
        ],
    }


def _repriced_lines(found: dict[str, Repriced], apply: bool) -> list[Line]:
    rows = sum(each.rows for each in found.values())
    changed = sum(each.changed for each in found.values())
    if not changed:
        return [Styled(f"{number(rows)} records cost what they should.", "green")]
    by_label: dict[str, int] = {}
    for each in found.values():
        for label, picos in each.by_label.items():
            by_label[label] = by_label.get(label, 0) + picos
    table = [(label, usd_of_picos(picos)) for label, picos in sorted(by_label.items())]
    lines: list[Line] = [
        f"{number(changed)} of {number(rows)} records cost something else:",
        *columns(("label", "difference"), table, {"difference"}),
    ]
    if not apply:
        return [*lines, Styled("Nothing was changed; --apply writes corrections.", "yellow")]
    applied = sum(each.applied for each in found.values())
    lines.append(f"{number(applied)} corrections are written.")
    refusals = [each for one in found.values() for each in one.refused]
    return lines + [Styled(f"Refused: {request}, {code}", "red") for request, code in refusals[:20]]
