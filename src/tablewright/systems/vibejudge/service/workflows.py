"""How often a repository's own checks have run, and how well: only its host can tell.

GitHub is asked if there is a token for it. What it does not tell, or not in time, is absent: no
score rests on it. The token goes into a header, and from there nowhere.
"""

from __future__ import annotations

import asyncio
import logging
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import orjson

from tablewright.service.settings import SettingsError, is_secure
from tablewright.systems.vibejudge.entities import RepoMeta, Submission, repo_key

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

_HOST: Final = "github.com/"
_TIMEOUT_SECS: Final = 5.0
#: Runs that the share of good ones is taken of: the latest.
_LATEST: Final = 100
_MOST_BYTES: Final = 4 * 1024 * 1024
_GOOD: Final = "success"
#: Neither good nor bad.
_UNDECIDED: Final = frozenset({"cancelled", "skipped", "neutral", "stale", "action_required"})


class Workflows:
    """Asks the host of a repository about its checks."""

    def __init__(self, courtroom: Courtroom) -> None:
        options = courtroom.options
        if not is_secure(options.github_url):
            raise SettingsError(
                f"github_url in [vibejudge]: {options.github_url}: must begin with https://"
            )
        self._base = options.github_url.rstrip("/")
        self._token = options.github_token

    async def added(self, submission: Submission, meta: RepoMeta) -> RepoMeta:
        """The same, with what the host tells; unchanged if nobody may be asked."""
        if self._token is None or not repo_key(submission.repo_url).startswith(_HOST):
            return meta
        try:
            async with asyncio.timeout(_TIMEOUT_SECS):
                told = await self._asked(submission, self._token.get_secret_value())
        except Exception as error:
            log.info("no checks are known of %s: %s", submission.sub_id, type(error).__name__)
            return meta
        return meta.model_copy(update=_read(told))

    async def _asked(self, submission: Submission, token: str) -> object:
        import httpx2

        path = f"/repos/{submission.repo_owner}/{submission.repo_name}/actions/runs"
        headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "User-Agent": "tablewright",
        }
        wanted = {"per_page": str(_LATEST), "status": "completed"}
        # A redirect would carry the token to whoever it leads to.
        async with (
            httpx2.AsyncClient(timeout=_TIMEOUT_SECS, follow_redirects=False) as client,
            client.stream("GET", self._base + path, params=wanted, headers=headers) as answer,
        ):
            answer.raise_for_status()
            body = bytearray()
            async for part in answer.aiter_bytes():
                body += part
                if len(body) > _MOST_BYTES:
                    raise ValueError("the answer is too long")
        return orjson.loads(bytes(body))


def _read(told: object) -> dict[str, Any]:
    """What an answer of the host says; nothing if it is not what was asked for."""
    if not isinstance(told, dict):
        return {}
    count, runs = told.get("total_count"), told.get("workflow_runs")
    if not isinstance(count, int) or count < 0 or not isinstance(runs, list):
        return {}
    ends = [each.get("conclusion") for each in runs if isinstance(each, dict)]
    decided = [each for each in ends if isinstance(each, str) and each not in _UNDECIDED]
    found: dict[str, Any] = {"workflow_run_count": count}
    if decided:
        share = Decimal(decided.count(_GOOD)) / len(decided)
        found["workflow_success_rate"] = round(share, 4)
    return found
