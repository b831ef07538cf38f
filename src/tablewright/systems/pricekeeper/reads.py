"""What is read, and who reads it. Nothing here reads a whole table.

Rates are those of ten requests a second; what is said to be cached is so by the service, and the
rate is what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from tablewright.model import (
    Entity,
    Get,
    Range,
    Rate,
    Uuid,
    attr,
    batch,
    find,
    get,
    param,
    query,
)
from tablewright.systems.pricekeeper.config import (
    App,
    Credential,
    Label,
    Org,
    OrgIndex,
    PendingPrice,
    Price,
    RegionClass,
    RevokedToken,
    SecretRetrieval,
    ServiceTier,
    Status,
)
from tablewright.systems.pricekeeper.shapes import (
    AppId,
    Bucket,
    Day,
    Holder,
    LabelName,
    LabelOrAll,
    Period,
    Scope,
    Sha256,
    Slot,
    TotalKey,
    UsageKey,
)
from tablewright.systems.pricekeeper.spend import (
    AlertSent,
    Dirty,
    Exhausted,
    Gate,
    Ledger,
    RecentAlert,
    Reservation,
    StreamCheckpoint,
    Total,
    UsageCounter,
)

E = TypeVar("E", bound=Entity)


def _strong(op: Get[E]) -> Get[E]:
    return replace(op, consistent=True)


# --- settings and access -------------------------------------------------------------------------


@get(Org, consistent=True, component="api", rate=Rate(0.4, peak=40))
def org(org_id: Uuid) -> None:
    """The settings of an organisation; kept for 30 s by each process. [C1]"""


@get(App, consistent=True, component="api", rate=Rate(0.8, peak=80))
def app(org_id: Uuid, app_id: AppId) -> None:
    """The settings of an app; kept for 30 s by each process. [C2]"""


@query(
    App,
    filter=attr(App.status) != param("hidden"),
    consistent=True,
    component="api",
    rate=Rate(0.05),
    expect=5,
)
def apps(org_id: Uuid, *, hidden: Status | None = None) -> None:
    """The apps of an organisation; without those of a status. [C3]"""


@query(
    OrgIndex,
    filter=attr(OrgIndex.status) != param("hidden"),
    component="api",
    rate=Rate(0.02),
    expect=10,
)
def orgs(*, hidden: Status | None = None) -> None:
    """All organisations, by name and status; without those of a status. [13]"""


@get(Label, consistent=True, component="api", rate=Rate(0.1))
def label(label: LabelName) -> None:
    """The model behind one label; kept for 30 s by each process. [13]"""


@query(Label, consistent=True, component="api", rate=Rate(0.05), expect=10)
def labels() -> None:
    """All labels there are. [13]"""


@get(Credential, consistent=True, component="api", rate=Rate(0.02, peak=5))
def credential(org_id: Uuid, holder: Holder) -> None:
    """What a client's secret is compared with. [6]"""


@batch(component="api", rate=Rate(0.01), expect=3)
def credentials(org_id: str, holders: Sequence[str]) -> list[Get[Credential]]:
    """The clients of an organisation: its own, and those of its apps. [6]"""
    return [credential(org_id, holder) for holder in holders]


@get(RevokedToken, consistent=True, component="api", rate=Rate(0.01))
def revoked_token(token: str) -> None:
    """Whether one token, or one family, is revoked. [5]"""


@batch(component="api", rate=Rate(0.4, peak=10), expect=2)
def revocations(token_id: str, family: str) -> list[Get[RevokedToken]]:
    """Whether a token or its family is revoked; that neither is, is kept for 30 s. [5]"""
    return [revoked_token(token_id), revoked_token(f"FAM#{family}")]


@get(SecretRetrieval, consistent=True, component="api", rate=Rate(0.001))
def secret_retrieval(token_hash: Sha256) -> None:
    """The secret to hand over, encrypted, once ``redeem_secret`` has succeeded. [7]"""


