"""AWS's Price List, read: which of its offers are prices of tokens, and for what.

Bedrock is spread over offers of two kinds. Models that AWS sells itself name the ``model`` and are
priced for a thousand tokens; those of others come through the marketplace, have a ``servicename``
and a ``usagetype`` only, and are priced for a million. What an offer is for is said by words in
these texts, so an offer is taken if its words leave no doubt, and left if one of them is of
something else: images, provisioned throughput, fine-tuned models, long contexts. A price that is
not complete, or that two offers contradict, is left too, and told: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, NamedTuple, TypeAlias

from tablewright.systems.pricekeeper.config import Price, RegionClass, ServiceTier
from tablewright.systems.pricekeeper.rules.bundled import Row

#: The offers of Bedrock: AWS's own models, and those of the marketplace.
OWN, MARKETPLACE = "AmazonBedrock", "AmazonBedrockFoundationModels"
OFFERS = (OWN, "AmazonBedrockService", MARKETPLACE)

Kind: TypeAlias = Literal["input", "output", "cache_read", "cache_write"]

#: Words of what is no price of a model's tokens as they are.
_OTHER = re.compile(
    r"image|video|audio|speech|embed|provisioned|reserved|commit|tpm|custom|train|storage|latency"
    r"|optimi[sz]ed|grounding|long.?c|longctx|lctx|1h|guardrail|rft|distill|search"
)
_EDITION = re.compile(r"\s*\(amazon bedrock edition\)\s*$", re.IGNORECASE)
_PER_MILLION: dict[str, int] = {"1k tokens": 1000, "1m tokens": 1, "1k": 1000, "1m": 1}


class Use(NamedTuple):
    """What an offer is the price of."""

    classes: tuple[RegionClass, ...]
    tier: ServiceTier
    kind: Kind


class _Key(NamedTuple):
    model_id: str
    region_class: RegionClass
    tier: ServiceTier


@dataclass
class _Rates:
    """The rates of one price, as far as they are found."""

    found: dict[Kind, int] = field(default_factory=dict)
    since: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    trouble: str = ""


class Listed(NamedTuple):
    """What a list says: prices, and what could not be read."""

    prices: list[Price]
    skipped: list[str]


class PriceListError(Exception):
    """The price list could not be had, or is not what it was."""


def read_offers(
    offers: Mapping[str, Mapping[str, Any]],
    names: Mapping[str, Row],
    region: str,
    now: datetime,
) -> Listed:
    """The prices of known models in a region, from the documents of the offers."""
    rates: dict[_Key, _Rates] = {}
    for offer, document in offers.items():
        for model, use, micros, since in _products(offer, document, region):
            if (row := names.get(model)) is None:
                continue
            for region_class in use.classes:
                key = _Key(row["bedrock_model_id"], region_class, use.tier)
                _add(rates.setdefault(key, _Rates()), use.kind, micros, since)
    known = {row["bedrock_model_id"]: row for row in names.values()}
    return _listed(rates, known, region, now)


def _add(rates: _Rates, kind: Kind, micros: int | None, since: datetime) -> None:
    if micros is None:
        rates.trouble = f"the {kind} rate cannot be read exactly"
    elif rates.found.setdefault(kind, micros) != micros:
        rates.trouble = f"there are two {kind} rates"
    rates.since = max(rates.since, since)


def _listed(
    rates: Mapping[_Key, _Rates], known: Mapping[str, Row], region: str, now: datetime
) -> Listed:
    prices, skipped = [], []
    for key, found in sorted(rates.items()):
        lacking = {"input", "output"} - found.found.keys()
        trouble = found.trouble or (f"no {' and '.join(sorted(lacking))} rate" if lacking else "")
        if trouble:
            skipped.append(f"{key.model_id} ({key.region_class}, {key.tier}): {trouble}")
        else:
            prices.append(_price(key, found, known[key.model_id], region, now))
    return Listed(prices, skipped)


def _price(key: _Key, rates: _Rates, row: Row, region: str, now: datetime) -> Price:
    return Price(
        bedrock_model_id=key.model_id,
        region_class=key.region_class,
        service_tier=key.tier,
        effective_from=rates.since,
        input_price_usd_micros_per_1m=rates.found["input"],
        output_price_usd_micros_per_1m=rates.found["output"],
        cache_read_price_usd_micros_per_1m=rates.found.get("cache_read", 0),
        cache_write_price_usd_micros_per_1m=rates.found.get("cache_write", 0),
        source="PRICE_LIST",
        family=row["family"],
        description=f"{row['name']}, AWS Price List for {region}",
        fetched_at_epoch=now,
    )


# --- one offer -----------------------------------------------------------------------------------


def _products(
    offer: str, document: Mapping[str, Any], region: str
) -> Iterator[tuple[str, Use, int | None, datetime]]:
    """The prices of tokens in a document: of which model, for what, how much, since when."""
    try:
        products, terms = document["products"], document["terms"].get("OnDemand", {})
        for sku, product in products.items():
            said = product["attributes"]
            use = use_of(said) if said.get("regionCode", region) == region else None
            if use is not None:
                for term in terms.get(sku, {}).values():
                    yield _model(said), use, *_rate(offer, term)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise PriceListError(f"{offer} has another form than expected: {error!r}") from error


def _model(said: Mapping[str, str]) -> str:
    """What the offer calls the model, in small letters."""
    name = said.get("model") or said.get("servicename", "")
    return _EDITION.sub("", name).strip().lower()


def use_of(said: Mapping[str, str]) -> Use | None:
    """What an offer is the price of; None if it is of no tokens that are counted here."""
    usage = re.sub(r"^[A-Z0-9]+-(?:MP:[A-Z0-9]+_)?", "", said.get("usagetype", ""))
    words = f"{usage} {said.get('inferenceType', '')} {said.get('feature', '')}".lower()
    if _OTHER.search(words) or "token" not in words:
        return None
    kind = _kind(words)
    return None if kind is None else Use(_classes(words), _tier(words), kind)


def _kind(words: str) -> Kind | None:
    flat = re.sub(r"[\s_-]", "", words)
    if "cacheread" in flat:
        return "cache_read"
    if "cachewrite" in flat:
        return "cache_write"
    if "cache" in flat or ("input" in flat) == ("output" in flat):
        return None
    return "input" if "input" in flat else "output"


def _classes(words: str) -> tuple[RegionClass, ...]:
    """A rate that does not say how far requests travel is that of a region and of a geography."""
    if "global" in words:
        return ("global",)
    return ("geo", "region") if "geo" not in words else ("geo",)


def _tier(words: str) -> ServiceTier:
    tiers: Sequence[ServiceTier] = ("batch", "flex", "priority")
    return next((tier for tier in tiers if tier in words), "standard")


def _rate(offer: str, term: Mapping[str, Any]) -> tuple[int | None, datetime]:
    """Micro-USD for a million tokens, and since when; None if it cannot be read exactly."""
    since = datetime.fromisoformat(term["effectiveDate"]).astimezone(UTC)
    dimensions = list(term["priceDimensions"].values())
    if len(dimensions) != 1:  # a price that depends on how much is bought
        return None, since
    unit = dimensions[0]["unit"].lower()
    # The marketplace knows units only; for tokens they are a million.
    times = 1 if offer == MARKETPLACE and unit == "units" else _PER_MILLION.get(unit, 0)
    try:
        micros = Decimal(dimensions[0]["pricePerUnit"]["USD"]) * times * 1_000_000
    except InvalidOperation:
        return None, since
    whole = times and micros.is_finite() and micros == int(micros) >= 0
    return (int(micros) if whole else None), since
