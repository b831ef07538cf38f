"""Somebody who uses a system, and writes down what they were told."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import httpx2 as httpx
import orjson

from soak.issuer import Issuer
from soak.journal import Deed, Journal, Outcome, outcome_of
from soak.place import Place

_PATIENCE_SECS = 20.0
#: How often the same is asked again while nobody knows, and after how long.
AGAIN, AGAIN_SECS = 40, 0.5


class Interrupted(Exception):
    """What was begun cannot go on: something was refused, or is not known."""


@dataclass(frozen=True)
class Reply:
    """What was answered; status 0 is nothing."""

    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def outcome(self) -> Outcome:
        return outcome_of(self.status)

    @property
    def ok(self) -> bool:
        return self.outcome == "acknowledged"

    @property
    def known(self) -> bool:
        return self.outcome in ("acknowledged", "refused")

    @property
    def code(self) -> str:
        """Of a problem document."""
        problem = self.status >= 400 and isinstance(self.body, dict)
        return str(self.body.get("code", "")) if problem else ""


class Driver(ABC):
    """Uses one system."""

    system: str
    clients = 2
    #: Between two things that a client does.
    pause_secs = 0.3

    def __init__(self, place: Place, journal: Journal, http: httpx.AsyncClient, seed: int) -> None:
        self.place = place
        self.journal = journal
        self.http = http
        self.chance = Random(f"{self.system} {seed}")

    # --- what a system fills in ------------------------------------------------------------------

    @abstractmethod
    async def prepare(self) -> None:
        """What has to be there before anything is used; nothing goes wrong meanwhile."""

    @abstractmethod
    async def step(self) -> None:
        """One thing that somebody does."""

    async def settle(self) -> None:
        """When nobody uses it any more: wait until nothing is under way."""
        return

    # --- asking ----------------------------------------------------------------------------------

    async def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str,
        root: str | None = None,
        **headers: str,
    ) -> Reply:
        """One request, whatever comes of it."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            given["Authorization"] = f"Bearer {token}"
        url = f"/{self.system}{'/api/v1' if root is None else root}{path}"
        sent = None if body is None else orjson.dumps(body)
        if sent is not None:
            given["Content-Type"] = "application/json"
        try:
            found = await self.http.request(
                method, url, content=sent, headers=given, timeout=_PATIENCE_SECS
            )
            reply = Reply(found.status_code, _parsed(found), dict(found.headers))
        except httpx.HTTPError:
            reply = Reply(0, None, {})
        self.journal.asked(self.system, reply.status, write=method != "GET", code=reply.code)
        if reply.outcome == "broken":
            self.journal.complain(self.system, f"{method} {url}: {reply.status} {reply.body}")
        return reply

    async def done(self, method: str, path: str, body: object = None, **given: Any) -> Any:
        """What is answered to somebody who may; else it cannot go on."""
        reply = await self.ask(method, path, body, **given)
        if not reply.ok:
            raise Interrupted(f"{method} {path}: {reply.status} {reply.code}")
        return reply.body

    async def surely(self, method: str, path: str, body: object = None, **given: Any) -> Reply:
        """The same again, as careful programs do, until the answer is known."""
        for _ in range(AGAIN):
            reply = await self.ask(method, path, body, **given)
            if reply.known:
                return reply
            await asyncio.sleep(AGAIN_SECS)
        return reply

    def note(self, kind: str, key: str, outcome: Outcome, **facts: Any) -> None:
        self.journal.add(Deed(self.system, kind, key, outcome, facts))

    def audited(self, reply: Reply, action: str, subject: str) -> None:
        """Something that has to be in the audit log if it was acknowledged."""
        self.note("audited", f"{action} {subject}", reply.outcome, action=action, subject=subject)

    # --- who and when ----------------------------------------------------------------------------

    @property
    def issuer(self) -> Issuer:
        return self.place.issuer

    def admin(self) -> str:
        return self.issuer.token("soak-admin", f"{self.system}:admin", at=self.now())

    def person(self, name: str) -> str:
        return self.issuer.token(f"user-{name}", at=self.now(), email=f"{name}@people.example")

    def now(self) -> float:
        return self.place.clock.now()

    def after(self, **much: float) -> str:
        at = datetime.fromtimestamp(self.now(), UTC) + timedelta(**much)
        return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def _parsed(found: httpx.Response) -> Any:
    if found.content and "json" in found.headers.get("content-type", ""):
        return orjson.loads(found.content)
    return found.text
