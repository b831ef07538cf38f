"""The pictures in the README and in docs/tour.md, taken from the running systems.

``make screenshots`` starts ``tablewright up --demo --memory`` on a free port, signs in as demo
people, goes where ``SHOTS`` says and writes ``docs/images/<name>.png``. A page that answers with an
error, or lacks something that is to be clicked, ends the run with what and where. A test sees to it
that pages show exactly these pictures.

    python -m scripts.screenshots [NAME ...]
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Error, Page, sync_playwright
from scripts.palette import small

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
DESK = (1280, 800)
PHONE = (390, 800)
#: All pictures together, so that a clone stays small.
MOST_BYTES = 1_500_000

Step = Callable[[Page], None]


def link(name: str) -> Step:
    return lambda page: page.locator("main").get_by_role("link", name=name).first.click()


def press(name: str) -> Step:
    return lambda page: page.locator("main").get_by_role("button", name=name).first.click()


def show(text: str) -> Step:
    """Scroll to a heading that the first look at a page does not reach."""
    # The bar on top covers 90 pixels.
    script = "(each) => window.scrollTo(0, each.getBoundingClientRect().top + scrollY - 90)"
    return lambda page: page.locator("main h2", has_text=text).first.evaluate(script)


def use(path: str, times: int) -> Step:
    """Ask for another page now and then, so that there is something to measure."""

    def ask(page: Page) -> None:
        for _ in range(times):
            page.request.get(path)
            page.wait_for_timeout(250)

    return ask


@dataclass(frozen=True)
class Shot:
    """One picture: who looks, where they begin, and what they do there."""

    name: str
    who: str
    path: str
    steps: tuple[Step, ...] = ()
    theme: str = "light"
    size: tuple[int, int] = DESK


ADMIN, ORGANIZER = "Demo admin", "Demo organizer"
_EVENT = "/kurukshetra/events/code-kurukshetra"
_MODEL = "/console/vibejudge/model"

SHOTS = (
    Shot("home", ADMIN, "/"),
    Shot("pricekeeper", ADMIN, "/pricekeeper/"),
    Shot("pricekeeper-app", ADMIN, "/pricekeeper/", (link("Research agent"),)),
    Shot("sentiment", ADMIN, "/sentiment/?span=7d", (show("Articles over time"),)),
    Shot("sentiment-dark", ADMIN, "/sentiment/", theme="dark"),
    Shot(
        "vibejudge",
        ORGANIZER,
        "/vibejudge/hackathons",
        (link("Harbour Hack"), link("Leaderboard")),
    ),
    Shot(
        "vibejudge-card",
        ORGANIZER,
        "/vibejudge/hackathons",
        (
            link("Harbour Hack"),
            link("Leaderboard"),
            lambda page: page.get_by_role("table", name="Ranking").locator("a").first.click(),
        ),
    ),
    Shot("kurukshetra", ORGANIZER, f"{_EVENT}/admin"),
    Shot("kurukshetra-ticket", "Ravi", f"{_EVENT}/ticket", size=PHONE),
    Shot("ladders", "Omar Lindqvist", "/ladders/", (link("Release the report"),)),
    Shot("ladders-growth", "Lina", "/ladders/growth", size=PHONE),
    Shot("explorer", ADMIN, _MODEL, (show("The picture"),)),
    Shot("explorer-items", ADMIN, f"{_MODEL}/items", (show("VibeJudgeTable"),)),
    Shot("explorer-pattern", ADMIN, f"{_MODEL}/patterns/leaderboard", (press("Run"),)),
    Shot("explorer-review", ADMIN, f"{_MODEL}/review"),
    Shot("explorer-plan", ADMIN, "/console/pricekeeper/model/plan"),
    Shot("explorer-browse", ADMIN, f"{_MODEL}/browse", (show("items"),), theme="dark"),
    Shot("capacity", ADMIN, "/console/pricekeeper/capacity", (use("/pricekeeper/", 40),)),
)


@contextmanager
def systems() -> Iterator[str]:
    """All systems with demo data, on a free port; their address."""
    command = [sys.executable, "-m", "tablewright", "up", "--demo", "--memory"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise SystemExit(f"tablewright up did not start; see what `{' '.join(command)}` says")
        yield str(json.loads(line)["url"])
    finally:
        process.terminate()
        process.wait(60)


@contextmanager
def browser() -> Iterator[Browser]:
    """A Chromium of this machine (TABLEWRIGHT_CHROMIUM names one), or playwright's own."""
    given = os.environ.get("TABLEWRIGHT_CHROMIUM") or shutil.which("chromium")
    arguments = ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"]
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=given, args=arguments)
        yield found
        found.close()


def sign_in(page: Page, who: str) -> None:
    page.goto("/sign-in")
    page.get_by_role("button", name=who).first.click()
    page.wait_for_url(lambda address: "/sign-in" not in address)


def settle(page: Page) -> None:
    """Wait for charts, and for what a page fetches after it has been shown."""
    page.wait_for_load_state("load")
    page.wait_for_function(
        "[...document.querySelectorAll('.chart-space')].every((each) => each.querySelector('svg'))"
    )
    page.wait_for_timeout(700)


def take(using: Browser, url: str, shot: Shot) -> bytes:
    width, height = shot.size
    context = using.new_context(
        base_url=url,
        viewport={"width": width, "height": height},
        color_scheme="dark" if shot.theme == "dark" else "light",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    context.set_default_timeout(20_000)
    try:
        page = context.new_page()
        sign_in(page, shot.who)
        answer = page.goto(shot.path)
        if answer is None or not answer.ok:
            raise SystemExit(f"{shot.name}: {shot.path} answers {answer and answer.status}")
        for step in shot.steps:
            step(page)
            settle(page)
        settle(page)
        return small(context.new_page(), page.screenshot())
    except Error as error:
        raise SystemExit(f"{shot.name}, from {shot.path}: {error.message}") from None
    finally:
        context.close()


def chosen(names: Sequence[str]) -> list[Shot]:
    unknown = set(names) - {shot.name for shot in SHOTS}
    if unknown:
        known = ", ".join(shot.name for shot in SHOTS)
        raise SystemExit(f"no such picture: {', '.join(sorted(unknown))}; there are {known}")
    return [shot for shot in SHOTS if not names or shot.name in names]


def main(names: Sequence[str]) -> None:
    shots = chosen(names)
    IMAGES.mkdir(parents=True, exist_ok=True)
    with systems() as url, browser() as using:
        for shot in shots:
            path = IMAGES / f"{shot.name}.png"
            path.write_bytes(take(using, url, shot))
            print(f"{path.relative_to(Path.cwd())}  {path.stat().st_size // 1024} KB", flush=True)
    total = sum(path.stat().st_size for path in IMAGES.glob("*.png"))
    if total > MOST_BYTES:
        raise SystemExit(f"all pictures together have {total:,} bytes: more than {MOST_BYTES:,}")


if __name__ == "__main__":
    main(sys.argv[1:])
