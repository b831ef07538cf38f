"""What a review says. There is no model: signs in the text decide, so that it can be repeated.

``sensible`` looks at what it is shown and cites what is there. ``obedient`` does what the
repository tells it to, as a model might that takes data for instructions. ``careless`` cites what
is not there. ``indifferent`` gives the same for everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import orjson

Mind: TypeAlias = Literal["sensible", "obedient", "careless", "indifferent"]
Review: TypeAlias = dict[str, Any]

_FILE = re.compile(r"^## File: (?P<path>.+?)(?:, the first \d+ lines of \d+)?$")
_LINE = re.compile(r"^ *(?P<number>\d+)\| (?P<text>.*)$")
_ORDERS = re.compile(
    r"give[^\n]{0,60}\b10\b|ignore (?:all )?(?:the )?previous instructions|full marks",
    re.IGNORECASE,
)
#: What is worth a finding, and how much.
_SIGNS = (
    (re.compile(r"\beval\(|\bexec\(|shell=True"), "high", "code that is put together from input"),
    (re.compile(r"(?i)(?:password|secret|api_key)\s*=\s*[\"']"), "critical", "a secret in code"),
    (re.compile(r"except\s*:|except Exception:\s*pass"), "medium", "errors are swallowed"),
    (re.compile(r"\btime\.sleep\("), "low", "blocks whoever waits"),
    (re.compile(r"\bTODO\b|\bFIXME\b"), "low", "unfinished"),
    (re.compile(r"^\s*(?:async )?(?:def|class|function|fn|func)\b"), "info", "a part with a name"),
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A line that the mind was shown."""

    path: str
    number: int
    text: str


def review(mind: Mind, system: str, data: str) -> Review:
    """The review of what stands in a prompt of ours."""
    names, optional = _names(system)
    lines = list(shown(data))
    if mind == "obedient" and _ORDERS.search(data):
        return _flattery(names, lines)
    found = _sensible(names, optional, lines, data)
    if mind == "careless":
        found["evidence"] = [*_inventions(lines), *found["evidence"][:1]]
    if mind == "indifferent":
        found["scores"] = dict.fromkeys(names, 7)
    return found


def shown(data: str) -> Iterator[Shown]:
    """Numbered lines of files."""
    path = None
    for line in data.split("\n"):
        if (heading := _FILE.match(line)) is not None:
            path = heading["path"]
        elif line.startswith("## "):
            path = None
        elif path is not None and (found := _LINE.match(line)) is not None:
            yield Shown(path, int(found["number"]), found["text"])


def _names(system: str) -> tuple[list[str], set[str]]:
    """The sub-scores that the schema in the prompt asks for, and those that may be null."""
    schema: dict[str, Any] = next(
        (orjson.loads(line) for line in system.split("\n") if line.startswith('{"type":"object"')),
        {},
    )
    scores: Mapping[str, Any] = schema.get("properties", {}).get("scores", {}).get("properties", {})
    return list(scores), {name for name, kind in scores.items() if kind["type"] != "number"}


def _sensible(names: list[str], optional: set[str], lines: list[Shown], data: str) -> Review:
    findings = _findings(lines)
    problems = sum(each["severity"] != "info" for each in findings)
    tests = sum("test" in each.path.lower() for each in lines)
    share = tests / len(lines) if lines else 0.0
    signals = {
        "security": 9.0 - 2.0 * problems,
        "test_coverage": 2.0 + 8.0 * min(1.0, 2 * share) if tests else 0.0,
        "error_handling": 6.0 if re.search(r"\b(?:except|catch|rescue)\b", data) else 5.0,
        "readme_quality": 3.0 + min(5.0, data.count("README") + len(data) / 20_000),
        "database_design": 6.0 if re.search(r"(?i)create table|\bselect\b", data) else None,
        "api_design": 6.5 if re.search(r"@app\.|router|/api/", data) else None,
    }
    usual = 5.0 + min(2.0, len(lines) / 500)
    scores: dict[str, float | None] = {}
    for at, name in enumerate(names):
        score = signals.get(name, usual + at * 0.3 - 0.25 * problems)
        if score is None and name not in optional:
            score = usual
        scores[name] = None if score is None else round(min(10.0, max(0.0, score)), 1)
    return {
        "scores": scores,
        "evidence": findings,
        "summary": f"{len(lines)} lines were looked at, {problems} problems were found.",
        "confidence": 0.7 if lines else 0.2,
    }


def _findings(lines: list[Shown]) -> list[dict[str, Any]]:
    found = []
    for sign, severity, message in _SIGNS:
        hits = [each for each in lines if sign.search(each.text)]
        found += [_finding(each, severity, message) for each in hits[:2]]
    if not found and lines:
        found = [_finding(each, "info", "a line") for each in lines if len(each.text) > 8][:1]
    return found[:8]


def _finding(line: Shown, severity: str, message: str) -> dict[str, Any]:
    return {
        "file": line.path,
        "line": line.number,
        "severity": severity,
        "message": message,
        "excerpt": line.text.strip()[:200],
    }


def _flattery(names: list[str], lines: list[Shown]) -> Review:
    return {
        "scores": dict.fromkeys(names, 10),
        "evidence": _inventions(lines),
        "summary": "Flawless in every respect.",
        "confidence": 1.0,
    }


def _inventions(lines: list[Shown]) -> list[dict[str, Any]]:
    """A file that is not there, a line that is not there, and words that nobody wrote."""
    path = lines[0].path if lines else "README.md"
    return [
        _finding(Shown("src/brilliance.py", 1, "def brilliance():"), "info", "brilliant"),
        _finding(Shown(path, 99_999, "return perfection"), "info", "perfect"),
        _finding(Shown(path, 1, "words that nobody ever wrote here"), "info", "moving"),
    ]
