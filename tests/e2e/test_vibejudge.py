"""Vibejudge as people use it: from a plan to results that everybody sees, and a judge's phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.cli.up_support import Up, started
from tests.e2e.support import LOOKS, PHONE, browsing, settled, too_wide, violations

pytestmark = pytest.mark.e2e

ORGANIZER = "Demo organizer"
#: Enough for an analysis of some repositories on a busy machine.
PATIENCE_MS = 90_000
#: Fingers need so many pixels; WCAG's own least is 24.
FINGER = 44
#: A judge who has not come yet.
HIRO = "Hiro Tanabe"
_HACKATHON = re.compile(r"/vibejudge/hackathons/[0-9A-Z]{26}")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vibejudge")


@pytest.fixture(scope="module")
def up(browser: Browser, data: Path) -> Iterator[Up]:
    """Vibejudge alone, with its demo."""
    arguments = ("vibejudge", "--data", str(data / "data"), "--demo")
    with started(*arguments, cwd=data) as running:
        yield running


def confirm(page: Page, button: str, answer: str) -> None:
    """Press a button, and say yes to what it asks."""
    page.get_by_role("button", name=button, exact=True).click()
    page.locator("dialog[open]").get_by_role("button", name=answer, exact=True).click()


def tab(page: Page, title: str) -> None:
    page.locator(".page-tabs").get_by_role("link", name=title, exact=True).click()
    page.wait_for_load_state("load")


def until(page: Page, path: str, found: Locator) -> Locator:
    """Look at a page again and again until something is on it: the demo goes on by itself."""
    for _ in range(60):
        page.goto(path)
        if found.count():
            return found
        page.wait_for_timeout(1000)
    raise AssertionError(f"it does not come on {path}")


def opened(page: Page, name: str) -> str:
    """The path of one of the demo's hackathons, once agents have looked at it."""
    page.goto("/vibejudge/hackathons")
    path = page.get_by_role("link", name=name, exact=True).get_attribute("href")
    assert path is not None
    until(page, f"{path}/leaderboard", page.get_by_role("table", name="Ranking"))
    return path


def test_from_a_plan_to_results_that_everybody_sees(browser: Browser, up: Up, data: Path) -> None:
    repositories = data / "data" / "vibejudge" / "demo"
    with browsing(browser, up.url, user=ORGANIZER) as page:
        here = planned(page)
        confirm(page, "Activate", "Activate it")
        expect(page.get_by_text("it takes submissions from now on")).to_be_visible()
        result = handed_in(page, {"Hammers": repositories / "toolshed.git"}, one=True)
        several = {each: repositories / f"{each}.git" for each in ("pollparty", "riverlevels")}
        handed_in(page, several)
        tab(page, "Submissions")
        for team in ("Hammers", *several):
            expect(page.get_by_role("rowheader", name=team)).to_be_visible()
        analysed(page, 3)
        teams = ranked(page)
        assert sorted(teams) == ["Hammers", "pollparty", "riverlevels"]
        looked_into(page, teams[0])
        tab(page, "Leaderboard")
        confirm(page, "Release results", "Release")
        expect(page.get_by_text("Results are released.")).to_be_visible()
    public = here.replace("/hackathons/", "/gallery/")
    with browsing(browser, up.url) as visitor:
        visitor.goto(public)
        rows = visitor.get_by_role("table", name="Results").locator("tbody th")
        assert rows.all_inner_texts() == teams
        visitor.goto(result)
        expect(visitor.get_by_text(f"Rank {1 + teams.index('Hammers')}")).to_be_visible()
        assert violations(visitor) == []
        visitor.get_by_label("What is wrong with your result").fill(
            "The tests in e2e/ were not looked at."
        )
        confirm(visitor, "Send appeal", "Send appeal")
        expect(visitor.get_by_text("The organiser has not answered yet")).to_be_visible()


def planned(page: Page) -> str:
    """A public hackathon that has just ended; its path."""
    page.goto("/vibejudge/hackathons/new")
    page.get_by_role("region", name="Basics").get_by_label("Name").fill("Dockside Days")
    page.get_by_label("Visibility").select_option("public")
    page.get_by_label("Start (UTC)").fill("2026-09-18T17:00")
    page.get_by_label("End (UTC)").fill("2026-09-20T17:00")
    page.get_by_role("button", name="Save as a draft").click()
    page.wait_for_url(_HACKATHON)
    return urlsplit(page.url).path


def handed_in(page: Page, teams: dict[str, Path], *, one: bool = False) -> str:
    """One by its form, several as pasted lines; where the first sees its result."""
    tab(page, "Overview")
    page.get_by_role("link", name="Add submissions").first.click()
    if one:
        ((team, place),) = teams.items()
        form = page.get_by_role("form", name="One team")
        form.get_by_label("Team").fill(team)
        form.get_by_label("Repository").fill(str(place))
        form.get_by_role("button", name="Add it").click()
    else:
        lines = ["team_name,repo_url", *(f"{team},{place}" for team, place in teams.items())]
        page.get_by_label("Teams and repositories").fill("\n".join(lines))
        page.get_by_role("button", name="Add them").click()
    rows = page.get_by_role("table", name="Rows")
    expect(rows.get_by_text("Added", exact=True)).to_have_count(len(teams))
    return page.locator(".code code").inner_text().split("\t")[1].splitlines()[0]


