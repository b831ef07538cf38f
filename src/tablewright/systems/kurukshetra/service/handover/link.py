"""Vibejudge at an address, with an API key of an organiser there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urljoin

import orjson
from pydantic import SecretStr

from tablewright.clock import Clock
from tablewright.service.outbound import retry_after
from tablewright.service.ports import HandedRow, RowResult
from tablewright.service.problems import Problem, conflict

if TYPE_CHECKING:
    import httpx2

#: It stores hundreds of rows before it answers.
_TIMEOUT_SECS, _CONNECT_SECS = 120.0, 5.0
#: Rows that it stores by and by are asked for so often, for so long.
_PAUSE_SECS, _PATIENCE_SECS = 2.0, 600.0
#: Before another try of what is sent too fast.
_LONGEST_PAUSE: Final = 60.0


class Link:
    """The way to vibejudge; its connections are opened when first needed."""

    def __init__(self, url: str, key: SecretStr, clock: Clock) -> None:
        self._url = url.rstrip("/")
        self._key = key
        self._clock = clock
        self._http: httpx2.AsyncClient | None = None

    async def close(self) -> None:
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    async def hand_over(self, hack_id: str, rows: Sequence[HandedRow]) -> list[RowResult]:
        """One request; a Problem 503 if it does not answer, 409 if it takes nothing at all."""
        url = f"{self._url}/api/v1/hackathons/{quote(hack_id, safe='')}/submissions"
        sent = [
            {
                "team_name": each.team_name,
                "repo_url": each.repo_url,
                "external_id": each.external_id,
            }
            for each in rows
        ]
        answer = await self._patiently("POST", url, orjson.dumps({"submissions": sent}))
        body = _object(answer)
        if answer.status_code == 202:
            body = await self._stored(urljoin(url, answer.headers.get("location", "")))
        elif answer.status_code != 207:
            raise _refused(answer.status_code, body)
        return _results(rows, body.get("results"))

    async def _patiently(self, method: str, url: str, body: bytes | None = None) -> httpx2.Response:
        """Wait once if it says that this was too fast."""
        answer = await self._asked(method, url, body)
        if answer.status_code != 429:
            return answer
        pause = retry_after(answer.headers.get("retry-after"), self._clock.now()) or 1.0
        await asyncio.sleep(min(_LONGEST_PAUSE, pause))
        return await self._asked(method, url, body)

    async def _stored(self, url: str) -> Mapping[str, Any]:
        """Rows that are stored by and by, once all are."""
        ends = time.monotonic() + _PATIENCE_SECS
        while time.monotonic() < ends:
            answer = await self._patiently("GET", url)
            body = _object(answer)
            if answer.status_code != 200 or body.get("state") == "failed":
                raise _away(str(body.get("code") or "its import failed"))
            if body.get("state") == "done":
                return body
            await asyncio.sleep(_PAUSE_SECS)
        raise _away("its import takes too long")

    async def _asked(self, method: str, url: str, body: bytes | None) -> httpx2.Response:
        import httpx2

        head = {"X-API-Key": self._key.get_secret_value(), "Content-Type": "application/json"}
        try:
            return await self._opened().request(method, url, content=body, headers=head)
        except httpx2.HTTPError as error:
            raise _away(type(error).__name__) from error

    def _opened(self) -> httpx2.AsyncClient:
        import httpx2

        if self._http is None:
            timeout = httpx2.Timeout(_TIMEOUT_SECS, connect=_CONNECT_SECS)
            self._http = httpx2.AsyncClient(timeout=timeout, follow_redirects=False)
        return self._http


def _results(rows: Sequence[HandedRow], results: object) -> list[RowResult]:
    """In the order of the rows; what is not told is not taken for done."""
    told = results if isinstance(results, list) else []
    by_index = {each.get("index"): each for each in told if isinstance(each, dict)}
    return [_result(row, by_index.get(place)) for place, row in enumerate(rows)]


def _result(row: HandedRow, told: Mapping[str, Any] | None) -> RowResult:
    status, sub_id = (told or {}).get("status"), (told or {}).get("sub_id")
    if status in (200, 201) and isinstance(sub_id, str):
        return RowResult(row.external_id, sub_id, status == 201)
    problem = (told or {}).get("problem")
    said = problem if isinstance(problem, dict) else {}
    code = str(said.get("code") or f"HTTP_{status}")[:60]
    return RowResult(row.external_id, code=code, detail=str(said.get("detail") or "")[:300])


def _refused(status: int, body: Mapping[str, Any]) -> Problem:
    """Nothing was taken: for good, or because it has a bad moment."""
    code = str(body.get("code") or f"HTTP_{status}")[:60]
    if status >= 500 or status == 429:
        return _away(code)
    detail = f"Vibejudge takes nothing: {code}. {body.get('detail') or ''}"
    return conflict("JUDGING_REFUSED", detail[:400])


def _away(why: str) -> Problem:
    return Problem(503, "JUDGING_UNAVAILABLE", f"Vibejudge does not answer: {why}.")


def _object(answer: httpx2.Response) -> Mapping[str, Any]:
    try:
        found = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
