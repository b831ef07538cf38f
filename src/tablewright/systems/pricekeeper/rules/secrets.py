"""Secrets of clients, as far as nothing has to be read: graces, hashes, and how they wait."""

from __future__ import annotations

from datetime import datetime

from tablewright.service.kit.moments import moment
from tablewright.systems.pricekeeper.config import Credential, SecretRetrieval
from tablewright.systems.pricekeeper.rules import sealing

#: Seconds that a secret waits to be fetched.
RETRIEVAL_SECS = 600
#: How far the clocks of processes may be apart.
SKEW_SECS = 5


def is_slow(credential: Credential) -> bool:
    """Whether a hash is of the kind that is made for passwords, and costs accordingly."""
    stored = (credential.client_secret_hash, credential.previous_secret_hash or "")
    return any(each.startswith("$2") for each in stored)


def in_grace(credential: Credential, now: int) -> bool:
    """Whether the secret before the last rotation is still good."""
    until = credential.client_secret_rotation_grace_expires_at_epoch
    return until is not None and until > moment(now)


def grace_ends(credential: Credential, now: int) -> datetime | None:
    """Until when a further rotation would cost somebody a good secret; None if it would not."""
    if credential.previous_secret_hash is None or not in_grace(credential, now):
        return None
    return credential.client_secret_rotation_grace_expires_at_epoch


def cut_off(credential: Credential, now: int) -> datetime:
    """From when on tokens count, if all from before are to end now. It never goes back."""
    before = credential.tokens_valid_after_epoch
    return moment(now) if before is None else max(before, moment(now))


def sealed_for(
    credential: Credential, app_id: str | None, secret: str, token: str, now: int
) -> SecretRetrieval:
    """The row that a new secret is fetched from."""
    sealed = sealing.seal(token, credential.client_id, secret)
    return SecretRetrieval(
        token_hash=sealing.hash_of(token),
        org_id=credential.org_id,
        app_id=app_id,
        secret_type="org" if app_id is None else "app",
        client_id=credential.client_id,
        ciphertext=sealed.ciphertext,
        nonce=sealed.nonce,
        created_at_epoch=moment(now),
        expires_at_epoch=moment(now + RETRIEVAL_SECS),
    )
