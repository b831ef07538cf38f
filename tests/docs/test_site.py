"""The documentation as a whole: built, linked, with its pictures."""

from __future__ import annotations

import re
import struct
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from scripts import build_docs, draw_layers
from scripts.palette import KEPT, STANDING, encoded, quantised
from scripts.screenshots import IMAGES, MOST_BYTES, SHOTS, chosen

ROOT = build_docs.ROOT


class Page(HTMLParser):
    """Where a built page leads, and where one can get in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.links += [value for name in ("href", "src") if (value := found.get(name))]
        self.ids |= {value for value in [found.get("id")] if value}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """All pages, and what is wrong with them."""
    folder = tmp_path_factory.mktemp("site")
    return folder, build_docs.build(folder)


@pytest.fixture
def site(built: tuple[Path, list[str]]) -> Path:
    return built[0]


# --- building ------------------------------------------------------------------------------------


def test_every_link_leads_somewhere_and_something_leads_to_every_page(
    built: tuple[Path, list[str]],
) -> None:
    assert built[1] == []


def test_every_page_is_built(site: Path) -> None:
    found = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert found == {build_docs.address(name) for name in build_docs.sources()}
    assert {"index.html", "docs/index.html", "docs/how-to/index.html"} <= found


def test_no_link_of_a_built_page_is_broken(site: Path) -> None:
    pages = {path: Page(path.read_text()) for path in site.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for target in (each for each in page.links if not build_docs.outside(each)):
            name, _, anchor = target.partition("#")
            place = (path.parent / name).resolve() if name else path
            if not place.is_file() or (anchor and anchor not in pages[place].ids):
                broken.append((path.relative_to(site).as_posix(), target))
    assert broken == []


def test_the_index_names_every_page_of_docs() -> None:
    text = (ROOT / "docs" / "README.md").read_text()
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", text))
    assert listed == {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}


def write(root: Path, **pages: str) -> None:
    (root / "docs").mkdir()
    for name, text in pages.items():
        place = root / ("README.md" if name == "home" else f"docs/{name}.md")
        place.write_text(text)


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    write(
        tmp_path,
        home="# Home\n[index](docs/README.md), [gone](docs/gone.md), ![none](none.png)\n",
        README="# Index\n[a](a.md#part-one), [b](a.md#part-two), [up](../README.md#home)\n",
        a="# A\n## Part *one*\n[self](#a) and [there](http://example.com/gone)\n",
        lonely="# Nobody leads here\n",
    )
    assert build_docs.build(tmp_path / "out", tmp_path) == [
        "broken link: README.md: docs/gone.md",
        "broken link: README.md: none.png",
        "broken link: docs/README.md: a.md#part-two",
        "no page leads to docs/lonely.md",
    ]


def test_links_code_and_navigation_of_a_page(tmp_path: Path) -> None:
    write(
        tmp_path,
        home="# Home\n<!-- a mark -->\n[index](docs/README.md)\n",
        README="# Index\n## Part\n[One <page>](one.md)\n",
        one='# One\n[home](../README.md#home)\n```python\na = "<b>"\n```\n<script>b()</script>\n',
    )
    assert build_docs.build(tmp_path / "out", tmp_path) == []
    text = (tmp_path / "out" / "docs" / "one.html").read_text()
    assert 'href="../index.html#home"' in text
    assert '<a href="one.html" aria-current="page">One &lt;page&gt;</a>' in text
    assert '<span class="s2">"&lt;b&gt;"</span>' in text
    assert "<script>" not in text
    assert "a mark" not in (tmp_path / "out" / "index.html").read_text()


def test_headings_that_are_alike_have_anchors_of_their_own() -> None:
    assert build_docs.slug("What `tablewright up` does?", set()) == "what-tablewright-up-does"
    assert build_docs.slug("Limits", {"limits"}) == "limits-1"


# --- pictures ------------------------------------------------------------------------------------


def shown() -> set[str]:
    """The pictures that pages show, by their place in the project."""
    found = set()
    for name in build_docs.sources():
        path = ROOT / name
        for target in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", path.read_text()):
            found.add((path.parent / target).resolve().relative_to(ROOT).as_posix())
    return {each for each in found if each.startswith("docs/images/")}


def test_the_script_takes_the_pictures_that_pages_show() -> None:
    taken = {f"docs/images/{shot.name}.png" for shot in SHOTS}
    assert len(taken) == len(SHOTS)
    assert taken == {each for each in shown() if each.endswith(".png")}
    assert shown() == {path.relative_to(ROOT).as_posix() for path in IMAGES.iterdir()}


def test_pictures_are_small_and_as_large_as_the_window() -> None:
    assert sum(path.stat().st_size for path in IMAGES.glob("*.png")) <= MOST_BYTES
    for shot in SHOTS:
        data = (IMAGES / f"{shot.name}.png").read_bytes()
        assert struct.unpack(">II", data[16:24]) == shot.size, shot.name


def test_a_picture_that_does_not_exist_cannot_be_asked_for() -> None:
    assert [shot.name for shot in chosen(["home"])] == ["home"]
    with pytest.raises(SystemExit, match="no such picture: nowhere; there are home"):
        chosen(["nowhere"])


def test_few_colours_are_kept_and_many_go_to_the_nearest() -> None:
    few = np.array([[[255, 0, 0], [0, 0, 255]], [[0, 0, 255], [1, 2, 3]]], np.uint8)
    palette, numbers = quantised(few)
    assert (palette[numbers] == few).all()
    many = np.stack([np.arange(1024) % 256, np.arange(1024) // 256, np.zeros(1024)], axis=1)
    pixels = many.astype(np.uint8).reshape(32, 32, 3)
    palette, numbers = quantised(pixels)
    assert KEPT < len(palette) <= KEPT + STANDING
    assert np.abs(palette[numbers].astype(int) - pixels).max() < 32
    assert encoded(palette, numbers).startswith(b"\x89PNG")


def test_the_layers_in_the_picture_are_those_of_the_contract() -> None:
    rows = draw_layers.layers()
    assert draw_layers.PICTURE.read_text() == draw_layers.drawn(rows)
    told = (ROOT / "docs" / "architecture.md").read_text().partition("## The way")[0]
    assert {name for row in rows for name in row} <= set(re.findall(r"`(\w+)`", told))
