"""Errors that are met, and those that are met and dropped."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tablewright.systems.vibejudge.static.codebase import Code
from tablewright.systems.vibejudge.static.python_code import PythonFacts
from tablewright.systems.vibejudge.static.results import Finding

_DROPPED = "An error is dropped here: handle it, report it, or let it go on"
_CATCH = re.compile(r"\bcatch\b\s{0,40}(?:\([^)\n]{0,200}\)\s{0,40})?\{")
_EMPTY_CATCH = re.compile(r"\bcatch\b\s{0,40}(?:\([^)\n]{0,200}\)\s{0,40})?\{\s{0,2000}\}")
_JS_CATCH = re.compile(r"\.catch\s{0,4}\(")
_JS_EMPTY = re.compile(
    r"\.catch\s{0,4}\(\s{0,40}(?:\(?\w{0,40}\)?\s{0,4}=>\s{0,4}(?:\{\s{0,400}\}|null|undefined)"
    r"|function\s{0,4}\w{0,40}\(\w{0,40}\)\s{0,4}\{\s{0,400}\})"
)
_RUBY = re.compile(r"(?m)^[ \t]*rescue\b")
_RUBY_EMPTY = re.compile(
    r"(?m)^[ \t]*rescue\b(?!\s+LoadError)[^\n]{0,200}\n(?:[ \t]*\n){0,20}[ \t]*(?:end\b"
    r"|nil\s*\n[ \t]*end\b)"
    r"|\brescue nil\b"
)
_GO = re.compile(r"\bif\s[^\n{]{0,200}\berr\w{0,20}\s*!=\s*nil\b[^\n{]{0,100}\{")
_GO_EMPTY = re.compile(r"\bif\s[^\n{]{0,200}\berr\w{0,20}\s*!=\s*nil\b[^\n{]{0,100}\{\s{0,400}\}")
#: The last thing that a function gives back is its error.
_GO_UNNAMED = re.compile(
    r"(?m)^[ \t]*(?:\w+,\s*){1,4}_\s*:?=\s*(?!range\b|strings\.|bytes\.)[\w.]{0,79}\w\("
)
_RUST = re.compile(r"\?(?=\s*[;).,}])|\bErr\(|\.map_err\(|\.unwrap_or\w*\(|\.ok_or\w*\(")
_RUST_DROPPED = re.compile(r"\.unwrap\(\)|\.ok\(\);|\blet _ =")
_SWIFT = re.compile(r"\bcatch\b[^\n{]{0,100}\{|\btry[?!]")
_SWIFT_DROPPED = re.compile(r"\bcatch\b[^\n{]{0,100}\{\s{0,400}\}|\btry[?!]")
_PHP_SILENCED = re.compile(r"(?<![\w@\"'])@(?:\$\w{1,40}->)?[a-z_]{2,40}\(")

#: For each language: what meets an error, and which of these drop it.
_RULES: dict[str, tuple[tuple[re.Pattern[str], ...], tuple[re.Pattern[str], ...]]] = {
    **dict.fromkeys(
        ("JavaScript", "TypeScript", "Vue", "Svelte"),
        ((_CATCH, _JS_CATCH), (_EMPTY_CATCH, _JS_EMPTY)),
    ),
    **dict.fromkeys(
        ("Java", "Kotlin", "Scala", "Groovy", "C++", "C#", "Dart", "Objective-C"),
        ((_CATCH,), (_EMPTY_CATCH,)),
    ),
    "PHP": ((_CATCH, _PHP_SILENCED), (_EMPTY_CATCH, _PHP_SILENCED)),
    "Swift": ((_SWIFT,), (_SWIFT_DROPPED,)),
    "Ruby": ((_RUBY, re.compile(r"\brescue nil\b")), (_RUBY_EMPTY,)),
    "Go": ((_GO, _GO_UNNAMED), (_GO_EMPTY, _GO_UNNAMED)),
    "Rust": ((_RUST, _RUST_DROPPED), (_RUST_DROPPED,)),
}


@dataclass(frozen=True, slots=True)
class Handled:
    met: int
    dropped: tuple[Finding, ...]


def handled_in(code: Code, facts: PythonFacts | None) -> Handled:
    if facts is not None:
        lines, met = facts.swallowed, len(facts.handlers)
    else:
        text = code.bare[: code.product_end]
        meeting, dropping = _RULES.get(code.language, ((), ()))
        places = [found.start() for rule in dropping for found in rule.finditer(text)]
        lines = sorted(code.line_at(_first_sign(text, at)) for at in places)
        met = max(sum(len(rule.findall(text)) for rule in meeting), len(lines))
    findings = tuple(code.finding("dropped-error", line, "medium", _DROPPED) for line in lines)
    return Handled(met, findings)


def _first_sign(text: str, at: int) -> int:
    while at < len(text) - 1 and text[at].isspace():
        at += 1
    return at
