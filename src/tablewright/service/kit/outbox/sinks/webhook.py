"""Messages to a webhook, signed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.clock import Clock
from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.signing import HEADER, signature
from tablewright.service.kit.outbox.sinks.base import SendFailed
from tablewright.service.outbound import retry_after

if TYPE_CHECKING:
    import httpx2

_TIMEOUT_SECS = 10.0
#: The receiver says that it does not want this one, now or later.
_PERMANENT = frozenset({410, 413, 414, 415, 422})


class WebhookSink:
    """Posts each message to one address."""

    name = "webhook"

    def __init__(self, url: str, secret: str, clock: Clock) -> None:
        self._url = url
        self._secret = secret
        self._clock = clock
        self._client: httpx2.AsyncClient | None = None

    def takes(self, message: Message) -> bool:
        return True

    async def send(self, message: Message) -> None:
        import httpx2

        body = message.as_json()
        try:
            head = self._head(message, body)
            answer = await self._opened().post(self._url, content=body, headers=head)
        except httpx2.HTTPError as error:
            # Not its text: it may hold the address, and that a password.
            raise SendFailed(f"the webhook failed: {type(error).__name__}") from error
        if not answer.is_success:
            raise self._refusal(answer)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _opened(self) -> httpx2.AsyncClient:
        import httpx2

        if self._client is None:
            # A redirect would carry what we signed to an address that nobody has configured.
            self._client = httpx2.AsyncClient(timeout=_TIMEOUT_SECS, follow_redirects=False)
        return self._client

    def _head(self, message: Message, body: bytes) -> dict[str, str]:
        return {
            "Content-Type": "application/json",
            "User-Agent": "tablewright",
            "Tablewright-Message-Id": message.id,
            "Tablewright-Kind": message.kind,
            HEADER: signature(self._secret, body, self._clock.now()),
        }

    def _refusal(self, answer: httpx2.Response) -> SendFailed:
        return SendFailed(
            f"the webhook answered {answer.status_code}",
            permanent=answer.status_code in _PERMANENT,
            retry_after=retry_after(answer.headers.get("retry-after"), self._clock.now()),
        )
