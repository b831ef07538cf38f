"""Jobs, as the pages that ask for them show them: how far each is, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from pydantic import JsonValue
from starlette.responses import Response

from tablewright.service.pages import Pages
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.jobs import Job
from tablewright.systems.kurukshetra.pages import writing
from tablewright.systems.kurukshetra.pages.paths import admin_path
from tablewright.systems.kurukshetra.people import RoleName
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.certificates.issuing import UNPRINTABLE_PEOPLE

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Who sees jobs.
READERS: Final[tuple[RoleName, ...]] = ("organizer", "finance", "admin")
_LISTED: Final = 5
_READ: Final = 50
#: Names that a line shows.
_NAMED: Final = 10
#: What people call the kinds.
NAMES: Final = {
    "certificates": "Certificates",
    "handover": "Handover to judging",
    "mail": "Mail",
    "reconcile": "Reconciliation",
}
#: Counts of what came of a job that are worth a word, in their order.
_COUNTS: Final = {
    "issued": "issued",
    "printable": "can be printed",
    "unprintable": "cannot be printed",
    "there_already": "there already",
    "not_there": "not checked in",
    "no_project": "without a project",
    "queued": "on their way",
    "created": "handed over",
    "unchanged": "known there",
    "before": "handed over before",
    "refused": "not taken",
    "changed": "changed meanwhile",
    "no_repository": "without a repository",
    "compared": "compared",
    "findings": "with a difference",
}


@dataclass(frozen=True)
class JobLine:
    """A job, as people read it."""

    job: Job
    #: Of people whose certificates cannot be printed.
    unprintable: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return f"job-{self.job.job_id}"

    @property
    def path(self) -> str:
        """The part of a page that is this line."""
        return admin_path(self.job.event_id, f"/jobs/{self.job.job_id}")

    @property
    def title(self) -> str:
        return NAMES.get(self.job.kind, self.job.kind.replace("-", " ").capitalize())

    @property
    def going(self) -> bool:
        return self.job.state in ("queued", "running")

    @property
    def share(self) -> float:
        """How much is done, of a hundred."""
        total = self.job.total or 0
        return 100 * self.job.done / total if total else 0.0

    @property
    def outcome(self) -> str:
        """``12 issued, 1 not checked in``."""
        found = [
            f"{value} {words}"
            for name, words in _COUNTS.items()
            if isinstance(value := self.job.result.get(name), int) and value
        ]
        return ", ".join(found) or ("Nothing to do" if self.job.state == "done" else "")

    @property
    def names(self) -> str:
        """Whose certificates cannot be printed: ``Ren and 3 others``."""
        shown, more = self.unprintable[:_NAMED], self._unprintable_count - _NAMED
        listed = [*shown, *([f"{more} others"] if more > 0 else [])]
        return writing.listed(listed)

    @property
    def _unprintable_count(self) -> int:
        count = self.job.result.get("unprintable")
        return count if isinstance(count, int) else 0

    @property
    def about(self) -> str:
        """What exactly was asked for."""
        said = self.job.detail
        parts = [_text(said.get(name)) for name in ("kind", "subject", "day", "list_id")]
        if said.get("check_only") is True:
            parts.insert(0, "check of names")
        return ", ".join(each for each in parts if each)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


async def latest(
    festival: Festival, by: Caller, kind: str | None = None, limit: int = _LISTED
) -> list[JobLine]:
    """Those of the caller's event, of one kind if wanted; none for who may not see them."""
    if not by.has(*READERS):
        return []
    found = await festival.jobs.all(by, _READ if kind else limit, None)
    jobs = [each for each in found if kind in (None, each.kind)][:limit]
    return [await line_of(festival, by, each) for each in jobs]


async def line_of(festival: Festival, by: Caller, job: Job) -> JobLine:
    """A job with the names in it, which are read now: a job itself names nobody."""
    ids = job.result.get(UNPRINTABLE_PEOPLE)
    if not isinstance(ids, list) or not ids or not by.has("organizer"):
        return JobLine(job)
    names = await festival.certificates.names_of(by, [str(each) for each in ids[:_NAMED]])
    return JobLine(job, tuple(names))


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/jobs")
    reader = Depends(role_of(festival, *READERS))

    @routes.get("/{job_id}")
    async def line(request: Request, job_id: str, by: Caller = reader) -> Response:
        """One line of a list of jobs; it asks for itself until the job has ended."""
        found = await festival.jobs.read(by, job_id)
        return pages.render(
            request, "kurukshetra/job.html", line=await line_of(festival, by, found)
        )

    return routes
