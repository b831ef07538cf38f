"""Writing a ladder: its text, with what is wrong beside it, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import UploadFile
from starlette.responses import Response

from tablewright.service.pages import Pages
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.ladders.api.callers import caller_of
from tablewright.systems.ladders.entities import ConfigVersion
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.framing import REFUSED, shown
from tablewright.systems.ladders.pages.rendered import detail_html, line_html
from tablewright.systems.ladders.pages.rewording import Changes, changes_of
from tablewright.systems.ladders.pages.versions import Size
from tablewright.systems.ladders.rules.ladder_csv import CsvError, markdown_of_csv
from tablewright.systems.ladders.rules.ladder_diff import diff
from tablewright.systems.ladders.rules.ladder_text import Parsed
from tablewright.systems.ladders.rules.shipped import shipped_text
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.configs import Versions

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

FIRST: Final = "1.0.0"
#: A text at its largest has three bytes for each of its own in a form.
_MOST_FIELDS: Final = 20
#: Of a file that is loaded.
_MOST_BYTES: Final = 512 * 1024


@dataclass(frozen=True)
class Draft:
    """A text that somebody is writing."""

    version: str
    text: str
    #: The version that it began as; "" is the ladder that comes with the program.
    base: str = ""
    check: bool = False
    #: What is wrong with a file that was to be loaded.
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checked:
    """What becomes of a text."""

    parsed: Parsed
    base: ConfigVersion | None

    @property
    def size(self) -> Size | None:
        return None if self.parsed.ladder is None else Size(self.parsed.ladder)

    @property
    def changes(self) -> Changes | None:
        if self.parsed.ladder is None or self.base is None:
            return None
        return changes_of(diff(self.base.parsed_config, self.parsed.ladder))


async def draft_in(request: Request) -> Draft:
    """The form; spaces around the text belong to it, line ends are even."""
    form = await request.form(max_files=1, max_fields=_MOST_FIELDS)
    values = {name: value for name, value in form.items() if isinstance(value, str)}
    text = values.get("content", "").replace("\r\n", "\n").replace("\r", "\n")
    faults: tuple[str, ...] = ()
    if values.get("act") == "load":
        try:
            text = await _loaded(form.get("file")) or text
        except CsvError as error:
            faults = error.faults
    return Draft(
        values.get("version", "").strip(),
        text,
        values.get("base", ""),
        values.get("act") in ("check", "load"),
        faults,
    )


async def _loaded(file: object) -> str:
    """Read the text of a file: Markdown as it is, CSV turned into it."""
    if not isinstance(file, UploadFile) or not file.filename:
        raise CsvError(["Choose a file first."])
    content = await file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise CsvError([f"The file has more than {_MOST_BYTES // 1024} KB."])
    if file.filename.lower().endswith((".csv", ".tsv")):
        return markdown_of_csv(content)
    if content[:2] == b"PK":
        raise CsvError(["This is a spreadsheet or an archive. Save the sheet as CSV UTF-8."])
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise CsvError(["The file is not UTF-8 text."]) from None


def next_version(versions: Versions) -> str:
    """One more in the middle: ``1.2.0`` after ``1.1.3``."""
    if not versions.configs:
        return FIRST
    major, minor, _ = versions.configs[0].version.split(".")
    return f"{major}.{int(minor) + 1}.0"


def chosen_base(versions: Versions, wanted: str) -> ConfigVersion | None:
    """What was asked for, else what is active, else the latest."""
    pointer = versions.pointer
    for config_id in (wanted, "" if pointer is None else pointer.active_config_id):
        for each in versions.configs:
            if each.config_id == config_id:
                return each
    return versions.configs[0] if versions.configs else None


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/admin/ladders")
    caller = Depends(caller_of(company))

    async def checked(by: Caller, versions: Versions, draft: Draft) -> Checked:
        parsed = await company.configs.validate(by, draft.text)
        return Checked(parsed, chosen_base(versions, draft.base))

    def found(result: Checked) -> dict[str, object]:
        return {
            "checked": result,
            "ladder": result.parsed.ladder,
            "line_html": line_html,
            "detail_html": detail_html,
        }

    async def asked(
        request: Request, by: Caller, versions: Versions, draft: Draft, **context: object
    ) -> Response:
        return shown(
            pages,
            request,
            "ladders/ladder_editor.html",
            by,
            draft=draft,
            here=f"{paths.VERSIONS}/new",
            check=f"{paths.VERSIONS}/check",
            load=f"{paths.VERSIONS}/load",
            cancel=paths.VERSIONS,
            crumbs=[("Versions", paths.VERSIONS)],
            **{**found(await checked(by, versions, draft)), **context},
        )

    @routes.get("/new")
    async def new(request: Request, base: str = "", by: Caller = caller) -> Response:
        versions = await company.configs.list(by)
        old = chosen_base(versions, base)
        text = shipped_text() if old is None else old.config_content
        draft = Draft(next_version(versions), text, "" if old is None else old.config_id)
        return await asked(request, by, versions, draft)

    @routes.post("/check")
    async def check(request: Request, by: Caller = caller) -> Response:
        """What is wrong with the text as it is now, for the page to put beside it."""
        versions = await company.configs.list(by)
        result = await checked(by, versions, await draft_in(request))
        return shown(pages, request, "ladders/_ladder_checked.html", by, **found(result))

    @routes.post("/load")
    async def load(request: Request, by: Caller = caller) -> Response:
        """Put the text of a file into the editor; nothing is stored."""
        versions, draft = await company.configs.list(by), await draft_in(request)
        if draft.faults:
            old = chosen_base(versions, draft.base)
            draft = replace(draft, text=shipped_text() if old is None else old.config_content)
        return await asked(request, by, versions, draft)

    @routes.post("/new")
    async def save(request: Request, by: Caller = caller) -> Response:
        draft = await draft_in(request)
        versions = await company.configs.list(by)
        if draft.check:
            return await asked(request, by, versions, draft)
        try:
            made = await company.configs.upload(by, draft.version, draft.text)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            wrong = _at_its_field(problem)
            values = {"version": draft.version}
            return await asked(request, by, versions, draft, problem=wrong, values=values)
        message = f"Version {made.version} is stored. It counts once you activate it."
        return pages.done(request, paths.version_path(made.config_id), message)

    return routes


def _at_its_field(problem: Problem) -> Problem:
    """A number that is taken stands where it was typed; what is wrong with lines, beside them."""
    if problem.code == "VERSION_EXISTS":
        error = FieldError("body.version", problem.detail)
        return Problem(problem.status, problem.code, problem.detail, errors=[error])
    if problem.code == "INVALID_LADDER":
        detail = "The text has faults. Nothing was stored."
        return Problem(problem.status, problem.code, detail)
    return problem
