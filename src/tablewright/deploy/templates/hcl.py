"""HCL text: blocks, attributes and values, laid out as ``terraform fmt`` does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*").fullmatch


@dataclass(frozen=True)
class Raw:
    """An expression that stands as it is: ``var.environment``."""

    text: str


@dataclass(frozen=True)
class Block:
    """``kind "label" { ... }``"""

    kind: str
    labels: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    blocks: Sequence[Block] = ()


def to_hcl(blocks: Sequence[Block]) -> str:
    """The text of a file."""
    return "\n\n".join("\n".join(_block(each, "")) for each in blocks) + "\n"


def _block(block: Block, indent: str) -> Iterator[str]:
    labels = "".join(f" {quoted(label)}" for label in block.labels)
    head = f"{indent}{block.kind}{labels} {{"
    if not block.attributes and not block.blocks:
        yield f"{head}}}"
        return
    yield head
    yield from _attributes(block.attributes, indent + "  ")
    for number, inner in enumerate(block.blocks):
        if number or block.attributes:
            yield ""
        yield from _block(inner, indent + "  ")
    yield f"{indent}}}"


def _attributes(attributes: Mapping[str, Any], indent: str) -> Iterator[str]:
    """Each on its line; the equals signs of neighbours that have one line are aligned."""
    texts = {_key(name): expression(value, indent) for name, value in attributes.items()}
    for several, group in groupby(texts.items(), key=lambda pair: "\n" in pair[1]):
        members = list(group)
        width = 0 if several else max(len(name) for name, _ in members)
        for name, text in members:
            yield f"{indent}{name:<{width}} = {text}"


def expression(value: Any, indent: str = "") -> str:
    """A value as an expression, whose first line stands somewhere behind ``indent``."""
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        inner = "\n".join(_attributes(value, indent + "  "))
        return f"{{\n{inner}\n{indent}}}"
    if isinstance(value, Sequence):
        return _list(value, indent)
    return json.dumps(value)


def _list(values: Sequence[Any], indent: str) -> str:
    texts = [expression(each, indent + "  ") for each in values]
    line = f"[{', '.join(texts)}]"
    if len(line) + len(indent) <= 80 and "\n" not in line:
        return line
    inner = ",\n".join(f"{indent}  {text}" for text in texts)
    return f"[\n{inner},\n{indent}]"


def _key(name: str) -> str:
    return name if _NAME(name) else quoted(name)


def quoted(text: str) -> str:
    """A text in quotes; what would begin an interpolation is only text."""
    return json.dumps(text, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{")
