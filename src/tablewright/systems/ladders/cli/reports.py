"""``report ...``: reports as files."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from tablewright.service.commands import Answer, Desk
from tablewright.service.problems import FieldError, invalid
from tablewright.systems.ladders.cli import meant
from tablewright.systems.ladders.cli.given import Company
from tablewright.systems.ladders.cli.words import Format, example

app = App(name="report", help="Reports as files.")


@app.command(
    help_epilogue=example("report export --email lina@example.org --season 2026-H1 --out lina.pdf")
)
async def export(
    company: Company,
    desk: Desk,
    /,
    report: str | None = None,
    *,
    email: str | None = None,
    season: str | None = None,
    team: str | None = None,
    format: Format = "pdf",
    out: Path | None = None,
) -> Answer:
    """Write a report with what both sides say. It is in the audit log.

    Parameters
    ----------
    report
        Its id; or say whom it is about, and in which season.
    email
        Whom it is about.
    season
        Which season: 2026-H1.
    team
        The id of the team, for who was assessed in two of them.
    format
        pdf, csv or json.
    out
        A file to write; else standard output.
    """
    if out is None and desk.json:
        raise invalid(FieldError("--out", "is needed with --json: the report cannot go there, too"))
    by = await meant.typist(company, desk)
    found = await _report_id(company, report, email, season, team)
    made = await company.exports.export(by, found, format)
    if out is None:
        desk.stdout.write(made.content)
        desk.stdout.flush()
        return Answer()
    out.write_bytes(made.content)
    size = len(made.content)
    told = {"file": str(out), "bytes": size, "report_id": found, "format": format}
    return Answer([f"{out}: {size:,} bytes"], told)


async def _report_id(
    company: Company, report: str | None, email: str | None, season: str | None, team: str | None
) -> str:
    if report is not None and (email, season, team) == (None, None, None):
        return report
    if report is not None or email is None or season is None:
        raise invalid(FieldError("report", "give its id, or --email and --season"))
    from tablewright.systems.ladders.fields import normalised_season

    return await meant.report(company, email, str(normalised_season(season)), team)
