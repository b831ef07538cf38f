"""The gateway: Razorpay, or the sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Gateway:
    """The gateway: Razorpay, or the sandbox."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
