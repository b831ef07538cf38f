"""Evidence that can be looked up.

A model names a file, a line and what stands there. All three have to be so at the commit, but for
spaces, and for two lines more or less: models miscount. What is kept has the line where it really
stands, and the excerpt as the file has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from tablewright.systems.vibejudge.analysis import Evidence
from tablewright.systems.vibejudge.llm.answers import Finding
from tablewright.systems.vibejudge.llm.boundary import hidden, visible

#: By how many lines a citation may miss.
SLACK = 2
MOST_EVIDENCE, MOST_EXCERPT, MOST_MESSAGE = 10, 200, 500
#: Fewer characters than that stand everywhere, and prove nothing.
FEWEST_CHARS = 3

_NUMBERED = re.compile(r"^[ \t]*\d{1,8}[ \t]*\|[ \t]?", re.MULTILINE)
#: What is set to something that looks secret, and keys of known services.
_SECRET = re.compile(
    r"(?:(?i:passw(?:or)?d|secret|token|api_?-?key|access_?-?key)[\w\"'\]-]{0,20}\s{0,4}"
    r"(?:=>|:=|=|:)\s{0,4}[\"'`]"
    r"|(?=\b(?:AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|sk-|[sr]k_live_|xox[abprs]-|AIza|hf_|SG\.))"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----\s{1,4})"
    r"(?P<value>[^\"'`\s]{8,200})"
)
_SECRET_CHARS = 4
_WORD = re.compile(r"\S+")
_CUT = re.compile(r"(?:\u2026|\.\.\.)\s*$")


@dataclass(frozen=True, slots=True)
class Checked:
    kept: tuple[Evidence, ...]
    false: int
    total: int

    @property
    def false_share(self) -> Decimal:
        return Decimal(self.false) / self.total if self.total else Decimal(0)


class Lines:
    """A file by its lines, each also without its spaces; long ones are read once."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self._dense: dict[int, str] = {}

    def dense(self, index: int) -> str:
        if index not in self._dense:
            self._dense[index] = "".join(self.lines[index].split())
        return self._dense[index]


def check(findings: Iterable[Finding], texts: Mapping[str, str]) -> Checked:
    """What of it is true of these files; at most ten are kept, the first of those that repeat."""
    read: dict[str, Lines] = {}
    kept: dict[tuple[str, int, str], Evidence] = {}
    false = total = 0
    for each in findings:
        total += 1
        path = each.file.removeprefix("./")
        if path in texts and path not in read:
            read[path] = Lines(texts[path])
        found = _found(each, path, read[path]) if path in read else None
        if found is None:
            false += 1
        else:
            kept.setdefault((found.file, found.line, found.message), found)
    return Checked(tuple(kept.values())[:MOST_EVIDENCE], false, total)


def _found(given: Finding, path: str, lines: Lines) -> Evidence | None:
    for excerpt in _readings(given.excerpt):
        if (place := anchor(lines, given.line, excerpt)) is not None:
            line, text = place
            return Evidence(
                file=path,
                line=line,
                severity=given.severity,
                message=_SECRET.sub(_begun, visible(given.message))[:MOST_MESSAGE],
                excerpt=discreet(text)[:MOST_EXCERPT],
            )
    return None


def discreet(excerpt: str) -> str:
    """The excerpt, cut soon after a password or key begins: a scorecard does not spread them."""
    found = _SECRET.search(excerpt)
    return excerpt if found is None else excerpt[: found.start("value") + _SECRET_CHARS]


def _begun(found: re.Match[str]) -> str:
    start = found.start("value") - found.start() + _SECRET_CHARS
    return f"{found[0][:start]}…"


def _readings(excerpt: str) -> list[str]:
    """As given; without the numbers that we put before lines; without the mark of a cut.

    What cannot be seen was spelled out for the model, and is what it was again.
    """
    plain = hidden(excerpt)
    bare = _NUMBERED.sub("", plain)
    return list(dict.fromkeys([excerpt, plain, bare, _CUT.sub("", plain), _CUT.sub("", bare)]))


def anchor(lines: Lines, line: int, excerpt: str) -> tuple[int, str] | None:
    """Where near that line the excerpt begins, and how the file has it; the nearest place wins."""
    wanted = "".join(excerpt.split())
    if len(wanted) < FEWEST_CHARS:
        return None
    near = range(max(1, line - SLACK), min(len(lines.lines), line + SLACK) + 1)
    for number in sorted(near, key=lambda each: (abs(each - line), each)):
        if (text := _beginning(lines, number - 1, wanted)) is not None:
            return number, text
    return None


def _beginning(lines: Lines, index: int, wanted: str) -> str | None:
    """The text that begins in this line and is, without its spaces, what is wanted."""
    dense, last = lines.dense(index), index
    first = len(dense)
    while len(dense) < first + len(wanted) and last + 1 < len(lines.lines):
        last += 1
        dense += lines.dense(last)
    start = dense.find(wanted)
    if not 0 <= start < first:
        return None
    text = "\n".join(lines.lines[index : last + 1])
    begin, end = _places(text, start, start + len(wanted) - 1)
    return text[begin : end + 1]


def _places(text: str, *wanted: int) -> list[int]:
    """Where the characters are that have so many others before them, spaces not counted."""
    found: list[int] = []
    before = 0
    for word in _WORD.finditer(text):
        length = word.end() - word.start()
        while len(found) < len(wanted) and wanted[len(found)] < before + length:
            found.append(word.start() + wanted[len(found)] - before)
        if len(found) == len(wanted):
            break
        before += length
    return found
