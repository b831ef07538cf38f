"""A season of reviews as people live through it: an administrator, a manager and a member."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
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
from tests.systems.ladders.pages.support import BASE, Office, pages_of

from tablewright.engine import Engine
from tablewright.systems.ladders.demo_people import DEMO_PEOPLE
from tablewright.testing.backends import in_process

pytestmark = pytest.mark.e2e

INES, OMAR, JUDITH, LINA, MATEO, NORA = (each.name for each in DEMO_PEOPLE)
#: What the company agrees on; three categories make a radar.
LADDER = """\
1. Junior
2. Senior
3. Principal

# Craft

## Code

1. Writes small changes.
2. Writes whole features.
3. Shapes the code of a service.

# Delivery

## Planning

1. Plans a day.
2. Plans a month.
3. Plans a year.

# Influence

## Mentoring

1. Asks for help in time.
2. Helps whoever asks.
3. Makes others better.
"""
CATEGORIES = ("Craft", "Delivery", "Influence")


@pytest.fixture
def office(browser: Browser) -> Iterator[Office]:
    """The pages, with an administrator and nobody else."""
    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        pages_of(backend, invited=DEMO_PEOPLE[:1]) as made,
    ):
        yield made


def test_a_season_of_reviews(browser: Browser, office: Office) -> None:
    """From an empty company to a report that was talked about."""
    url = office.service.url
    # A text with faults and a conflict are wanted; the browser logs them.
    with browsing(browser, url, user=INES, allowed=("422",)) as ines:
        staffed(ines)
        written(ines)
        with (
            browsing(browser, url, user=OMAR) as omar,
            browsing(browser, url, user=LINA, allowed=("412",)) as lina,
        ):
            planned(omar)
            assessed_herself(lina)
            assessed_her(omar)
            read_it(lina)
            talked(omar)
            looked_back(lina)
        audited(ines)


# --- hands ---------------------------------------------------------------------------------------


def told(page: Page, text: str) -> None:
    expect(page.get_by_role("status").get_by_text(text)).to_be_visible()


def tasks(page: Page) -> Locator:
    return page.get_by_role("region", name="To do").get_by_role("listitem")


def saved(page: Page) -> None:
    expect(page.locator("[data-save]")).to_have_attribute("data-save", "saved")


# --- the administrator ---------------------------------------------------------------------------


def staffed(page: Page) -> None:
    """People are invited before they come, and a team gets its manager and a member."""
    page.goto(f"{BASE}/admin/users")
    for name, role in ((OMAR, "Manager"), (LINA, "")):
        mail = f"{name.split()[0].lower()}@example.org"
        page.get_by_label("E-mail address").fill(mail)
        page.get_by_label("Name", exact=True).fill(name)
        if role:
            page.get_by_label(role, exact=True).check()
        page.get_by_role("button", name="Invite", exact=True).click()
        told(page, f"{name} is invited")
        expect(page.get_by_role("row", name=re.compile(name))).to_contain_text("Invited")
    page.get_by_role("link", name="All teams").click()
    page.get_by_label("Name", exact=True).fill("Payments")
    page.get_by_role("button", name="Make the team").click()
    expect(page.get_by_text("No manager yet").first).to_be_visible()
    page.get_by_label("Who manages it").select_option(label=f"{OMAR} (omar@example.org)")
    agree(page, "Assign", "Assign")
    expect(page.get_by_text(f"Managed by {OMAR}")).to_be_visible()
    page.get_by_label("E-mail addresses").fill("lina@example.org")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("region", name="Members", exact=True)).to_contain_text(LINA)


def written(page: Page) -> None:
    """A new ladder: what is wrong with it stands beside its line, and then nothing is."""
    page.goto(f"{BASE}/admin/ladders")
    page.get_by_role("link", name="New version").click()
    text = page.get_by_label("Text of the ladder")
    gap = "2. Plans a month.\n"
    text.fill(LADDER.replace(gap, "").replace("## Code\n", "### Code\n"))
    faults = page.get_by_role("list").get_by_role("button", name=re.compile("^Line "))
    line = LADDER[: LADDER.index(gap)].count("\n") + 1
    expect(faults.filter(has_text=f"Line {line}")).to_be_visible()
    assert faults.count() > 1
    good(page)
    # From the fault to its line.
    faults.filter(has_text=f"Line {line}").click()
    chosen = text.evaluate("(box) => box.value.slice(box.selectionStart, box.selectionEnd)")
    assert chosen == "3. Plans a year."
    page.get_by_label("Version", exact=True).fill("2.0.0")
    page.get_by_role("button", name="Store the version").click()
    expect(page.get_by_text("Nothing was stored.")).to_be_visible()
    text.fill(LADDER)
    expect(page.get_by_role("heading", name="Valid")).to_be_visible()
    page.get_by_role("button", name="Store the version").click()
    told(page, "Version 2.0.0 is stored.")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="From 1.0.0 to 2.0.0")).to_be_visible()
    expect(page.get_by_role("region", name="Changes")).to_contain_text("Influence")
    page.get_by_role("link", name="Show 2.0.0").click()
    for act in ("Activate", "Roll back to 1.0.0", "Activate"):
        agree(page, act, act.split(" to ")[0])
        told(page, "is active")
    row = page.get_by_role("row", name=re.compile(r"2\.0\.0"))
    expect(row.get_by_text("Active", exact=True)).to_be_visible()


def audited(page: Page) -> None:
    """Who did what, in words; and what one of them did."""
    page.get_by_role("link", name="Audit").click()
    rows = page.get_by_role("table", name="Audit entries").locator("tbody tr")
    for what in ("User invited", "Manager assigned", "Ladder rolled back", "Plan completed"):
        expect(rows.filter(has_text=what).first).to_be_visible()
    expect(rows.filter(has_text="Report released")).to_contain_text(f"Report of {LINA}")
    good(page)
    page.get_by_label("Who").fill("lina@example.org")
    page.get_by_label("What", exact=True).select_option(label="Assessment submitted")
    page.get_by_role("button", name="Show").click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(f"Self-assessment of {LINA}")


# --- the manager ---------------------------------------------------------------------------------


def planned(page: Page) -> None:
    """A draft becomes a review, and who is slow is reminded."""
    page.goto(f"{BASE}/teams")
    page.get_by_role("link", name="Payments").click()
    page.get_by_role("link", name="Plan a season").click()
    page.get_by_label("Name", exact=True).fill("Autumn review")
    page.get_by_role("button", name="Save the draft").click()
    expect(page.get_by_text("Draft", exact=True)).to_be_visible()
    agree(page, "Activate", "Activate")
    told(page, "The review is under way")
    page.get_by_role("link", name="Board").click()
    agree(page, "Remind all", "Send")
    told(page, "2 people get a mail.")
    agree(page, "Remind all", "Send")
    told(page, "All were told today already.")
    expect(page.get_by_role("row", name=re.compile(LINA))).to_contain_text("Not started")
    good(page)


def assessed_her(page: Page) -> None:
    """The board has changed by itself; the manager adds the other view, and makes the report."""
    row = page.get_by_role("row", name=re.compile(LINA))
    expect(row.locator("td").get_by_text("Submitted", exact=True)).to_be_visible()
    row.get_by_role("link", name="Write").click()
    steps = (*CATEGORIES[1:], "Outlook")
    for step, level, after in zip(CATEGORIES, (3, 3, 1), steps, strict=True):
        expect(page.get_by_role("heading", name=step, exact=True)).to_be_visible()
        page.locator(f'.level:has([value="{level}"])').click()
        page.get_by_label("Evidence").fill("Seen in the release of the ledger.")
        if step == CATEGORIES[0]:
            saved(page)
        page.get_by_role("button", name=f"Save, then {after}").click()
    page.get_by_label("Way forward").fill("Lead the next release.")
    page.get_by_role("button", name="Save, then Submit").click()
    expect(page.get_by_role("heading", name="Ready to submit")).to_be_visible()
    agree(page, "Submit", "Submit")
    # Who left now would break off what leads from the answer to the next page.
    expect(page.get_by_text("Submitted", exact=True).first).to_be_visible()
    page.goto(f"{BASE}/teams")
    page.get_by_role("link", name="Payments").click()
    page.get_by_role("link", name="Board").click()
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("heading", name=f"{LINA} cannot see it yet")).to_be_visible()
    # What is far apart stands at the top: planning is two levels off.
    expect(page.get_by_role("region", name="Worth discussing")).to_contain_text("Planning")
    agree(page, "Release", "Release")
    expect(page.get_by_role("heading", name=f"{LINA} can read it")).to_be_visible()


def talked(page: Page) -> None:
    """What she says to it; something to do for both; and the end of the review."""
    page.reload()
    expect(page.get_by_text("Fair, let us talk about planning.")).to_be_visible()
    actions = page.get_by_role("region", name="Growth actions")
    expect(actions).to_contain_text("Mentor a newcomer")
    acted(page, "Plan a quarter together")
    expect(actions.locator("li").filter(has_text="Plan a quarter")).to_contain_text("Due")
    page.goto(f"{BASE}/teams")
    page.get_by_role("link", name="Payments").click()
    page.get_by_role("link", name="Heat map").click()
    expect(page.get_by_role("row", name=re.compile(LINA))).to_contain_text("3")
    good(page)
    page.get_by_role("link", name="Payments").click()
    page.get_by_role("link", name="Autumn review").click()
    agree(page, "Complete", "Complete")
    told(page, "The review is completed.")


def acted(page: Page, title: str) -> None:
    """A growth action is added."""
    page.get_by_text("Add a growth action").click()
    form = page.get_by_role("form", name="Add a growth action")
    form.get_by_label("What", exact=True).fill(title)
    form.get_by_label("Until").fill("2026-12-20")
    form.get_by_role("button", name="Add").click()


# --- the member ----------------------------------------------------------------------------------


def assessed_herself(page: Page) -> None:
    """From the task to the end with keys alone; in two tabs nothing is lost."""
    page.goto(f"{BASE}/")
    expect(tasks(page)).to_have_count(1)
    press(page, "link", "Begin")
    page.wait_for_url("**/assessments/**")
    answered(page, "2", "Wrote the export.")
    good(page)
    press(page, "button", "Save, then Delivery")
    page.wait_for_url("**step=2")
    # A level is chosen with the arrows, as in any group of radio buttons; no evidence.
    reach(page, page.get_by_label("No level yet"))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name=re.compile("Plans a day"))).to_be_checked()
    press(page, "button", "Save, then Influence")
    page.wait_for_url("**step=3")
    answered(page, "2", "Two people asked, and went on.")
    saved(page)
    page.goto(f"{page.url.split('?')[0]}?step=5")
    expect(page.get_by_role("heading", name="1 answer is missing")).to_be_visible()
    expect(page.get_by_role("button", name="Submit")).to_have_count(0)
    press(page, "link", "Planning needs evidence")
    page.wait_for_url("**step=2**")
    tabs(page)
    press(page, "link", "Submit")
    expect(page.get_by_role("heading", name="Ready to submit")).to_be_visible()
    press(page, "button", "Submit")
    reach(page, page.locator("dialog[open]").get_by_role("button", name="Submit"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Submitted", exact=True).first).to_be_visible()


def answered(page: Page, level: str, evidence: str) -> None:
    """A level by its digit, and what shows it."""
    reach(page, page.get_by_label("No level yet"))
    page.keyboard.press(level)
    write(page, "Evidence", evidence)


def tabs(page: Page) -> None:
    """The same step twice: who is second is asked, and both have their say."""
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_label("Next step").fill("Plan more than a day.")
    saved(other)
    other.close()
    write(page, "Evidence", "Split the work of each day.")
    expect(page.get_by_text("It was changed somewhere else.")).to_be_visible()
    press(page, "button", "Keep what I typed")
    expect(page.get_by_text("It was changed somewhere else.")).to_be_hidden()
    saved(page)
    expect(page.get_by_label("Evidence")).to_have_value("Split the work of each day.")


def read_it(page: Page) -> None:
    """Both views in a picture; that she has read it, and what she will do."""
    page.goto(f"{BASE}/")
    tasks(page).get_by_role("link", name=re.compile("^Read it")).click()
    expect(page.get_by_role("heading", name="Your report")).to_be_visible()
    expect(page.locator("figure svg polygon").first).to_be_visible()
    sides = page.get_by_role("region", name="Delivery")
    expect(sides).to_contain_text("Split the work of each day.")
    expect(sides).to_contain_text("Seen in the release of the ledger.")
    good(page)
    page.get_by_label("Comment").fill("Fair, let us talk about planning.")
    page.get_by_role("button", name="I have read it").click()
    expect(page.get_by_text("Acknowledged", exact=True).first).to_be_visible()
    acted(page, "Mentor a newcomer")
    expect(page.get_by_text("Mentor a newcomer").first).to_be_visible()
    for name, begins in (("PDF", b"%PDF-"), ("CSV", b"report_season,"), ("JSON", b"{")):
        page.locator("summary", has_text="Export").click()
        with page.expect_download() as found:
            page.get_by_role("button", name=name).click()
        content = Path(found.value.path()).read_bytes()
        assert content.startswith(begins), content[:20]
        assert found.value.suggested_filename.endswith(name.lower())
        page.keyboard.press("Escape")
    assert json.loads(content)["goal_level"] == 3


def looked_back(page: Page) -> None:
    """What is agreed on, and the way so far; the review is over."""
    page.get_by_role("link", name="Growth", exact=True).click()
    page.set_viewport_size({"width": PHONE, "height": 900})
    for each in ("Mentor a newcomer", "Plan a quarter together", "Lead the next release."):
        expect(page.get_by_text(each, exact=True).first).to_be_visible()
    assert not too_wide(page)
    page.get_by_role("link", name="Your history").click()
    expect(page.get_by_role("row", name=re.compile("2026-H2"))).to_contain_text("Acknowledged")
    good(page)


# --- all pages -----------------------------------------------------------------------------------

#: Where everybody begins; links lead to all other pages.
BEGINNINGS = ("/", "/growth", "/history", "/ladder", "/ladder?level=3", "/teams")
ADMINISTRATION = ("users", "teams", "ladders", "ladders/new", "audit")
#: Who goes through the pages, and where they begin beside that.
PEOPLE: dict[str, tuple[str, ...]] = {
    INES: tuple(f"/admin/{each}" for each in ADMINISTRATION),
    OMAR: (),
    JUDITH: (),
    LINA: (),
    MATEO: (),
    NORA: (),
}
#: Ids are all alike: of each kind of page so many are looked at.
_OF_A_KIND = 2
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
#: What is no page of its own: parts of lists, and files.
_OTHER = re.compile(r"cursor=|/markdown|level=|#")


@pytest.fixture(scope="module")
def up(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """Ladders alone, with its demo."""
    folder: Path = tmp_path_factory.mktemp("ladders")
    with started("ladders", "--data", str(folder / "data"), "--demo", cwd=folder) as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, PHONE])
@pytest.mark.parametrize("theme", THEMES)
def test_everybody_can_use_the_pages(browser: Browser, up: Up, theme: str, width: int) -> None:
    found: list[str] = []
    for user, more in PEOPLE.items():
        # An administrator may not read what is not submitted, and is told so.
        with browsing(
            browser, up.url, user=user, theme=theme, width=width, allowed=("403",)
        ) as page:
            for path in led_to(page, [f"{BASE}{each}" for each in (*BEGINNINGS, *more)]):
                settled(page)
                found += violations(page)
                found += [f"{path} is too wide"] if too_wide(page) else []
    assert found == []


def led_to(page: Page, beginnings: list[str]) -> Iterator[str]:
    """Every kind of page that links lead to; the page is there when its path is given."""
    waiting, seen, kinds = [*beginnings], set(beginnings), dict[str, int]()
    while waiting:
        path = waiting.pop(0)
        kind = _ID.sub("id", path)
        if kinds.setdefault(kind, 0) >= _OF_A_KIND:
            continue
        kinds[kind] += 1
        answer = page.goto(path)
        assert answer is not None
        assert answer.status in (200, 403), path
        yield path
        links = page.locator(f'main a[href^="{BASE}"]')
        hrefs: list[str] = links.evaluate_all(
            "(all) => all.map((each) => each.getAttribute('href'))"
        )
        new = [each for each in dict.fromkeys(hrefs) if not _OTHER.search(each)]
        waiting += [each for each in new if each not in seen]
        seen.update(new)
