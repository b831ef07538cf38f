"""Settings and prices as bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablewright.systems.pricekeeper.bodies import (
    AppCreated,
    AppOut,
    LabelOut,
    OrgCreated,
    OrgOut,
    PendingPriceOut,
    PriceOut,
    day_text,
    iso,
)
from tablewright.systems.pricekeeper.bodies.settings import ZoneChangeOut
from tablewright.systems.pricekeeper.config import App, Label, Org, PendingPrice, Price
from tablewright.systems.pricekeeper.rules.calendar import calendar_of
from tablewright.systems.pricekeeper.rules.cost import price_id

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.credentials import Issued

_TIMES = {"created_at_epoch", "updated_at_epoch"}


def org_out(org: Org, now: int) -> OrgOut:
    """An organisation as it is."""
    days = calendar_of(org)
    today = days.day(now)
    return OrgOut(
        **org.model_dump(exclude={*_TIMES, "zone_history"}),
        zone_history=[
            ZoneChangeOut(effective_from=each.from_epoch, timezone=each.timezone)
            for each in org.zone_history
        ],
        reservations_from=org.reservations_from_epoch,
        created_at=org.created_at_epoch,
        updated_at=org.updated_at_epoch,
        today=day_text(today),
        day_ends_at=iso(days.end(today)),
    )


def org_created(org: Org, now: int, issued: Issued) -> OrgCreated:
    """A new organisation, and what fetches its secret."""
    return OrgCreated(**org_out(org, now).model_dump(), **_waiting(issued))


def app_out(app: App) -> AppOut:
    """An app as it is."""
    return AppOut(
        **app.model_dump(exclude=_TIMES),
        created_at=app.created_at_epoch,
        updated_at=app.updated_at_epoch,
    )


def app_created(app: App, issued: Issued) -> AppCreated:
    """A new app, and what fetches its secret."""
    return AppCreated(**app_out(app).model_dump(), **_waiting(issued))


def label_out(label: Label, *, priced: bool) -> LabelOut:
    """A label, and whether its model has a price."""
    return LabelOut(**label.model_dump(), priced=priced)


def price_out(price: Price) -> PriceOut:
    """A price, and the id by which records name it."""
    return PriceOut(
        **price.model_dump(exclude={"fetched_at_epoch"}),
        fetched_at=price.fetched_at_epoch,
        price_id=price_id(price),
    )


def pending_out(pending: PendingPrice) -> PendingPriceOut:
    """A price that waits, as it would be."""
    price = Price(
        **pending.model_dump(exclude={"previous_price_id", "change_pct", "state"}),
        source="PRICE_LIST",
    )
    return PendingPriceOut(
        **price_out(price).model_dump(),
        change_pct=pending.change_pct,
        previous_price_id=pending.previous_price_id,
    )


def _waiting(issued: Issued) -> dict[str, Any]:
    return {
        "client_id": issued.credential.client_id,
        "retrieval_token": issued.token,
        "retrieval_expires_at": issued.retrieval.expires_at_epoch,
    }
