"""Kurukshetra as people use it: the day of who takes part, and the day of who runs an event."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.cli.up_support import Up, started
from tests.e2e.support import (
    PHONE,
    THEMES,
    agree,
    browsing,
    good,
    press,
    reach,
    settled,
    too_wide,
    violations,
    write,
)
from tests.systems.kurukshetra.pages.staging import paid_for
from tests.systems.kurukshetra.pages.support import BASE, Ground, pages_of, signed_in
from tests.systems.kurukshetra.support import Made, team_made

from tablewright.engine import Engine
from tablewright.testing.backends import in_process

pytestmark = pytest.mark.e2e

ADMINISTRATOR = "Demo admin"
EVENT = "harbour-days"
ADMIN = f"{BASE}/events/{EVENT}/admin"


@pytest.fixture(scope="module")
def ground(browser: Browser) -> Iterator[Ground]:
    """The pages, with nobody in the background: what takes longer is done when a test says so."""
    with Engine.memory() as engine, in_process(engine) as backend, pages_of(backend) as made:
        yield made


# --- hands ---------------------------------------------------------------------------------------


def tab(page: Page, title: str) -> None:
    page.locator(".page-tabs").get_by_role("link", name=title, exact=True).click()
    expect(page.locator(".page-tabs [aria-current=page]")).to_have_text(title)


# --- who takes part ------------------------------------------------------------------------------


def test_a_participants_day(browser: Browser, ground: Ground) -> None:
    """From the event's page to a ticket: the leader with keys alone, the other on a phone."""
    event = ground.event("sunrise-day")
    url = ground.service.url
    with (
        browsing(browser, url) as asha,
        browsing(browser, url, width=PHONE, has_touch=True, is_mobile=True) as ravi,
    ):
        asha.goto(event)
        code = founded(asha)
        joined(ravi, f"{event}/join?code={code}")
        asha.reload()
        paid(asha)
        asha.emulate_media(color_scheme="dark")
        press(asha, "link", "Show my ticket")
        expect(asha.get_by_role("article", name="Ticket").locator("svg")).to_be_visible()
        good(asha)
        asha.goto(f"{event}/team")
        press(asha, "link", "Receipt")
        receipt = asha.get_by_role("article", name="Receipt")
        for each in ("₹999", "UPI", "Early Birds", "Paid"):
            expect(receipt).to_contain_text(each)
        ravi.goto(f"{event}/team")
        ravi.get_by_role("link", name="Show my ticket").tap()
        expect(ravi.get_by_role("article", name="Ticket")).to_contain_text("Ravi")
        expect(ravi.locator(".ticket-qr svg")).to_be_visible()
        assert not too_wide(ravi)


def founded(page: Page) -> str:
    """Register with a new team; its code."""
    press(page, "link", "Register")
    press(page, "button", "Asha")
    page.wait_for_url("**/register/you")
    write(page, "First name", "Asha")
    write(page, "Last name", "Verma")
    expect(page.get_by_text("Saved. You can go on later.")).to_be_visible()
    # Whoever comes back, finds what they have typed.
    page.reload()
    expect(page.get_by_label("First name")).to_have_value("Asha")
    expect(page.get_by_label("Last name")).to_have_value("Verma")
    good(page)
    press(page, "button", "Go on to the team")
    page.wait_for_url("**/register/team")
    reach(page, page.get_by_role("radio", name=re.compile("^Found a team")))
    for key, field in (("ArrowDown", "Invite code"), ("ArrowUp", "Team name")):
        page.keyboard.press(key)
        expect(page.get_by_label(field)).to_be_visible()
    write(page, "Team name", "Early Birds")
    press(page, "button", "Go on to the terms")
    page.wait_for_url("**/register/terms")
    press(page, "checkbox", "I agree", "Space")
    press(page, "button", "Register the team")
    expect(page.get_by_role("heading", name="1 person is missing")).to_be_visible()
    return page.locator("#invite-code").inner_text()


