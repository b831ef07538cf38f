"""Proofs that a message comes from the gateway: HMAC-SHA256, compared in constant time.

What a browser brings after a checkout is signed with the key's secret, over ``order|payment``. What
the gateway delivers itself is signed with the webhook's secret, over the bytes as they came.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable

_BETWEEN = "|"


def payment_signature(order_id: str, payment_id: str, key_secret: str) -> str:
    return _signed(f"{order_id}{_BETWEEN}{payment_id}".encode(), key_secret)


def verify_payment(order_id: str, payment_id: str, signature: str, key_secret: str) -> bool:
    """Whether the gateway says that this payment was made for this order."""
    if _BETWEEN in order_id or _BETWEEN in payment_id:
        return False  # the same text could be cut into two other ids
    expected = payment_signature(order_id, payment_id, key_secret)
    return bool(key_secret) and _same(expected, signature)


def webhook_signature(body: bytes, secret: str) -> str:
    return _signed(body, secret)


def verify_webhook(body: bytes, signature: str, secrets: Iterable[str]) -> bool:
    """Whether one of the secrets made the signature; all are tried, so that time tells nothing."""
    verdicts = [_same(webhook_signature(body, each), signature) for each in secrets if each]
    return any(verdicts)


def _signed(message: bytes, secret: str) -> str:
    return hmac.new(secret.encode(), message, "sha256").hexdigest()


def _same(expected: str, given: str) -> bool:
    # As bytes: texts that are not ASCII cannot be compared, and anybody can send one.
    return hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace"))
