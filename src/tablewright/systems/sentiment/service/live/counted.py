"""A stream that says when it is over."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send


class Counted(Response):
    """An answer that calls ``over`` once it has been sent, or nobody listens any more."""

    def __init__(self, answer: StreamingResponse, over: Callable[[], None]) -> None:
        super().__init__(status_code=answer.status_code, media_type=answer.media_type)
        self.raw_headers = answer.raw_headers
        self._answer = answer
        self._over = over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._answer(scope, receive, send)
        finally:
            self._over()