def joined(page: Page, link: str) -> None:
    """Register on a phone, with a link from the leader."""
    page.goto(link)
    page.get_by_role("button", name="Ravi").tap()
    page.get_by_label("First name").fill("Ravi")
    page.get_by_role("button", name="Go on to the team").tap()
    expect(page.get_by_role("radio", name=re.compile("^Join a team"))).to_be_checked()
    page.get_by_role("button", name="Go on to the terms").tap()
    page.get_by_label("I agree").check()
    page.get_by_role("button", name="Register and join").tap()
    expect(page.get_by_text("Your leader pays for the team.")).to_be_visible()
    good(page)


def paid(page: Page) -> None:
    """A seat is held, its time runs, and the bank pays."""
    press(page, "link", "Pay ₹999")
    page.wait_for_url("**/pay")
    press(page, "button", "Hold the seat and pay")
    expect(page.get_by_role("heading", name="Your seat is held")).to_be_visible()
    timer = page.get_by_role("timer")
    expect(timer).to_have_text(re.compile(r"^\d\d:\d\d$"))
    expect(timer).not_to_have_text(timer.inner_text())
    good(page)
    press(page, "link", "Go to the sandbox bank")
    page.wait_for_url("**/sandbox")
    reach(page, page.get_by_label("Card"))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("UPI")).to_be_checked()
    press(page, "button", "Pay ₹999")
    expect(page.get_by_role("heading", name="Your seat is paid")).to_be_visible()


# --- who runs an event ---------------------------------------------------------------------------


def test_an_organisers_day(browser: Browser, ground: Ground) -> None:
    """From a plan to certificates that everybody can check."""
    with browsing(browser, ground.service.url) as page:
        become(page, ground, "organizer")
        planned(page)
        asked(page)
        discounted(page)
        first, second = ground.do(filled(ground))
        listed(page)
        written(page, ground)
        become(page, ground, "finance")
        refunded(page, first)
        compared(page, ground)
        ground.do(paid_for(ground.festival, second))
        become(page, ground, "volunteer", PHONE)
        let_in(page, ground, second)
        become(page, ground, "organizer")
        code = certified(page, ground, second)
        looked_up(page)
        become(page, ground)
        page.goto(f"{BASE}/certificates")
        page.get_by_label("Code of the certificate").fill(code.lower())
        page.get_by_role("button", name="Check").click()
        expect(page.get_by_role("heading", name="This certificate is genuine")).to_be_visible()
        good(page)


def become(page: Page, ground: Ground, user: str = "", width: int = 1280) -> None:
    """Somebody else takes the window, or nobody who has signed in."""
    page.context.clear_cookies()
    page.set_viewport_size({"width": width, "height": 900})
    with signed_in(ground, user) as other:
        for name, value in other.client.cookies.items():
            page.context.add_cookies([{"name": name, "value": value, "url": ground.service.url}])


async def filled(ground: Ground) -> tuple[Made, Made]:
    """A team that has the only seat, and one that waits for it."""
    first = await team_made(ground.festival, EVENT, name="Paid Pandas")
    await paid_for(ground.festival, first)
    second = await team_made(ground.festival, EVENT, name="Waiting Wolves")
    await ground.festival.seats.enter(second.leader, second.team_id)
    return first, second


def planned(page: Page) -> None:
    """A new event, with keys alone; then its settings are changed."""
    page.goto(f"{BASE}/")
    press(page, "link", "Plan an event")
    page.wait_for_url("**/events/new")
    write(page, "Name", "Harbour Days")
    write(page, "Short name", EVENT)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{ADMIN}**")
    tab(page, "Set-up")
    page.get_by_label("Registration is open").check()
    page.locator("[name=max_teams]").fill("1")
    page.get_by_label("Places on the waitlist").fill("3")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").get_by_text("saved")).to_be_visible()
    expect(page.get_by_label("Places on the waitlist")).to_have_value("3")


