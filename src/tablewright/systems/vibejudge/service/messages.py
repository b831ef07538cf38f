"""What organisers are told while they are not looking.

Each message joins the transaction of what it tells of. It names hackathons and ids, never teams or
people: it goes to webhooks as it is. Its ``person`` is the organiser, whose address is looked up
when the mail is sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from tablewright.model import Put
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox import message
from tablewright.systems.vibejudge.analysis import AnalysisJob
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.judging import APPEALED, Appeal
from tablewright.systems.vibejudge.rules.ids import is_id
from tablewright.systems.vibejudge.rules.job_states import Outcome

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom
    from tablewright.systems.vibejudge.service.freezing import Unfrozen

JOB_FINISHED: Final = "vibejudge.job.finished"
RESULTS_RELEASED: Final = "vibejudge.results.released"
APPEAL_OPENED: Final = "vibejudge.appeal.opened"
FREEZE_INCOMPLETE: Final = "vibejudge.freeze.incomplete"

#: Submissions that one message names.
_MOST_NAMED = 100
_PERSON = "organizer/"


class Messages:
    """Messages to organisers, and where they get them."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def address_of(self, person: str) -> str | None:
        """Where an organiser gets mail now; None if they are gone."""
        org_id = person.removeprefix(_PERSON)
        if not person.startswith(_PERSON) or not is_id(org_id):
            return None
        found = await self._courtroom.organizers.stored(org_id)
        return None if found is None else found.email

    # --- what is told ----------------------------------------------------------------------------

    def job_finished(
        self, hackathon: HackathonDetail, job: AnalysisJob, status: Outcome
    ) -> Put[OutboxEntry]:
        counts = {
            "total": job.total_submissions,
            "completed": job.completed_submissions,
            "failed": job.failed_submissions,
            "blocked": job.blocked_submissions,
            "cancelled": job.cancelled_submissions,
        }
        text = ", ".join(f"{count} {name}" for name, count in counts.items() if name != "total")
        trial = " It was a trial run: the hackathon is still open for teams." if job.trial else ""
        return self._message(
            JOB_FINISHED,
            hackathon,
            f"The analysis has {_ENDED[status]}",
            f"Of {job.total_submissions} submissions: {text}.{_NEXT[status]}{trial}",
            "/run",
            {"job_id": job.job_id, "status": status, "submissions": dict(counts)},
        )

    def results_released(self, hackathon: HackathonDetail) -> Put[OutboxEntry]:
        hours = int(APPEALED.total_seconds() // 3600)
        return self._message(
            RESULTS_RELEASED,
            hackathon,
            "The results are released",
            f"{_BOARD[hackathon.visibility]} Teams can see their cards, "
            f"and may appeal for {hours} hours.",
            "/leaderboard",
            {},
        )

    def appeal_opened(self, hackathon: HackathonDetail, appeal: Appeal) -> Put[OutboxEntry]:
        """Without what the team says: that is for its organiser alone."""
        return self._message(
            APPEAL_OPENED,
            hackathon,
            "A team has appealed",
            "Read what it says, then uphold the appeal or reject it.",
            f"/judging/appeals/{appeal.sub_id}",
            {"sub_id": appeal.sub_id, "appeal_id": appeal.appeal_id},
        )

    def freeze_incomplete(
        self, hackathon: HackathonDetail, unfrozen: Sequence[Unfrozen]
    ) -> Put[OutboxEntry]:
        named: list[JsonValue] = [
            {"sub_id": each.submission.sub_id, "code": each.code} for each in unfrozen[:_MOST_NAMED]
        ]
        count = len(unfrozen)
        return self._message(
            FREEZE_INCOMPLETE,
            hackathon,
            f"{count} submission{' is' if count == 1 else 's are'} not frozen",
            "Their repositories could not be read at the end. They are analysed at the commit that "
            "they have then, or fail. Each submission says why.",
            "/submissions",
            {"count": count, "submissions": named},
        )

    # --- how -------------------------------------------------------------------------------------

    def _message(
        self,
        kind: str,
        hackathon: HackathonDetail,
        title: str,
        text: str,
        page: str,
        data: Mapping[str, JsonValue],
    ) -> Put[OutboxEntry]:
        """Messages of one hackathon leave in their order."""
        hack_id, url = hackathon.hack_id, self._courtroom.runtime.settings.url
        link = f"{url}/vibejudge/hackathons/{hack_id}{page}"
        body: dict[str, JsonValue] = {
            "person": f"{_PERSON}{hackathon.org_id}",
            "title": f"{hackathon.name}: {title}",
            "text": f"{hackathon.name}\n\n{title}. {text}\n\n{link}\n",
            "url": link,
            "hack_id": hack_id,
            "hackathon": hackathon.name,
            **data,
        }
        return message(kind, f"hackathon/{hack_id}", body, at=self._courtroom.now())


_ENDED: Final[Mapping[Outcome, str]] = {
    "completed": "ended",
    "failed": "failed",
    "cancelled": "been cancelled",
}
_BOARD: Final = {
    "public": "Everybody can see the leaderboard now.",
    "private": "The leaderboard stays yours.",
}
_NEXT: Final[Mapping[Outcome, str]] = {
    "completed": "",
    "failed": " It can be resumed: with more budget, if submissions are blocked.",
    "cancelled": " It can be resumed.",
}
