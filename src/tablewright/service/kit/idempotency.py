"""Requests that may be repeated: the same key gets the same answer, and the work is done once.

Theory of operation. A request under a new key writes a record first; of all who come with the key,
one succeeds and does the work. Its answer is put into the record, for whoever repeats the request.
A key with another request is a mistake of the caller; a key whose request is still being worked on
is to be tried again later. A request that failed has had no effect, so its record goes; one that
was cut off stays, for it may have had one. An answer that is too large to be kept is lost to who
repeats the request, but the work is not done twice.

A process that dies in the middle leaves a record that nobody works on; after a while the next
repetition takes it over and does the work again. A use case for which that is not good enough adds
:meth:`Attempt.done` to its transaction: then the work and the record are one, and an attempt that
was taken over cannot commit any more.

Answers may hold secrets that are shown once. They are encrypted under a key that is made from the
caller's own, of which only a hash is stored.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.model import Put
from tablewright.model.errors import (
    AlreadyExists,
    ConditionFailed,
    OutcomeUnknown,
    TablewrightError,
)
from tablewright.service.kit.entities import IdempotencyRecord
from tablewright.service.kit.patterns import (
    begin_request,
    finish_request,
    forget_request,
    take_over_request,
)
from tablewright.service.problems import Problem

logger = logging.getLogger(__name__)

#: How long an answer is kept.
KEPT = timedelta(hours=24)
#: How long an attempt may take before it counts as lost, at least.
BUSY_SECS = 60.0
#: Bytes of an answer that can be kept; of a larger one, only that the work was done.
MOST_BYTES = 256 * 1024
_LONGEST_KEY = 255
_NONCE = 12


@dataclass(frozen=True)
class Answer:
    """What a request was answered."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    #: It is the answer to an earlier request with the same key.
    repeated: bool = False


@dataclass(frozen=True)
class Attempt:
    """The work on one request, by the one who may do it."""

    record: IdempotencyRecord
    _sealing: bytes = field(repr=False)

    def done(self, answer: Answer) -> Put[IdempotencyRecord]:
        """That the work is done, to join its transaction; refused if another took it over."""
        kept = len(answer.body) <= MOST_BYTES
        text = _sealed(self._sealing, self.record.key_hash, answer.body) if kept else None
        return finish_request(
            self.record.model_copy(
                update={
                    "state": "DONE",
                    "status": answer.status,
                    "headers": dict(answer.headers),
                    "sealed": text,
                }
            )
        )


class Idempotency:
    """The keys of one system's callers."""

    def __init__(
        self, db: AsyncDb, clock: Clock, secret: bytes, *, busy_secs: float = BUSY_SECS
    ) -> None:
        self._db = db
        self._clock = clock
        self._secret = secret
        self._busy_secs = busy_secs

    async def run(
        self,
        caller: str,
        key: str,
        request_hash: str,
        work: Callable[[Attempt], Awaitable[Answer]],
    ) -> Answer:
        """The answer to a request: by doing the work, or as it was answered before."""
        begun = await self.begin(caller, key, request_hash)
        if isinstance(begun, Answer):
            return begun
        try:
            answer = await work(begun)
        except OutcomeUnknown:
            raise  # it may have been done: the record stays until that must have shown
        except Exception:
            await self._forget(begun)
            raise
        await self._finish(begun, answer)
        return answer

    async def begin(self, caller: str, key: str, request_hash: str) -> Attempt | Answer:
        """An attempt at a request, or the answer that it has had."""
        _check(key)
        sealing = self._derived("answer", caller, key)
        now = datetime.fromtimestamp(self._clock.now(), UTC)
        record = IdempotencyRecord(
            key_hash=self._derived("key", caller, key).hex(),
            request_hash=request_hash,
            busy_until=now + timedelta(seconds=self._busy_secs),
            expires_at=now + KEPT,
        )
        try:
            await self._db.run(begin_request(record))
        except AlreadyExists as taken:
            if not isinstance(taken.item, IdempotencyRecord):
                raise
            return await self._known(taken.item, record, sealing)
        return Attempt(record, sealing)

    async def _known(
        self, found: IdempotencyRecord, record: IdempotencyRecord, sealing: bytes
    ) -> Attempt | Answer:
        """A key that is not new."""
        if found.request_hash != record.request_hash:
            detail = "This Idempotency-Key was used for another request. Take a new one."
            raise Problem(422, "IDEMPOTENCY_MISMATCH", detail)
        if found.state == "DONE":
            return _answer(found, sealing)
        if found.busy_until.timestamp() > self._clock.now():
            raise _in_progress()
        try:
            await self._db.run(take_over_request(record, found.attempt))
        except ConditionFailed as failed:
            raise _in_progress() from failed
        return Attempt(record, sealing)

    async def _finish(self, attempt: Attempt, answer: Answer) -> None:
        """Keep the answer. The work is done: nothing that goes wrong here changes that."""
        if answer.status >= 500:
            await self._forget(attempt)
            return
        try:
            await self._db.run(attempt.done(answer))
        except TablewrightError as error:
            logger.warning("the answer of a request could not be kept: %s", error)

    async def _forget(self, attempt: Attempt) -> None:
        record = attempt.record
        try:
            await self._db.run(forget_request(record.key_hash, record.attempt))
        except ConditionFailed:
            pass  # it is done after all, or another attempt has taken over
        except TablewrightError as error:
            logger.warning("a failed request could not be forgotten: %s", error)

    def _derived(self, purpose: str, caller: str, key: str) -> bytes:
        """32 bytes that only this caller's key and our secret give."""
        parts = (purpose.encode(), caller.encode(), key.encode())
        text = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return hmac.new(self._secret, text, hashlib.sha256).digest()


def request_hash(method: str, target: str, content_type: str, body: bytes) -> str:
    """What makes a request the same as another."""
    digest = hashlib.sha256()
    for part in (method.encode(), target.encode(), content_type.encode(), body):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def _check(key: str) -> None:
    if not 1 <= len(key) <= _LONGEST_KEY or not key.isascii() or not key.isprintable():
        detail = f"An Idempotency-Key has 1 to {_LONGEST_KEY} printable ASCII characters."
        raise Problem(400, "BAD_IDEMPOTENCY_KEY", detail)


def _in_progress() -> Problem:
    detail = "A request with this Idempotency-Key is being worked on. Repeat yours in a moment."
    return Problem(409, "IN_PROGRESS", detail, headers={"Retry-After": "1"})


def _sealed(key: bytes, bound: str, text: bytes) -> bytes:
    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(key).encrypt(nonce, text, bound.encode())


def _answer(found: IdempotencyRecord, sealing: bytes) -> Answer:
    assert found.status is not None
    sealed = found.sealed or b""
    try:
        body = AESGCM(sealing).decrypt(sealed[:_NONCE], sealed[_NONCE:], found.key_hash.encode())
    except (InvalidTag, ValueError):
        detail = "This request was done, but its answer cannot be shown again."
        raise Problem(409, "ANSWER_LOST", detail) from None
    return Answer(found.status, body, found.headers, repeated=True)
