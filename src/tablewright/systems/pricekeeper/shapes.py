"""The texts that keys are made of: which form each has, and how the derived ones are found.

Scopes and periods are parts of keys themselves (``ORG#…#APP#…``, ``WEEK#2026-W47``), so they stand
in a key as they are; their shapes leave no room to forge another key. The hashes are the same in
every process and every release.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated, NamedTuple, TypeAlias

from tablewright.model import Field, Shaped, shard_of

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_NAME = r"[a-z0-9][a-z0-9_-]{0,62}"
#: All labels together. No label can be called so: none begins with an underscore.
ALL = "_all"
#: Partitions that a whole table of small rows is spread over, by organisation.
SLOTS = 16

AppId: TypeAlias = Annotated[str, Shaped(_NAME)]
LabelName: TypeAlias = Annotated[str, Shaped(_NAME)]
#: What a limit is for: one label, or all of them.
LabelOrAll: TypeAlias = Annotated[str, Shaped(f"{ALL}|{_NAME}")]
#: Whose spend: ``ORG#{org_id}`` or ``ORG#{org_id}#APP#{app_id}``.
Scope: TypeAlias = Annotated[str, Shaped(f"ORG#{_UUID}(?:#APP#{_NAME})?")]
#: A day of the organisation's own calendar: ``20261120``.
Day: TypeAlias = Annotated[str, Shaped("[0-9]{8}")]
#: ``DAY#20261120``, ``WEEK#2026-W47`` or ``MONTH#202611``.
Period: TypeAlias = Annotated[str, Shaped("DAY#[0-9]{8}|WEEK#[0-9]{4}-W[0-9]{2}|MONTH#[0-9]{6}")]
#: Whose credential: ``CRED`` is the organisation's own, ``CRED#APP#{app_id}`` an app's.
Holder: TypeAlias = Annotated[str, Shaped(f"CRED(?:#APP#{_NAME})?")]
#: A token's id, or ``FAM#`` and the id of its family; both are 128 random bits.
TokenKey: TypeAlias = Annotated[str, Shaped("(?:FAM#)?[0-9a-f]{32}")]
Sha256: TypeAlias = Annotated[str, Shaped("[0-9a-f]{64}")]
Bucket: TypeAlias = Annotated[str, Shaped("[0-9a-f]{2}")]
Slot: TypeAlias = Annotated[int, Field(ge=0, lt=SLOTS)]


class TotalKey(NamedTuple):
    """Which total: whose, of what, of when."""

    scope: str
    label: str
    period: str


class UsageKey(NamedTuple):
    """One count with all its shards."""

    org_id: str
    app_id: str
    label: str
    day: str
    shard_count: int


def scope_of(org_id: str, app_id: str | None = None) -> str:
    return f"ORG#{org_id}" if app_id is None else f"ORG#{org_id}#APP#{app_id}"


def holder_of(app_id: str | None = None) -> str:
    return "CRED" if app_id is None else f"CRED#APP#{app_id}"


def bucket_of(request_id: str) -> str:
    """The bucket of the ledger that a request lies in: 256 for each app."""
    return blake2b(request_id.encode(), digest_size=1).hexdigest()


def slot_of(org_id: str) -> int:
    """The partition among ``SLOTS`` in which an organisation's rows lie."""
    return shard_of(org_id, SLOTS)
