"""What models cost, and since when; prices that wait for somebody to look at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.pricekeeper.bodies import PriceDecision, PriceIn
from tablewright.systems.pricekeeper.config import PendingPrice, Price
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.pages.forms import format_dollars, locale_of, parse_dollars
from tablewright.systems.pricekeeper.pages.paths import BASE, Rights, model_path
from tablewright.systems.pricekeeper.pages.standing import unpriced_labels
from tablewright.systems.pricekeeper.rules.bundled import bundled_date
from tablewright.systems.pricekeeper.rules.ids import checked_model_id
from tablewright.systems.pricekeeper.rules.timeline import Timeline
from tablewright.systems.pricekeeper.service.price_changes import PriceKey

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_RATES = (
    "input_price_usd_micros_per_1m",
    "output_price_usd_micros_per_1m",
    "cache_read_price_usd_micros_per_1m",
    "cache_write_price_usd_micros_per_1m",
)


#: What most use comes first.
_REGIONS = ("region", "geo", "global")
_TIERS = ("standard", "priority", "flex", "batch")


@dataclass(frozen=True)
class Line:
    """The prices of one class and tier, the latest first."""

    region_class: str
    service_tier: str
    prices: Sequence[Price]
    current: Price | None

    def state(self, price: Price) -> str:
        """Whether a price counts now, did, or will."""
        if price is self.current:
            return "in force"
        later = self.current is None or price.effective_from > self.current.effective_from
        return "ahead" if later else "past"

    @property
    def moments(self) -> list[datetime]:
        """When prices came into force, the earliest first."""
        return [price.effective_from for price in reversed(self.prices)]

    @property
    def series(self) -> list[dict[str, object]]:
        """Input and output over time, in dollars for a million tokens."""
        past = list(reversed(self.prices))
        return [
            {"name": "Input", "values": [p.input_price_usd_micros_per_1m / 10**6 for p in past]},
            {"name": "Output", "values": [p.output_price_usd_micros_per_1m / 10**6 for p in past]},
        ]


def lines_of(timeline: Timeline, now: int) -> list[Line]:
    """A model's prices, line by line."""
    ordered = sorted(timeline.prices, key=lambda price: (price.region_class, price.service_tier))
    found = []
    for (region, tier), group in groupby(
        ordered, lambda price: (price.region_class, price.service_tier)
    ):
        prices = sorted(group, key=lambda price: price.effective_from, reverse=True)
        found.append(Line(region, tier, prices, timeline.at(region, tier, now)))
    return sorted(found, key=_usualness)


def _usualness(line: Line) -> tuple[int, int]:
    """Orders lines: what most use comes first."""
    return _TIERS.index(line.service_tier), _REGIONS.index(line.region_class)


def usual_of(prices: Sequence[Price]) -> Price | None:
    """The price that most pay: within a region and standard, or the nearest to that."""
    standard = [price for price in prices if price.service_tier == "standard"]
    return min(standard, key=lambda price: _REGIONS.index(price.region_class), default=None)


def price_text(micros: int) -> str:
    """A price to its last digit, and two digits at least."""
    whole, _, digits = format_dollars(micros).partition(".")
    return f"${int(whole):,}.{digits:0<2}"


def read_price(values: Typed, locale: str | None = None) -> PriceIn:
    """The body that a form makes, or a problem at its fields. Moments are typed in UTC."""
    errors: list[FieldError] = []
    given: dict[str, object] = {
        name: values[name]
        for name in ("region_class", "service_tier", "family", "description")
        if values.get(name)
    }
    for name in _RATES:
        text = values.get(name, "")
        try:
            given[name] = parse_dollars(text, locale) if text else 0
        except ValueError as wrong:
            errors.append(FieldError(f"body.{name}", str(wrong)))
        if not text and name in _RATES[:2]:
            errors.append(FieldError(f"body.{name}", "Enter a price in dollars; 0 if it is free."))
    if moment := values.get("effective_from", ""):
        try:
            given["effective_from"] = datetime.fromisoformat(moment).replace(tzinfo=UTC).isoformat()
        except ValueError:
            errors.append(
                FieldError("body.effective_from", "Enter a date and time such as 2026-11-15T12:00.")
            )
    return built(PriceIn, given, errors)


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/prices")
    anyone = Depends(keeper.runtime.auth.require())
    admin = Depends(keeper.runtime.auth.require("admin"))

    @routes.get("")
    async def listed(request: Request, who: Principal = anyone) -> Response:
        waiting = await keeper.prices.changes.waiting()
        labels = await keeper.directory.labels()
        return pages.render(
            request,
            "pricekeeper/prices.html",
            models=await keeper.prices.models(),
            usual_of=usual_of,
            labels=labels,
            unpriced=await unpriced_labels(keeper, (each.label for each in labels)),
            dated=f"{bundled_date().day} {bundled_date():%B %Y}",
            waiting=[(each, await before(each)) for each in waiting],
            source=keeper.runtime.options(Options).prices_source,
            exact=price_text,
            may=Rights.of(who),
        )

    async def before(waiting: PendingPrice) -> Price | None:
        """What is in force in the place of a price that waits."""
        place = (waiting.region_class, waiting.service_tier)
        return await keeper.prices.at(waiting.bedrock_model_id, *place, keeper.now())

    async def shown(
        request: Request,
        model_id: str,
        who: Principal,
        *,
        problem: Problem | None = None,
        values: Typed | None = None,
    ) -> Response:
        timeline = await keeper.prices.timeline(checked_model_id(model_id))
        labels = await keeper.directory.labels()
        return pages.render(
            request,
            "pricekeeper/model.html",
            status=problem.status if problem else 200,
            model_id=model_id,
            lines=lines_of(timeline, keeper.now()),
            labels=[each.label for each in labels if each.bedrock_model_id == model_id],
            exact=price_text,
            may=Rights.of(who),
            problem=problem,
            values=values,
            crumbs=[("Prices", f"{BASE}/prices")],
        )

    @routes.get("/models/{model_id:path}")
    async def model(request: Request, model_id: str, who: Principal = anyone) -> Response:
        return await shown(request, model_id, who)

    @routes.post("/models/{model_id:path}")
    async def put(request: Request, model_id: str, who: Principal = admin) -> Response:
        values = await typed(request)
        try:
            price = read_price(values, locale_of(request))
            stored = await keeper.prices.set(checked_model_id(model_id), price, who)
        except Problem as problem:
            return await shown(request, model_id, who, problem=problem, values=values)
        said = {
            "new": "The price is set.",
            "replaced": "The price that was ahead is replaced.",
            "unchanged": "That price was set already.",
        }
        return pages.done(request, model_path(model_id), said[stored.result])

    @routes.post("/pending")
    async def decide(request: Request, who: Principal = admin) -> Response:
        values = await typed(request)
        names = ("bedrock_model_id", "region_class", "service_tier")
        body = built(PriceDecision, {name: values.get(name, "") for name in names})
        key = PriceKey(body.bedrock_model_id, body.region_class, body.service_tier)
        if values.get("decision") == "approve":
            await keeper.prices.changes.approve(key, who)
            message = "The price counts from now on."
        else:
            await keeper.prices.changes.reject(key, who)
            message = "The price is rejected, and will not be offered again."
        return pages.done(request, f"{BASE}/prices", message)

    @routes.post("/refresh")
    async def refresh(request: Request, who: Principal = admin) -> Response:
        done = await keeper.prices.refresh(who)
        message = f"{done.saved} new, {done.unchanged} unchanged, {done.pending} to look at."
        return pages.done(request, f"{BASE}/prices", message)

    return routes
