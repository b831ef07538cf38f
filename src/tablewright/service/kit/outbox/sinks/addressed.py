"""Messages to the webhook that they name themselves, signed.

People name such webhooks, so their addresses are checked with each message: what was public when it
was configured may lead home by now. Each address has a secret of its own, made from the system's
key: a receiver that knows its secret cannot sign for another one.
"""

from __future__ import annotations

import hashlib
import hmac

from tablewright.clock import Clock
from tablewright.service.keys import Keys
from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.signing import HEADER, signature
from tablewright.service.kit.outbox.sinks.base import SendFailed
from tablewright.service.outbound import Outbound, OutboundError, UnsafeAddress, retry_after

#: The key that all secrets are made from.
KEY = "webhooks"
#: The receiver says that it does not want this one, now or later.
_PERMANENT = frozenset({410, 413, 414, 415, 422})


def secret_for(keys: Keys, url: str) -> str:
    """What messages to an address are signed with."""
    return hmac.new(keys.secret(KEY), url.encode(), hashlib.sha256).hexdigest()


class AddressedSink:
    """Posts a message to the address in its ``webhook``."""

    name = "addressed"

    def __init__(self, keys: Keys, clock: Clock, outbound: Outbound) -> None:
        self._keys = keys
        self._clock = clock
        self._outbound = outbound

    def takes(self, message: Message) -> bool:
        return isinstance(message.body.get("webhook"), str)

    async def send(self, message: Message) -> None:
        url, body = str(message.body["webhook"]), message.as_json()
        try:
            answer = await self._outbound.post(url, body, self._head(message, url, body))
        except UnsafeAddress as error:
            raise SendFailed(f"the webhook's address {error}", permanent=True) from error
        except OutboundError as error:
            raise SendFailed(f"the webhook failed: {error}") from error
        if not 200 <= answer.status < 300:
            raise SendFailed(
                f"the webhook answered {answer.status}",
                permanent=answer.status in _PERMANENT,
                retry_after=retry_after(answer.headers.get("retry-after"), self._clock.now()),
            )

    async def close(self) -> None:
        return

    def _head(self, message: Message, url: str, body: bytes) -> dict[str, str]:
        return {
            "Content-Type": "application/json",
            "Tablewright-Message-Id": message.id,
            "Tablewright-Kind": message.kind,
            HEADER: signature(secret_for(self._keys, url), body, self._clock.now()),
        }
