"""Name, track and repository of a team."""

from __future__ import annotations

from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import busy, outdated, refused_at
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import Problem
from tablewright.service.repo_urls import BadRepoUrl, RepoUrl, parse
from tablewright.systems.kurukshetra import teaming
from tablewright.systems.kurukshetra.bodies.teams import TeamChange
from tablewright.systems.kurukshetra.reads import TeamPage
from tablewright.systems.kurukshetra.rules import team_states
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.refusing import ended
from tablewright.systems.kurukshetra.service.teams.founding import bad_field, checked_name
from tablewright.systems.kurukshetra.service.teams.looking import Looking
from tablewright.systems.kurukshetra.service.teams.refusals import (
    name_taken,
    not_unpaid,
    repository_taken,
    unknown_track,
)
from tablewright.systems.kurukshetra.service.versions import check_seen, outdated_change
from tablewright.systems.kurukshetra.teams import RepositoryLock, Submission, Team, TeamNameLock

_TRIES = 8
#: As the key of a lock has it.
_LONGEST_KEY = 200


class Naming(Looking):
    """What a team is called, and where its work is."""

    async def edit(self, by: Caller, t: str, body: TeamChange, said: Precondition = UNSAID) -> Team:
        """Another name or track, of an unpaid team, from what somebody has seen. [T9]

        One transaction: the team, unpaid and at the version that was read; and with another name
        the new lock, which is free, and the old one, which goes.
        """
        config = await self._festival.events.config(by.event_id)
        page = await self.owned(by, t, lead=True)
        check_seen(said, page.team.version)
        if body.track is not None and body.track not in config.tracks:
            raise unknown_track(config)
        op = self._edited(page.team, body)
        if op is None:
            return page.team
        try:
            await self._settle(together(op, *self._noted(by, page, "team.change")))
        except TransactionCancelled as cancelled:
            if refused_at(cancelled, TeamNameLock):
                raise name_taken() from None
            if outdated(cancelled):
                raise outdated_change() from None
            raise
        return (await self.owned(by, t)).team

    async def repository(self, by: Caller, t: str, url: str) -> Submission:
        """The team's repository, which no other team has; another one is handed over anew. [T9]

        One transaction: the submission, new or at the version that was read; the team, which was
        not disbanded; the new lock, which is free; and the old one, which goes.
        """
        wanted = _parsed(url)
        for _ in range(_TRIES):
            page = await self.owned(by, t, lead=True)
            if team_states.is_over(page.team.payment_status):
                raise ended()
            before = page.submission
            if before is not None and before.repo_url == wanted.page:
                return before
            op = self._submitted(page, wanted)
            try:
                await self._settle(together(op, *self._noted(by, page, "team.repository")))
            except TransactionCancelled as cancelled:
                if refused_at(cancelled, RepositoryLock):
                    raise repository_taken() from None
                if not (refused_at(cancelled, Submission) or refused_at(cancelled, Team)):
                    raise
                continue
            found = (await self.owned(by, t)).submission
            if found is not None:
                return found
        raise busy("BUSY")

    # --- inside ----------------------------------------------------------------------------------

    def _edited(self, team: Team, body: TeamChange) -> Op[object] | None:
        name = team.name if body.name is None else checked_name(body.name)
        track = body.track or team.track
        if (name, track) == (team.name, team.track):
            return None
        if team.payment_status != "unpaid":
            raise not_unpaid(team)
        now = self._festival.now()
        if name == team.name:
            return teaming.change_track(team, track, now)
        return teaming.rename_team(team, name, now, track)

    def _submitted(self, page: TeamPage, wanted: RepoUrl) -> Op[object]:
        now, before = self._festival.now(), page.submission
        submission = Submission(
            event_id=page.team.event_id,
            team_id=page.team.team_id,
            repo_url=wanted.page,
            repository=wanted.key,
            created_at=now if before is None else before.created_at,
            updated_at=now,
            version=0 if before is None else before.version,
        )
        return teaming.set_repository(submission, None if before is None else before.repository)


def _parsed(url: str) -> RepoUrl:
    try:
        wanted = parse(url)
    except BadRepoUrl as bad:
        raise _bad_repo(bad) from None
    if len(wanted.key) > _LONGEST_KEY:
        raise _bad_repo("the address is too long")
    return wanted


def _bad_repo(why: object) -> Problem:
    return bad_field("repo_url", why)
