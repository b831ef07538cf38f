"""A reader of HCL, as much of it as Terraform configurations of ours have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\#[^\n]*)|(?P<line>\n)|(?P<text>"(?:[^"\\]|\\.)*")"""
    r"""|(?P<number>-?\d+(?:\.\d+)?)|(?P<name>[A-Za-z_][\w.-]*)|(?P<sign>[{}\[\](),=])"""
)


@dataclass(frozen=True)
class Name:
    """A reference: ``var.environment``."""

    text: str


@dataclass(frozen=True)
class Text:
    """A text with references inside."""

    text: str


@dataclass
class Read:
    """A block that was read."""

    kind: str
    labels: tuple[str, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    blocks: list[Read] = field(default_factory=list)

    def of(self, kind: str) -> list[Read]:
        return [each for each in self.blocks if each.kind == kind]


def parse(text: str) -> list[Read]:
    tokens = list(_tokens(text))
    reader = _Reader(tokens)
    blocks: list[Read] = []
    while reader.peek() is not None:
        blocks.append(reader.block())
    return blocks


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None, f"cannot be read: {text[at : at + 60]!r}"
        at = found.end()
        if found.lastgroup not in ("space", None):
            yield found.lastgroup, found[0]


class _Reader:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens, self._at = tokens, 0

    def peek(self) -> tuple[str, str] | None:
        while self._at < len(self._tokens) and self._tokens[self._at][0] == "line":
            self._at += 1
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def take(self, *wanted: str) -> str:
        token = self.peek()
        assert token is not None, "it ends too early"
        assert not wanted or token[1] in wanted or token[0] in wanted, token
        self._at += 1
        return token[1]

    def block(self) -> Read:
        kind = self.take("name")
        labels: list[str] = []
        while (token := self.peek()) is not None and token[0] == "text":
            labels.append(json.loads(self.take()))
        made = Read(kind, tuple(labels))
        self.take("{")
        while self.peek() != ("sign", "}"):
            if self._tokens[self._at + 1][1] == "=":
                name = self.take("name")
                self.take("=")
                assert name not in made.attributes, f"{name} twice"
                made.attributes[name] = self.value()
                # An attribute ends with its line.
                assert self._tokens[self._at][0] == "line"
            else:
                made.blocks.append(self.block())
        self.take("}")
        return made

    def value(self) -> Any:
        token = self.peek()
        assert token is not None
        kind, text = token
        if text == "[":
            return self._list()
        if text == "{":
            return self._map()
        self._at += 1
        if kind == "text":
            return _text(text)
        if kind == "number":
            return float(text) if "." in text else int(text)
        if text in ("true", "false"):
            return text == "true"
        if self._tokens[self._at] == ("sign", "("):
            self.take("(")
            inner = self.value()
            self.take(")")
            return {text: inner}
        return Name(text)

    def _list(self) -> list[Any]:
        self.take("[")
        values: list[Any] = []
        while self.peek() != ("sign", "]"):
            values.append(self.value())
            if self.peek() == ("sign", ","):
                self.take(",")
        self.take("]")
        return values

    def _map(self) -> dict[str, Any]:
        self.take("{")
        values: dict[str, Any] = {}
        while self.peek() != ("sign", "}"):
            key = self.take("name", "text")
            self.take("=")
            values[json.loads(key) if key.startswith('"') else key] = self.value()
        self.take("}")
        return values


def _text(token: str) -> str | Text:
    content: str = json.loads(token)
    if re.search(r"(?<!\$)\$\{", content):
        return Text(content.replace("$${", "${"))
    return content.replace("$${", "${").replace("%%{", "%{")
