"""The overview and the list of organisations with more of them than a page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.console.support import Browser
from tests.systems.pricekeeper.pages.support import (
    BASE,
    ROOT,
    Office,
    as_role,
    fields_of,
    pages_of,
    shows,
    text_of,
    usage,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.systems.pricekeeper.bodies import AppIn, OrgIn
from tablewright.systems.pricekeeper.live_demo.filling import sum_now
from tablewright.systems.pricekeeper.pages.fleet import Fleets
from tablewright.systems.pricekeeper.pages.standing import lag_of
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.testing.backends import Backend, in_process

ORGS = 30
#: What a call of premium costs: see ``support``.
CALL_MICROS = 495_000


def org_id(number: int) -> str:
    return f"0199d5c4-9b1a-7c3e-8f00-0000000000{number:02x}"


async def fill(keeper: Keeper) -> None:
    """Organisation number n makes n calls of premium and may spend $100 a day."""
    for number in range(ORGS):
        body = {
            "org_name": f"Société {number:02d}",
            "timezone": "UTC",
            "model_ordering": ["premium"],
            "quotas": {"premium": 100_000_000},
        }
        await keeper.orgs.put(org_id(number), OrgIn.model_validate(body), ROOT)
        await keeper.orgs.apps.put(org_id(number), "web", AppIn(app_name="Web"), ROOT)
        account = await keeper.directory.account(org_id(number), "web")
        await keeper.recorder.record(account, [usage() for _ in range(number)])
        await sum_now(keeper, org_id(number))


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    with Engine.memory() as engine, in_process(engine) as backend:
        with pages_of(backend, more=fill) as made:
            yield made


@pytest.fixture
def admin(office: Office) -> Iterator[Browser]:
    with as_role(office, "admin") as browser:
        yield browser


def test_overview_shows_the_spend_of_all_organisations(admin: Browser) -> None:
    # Acme of the other tests has spent $0.99 + $0.165 as well.
    total = sum(range(ORGS)) * CALL_MICROS / 10**6 + 1.155
    page = admin.get(f"{BASE}/")
    shows(page, f"${total:,.2f}".removesuffix("0"), f"all {ORGS + 1} organisations")
    # The nearest limit is that of the highest spender, whatever its id.
    highest = (ORGS - 1) * CALL_MICROS / 10**8 * 100
    shows(page, f"{highest:.1f} %", f"Société {ORGS - 1:02d}")


def test_overview_lists_the_highest_spend_first_over_all_pages(admin: Browser) -> None:
    names: list[str] = []
    path = f"{BASE}/"
    for number in (1, 2, 3):
        page = admin.get(path)
        names += re.findall(r'<h2><a id="org-[^>]*>Société (\d\d)</a>', page.text)
        path = f"{BASE}/?page={number + 1}"
    assert [int(name) for name in names] == list(range(ORGS - 1, -1, -1))


def test_organisations_are_searched_on_the_server_ignoring_accents(admin: Browser) -> None:
    page = admin.get(f"{BASE}/orgs?search=societe 17")
    shows(page, "Société 17", "UTC", "$8.42", "premium a day")
    assert "Société 18" not in text_of(page)
    shows(admin.get(f"{BASE}/orgs?search=nobody"), "No organisation found")


def test_latest_alerts_are_those_of_all_organisations(admin: Browser) -> None:
    form = fields_of(admin.get(f"{BASE}/orgs/{org_id(1)}/edit"), "/edit")
    assert admin.post(f"{BASE}/orgs/{org_id(1)}/edit", {**form, "quotas.premium": "0.5"})
    checked = fields_of(admin.get(f"{BASE}/orgs/{org_id(1)}/apps/web"), "/check")
    assert admin.post(f"{BASE}/orgs/{org_id(1)}/apps/web/check", checked).status_code == 303
    # It spends little, so that it is not on the first page.
    page = admin.get(f"{BASE}/")
    assert f'id="org-{org_id(1)}"' not in page.text
    shows(page, "Société 01", "95 % of $0.50")


def test_an_idle_organisation_is_up_to_date_however_old_its_total_is(
    tablewright_backend: Backend, tablewright_clock: ManualClock
) -> None:
    import asyncio

    from tests.systems.pricekeeper.spending.support import (
        ORG,
        START,
        aggregate,
        keeping,
        set_up,
        spend,
    )

    async def scenario() -> None:
        clock = tablewright_clock
        clock.set(START)
        async with keeping(tablewright_backend, clock) as (keeper,):
            org = await set_up(keeper)
            await spend(keeper, "premium", 1_000_000)
            clock.advance(100)
            fleet = await Fleets(keeper).current()
            # Nothing has been summed since the record: the mark was made 100 seconds ago.
            assert fleet.orgs[0].lag_secs == pytest.approx(100, abs=2)
            clock.advance(100)
            await aggregate(keeper)
            clock.advance(2100)
            fleet = await Fleets(keeper).current()
            assert [each.org.org_id for each in fleet.orgs] == [ORG]
            assert fleet.today_micros == 1_000_000
            assert fleet.lag_secs == 0
            assert await lag_of(keeper, org, fleet.orgs[0].today) == 0
            # Whatever was spent so long ago is not being spent any more.
            assert fleet.burn_micros < 10_000

    asyncio.run(scenario())
