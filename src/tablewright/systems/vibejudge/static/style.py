"""The hand that a file is written in, and whether it is its author's."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tablewright.systems.vibejudge.repos.snapshot import Commit
from tablewright.systems.vibejudge.static.codebase import Code

#: Trait, and what it is in a file: ``{"indent": "4", "quotes": "double"}``.
Style = dict[str, str]
_INDENT = re.compile(r"(?m)^([ \t]*)\S")
_SNAKE = re.compile(r"\b[a-z]+_[a-z_]+\b")
_CAMEL = re.compile(r"\b[a-z]+[A-Z]\w*\b")
_FREE_QUOTES = frozenset(
    {"Python", "JavaScript", "TypeScript", "Ruby", "PHP", "Vue", "Svelte", "Dart"}
)
_FREE_ENDS = frozenset({"JavaScript", "TypeScript", "Vue", "Svelte"})
#: Fewer lines show no hand.
LEAST_LINES = 10
_CLEAR = 0.7


@dataclass(frozen=True, slots=True)
class Hand:
    code: Code
    author: str
    style: Style
    #: What the author usually does in this language instead.
    unlike: tuple[str, ...]


def hands(files: Sequence[Code], commits: Sequence[Commit]) -> list[Hand]:
    """Every file of some length with its main author, and where it differs from his or hers."""
    authors = main_authors(commits)
    styled = [
        (code, authors[code.path], style_of(code))
        for code in files
        if code.path in authors and code.size >= LEAST_LINES
    ]
    usual = _usual(styled)
    return [
        Hand(code, author, style, _differences(style, usual[author, code.language]))
        for code, author, style in styled
    ]


def main_authors(commits: Sequence[Commit]) -> dict[str, str]:
    """Who added the most lines to each file."""
    added: dict[str, Counter[str]] = defaultdict(Counter)
    for commit in commits:
        for change in commit.files_changed:
            added[change.path][commit.author] += change.added
    return {
        path: min(counts, key=lambda author: (-counts[author], author))
        for path, counts in added.items()
    }


def style_of(code: Code) -> Style:
    """Only what is clear: where a file does both, it does neither."""
    style: Style = {}
    bare = code.bare
    _add(style, "indent", _indents(bare))
    if code.language in _FREE_QUOTES:
        quotes = Counter(code.text[start] for start, _ in code.masked.strings)
        _add(style, "quotes", Counter({"double": quotes['"'], "single": quotes["'"]}))
    if code.language in _FREE_ENDS:
        _add(style, "ends", _ends(bare))
    names = Counter({"snake": len(_SNAKE.findall(bare)), "camel": len(_CAMEL.findall(bare))})
    _add(style, "names", names)
    return style


def _indents(bare: str) -> Counter[str]:
    """By how much each deeper line is moved in."""
    steps: Counter[str] = Counter()
    before = 0
    for found in _INDENT.finditer(bare):
        said = found[1]
        if said.startswith("\t"):
            steps["tab"] += 1
            continue
        if len(said) > before and len(said) - before in (2, 4, 8):
            steps[str(len(said) - before)] += 1
        before = len(said)
    return steps


def _ends(bare: str) -> Counter[str]:
    ends: Counter[str] = Counter()
    for line in bare.split("\n"):
        said = line.rstrip()
        if said.endswith(";"):
            ends["semicolon"] += 1
        elif (
            said
            and said[-1] in ")'\"`"
            and not said.lstrip().startswith(("if", "for", "while", "<"))
        ):
            ends["none"] += 1
    return ends


def _add(style: Style, trait: str, counts: Counter[str]) -> None:
    whole = sum(counts.values())
    if whole >= 4:
        value, most = min(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        if most / whole >= _CLEAR:
            style[trait] = value


def _usual(
    styled: Sequence[tuple[Code, str, Style]],
) -> Mapping[tuple[str, str], Style]:
    """What each author does in each language, by lines."""
    counts: dict[tuple[str, str], dict[str, Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for code, author, style in styled:
        for trait, value in style.items():
            counts[author, code.language][trait][value] += code.size
    return defaultdict(
        dict,
        {
            key: {
                trait: min(held, key=lambda value: (-held[value], value))
                for trait, held in traits.items()
            }
            for key, traits in counts.items()
        },
    )


def _differences(style: Style, usual: Style) -> tuple[str, ...]:
    return tuple(trait for trait, value in style.items() if usual.get(trait, value) != value)
