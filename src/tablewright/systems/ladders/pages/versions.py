"""Versions of the ladder: which there are, what one changes, and which is active."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import Problem, told
from tablewright.systems.ladders.api.callers import ConfigId, caller_of
from tablewright.systems.ladders.entities import ConfigVersion
from tablewright.systems.ladders.fields import Ladder
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.framing import REFUSED, shown
from tablewright.systems.ladders.pages.names import names_of
from tablewright.systems.ladders.pages.rendered import detail_html, line_html
from tablewright.systems.ladders.pages.rewording import changes_of
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


@dataclass(frozen=True)
class Size:
    """How large a ladder is."""

    ladder: Ladder

    @property
    def categories(self) -> int:
        return len(self.ladder.categories)

    @property
    def competencies(self) -> int:
        return sum(len(each.competencies) for each in self.ladder.categories)

    @property
    def levels(self) -> int:
        return max(
            (len(one.levels) for each in self.ladder.categories for one in each.competencies),
            default=0,
        )


@dataclass(frozen=True)
class VersionLine:
    """A version in the list."""

    config: ConfigVersion
    author: str
    active: bool
    #: Active before the one that is so now.
    previous: bool

    @property
    def path(self) -> str:
        return paths.version_path(self.config.config_id)

    @property
    def size(self) -> Size:
        return Size(self.config.parsed_config)


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/admin/ladders")
    caller = Depends(caller_of(company))

    async def lines_of(by: Caller) -> tuple[list[VersionLine], int]:
        """All versions, and the revision that an activation is made with."""
        versions = await company.configs.list(by)
        pointer = versions.pointer
        names = await names_of(company, (each.created_by for each in versions.configs))
        lines = [
            VersionLine(
                each,
                names.doer(each.created_by),
                pointer is not None and each.config_id == pointer.active_config_id,
                pointer is not None and each.config_id == pointer.previous_config_id,
            )
            for each in versions.configs
        ]
        return lines, 0 if pointer is None else pointer.revision

    @routes.get("")
    async def versions(request: Request, by: Caller = caller) -> Response:
        lines, revision = await lines_of(by)
        return shown(
            pages,
            request,
            "ladders/versions.html",
            by,
            lines=lines,
            revision=revision,
            previous=next((each for each in lines if each.previous), None),
            here=paths.VERSIONS,
            new=f"{paths.VERSIONS}/new",
        )

    @routes.post("/rollback")
    async def rollback(request: Request, by: Caller = caller) -> Response:
        said = _said((await typed(request)).get("revision", ""))
        try:
            active = await company.configs.rollback(by, said)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(request, paths.VERSIONS, told(problem), tone="danger")
        message = f"Version {active.config.version} is active again."
        return pages.done(request, paths.VERSIONS, message)

    @routes.get("/compare")
    async def compare(old: str = "", new: str = "", by: Caller = caller) -> Response:
        """The form of the list leads here."""
        by.require("manage_configs")
        return RedirectResponse(paths.version_path(old, f"/diff/{new}"), 303)

    @routes.get("/{config_id}")
    async def version(request: Request, config_id: ConfigId, by: Caller = caller) -> Response:
        by.require("manage_configs")
        lines, revision = await lines_of(by)
        config = await company.configs.read(by, config_id)
        return shown(
            pages,
            request,
            "ladders/version.html",
            by,
            line=next(each for each in lines if each.config.config_id == config_id),
            ladder=config.parsed_config,
            others=[each for each in lines if each.config.config_id != config_id],
            active=next((each for each in lines if each.active), None),
            revision=revision,
            markdown=f"{paths.BASE}/api/v1/configs/{config_id}/markdown",
            here=paths.version_path(config_id),
            compare=f"{paths.VERSIONS}/compare",
            edit=with_query(f"{paths.VERSIONS}/new", base=config_id),
            line_html=line_html,
            detail_html=detail_html,
            crumbs=[("Versions", paths.VERSIONS)],
        )

    @routes.get("/{config_id}/diff/{other_id}")
    async def diff(
        request: Request, config_id: ConfigId, other_id: str, by: Caller = caller
    ) -> Response:
        found = await company.configs.diff(by, config_id, other_id)
        old = await company.configs.read(by, config_id)
        new = await company.configs.read(by, other_id)
        return shown(
            pages,
            request,
            "ladders/version_diff.html",
            by,
            old=old,
            new=new,
            changes=changes_of(found),
            new_path=paths.version_path(other_id),
            swap=paths.version_path(other_id, f"/diff/{config_id}"),
            crumbs=[("Versions", paths.VERSIONS)],
        )

    @routes.post("/{config_id}/activate")
    async def activate(request: Request, config_id: ConfigId, by: Caller = caller) -> Response:
        said = _said((await typed(request)).get("revision", ""))
        try:
            active = await company.configs.activate(by, config_id, said)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(request, paths.VERSIONS, told(problem), tone="danger")
        message = f"Version {active.config.version} is active. Plans that have begun keep theirs."
        return pages.done(request, paths.VERSIONS, message)

    return routes


def _said(revision: str) -> Precondition:
    """What the page has shown; before the first activation there is nothing to have seen."""
    return Precondition(if_match=f'"{revision}"') if revision not in ("", "0") else UNSAID
