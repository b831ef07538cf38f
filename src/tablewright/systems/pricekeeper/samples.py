"""Sample data: an organisation in New York, two apps, and what they spent on two days.

Everything is fixed, and everything that follows from something else is reckoned from it: costs
from tokens and prices, counters from records, totals from counters.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import blake2b, sha256
from typing import Literal

from tablewright.model import shard_of
from tablewright.systems.pricekeeper.config import (
    App,
    Credential,
    Label,
    Org,
    PendingPrice,
    Price,
    SecretRetrieval,
)
from tablewright.systems.pricekeeper.shapes import ALL, holder_of, scope_of
from tablewright.systems.pricekeeper.spend import (
    AMOUNTS,
    Dirty,
    Gate,
    Ledger,
    Reservation,
    Total,
    UsageCounter,
)

#: When all of it is seen: Friday morning in New York.
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
TODAY, TUESDAY = "20261120", "20261117"
WEEK, MONTH = "WEEK#2026-W47", "MONTH#202611"
ORG = "550e8400-e29b-41d4-a716-446655440000"
NEW_ORG = "6f1c2b3a-4d5e-4f60-8a7b-9c0d1e2f3a4b"
WEB, BATCH = "web", "batch"
#: The slot that the only writer holds, and the number of its last flush.
WRITER, FLUSH = 7, 12
SHARDS = 8

_DAY = timedelta(days=1)
#: Midnight in New York, where a day ends.
_ENDS = {
    TODAY: datetime(2026, 11, 21, 5, tzinfo=UTC),
    TUESDAY: datetime(2026, 11, 18, 5, tzinfo=UTC),
}
_MODELS = {
    "premium": ("anthropic.claude-sonnet-4-5-20250929-v1:0", 3_000_000, 15_000_000, 300_000),
    "standard": ("anthropic.claude-haiku-4-5-20251001-v1:0", 1_000_000, 5_000_000, 100_000),
    "economy": ("amazon.nova-lite-v1:0", 60_000, 240_000, 15_000),
}
_QUOTAS: dict[str, int | None] = {"premium": 10_000_000, "standard": 5_000_000, "economy": None}
#: What each app may spend with the best model.
_APP_QUOTAS = {WEB: 4_000_000, BATCH: 5_000}


# --- settings ------------------------------------------------------------------------------------


def organisation(org_id: str = ORG, version: int = 0) -> Org:
    return Org(
        org_id=org_id,
        org_name="sample_corp",
        timezone="America/New_York",
        quota_scope="BOTH",
        model_ordering=["premium", "standard", "economy"],
        quotas=dict(_QUOTAS),
        quotas_month={ALL: 200_000_000},
        reservations="on",
        reservations_from_epoch=_ENDS[TUESDAY] - 30 * _DAY,
        version=version,
        created_at_epoch=NOW - 90 * _DAY,
        updated_at_epoch=NOW - 30 * _DAY,
    )


def application(app_id: str, premium: int | None = None, version: int = 0) -> App:
    """An app with a limit of its own for the best model."""
    return App(
        org_id=ORG,
        app_id=app_id,
        app_name=app_id.capitalize(),
        quotas={"premium": _APP_QUOTAS[app_id] if premium is None else premium},
        version=version,
        created_at_epoch=NOW - 80 * _DAY,
        updated_at_epoch=NOW - 20 * _DAY,
    )


def client_of(org_id: str, app_id: str | None) -> str:
    return f"org-{org_id}" if app_id is None else f"org-{org_id}-app-{app_id}"


def credential_of(org_id: str, app_id: str | None = None, scheme: str = "h1$k1$") -> Credential:
    client = client_of(org_id, app_id)
    return Credential(
        org_id=org_id,
        holder=holder_of(app_id),
        client_id=client,
        client_secret_hash=scheme + sha256(client.encode()).hexdigest(),
        client_secret_created_at_epoch=NOW - 40 * _DAY,
    )


def retrieval_of(token: str, org_id: str, app_id: str | None = None) -> SecretRetrieval:
    return SecretRetrieval(
        token_hash=sha256(token.encode()).hexdigest(),
        org_id=org_id,
        app_id=app_id,
        secret_type="org" if app_id is None else "app",
        client_id=client_of(org_id, app_id),
        ciphertext=blake2b(token.encode(), digest_size=48).digest(),
        nonce=blake2b(token.encode(), digest_size=12).digest(),
        created_at_epoch=NOW - timedelta(minutes=2),
        expires_at_epoch=NOW + timedelta(minutes=8),
    )


def label_named(name: str) -> Label:
    return Label(label=name, bedrock_model_id=_MODELS[name][0], tier=name, family=_family(name))


def price_of(name: str, effective_from: datetime, percent: int = 100) -> Price:
    model, incoming, outgoing, cached = _MODELS[name]
    return Price(
        bedrock_model_id=model,
        region_class="region",
        service_tier="standard",
        effective_from=effective_from,
        input_price_usd_micros_per_1m=incoming * percent // 100,
        output_price_usd_micros_per_1m=outgoing * percent // 100,
        cache_read_price_usd_micros_per_1m=cached * percent // 100,
        source="BUNDLED",
        family=_family(name),
        fetched_at_epoch=NOW - 30 * _DAY,
    )


def pending_price(name: str, state: Literal["WAITING", "REJECTED"] = "WAITING") -> PendingPrice:
    """Twice what it was: somebody should look."""
    price = price_of(name, NOW - _DAY, percent=200)
    return PendingPrice(
        **price.model_dump(exclude={"source"}),
        previous_price_id=f"region#standard#{PRICED_FROM:%Y-%m-%dT%H:%M:%SZ}",
        change_pct=100,
        state=state,
    )


#: Since when today's prices are in force.
PRICED_FROM = datetime(2026, 11, 1, tzinfo=UTC)


def _family(name: str) -> str:
    return "nova" if name == "economy" else "claude-4.5"


# --- records -------------------------------------------------------------------------------------


def uuid7(moment: datetime, number: int) -> str:
    """A time-ordered id as clients make it, without the randomness."""
    stamp = f"{int(moment.timestamp() * 1000):012x}"
    return f"{stamp[:8]}-{stamp[8:]}-7000-8000-{number:012x}"


def record(number: int, app_id: str, label: str, tokens: tuple[int, int, int], day: str) -> Ledger:
    """A report of input, output and cached tokens, priced."""
    model, incoming, outgoing, cached = _MODELS[label]
    at = _ENDS[day] - timedelta(hours=17, minutes=60 - number)
    cost = tokens[0] * incoming + tokens[1] * outgoing + tokens[2] * cached
    return Ledger(
        org_id=ORG,
        app_id=app_id,
        request_id=uuid7(at, number),
        payload_hash=blake2b(f"{label}{tokens}{at}".encode(), digest_size=16).digest(),
        flush_id=uuid7(at + timedelta(seconds=1), FLUSH),
        label=label,
        bedrock_model_id=model,
        day=day,
        event_at_epoch=at,
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        cache_read_tokens=tokens[2],
        cost_usd_picos=cost,
        cost_source="PRICE",
        price_id=f"region#standard#{PRICED_FROM:%Y-%m-%dT%H:%M:%SZ}",
        expires_at_epoch=at + 35 * _DAY,
    )


def correction_of(original: Ledger, number: int) -> Ledger:
    """Half of a record's output tokens were never delivered."""
    tokens = -(original.output_tokens // 2)
    return Ledger(
        org_id=original.org_id,
        app_id=original.app_id,
        request_id=uuid7(NOW, number),
        kind="CORRECTION",
        payload_hash=blake2b(original.payload_hash, digest_size=16).digest(),
        flush_id=uuid7(NOW, number),
        label=original.label,
        bedrock_model_id=original.bedrock_model_id,
        day=original.day,
        event_at_epoch=original.event_at_epoch,
        output_tokens=tokens,
        cost_usd_picos=tokens * _MODELS[original.label][2],
        cost_source="PRICE",
        price_id=original.price_id,
        corrects=original.request_id,
        reason="aborted stream",
        expires_at_epoch=NOW + 35 * _DAY,
    )


RECORDS = (
    record(1, WEB, "premium", (1_200, 800, 0), TODAY),
    record(2, WEB, "premium", (400, 300, 2_000), TODAY),
    record(3, WEB, "standard", (900, 150, 0), TODAY),
    record(4, BATCH, "premium", (1_200, 800, 0), TODAY),
    record(5, WEB, "premium", (700, 1_000, 0), TUESDAY),
)


# --- sums ----------------------------------------------------------------------------------------


def counter_of(rows: Iterable[Ledger], flush: int = FLUSH) -> UsageCounter:
    """What records of one app, label and day add to their counter."""
    found = tuple(rows)
    first = found[0]
    return UsageCounter(
        org_id=first.org_id,
        app_id=first.app_id,
        label=first.label,
        shard=shard_of(f"w_{WRITER:02d}", SHARDS),
        day=first.day,
        **_sums(found),
        **{f"w_{WRITER:02d}": flush},
        updated_at_epoch=NOW - timedelta(minutes=1),
        # A counter outlives the ledger that it can be made from again.
        expires_at_epoch=_ENDS[first.day] + 40 * _DAY,
    )


def total_of(scope: str, label: str, period: str, fence: int = 3) -> Total:
    """The total of the records that lie in a scope, under a label, in a period."""
    rows = [row for row in RECORDS if _within(row, scope, label, period)]
    sums = _sums(rows)
    day = period.removeprefix("DAY#")
    return Total(
        scope=scope,
        label=label,
        period=period,
        **sums,
        cost_usd_micros=round(Decimal(sums["cost_usd_picos"]).scaleb(-6)),
        fence=fence,
        seen={f"{WRITER:02d}": FLUSH},
        as_of_ms=NOW - timedelta(seconds=30),
        quota_usd_micros=_quota(scope, label) if day in _ENDS else None,
        labels={row.label for row in rows} if label == ALL else set(),
        shard_count=SHARDS if day in _ENDS and "#APP#" in scope and label != ALL else None,
        final=day == TUESDAY,
        updated_at_epoch=NOW - timedelta(seconds=30),
        expires_at_epoch=NOW + 400 * _DAY,
    )


def _quota(scope: str, label: str) -> int | None:
    app_id = scope.partition("#APP#")[2]
    if not app_id:
        return _QUOTAS.get(label)
    return _APP_QUOTAS[app_id] if label == "premium" else None


def dirty_of(row: Ledger) -> Dirty:
    return Dirty(
        org_id=row.org_id,
        day=row.day,
        app_id=row.app_id,
        label=row.label,
        dirty_until_epoch=NOW + timedelta(seconds=180),
        shard_count=SHARDS,
        # Three days after nothing can come in any more.
        expires_at_epoch=max(_ENDS[row.day] + timedelta(hours=49), NOW) + 3 * _DAY,
    )


def _sums(rows: Iterable[Ledger]) -> dict[str, int]:
    sums = dict.fromkeys(AMOUNTS, 0)
    for row in rows:
        for name in AMOUNTS:
            sums[name] += getattr(row, name, 0)
        sums["rev"] += 1
        sums["requests"] += row.kind == "USAGE"
    return sums


def _within(row: Ledger, scope: str, label: str, period: str) -> bool:
    scopes = (scope_of(row.org_id), scope_of(row.org_id, row.app_id))
    # All records are of one week and one month.
    return (
        scope in scopes and label in (ALL, row.label) and period in (f"DAY#{row.day}", WEEK, MONTH)
    )


# --- promises ------------------------------------------------------------------------------------


def promise(number: int, expires: datetime) -> Reservation:
    """Two cents for a call of the best model by the web app."""
    return Reservation(
        org_id=ORG,
        expires_epoch=expires,
        app_id=WEB,
        label="premium",
        reservation_uuid=uuid7(NOW, number),
        reserved_picos=20_000_000_000,
        day=TODAY,
        gates={"ORG", "APP"},
        expires_at_epoch=expires + _DAY,
    )


def gates_of(picos: int, own: int | None = None, promised: int | None = None) -> list[Gate]:
    """The gates that a promise of the web app goes through: the organisation's, and its own.

    Without ``promised``, all of it is.
    """
    amounts = {scope_of(ORG): picos, scope_of(ORG, WEB): picos if own is None else own}
    return [
        Gate(
            scope=scope,
            day=TODAY,
            label="premium",
            granted_picos=amount,
            spent_picos=0 if promised is None else amount - promised,
            expires_at_epoch=_ENDS[TODAY] + 3 * _DAY,
        )
        for scope, amount in amounts.items()
    ]