def asked(page: Page) -> None:
    """A question with some answers to choose from."""
    page.get_by_role("link", name="Questions", exact=True).click()
    expect(page.get_by_text("No questions of your own")).to_be_visible()
    page.get_by_role("button", name="Add a question").click()
    page.get_by_label("What you ask").fill("Which T-shirt?")
    page.get_by_label("Answer", exact=True).select_option(label="One of several")
    page.get_by_label("Choices").fill("S\nM\nL")
    good(page)
    page.get_by_role("button", name="Save the questions").click()
    expect(page.get_by_label("What you ask")).to_have_value("Which T-shirt?")


def discounted(page: Page) -> None:
    page.get_by_role("link", name="Vouchers", exact=True).click()
    expect(page.get_by_text("No voucher yet")).to_be_visible()
    page.get_by_label("Code").fill("CREW")
    page.get_by_label("Per cent off").fill("50")
    page.get_by_role("button", name="Make the voucher").click()
    expect(page.get_by_role("row", name=re.compile("CREW"))).to_contain_text("50")


def listed(page: Page) -> None:
    """Everybody who has registered; those of teams that have paid; and who waits for a seat."""
    tab(page, "Registrations")
    people = page.get_by_role("table", name="Registrations").locator("tbody tr")
    expect(people).to_have_count(4)
    page.get_by_label("Team is").select_option(label="Paid")
    page.get_by_role("button", name="Show").click()
    expect(people).to_have_count(2)
    for each in people.all():
        expect(each).to_contain_text("Paid Pandas")
    tab(page, "Waitlist")
    first = page.get_by_role("table", name="Waiting").locator("tbody tr")
    expect(first).to_contain_text("Waiting Wolves")


def written(page: Page, ground: Ground) -> None:
    """A mail to those who have paid, and what came of it."""
    page.goto(f"{ADMIN}/registrations/mail")
    page.get_by_label("Subject").fill("Doors open at nine")
    page.get_by_label("Text").fill("Bring your ticket, and a charger.")
    page.get_by_label("Paid").check()
    agree(page, "Send", "Send it")
    expect(page.get_by_text("The mail is on its way")).to_be_visible()
    ground.do(ground.festival.jobs.work_all())
    expect(page.locator(".job")).to_contain_text("2 on their way")


def refunded(page: Page, made: Made) -> None:
    """All the money goes back, and the seat to who waits."""
    page.goto(f"{ADMIN}/payments")
    row = page.get_by_role("row", name=re.compile(made.team.name))
    expect(row).to_contain_text("Paid")
    row.get_by_role("link").first.click()
    expect(page.get_by_text("Checkout begun, a seat held")).to_be_visible()
    page.get_by_label("Reason").fill("They cannot come after all.")
    page.get_by_label("The team gives up its seat").check()
    good(page)
    agree(page, "Pay back", "Pay back")
    expect(page.get_by_text("₹999 was paid back.")).to_be_visible()
    expect(page.get_by_role("table", name="Refunds")).to_contain_text("₹999")


def compared(page: Page, ground: Ground) -> None:
    """The gateway's books, and ours."""
    tab(page, "Reconcile")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".job")).to_have_count(1)
    ground.do(ground.festival.jobs.work_all())
    expect(page.locator(".job")).to_contain_text("Done")
    expect(page.get_by_text("The books agree")).to_be_visible()


def let_in(page: Page, ground: Ground, made: Made) -> None:
    """A volunteer's phone at the door."""
    ticket = ground.do(ground.festival.tickets.ticket(made.leader))
    page.goto(f"{BASE}/events/{EVENT}")
    page.get_by_role("link", name="Door").click()
    page.get_by_label("Code of the ticket").fill(ticket.text)
    page.get_by_role("button", name="Check").click()
    expect(page.locator("[data-part=title]")).to_contain_text("Come in, Member")


def certified(page: Page, ground: Ground, made: Made) -> str:
    """The next in the queue has the seat; who was let in gets a certificate: its code."""
    page.goto(f"{ADMIN}/waitlist")
    expect(page.get_by_text("Nobody waits")).to_be_visible()
    tab(page, "Certificates")
    agree(page, "Issue them", "Issue them")
    expect(page.locator(".job")).to_have_count(1)
    ground.do(ground.festival.jobs.work_all())
    expect(page.locator(".job")).to_contain_text("1 issued")
    who = str(made.leader.participant_id)
    return ground.festival.certificates.code_of(EVENT, who, "participation")


