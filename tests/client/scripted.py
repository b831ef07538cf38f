"""A transport that says what the test tells it to say."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from typing import Any

from tablewright.client import AsyncDb, Db, RequestEvent, Retries
from tablewright.client.transports import Failure, Request, Response, Unreachable

Answer = dict[str, Any] | Failure | Unreachable | Callable[[Request], dict[str, Any]]


class Script:
    """Answers in their order; what was asked is in ``requests``."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.requests: list[Request] = []

    @property
    def left(self) -> int:
        return len(self._answers)

    def send(self, request: Request) -> Response:
        self.requests.append(Request(request.operation, copy.deepcopy(request.body)))
        assert self._answers, f"nothing was to be asked any more, but {request} was"
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Response(answer(request) if callable(answer) else answer, 10, 20)

    def close(self) -> None:
        """Nothing to give back."""


class AsyncScript:
    """The same for coroutines."""

    def __init__(self, script: Script) -> None:
        self._script = script

    async def send(self, request: Request) -> Response:
        await asyncio.sleep(0)
        return self._script.send(request)

    async def close(self) -> None:
        """Nothing to give back."""


QUICK = Retries(attempts=4, budget=5.0, base=0.0001, cap=0.001)


class Runner:
    """Runs ops on a script, with threads or coroutines."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.events: list[RequestEvent] = []

    def run(self, script: Script, op: Any, retries: Retries = QUICK) -> Any:
        hook = self.events.append
        if self._kind == "sync":
            return Db(script, retries=retries, hook=hook).run(op)

        async def main() -> Any:
            async with AsyncDb(AsyncScript(script), retries=retries, hook=hook) as db:
                return await db.run(op)

        return asyncio.run(main())


def throttled(code: str = "ProvisionedThroughputExceededException") -> Failure:
    return Failure(code, "too much")


def broken(code: str = "InternalServerError", status: int = 500) -> Failure:
    return Failure(code, "broken", status)


def lost() -> Unreachable:
    return Unreachable("the connection was closed", sent=True)


def unsent() -> Unreachable:
    return Unreachable("no route", sent=False)


def failed_condition(item: dict[str, Any] | None = None) -> Failure:
    body = {} if item is None else {"Item": item}
    return Failure("ConditionalCheckFailedException", "The conditional request failed", 400, body)


def cancelled(*reasons: dict[str, Any]) -> Failure:
    return Failure(
        "TransactionCanceledException", "cancelled", 400, {"CancellationReasons": list(reasons)}
    )