@find(
    Price,
    range=Range("effective_from", le="at"),
    descending=True,
    component="price-refresh",
    rate=Rate(0.0001),
)
def price_at(
    bedrock_model_id: str, region_class: RegionClass, service_tier: ServiceTier, *, at: datetime
) -> None:
    """The price in force at a moment, if there is one: what a new one is compared with. [8]"""


@query(Price, consistent=True, component="api", rate=Rate(0.1, peak=10), expect=12)
def prices_of_model(bedrock_model_id: str) -> None:
    """All prices that a model has had, and will have; kept for 300 s by each process. [8]"""


@get(PendingPrice, consistent=True, component="price-refresh", rate=Rate(0.0001))
def pending_price(
    bedrock_model_id: str, region_class: RegionClass, service_tier: ServiceTier
) -> None:
    """The price that waits for approval, or that was rejected last. [8]"""


@query(PendingPrice, component="api", rate=Rate(0.01), expect=1)
def pending_prices() -> None:
    """All prices that wait for approval, or were rejected. [8]"""


@get(UsageCounter, consistent=True, component="api", rate=Rate(0.01))
def usage_shard(org_id: Uuid, app_id: AppId, label: LabelName, shard: int, day: Day) -> None:
    """One shard of one count. [3]"""


def _shards(key: UsageKey) -> list[Get[UsageCounter]]:
    org_id, app_id, label, day, count = key
    return [usage_shard(org_id, app_id, label, shard, day) for shard in range(count)]


# --- selection and totals ------------------------------------------------------------------------


@get(Exhausted, component="api", rate=Rate(0.02))
def exhausted(scope: Scope, day: Day) -> None:
    """The labels that are closed on a day, and why. [1]"""


@get(Total, component="api", rate=Rate(0.1))
def total_of_period(scope: Scope, label: LabelOrAll, period: Period) -> None:
    """One total; that of all labels names the labels in it. [4]"""


@batch(component="api", rate=Rate(0.1), expect=4)
def totals_of_period(scope: str, labels: Sequence[str], period: str) -> list[Get[Total]]:
    """The totals of several labels, for a day's table. [4]"""
    return [total_of_period(scope, label, period) for label in labels]


@batch(component="api", rate=Rate(1.7, peak=20), expect=13)
def selection_state(
    sticky: Sequence[tuple[str, str]], wanted: Sequence[TotalKey]
) -> list[Get[Exhausted] | Get[Total]]:
    """What a selection rests on: closed labels by scope and day, and totals; kept for 1 s. [1]"""
    return [
        *(exhausted(scope, day) for scope, day in sticky),
        *(total_of_period(*key) for key in wanted),
    ]


@batch(component="api", rate=Rate(0.1, peak=20), expect=13)
def tight_selection_state(
    sticky: Sequence[tuple[str, str]], wanted: Sequence[TotalKey]
) -> list[Get[Exhausted] | Get[Total]]:
    """The same, as it was written last: when a limit is near. [1]"""
    return [
        *(_strong(exhausted(scope, day)) for scope, day in sticky),
        *(_strong(total_of_period(*key)) for key in wanted),
    ]


@batch(component="api", rate=Rate(0.1, peak=4), expect=24)
def checked_usage(keys: Sequence[UsageKey]) -> list[Get[UsageCounter]]:
    """All shards of some counts, when a caller wants to know exactly. [1]"""
    return [shard for key in keys for shard in _shards(key)]


@query(
    Total,
    range=Range("period", ge="first", le="last"),
    component="api",
    rate=Rate(0.05),
    expect=30,
)
def history(scope: Scope, label: LabelOrAll, *, first: Period, last: Period) -> None:
    """Totals from one day to another; of weeks or months if both ends are such. [9]"""


@query(AlertSent, component="api", rate=Rate(0.02), expect=3)
def alerts(scope: Scope, period: Period) -> None:
    """Which shares of which limits were reached in a period. [13]"""


@query(RecentAlert, descending=True, component="api", rate=Rate(0.01), expect=8)
def recent_alerts(sent_on: Day) -> None:
    """The alerts of all organisations that were sent on a day (UTC), the latest first. [13]"""


