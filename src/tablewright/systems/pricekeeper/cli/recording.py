"""``record``: a file of usage into the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tablewright.service.commands import Answer, Desk, Line, Styled
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.typed import facts, number
from tablewright.systems.pricekeeper.cli.finding import org_of
from tablewright.systems.pricekeeper.cli.given import Keeper
from tablewright.systems.pricekeeper.cli.words import InFile, usd_of_picos

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.cli.importing import Report

_FLAGS = {
    "unpriced": "have no price, and cost nothing until `reprice`",
    "cost_mismatch": "cost something else than their own reckoning said",
    "outside_ordering": "have a label that is not in the app's ordering",
}


async def record(
    keeper: Keeper,
    desk: Desk,
    /,
    file: InFile,
    *,
    org: str,
    app: str | None = None,
    form: Annotated[Literal["jsonl", "csv"] | None, Parameter(name="--format")] = None,
    rejects: Path | None = None,
) -> Answer:
    """Record a file of usage. Every request_id counts once, so it is safe to run again.

    Rows have the fields that the REST API takes: request_id, label, timestamp, input_tokens,
    output_tokens and so on. Rows that are refused are written to a file, with the reasons; then
    the exit code is 1.

    Parameters
    ----------
    file
        JSON lines or CSV with a head, also gzipped (.gz); - is standard input.
    org
        The id or the name of the organisation.
    app
        The app of all rows that have no app_id of their own.
    form
        What the file holds; else its name or its first character says.
    rejects
        Where rows go that are refused; FILE.rejects.jsonl if nothing is said.
    """
    from tablewright.systems.pricekeeper.cli.importing import Import, Rejects
    from tablewright.systems.pricekeeper.cli.summing import sum_up
    from tablewright.systems.pricekeeper.cli.usage_files import UsageFile

    owner = await org_of(keeper, org)
    org_id = owner.org_id
    if app is not None:
        await keeper.directory.account(org_id, app)
    elif owner.status != "ACTIVE":
        raise Problem(403, "ORG_DISABLED", f"The organisation {owner.org_name} is disabled.")
    with UsageFile(file, desk, form) as opened, Rejects(_path(file, rejects)) as refused:
        async with keeper.lifespan():
            report = await Import(keeper, org_id, app, refused, desk.tick).run(opened)
        if report.results["recorded"]:
            desk.tick("summing up")
            await sum_up(keeper, org_id)
    return _answer(report, refused.path)


def _path(file: Path, given: Path | None) -> Path:
    if given is None:
        base = Path("record") if str(file) == "-" else file
        return base.with_name(f"{base.name}.rejects.jsonl")
    if given.exists() and file.exists() and given.samefile(file):
        raise invalid(FieldError("--rejects", "is the file that is read"))
    return given


def _answer(report: Report, rejects: Path) -> Answer:
    rate = report.rows / report.seconds if report.seconds else 0.0
    lines: list[Line] = [
        f"{number(report.rows)} rows in {report.seconds:.1f} s, {number(int(rate))} a second",
        *facts(
            [
                *((word, number(report.results[word])) for word in _RESULTS),
                ("cost", usd_of_picos(report.cost_picos)),
            ]
        ),
        *(f"  {number(rows)} of them {_FLAGS[flag]}" for flag, rows in report.flags.items()),
    ]
    if report.rejected:
        lines.append(Styled(f"Rejected, see {rejects}:", "yellow"))
        lines += [
            f"  {number(each.rows)} {code}, first in line {each.line}: {each.detail}"
            for code, each in report.reasons.items()
        ]
    return Answer(lines, _data(report, rejects), ok=not report.rejected)


_RESULTS = ("recorded", "duplicate", "rejected")


def _data(report: Report, rejects: Path) -> dict[str, object]:
    return {
        "rows": report.rows,
        **{word: report.results[word] for word in _RESULTS},
        "cost_usd_picos": report.cost_picos,
        "flags": dict(report.flags),
        "reasons": [
            {"code": code, "rows": each.rows, "first_line": each.line, "detail": each.detail}
            for code, each in report.reasons.items()
        ],
        "rejects_file": str(rejects) if report.rejected else None,
        "seconds": round(report.seconds, 3),
    }
