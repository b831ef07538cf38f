"""Checkout: a seat is held, and an order is made for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Checkout:
    """Checkout: a seat is held, and an order is made for it."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
