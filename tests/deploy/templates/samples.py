"""Models to make templates of: the systems, two examples, and one with every corner there is."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from tests.deploy.templates import corners

from tablewright.cli.models import KIT, find_model
from tablewright.model import Entity, Model, Op
from tablewright.systems import NAMES

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ALL = ("corners", "ecommerce", "github", "kit", *NAMES)


@dataclass(frozen=True)
class Sample:
    """A model with its demo, and the moment at which the demo makes sense."""

    model: Model
    items: tuple[Entity, ...] = ()
    calls: Mapping[str, Op[Any]] = field(default_factory=dict)
    now: datetime = NOON


@cache
def sample(name: str) -> Sample:
    if name == "corners":
        demo = corners.demo()
        return Sample(corners.model, tuple(demo.items), demo.calls)
    if name == "ecommerce":
        return _ecommerce()
    if name == "github":
        return Sample(example("github").model)
    if name == "kit":
        kit = find_model(KIT)
        return Sample(kit.model, kit.items, kit.calls, kit.now or NOON)
    named = find_model(name)
    return Sample(named.model, named.items, named.calls, _now_of(name))


def _now_of(system: str) -> datetime:
    """The moment that the demo's modules agree on."""
    start = f"tablewright.systems.{system}."
    for module in [each for key, each in sys.modules.items() if key.startswith(start)]:
        found = getattr(module, "NOW", None)
        if isinstance(found, datetime):
            return found
    return NOON


def example(name: str) -> Any:
    if str(EXAMPLES) not in sys.path:
        sys.path.insert(0, str(EXAMPLES))
    return importlib.import_module(name)


def _ecommerce() -> Sample:
    shop = example("ecommerce")
    home = shop.Address(street="12 St James's Square", city="London", country="GB")
    ada = shop.Customer(user_name="ada", email="ada@example.com", name="Ada")
    orders = [
        shop.Order(
            user_name="ada",
            order_id=f"01JD000000000000000000000{number}",
            placed_at=NOON + timedelta(hours=number),
            ship_to=home,
            total=Decimal("4.50"),
        )
        for number in range(3)
    ]
    item = shop.OrderItem(
        order_id=orders[2].order_id, position=1, product="tea", price=Decimal("4.50"), quantity=1
    )
    bob = shop.Customer(user_name="bob", email="bob@example.com", name="Bob")
    calls = {
        "register": shop.register(bob),
        "customer": shop.customer("ada"),
        "customer_with_email": shop.customer_with_email("ada@example.com"),
        "customer_with_orders": shop.customer_with_orders("ada"),
        "save_address": shop.save_address("ada", "home", home),
        "remove_address": shop.remove_address("ada", "home"),
        "place_order": shop.place_order(orders[2], [item]),
        "orders_of_customer": shop.orders_of_customer("ada"),
        "order_with_items": shop.order_with_items(orders[0].order_id),
        "move_order": shop.move_order(orders[0], "packed"),
        "orders_to_pack": shop.orders_to_pack(),
    }
    return Sample(shop.model, (ada, *orders[:2]), calls)
