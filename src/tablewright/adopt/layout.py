"""Python as ``ruff format`` leaves it: on one line where that fits, else one argument a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

#: Narrow enough for every project's formatter; what is broken up stays so in a wider one.
WIDTH = 88


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text: str) -> str:
    """A literal in double quotes; what cannot be seen is escaped."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def raw_quoted(text: str) -> str:
    """A literal for a regular expression: raw, where that says the same."""
    if "\\" in text and '"' not in text and text.isprintable() and not text.endswith("\\"):
        return f'r"{text}"'
    return quoted(text)


def told(text: str) -> str:
    """A text inside a docstring or a comment."""
    seen = "".join(each if each.isprintable() else " " for each in text)
    return " ".join(seen.replace('"', "'").replace("\\", "/").split())


@dataclass(frozen=True)
class Bracketed:
    """An argument that can be broken up itself, such as a tuple; ``head`` opens the bracket."""

    head: str
    arguments: Sequence[str]
    close: str
    tail: str = ""

    def __str__(self) -> str:
        # A tuple of one is none without its comma.
        lone = "," if self.head.endswith("=(") and len(self.arguments) == 1 else ""
        return f"{self.head}{', '.join(self.arguments)}{lone}{self.close}{self.tail}"


Argument: TypeAlias = str | Bracketed


def call(
    head: str, arguments: Sequence[Argument], indent: str = "", tail: str = "", close: str = ")"
) -> Iterator[str]:
    """``head(arguments)tail``; ``head`` opens the bracket."""
    line = f"{indent}{head}{', '.join(map(str, arguments))}{close}{tail}"
    if len(line) <= WIDTH:
        yield line
        return
    yield f"{indent}{head}"
    for argument in arguments:
        yield from _argument(argument, f"{indent}    ")
    yield f"{indent}{close}{tail}"


def _argument(argument: Argument, indent: str) -> Iterator[str]:
    line = f"{indent}{argument},"
    if isinstance(argument, str) or len(line) <= WIDTH:
        yield line
        return
    tail = f"{argument.tail},"
    yield from call(argument.head, argument.arguments, indent, tail, argument.close)
