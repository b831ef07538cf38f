"""The ledger, its counters and its totals, beside what programs were told."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from soak.image import Image, Item
from soak.invariants.finding import invariant, unless
from soak.journal import Journal

LEDGER, COUNTERS, TOTALS = "RequestDedup", "UsageAggSharded", "DailyTotal"


def _rows(image: Image) -> list[Item]:
    return [item for item in image.items(LEDGER) if "request_id" in item and "kind" in item]


@invariant("pricekeeper: what was acknowledged is in the ledger once, for its price")
def recorded(image: Image, journal: Journal) -> Iterator[str | None]:
    rows: dict[str, list[Item]] = defaultdict(list)
    for row in _rows(image):
        rows[str(row["request_id"])].append(row)
    wanted = {deed.key: deed for deed in journal.of("pricekeeper", "record") if deed.sure}
    for key, deed in wanted.items():
        found = rows.get(key, [])
        yield unless(len(found) == 1, f"{key} is there {len(found)} times")
        if found:
            cost = found[0]["cost_usd_picos"]
            yield unless(cost == deed.facts["picos"], f"{key} costs {cost}")


@invariant("pricekeeper: nothing is in the ledger that nobody sent, nor twice")
def sent(image: Image, journal: Journal) -> Iterator[str | None]:
    known = {deed.key for deed in journal.of("pricekeeper", "record") if deed.outcome != "refused"}
    for key, times in Counter(str(row["request_id"]) for row in _rows(image)).items():
        yield unless(key in known, f"{key} was never sent")
        yield unless(times == 1, f"{key} is there {times} times")


@invariant("pricekeeper: counters are the sums of the ledger")
def counters(image: Image) -> Iterator[str | None]:
    wanted, found = _sums(_rows(image)), _sums(image.items(COUNTERS))
    for place in wanted.keys() | found.keys():
        same = wanted[place] == found[place]
        yield unless(same, f"{place}: ledger {wanted[place]}, counters {found[place]}")


@invariant("pricekeeper: totals are the sums of the ledger")
def totals(image: Image) -> Iterator[str | None]:
    """Of apps and days; those above are sums of these."""
    wanted = _sums(_rows(image))
    found: dict[Any, Decimal] = {}
    for item in image.items(TOTALS):
        if str(item.get("period", "")).startswith("DAY#") and "#APP#" in str(item.get("scope")):
            found[item["scope"], item["label"], item["period"]] = item["cost_usd_picos"]
    for (org, app, label, day), (cost, _) in wanted.items():
        key = (f"ORG#{org}#APP#{app}", label, f"DAY#{day}")
        yield unless(found.get(key) == cost, f"{key}: ledger {cost}, total {found.get(key)}")


def _sums(items: Any) -> dict[Any, tuple[Decimal, Decimal]]:
    """Cost and tokens by organisation, app, label and day."""
    sums: dict[Any, tuple[Decimal, Decimal]] = defaultdict(lambda: (Decimal(0), Decimal(0)))
    for item in items:
        place = tuple(item[name] for name in ("org_id", "app_id", "label", "day"))
        cost, tokens = sums[place]
        more = item.get("input_tokens", Decimal(0))
        sums[place] = cost + item["cost_usd_picos"], tokens + more
    return sums
