"""Reports as files: PDF, CSV and JSON."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import orjson

from tablewright.model import together
from tablewright.service.names import derive_slug
from tablewright.service.problems import conflict
from tablewright.service.typesetting import CannotPrint
from tablewright.systems.ladders import reporting
from tablewright.systems.ladders.press.press import Press
from tablewright.systems.ladders.rules.report_rows import csv_of
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.printing import printed
from tablewright.systems.ladders.service.reports import SideBySide
from tablewright.systems.ladders.service.settling import settled

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

Format: TypeAlias = Literal["pdf", "csv", "json"]

MEDIA_TYPES: Final[dict[Format, str]] = {
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
}


@dataclass(frozen=True)
class Exported:
    """A file, named after whom it is about and the season."""

    content: bytes
    media_type: str
    file_name: str


class Exports:
    """Reports as files."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def export(self, by: Caller, report_id: str, kind: Format) -> Exported:
        """A report with what both sides say, for who may read it.

        One transaction, once the file is made: the report, which is there; the audit entry.
        """
        both = await self._company.reports.side_by_side(by, report_id, "export_report")
        content = await self._content(both, kind)
        noted = self._company.auditing.noted(
            by, "report.export", f"report/{report_id}", format=kind
        )
        op = together(reporting.mark_exported(both.report, self._company.now()), noted)
        await settled(self._company.db, lambda: op)
        return Exported(content, MEDIA_TYPES[kind], _file_name(both, kind))

    async def _content(self, both: SideBySide, kind: Format) -> bytes:
        if kind == "csv":
            name = both.name(both.report.team_member_id)
            return csv_of(both.report, both.own, both.manager, both.ladder, name)
        if kind == "json":
            from tablewright.systems.ladders.bodies.reports import side_by_side_out

            text = side_by_side_out(both).model_dump(mode="json")
            return orjson.dumps(text, option=orjson.OPT_INDENT_2)
        found = both.found
        report = printed(
            found.report,
            both.own,
            both.manager,
            both.ladder,
            plan=found.plan.plan_name,
            team=found.team.team_name,
            name=both.name(found.report.team_member_id),
            manager_name=both.manager_name,
        )
        try:
            return await asyncio.to_thread(lambda: self._press.pdf(report))
        except CannotPrint as error:
            raise conflict("CANNOT_PRINT", f"It cannot be printed: {error}.") from None

    @cached_property
    def _press(self) -> Press:
        return Press()


def _file_name(both: SideBySide, kind: Format) -> str:
    """``report-lina-moreau-2026-h2.pdf``; a name without any Latin letter is left out."""
    person = derive_slug(both.name(both.report.team_member_id))
    parts = ("report", person, both.report.season.lower())
    return f"{'-'.join(filter(None, parts))}.{kind}"
