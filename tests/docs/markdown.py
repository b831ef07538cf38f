"""The code blocks and tables of a Markdown page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block, and the number of its first line."""

    page: Path
    language: str
    text: str
    line: int

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path, language: str) -> list[Block]:
    """The blocks of a page in one language, in order."""
    text = page.read_text()
    return [
        Block(page, found[1], found[2], text.count("\n", 0, found.start()) + 2)
        for found in _FENCE.finditer(text)
        if found[1] == language
    ]


def typed(block: Block) -> list[str]:
    """What is typed in a console block, command by command, without the prompts.

    A command goes on in the next line after a backslash, or where that line begins with ``>``.
    What has neither prompt is what the command prints.
    """
    found: list[str] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append(line[2:])
        elif line.startswith(">") or (found and found[-1].endswith("\\")):
            found[-1] += "\n" + line.removeprefix(">")
    return found


def all_blocks(language: str) -> list[Block]:
    return [block for page in PAGES for block in blocks(page, language)]


def section(page: str, heading: str) -> str:
    """What stands under a heading, up to the next one of any level."""
    _, found, rest = (ROOT / page).read_text().partition(f"\n{heading}\n")
    assert found, f"{page} has no heading {heading!r}"
    return re.split(r"^#+ ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def table(text: str, first_cell: str) -> list[list[str]]:
    """The rows below the head of the table whose head starts with ``first_cell``."""
    _, found, rest = text.partition(f"| {first_cell} |")
    assert found, f"no table starts with {first_cell!r}"
    rows = []
    for line in rest.splitlines()[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def names(cell: str) -> list[str]:
    """The names in a table's cell, which are set as code."""
    return re.findall(r"`([^`]+)`", cell)