# --- aggregator, sweeper, fold -------------------------------------------------------------------


@query(Dirty, consistent=True, component="aggregator", rate=Rate(0.27), expect=8)
def dirty_counts(slot: Slot) -> None:
    """The counts of one slot that have to be summed again. [3]"""


@query(Dirty, consistent=True, component="aggregator", rate=Rate(0.2, peak=2), expect=8)
def dirty_counts_of_day(slot: Slot, org_id: Uuid, day: Day) -> None:
    """The counts of an organisation that are written to today: what its own sum is made of. [3]"""


@query(Dirty, consistent=True, component="api", rate=Rate(0.1, peak=2), expect=3)
def dirty_counts_of_app(slot: Slot, org_id: Uuid, day: Day, app_id: AppId) -> None:
    """The counts of one app that are written to today. [1]"""


@query(
    Total,
    range=Range("period", ge="first", le="last"),
    consistent=True,
    component="aggregator",
    rate=Rate(0.5, peak=10),
    expect=20,
)
def days_of_total(scope: Scope, label: LabelOrAll, *, first: Period, last: Period) -> None:
    """The days that a week or a month is the sum of. [3]"""


@batch(component="aggregator", rate=Rate(0.3, peak=5), expect=8)
def stored_totals(keys: Sequence[TotalKey]) -> list[Get[Total]]:
    """Totals as they were written last, to go on from. [3]"""
    return [_strong(total_of_period(*key)) for key in keys]


@batch(component="aggregator", rate=Rate(0.5, peak=10), expect=8)
def usage_shards(key: UsageKey) -> list[Get[UsageCounter]]:
    """All shards of one count, to sum them. [3]"""
    return _shards(key)


@query(
    Reservation,
    range=Range("expires_epoch", lt="now"),
    consistent=True,
    component="sweeper",
    rate=Rate(1.6),
    expect=1,
)
def ended_reservations(slot: Slot, *, now: datetime) -> None:
    """Promises of one slot that have ended without a report. [12]"""


@query(
    Reservation,
    range=Range("expires_epoch", ge="now"),
    consistent=True,
    component="api",
    rate=Rate(0.001),
    expect=10,
)
def open_reservations(slot: Slot, *, now: datetime) -> None:
    """Promises of one slot that have not ended, when a limit is newer than some of them. [12]"""


@get(Gate, consistent=True, component="api", rate=Rate(0.001))
def gate(scope: Scope, day: Day, label: LabelOrAll) -> None:
    """What a day's limit has let through. [12]"""


@batch(component="api", rate=Rate(0.001), expect=2)
def gates(keys: Sequence[tuple[str, str, str]]) -> list[Get[Gate]]:
    """What some have let through since they are there, when their limits are new. [12]"""
    return [gate(*key) for key in keys]


@get(Reservation, consistent=True, component="api", rate=Rate(0.1))
def reservation(
    slot: Slot,
    expires_epoch: datetime,
    org_id: Uuid,
    app_id: AppId,
    label: LabelName,
    reservation_uuid: Uuid,
) -> None:
    """One promise; the id that was handed out holds its whole key. [12]"""


@get(StreamCheckpoint, consistent=True, component="fold", rate=Rate(0.07))
def stream_checkpoint(shard_id: str) -> None:
    """How far a shard of the stream has been folded. [2]"""


# --- the ledger ----------------------------------------------------------------------------------


@get(Ledger, consistent=True, component="api", rate=Rate(0.1))
def ledger_row(org_id: Uuid, app_id: AppId, bucket: Bucket, request_id: Uuid) -> None:
    """One record; ``bucket_of`` says in which bucket it lies. [10]"""


@query(Ledger, component="cli", rate=Rate(0.01), expect=400)
def ledger_bucket(org_id: Uuid, app_id: AppId, bucket: Bucket) -> None:
    """One of an app's 256 buckets, page by page: to export, reconcile and reprice. [11]"""
