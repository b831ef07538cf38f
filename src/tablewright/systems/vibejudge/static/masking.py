"""Code without its comments and strings, every character where it was.

One pass of a pattern that never goes back over what it has read: an open comment or string ends
where the text or the line does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
_SINGLE = r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
#: The same, over several lines.
_LONG = r'"[^"\\]*(?:\\.[^"\\]*)*"?'
_TICK = r"`[^`\\]*(?:\\.[^`\\]*)*`?"
_BLOCK = r"/\*.*?(?:\*/|\Z)"
_TRIPLE = r'""".*?(?:"""|\Z)'
_TRIPLE_SINGLE = r"'''.*?(?:'''|\Z)"


def _pattern(comments: str, strings: str) -> re.Pattern[str]:
    return re.compile(f"(?P<comment>{comments})|(?P<string>{strings})", re.DOTALL)


_C = _pattern(rf"//[^\n]*|{_BLOCK}", rf"{_TRIPLE}|{_LINE}|{_SINGLE}")
_JS = _pattern(rf"//[^\n]*|{_BLOCK}", rf"{_LINE}|{_SINGLE}|{_TICK}")
_GO = _pattern(rf"//[^\n]*|{_BLOCK}", rf"{_LINE}|`[^`]*`?|'(?:[^'\\\n]|\\.){{1,6}}'")
_RUST = _pattern(rf"//[^\n]*|{_BLOCK}", r'r#".*?(?:"#|\Z)|' + _LONG + r"|'(?:\\.|[^'\\\n])'")
_PYTHON = _pattern(r"#[^\n]*", rf"{_TRIPLE}|{_TRIPLE_SINGLE}|{_LINE}|{_SINGLE}")
_HASH = _pattern(r"(?:^|(?<=[\s;]))#[^\n]*", rf"{_LONG}|{_SINGLE}|{_TICK}")
_PHP = _pattern(rf"//[^\n]*|#(?!\[)[^\n]*|{_BLOCK}", rf"{_LONG}|{_SINGLE}")
_SQL = _pattern(rf"--[^\n]*|{_BLOCK}", r"'(?:[^'])*'?")
_MARKUP = _pattern(r"<!--.*?(?:-->|\Z)", r"(?!)")
_PATTERNS = {
    "JavaScript": _JS,
    "TypeScript": _JS,
    "Vue": _JS,
    "Svelte": _JS,
    "Go": _GO,
    "Rust": _RUST,
    "Python": _PYTHON,
    "Ruby": _HASH,
    "Shell": _HASH,
    "Perl": _HASH,
    "R": _HASH,
    "Julia": _HASH,
    "Elixir": _HASH,
    "PHP": _PHP,
    "SQL": _SQL,
    "HTML": _MARKUP,
    "Markdown": _MARKUP,
}
_NOT_NEWLINE = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Masked:
    #: Without comments.
    code: str
    #: Without comments and without what strings say; their quotes stay.
    bare: str
    #: Where strings begin and end.
    strings: tuple[tuple[int, int], ...]
    comments: tuple[tuple[int, int], ...]


def mask(text: str, language: str | None) -> Masked:
    pattern = _PATTERNS.get(language or "", _C)
    code: list[str] = []
    bare: list[str] = []
    strings: list[tuple[int, int]] = []
    comments: list[tuple[int, int]] = []
    at = 0
    for found in pattern.finditer(text):
        start, end = found.span()
        if start == end:
            continue
        between = text[at:start]
        code.append(between)
        bare.append(between)
        said = text[start:end]
        blank = _blank(said)
        if found["comment"] is not None:
            comments.append((start, end))
            code.append(blank)
            bare.append(blank)
        else:
            strings.append((start, end))
            code.append(said)
            bare.append(said[0] + blank[1:-1] + said[-1] if len(said) > 1 else said)
        at = end
    code.append(text[at:])
    bare.append(text[at:])
    return Masked("".join(code), "".join(bare), tuple(strings), tuple(comments))


def _blank(said: str) -> str:
    return _NOT_NEWLINE.sub(" ", said) if "\n" in said else " " * len(said)