def analysed(page: Page, count: int) -> None:
    """Tiles change by themselves until the job is done."""
    tab(page, "Run")
    page.get_by_role("button", name="Start the analysis").click()
    tiles = page.locator(".tiles > li")
    expect(tiles).to_have_count(count, timeout=PATIENCE_MS)
    expect(page.locator(".tile-run.is-done")).to_have_count(count, timeout=PATIENCE_MS)
    expect(page.get_by_role("heading", name="Last analysis")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator(".tile-score")).to_have_count(count)


def ranked(page: Page) -> list[str]:
    tab(page, "Leaderboard")
    settled(page)
    return page.get_by_role("table", name="Ranking").locator("tbody th").all_inner_texts()


def looked_into(page: Page, team: str) -> None:
    """The scorecard says where things were seen, at the commit that was judged."""
    page.get_by_role("link", name=team, exact=True).first.click()
    settled(page)
    expect(page.get_by_role("heading", name=team)).to_be_visible()
    assert page.locator(".evidence").count() > 0
    expect(page.get_by_role("table", name="Runs").locator("tbody tr")).to_have_count(1)


@pytest.mark.slow
def test_a_judge_works_with_one_thumb_and_with_keys_alone(browser: Browser, up: Up) -> None:
    with browsing(browser, up.url, user=ORGANIZER) as page:
        here = opened(page, "Lighthouse Challenge")
        row = page.get_by_role("row", name=re.compile(HIRO))
        until(page, f"{here}/judging", row).get_by_role("button", name="New link").click()
        link = page.locator(".code code").inner_text()
        with browsing(browser, up.url, width=PHONE, has_touch=True, is_mobile=True) as phone:
            phone.goto(link)
            assert violations(phone) == []
            phone.get_by_role("button", name="Begin judging").tap()
            phone.wait_for_url("**/desk/*")
            assert not too_wide(phone)
            assert violations(phone) == []
            first = by_thumb(phone)
            second = by_keys(phone)
            assert first != second
            skipped(phone, second)
            # Three or four are theirs: the third may have been the last.
            phone.get_by_role("link", name=re.compile("^(My scores|What I said)$")).tap()
            phone.wait_for_url("**/given")
            assert sorted(phone.locator(".given-list h2").all_inner_texts()) == sorted(
                [first, second]
            )
        page.goto(f"{here}/judging")
        expect(page.get_by_role("row", name=re.compile(HIRO))).to_contain_text("1 skipped")


def by_thumb(phone: Page) -> str:
    team = phone.get_by_role("heading", level=1).inner_text()
    for group in phone.locator("fieldset.points").all():
        point = group.locator(".point", has_text=re.compile("^8$"))
        box = point.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= FINGER
        point.tap()
    phone.get_by_label("Comment").fill("A pleasure to read.")
    phone.get_by_role("button", name="Save and next").tap()
    expect(phone.get_by_text(f"Saved: {team}.")).to_be_visible()
    return team


def by_keys(phone: Page) -> str:
    """Arrows choose, Tab goes on, Enter saves."""
    team = phone.get_by_role("heading", level=1).inner_text()
    phone.locator("fieldset.points input").first.focus()
    for _ in range(phone.locator("fieldset.points").count()):
        phone.keyboard.press("Space")
        phone.keyboard.press("ArrowRight")
        phone.keyboard.press("Tab")
    assert phone.locator("fieldset.points :checked").evaluate_all(
        "(all) => all.map((e) => e.value)"
    )
    phone.keyboard.press("Tab")
    phone.keyboard.press("Enter")
    expect(phone.get_by_text(f"Saved: {team}.")).to_be_visible()
    return team


def skipped(phone: Page, before: str) -> None:
    team = phone.get_by_role("heading", level=1).inner_text()
    assert team != before
    phone.get_by_text(f"I cannot judge {team}").tap()
    phone.get_by_label("Why").fill("Not my field")
    phone.get_by_role("button", name="Skip it").tap()
    expect(phone.get_by_text("another judge gets it")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_everybody_can_use_the_pages(browser: Browser, up: Up, theme: str, width: int) -> None:
    found: list[str] = []
    with browsing(browser, up.url, user=ORGANIZER, theme=theme, width=width) as page:
        released = opened(page, "Harbour Hack")
        judged = opened(page, "Lighthouse Challenge")
        until(page, f"{judged}/judging", page.get_by_role("table", name="Judges"))
        page.goto(f"{released}/leaderboard")
        card = page.get_by_role("table", name="Ranking").locator("tbody a").first
        pages = [
            "/vibejudge/hackathons",
            "/vibejudge/hackathons/new",
            "/vibejudge/settings",
            "/vibejudge/gallery",
            released.replace("/hackathons/", "/gallery/"),
            *(f"{released}{each}" for each in ("", "/submissions", "/submissions/add", "/run")),
            *(f"{released}{each}" for each in ("/leaderboard", "/costs", "/edit")),
            str(card.get_attribute("href")),
            *(
                f"{judged}{each}"
                for each in ("/judging", "/judging/rounds/1", "/judging/judges/new")
            ),
        ]
        for path in pages:
            page.goto(path)
            settled(page)
            found += violations(page)
            found += [f"{path} is too wide"] if too_wide(page) else []
    assert found == []
