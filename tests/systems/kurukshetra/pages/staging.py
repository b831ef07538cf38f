"""An event that is being run: a team that has paid, one that waits, and who works there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.console.support import Browser
from tests.systems.kurukshetra.pages.support import BASE, Ground
from tests.systems.kurukshetra.support import Made, person, registered, team_made

from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
from tablewright.systems.kurukshetra.bodies.payments import VerifyIn
from tablewright.systems.kurukshetra.service.festival import Festival

#: What somebody could call themselves, or where they study.
HOSTILE = '<img src=x onerror="alert(1)">'
FEE = 99900
_PROOF = ("razorpay_order_id", "razorpay_payment_id", "razorpay_signature")


@dataclass(frozen=True)
class Stage:
    """An event of its own for each module."""

    ground: Ground
    event_id: str
    #: Has paid; its leader has a hostile name.
    paid: Made
    payment_id: str
    #: Waits for a seat.
    waiting: Made

    @property
    def admin(self) -> str:
        return f"{BASE}/events/{self.event_id}/admin"

    @property
    def door(self) -> str:
        return f"{BASE}/events/{self.event_id}/door"

    @property
    def payment(self) -> str:
        return f"{self.admin}/payments/{self.payment_id}"

    @property
    def leader(self) -> str:
        """The page of who leads the paid team."""
        return f"{self.admin}/registrations/{self.paid.leader.participant_id}"


async def paid_for(festival: Festival, made: Made) -> str:
    """The team checks out and pays at the sandbox; the payment's id."""
    started = await festival.checkout.start(made.leader, made.team_id, CheckoutIn())
    assert started.order_id is not None
    _, proof = await festival.gateway.pretend(started.order_id, "succeed")
    body = VerifyIn.model_validate({name: proof[name] for name in _PROOF})
    return (await festival.payments.verify(made.leader, body)).payment_id


def staged(ground: Ground, event_id: str, **config: Any) -> Stage:
    """One seat, which is paid; and a team that waits for it."""
    ground.event(event_id, **{"max_teams": 1, **config})
    return ground.do(_filled(ground, event_id))


async def _filled(ground: Ground, event_id: str) -> Stage:
    festival = ground.festival
    await registered(festival, event_id, "mallory", first_name=HOSTILE, college=HOSTILE)
    paid = await team_made(festival, event_id, name="Paid Pandas")
    payment_id = await paid_for(festival, paid)
    waiting = await team_made(festival, event_id, name="Waiting Wolves")
    await festival.seats.enter(waiting.leader, waiting.team_id)
    return Stage(ground, event_id, paid, payment_id, waiting)


def flashed(browser: Browser, path: str) -> str:
    """The text of a page, after something was done."""
    return browser.get(path).text


def mallory(stage: Stage) -> str:
    """The page of somebody with a hostile name, who has no team."""
    festival = stage.ground.festival
    found = stage.ground.do(festival.access.now(person("mallory"), stage.event_id))
    return f"{stage.admin}/registrations/{found.participant_id}"
