"""The how-to pages show what the examples do: their code word for word, and their output."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from textwrap import indent

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
PAGES = sorted((ROOT / "docs" / "how-to").glob("*.md"))

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RUN = re.compile(r"\$ python examples/(\w+)\.py\n(.*)", re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in _BLOCK.findall(page.read_text()) if kind == language]


def runs(page: Path) -> list[tuple[str, str]]:
    """The examples that a page runs, and what it says they print."""
    found = [_RUN.fullmatch(block) for block in blocks(page, "console")]
    return [(run[1], run[2]) for run in found if run]


RUNS = [(page, *run) for page in PAGES for run in runs(page)]


def test_every_example_has_its_page() -> None:
    assert sorted(name for _, name, _ in RUNS) == EXAMPLES


@pytest.mark.parametrize(
    ("page", "name", "output"), RUNS, ids=[f"{page.stem}-{name}" for page, name, _ in RUNS]
)
def test_what_an_example_prints(
    page: Path, name: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    importlib.import_module(f"examples.{name}").main()
    assert capsys.readouterr().out == output, page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_is_that_of_its_examples(page: Path) -> None:
    shown = blocks(page, "python")
    sources = [(ROOT / "examples" / f"{name}.py").read_text() for name, _ in runs(page)]
    for block in shown:
        forms = (block, indent(block, " " * 8))
        assert any(form in source for form in forms for source in sources), f"{page}:\n{block}"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {"", *(re.sub(r"[^\w\- ]", "", each).lower().replace(" ", "-") for each in headings)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)#?([^)]*)\)", page.read_text())
    assert links
    for name, anchor in links:
        target = page.parent / name
        assert target.exists(), name
        assert anchor == "" or anchor in anchors(target), f"{name}#{anchor}"


def test_the_list_has_every_page() -> None:
    listed = re.findall(r"\]\(([\w-]+\.md)\)", (ROOT / "docs/how-to/README.md").read_text())
    assert sorted(listed) == [page.name for page in PAGES if page.name != "README.md"]
