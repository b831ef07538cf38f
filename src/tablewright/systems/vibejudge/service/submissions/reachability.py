"""Whether a repository can be read, asked when it is handed in.

The submission is stored first: a host that is slow or away must not cost a team its deadline. What
is wrong is a warning for the team and a note for the organiser, which goes once a commit is frozen.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tablewright.model.errors import ConditionFailed
from tablewright.systems.vibejudge import writes
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.heads import head_of
from tablewright.systems.vibejudge.repos.limits import MB, Limits

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger(__name__)

#: Somebody waits for the answer.
_PATIENCE_SECS: Final = 4.0
_LIMITS: Final = Limits(secs=_PATIENCE_SECS, listing_bytes=MB, repo_bytes=16 * MB)
#: Hosts asked at once; further submissions are stored without a check.
_AT_ONCE: Final = 4


class Reachability:
    """Asks hosts for repositories that were just handed in."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def warn(self, hack_id: str, sub_id: str, url: str) -> str | None:
        """Return what is wrong with a repository; None if it is there or the host is slow.

        One write: the reason, as long as no commit is frozen and the submission waits.
        """
        if not self._courtroom.options.check_repositories or self._room.locked():
            return None
        async with self._room:
            reason = await self._reason(url)
        if reason is None:
            return None
        warning = f"The repository could not be reached: {reason}."
        now = self._courtroom.now()
        with suppress(ConditionFailed):
            await self._courtroom.db.run(writes.note_unfrozen(hack_id, sub_id, warning, now))
        return warning

    async def _reason(self, url: str) -> str | None:
        access = self._courtroom.access
        try:
            async with asyncio.timeout(_PATIENCE_SECS + 1):
                await asyncio.to_thread(head_of, url, access, _LIMITS)
        except RepoError as error:
            return None if error.code in ("REPO_TIMEOUT", "GIT_UNUSABLE") else error.reason
        except TimeoutError:
            return None
        except OSError:
            log.exception("git could not be started")
        return None