def looked_up(page: Page) -> None:
    """Who did what, and who paid the money back."""
    tab(page, "Audit")
    rows = page.get_by_role("table", name="Audit entries").locator("tbody tr")
    for action in ("event.create", "voucher.save", "job.mail", "refund.request"):
        expect(rows.filter(has_text=action).first).to_be_visible()
    good(page)
    page.get_by_label("What", exact=True).fill("refund.request")
    page.get_by_role("button", name="Show").click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("demo-finance")
    expect(rows).to_contain_text("₹999")


# --- all pages -----------------------------------------------------------------------------------

OPEN, FULL, OVER, SOON = (
    f"{BASE}/events/{each}"
    for each in ("code-kurukshetra", "rann-hardware-jam", "monsoon-code", "himalaya-ai-sprint")
)
_RUN = ("", "/registrations", "/registrations/mail", "/export", "/payments", "/reconcile")
_RUN_LATER = ("/waitlist", "/certificates", "/handover", "/audit")
_SET_UP = ("/setup", "/setup/questions", "/setup/vouchers", "/setup/roles")
#: What there is to see, and who sees it.
PAGES: dict[str | None, tuple[str, ...]] = {
    None: (f"{BASE}/", OPEN, FULL, OVER, SOON, f"{BASE}/certificates"),
    "Diya": (
        *(f"{OPEN}/{each}" for each in ("register/you", "register/team", "join")),
        f"{BASE}/me",
    ),
    "Asha": (
        *(f"{OPEN}/{each}" for each in ("team", "pay", "ticket", "details")),
        f"{OVER}/team",
        f"{BASE}/me",
        f"{BASE}/",
    ),
    "Ravi": tuple(f"{OPEN}/{each}" for each in ("team", "ticket", "receipt")),
    "Kabir": (f"{FULL}/team", f"{FULL}/pay"),
    ADMINISTRATOR: (
        f"{BASE}/events/new",
        *(f"{OPEN}/admin{each}" for each in (*_RUN, *_RUN_LATER, *_SET_UP)),
        *(f"{each}/admin/waitlist" for each in (FULL, SOON)),
        *(f"{OVER}/admin{each}" for each in ("", "/certificates")),
        *(f"{SOON}/admin{each}" for each in ("", "/registrations", "/payments", "/certificates")),
    ),
    "Demo auditor": (f"{OPEN}/admin/registrations",),
    "Demo volunteer": (f"{OPEN}/door",),
}
#: Pages that lists lead to.
LEADING = ("registrations", "payments")


@pytest.fixture(scope="module")
def up(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """Kurukshetra alone, with its demo."""
    folder: Path = tmp_path_factory.mktemp("kurukshetra")
    with started("kurukshetra", "--data", str(folder / "data"), "--demo", cwd=folder) as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, PHONE])
@pytest.mark.parametrize("theme", THEMES)
def test_everybody_can_use_the_pages(browser: Browser, up: Up, theme: str, width: int) -> None:
    found: list[str] = []
    for user, paths in PAGES.items():
        with browsing(browser, up.url, user=user, theme=theme, width=width) as page:
            for path in (*paths, *led_to(page, user)):
                answer = page.goto(path)
                assert answer is not None
                assert answer.status == 200, path
                settled(page)
                found += violations(page)
                found += [f"{path} is too wide"] if too_wide(page) else []
    assert found == []


def led_to(page: Page, user: str | None) -> list[str]:
    """What the first rows of lists lead to: a person, a team, a payment."""
    found: list[str] = []
    for name in LEADING if user == ADMINISTRATOR else ():
        page.goto(f"{OPEN}/admin/{name}")
        links = page.get_by_role("table").locator("tbody tr").first.get_by_role("link")
        found += [str(each.get_attribute("href")) for each in links.all()]
    return found
