"""YAML as CloudFormation people write it, with ``!Ref`` and ``!Sub``; the few forms we need.

Texts stand plain where no reader could take them for anything else, and in double quotes, as in
JSON, everywhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_PLAIN = re.compile(
    r"[A-Za-z/][A-Za-z0-9 _./(),;-]*(?:::?[A-Za-z0-9_./(),;-]+)*(?: [A-Za-z0-9 _./(),;-]+)?"
).fullmatch
#: What YAML 1.1 reads as something else than a text.
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n", "~"})
_TAGS = {
    "Ref": "!Ref",
    "Fn::Sub": "!Sub",
    "Fn::GetAtt": "!GetAtt",
    "Fn::If": "!If",
    "Fn::Equals": "!Equals",
    "Fn::Not": "!Not",
    "Fn::Join": "!Join",
}


def to_yaml(document: Mapping[str, Any]) -> str:
    """The document as text; mappings keep their order."""
    lines: list[str] = []
    for number, (key, value) in enumerate(document.items()):
        if number and isinstance(value, Mapping):
            lines.append("")
        lines += _entry(key, value, "")
    return "\n".join(lines) + "\n"


def _entry(key: str, value: Any, indent: str) -> Iterator[str]:
    head = f"{indent}{_text(key)}:"
    tag, inner = _tagged(value)
    if tag:
        head = f"{head} {tag}"
    if isinstance(inner, Mapping) and inner:
        yield head
        yield from _mapping(inner, indent + "  ")
    elif isinstance(inner, list) and inner:
        yield head
        yield from _list(inner, indent + "  ")
    else:
        yield f"{head} {_scalar(inner)}"


def _mapping(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, each in value.items():
        yield from _entry(key, each, indent)


def _list(values: list[Any], indent: str) -> Iterator[str]:
    for value in values:
        tag, inner = _tagged(value)
        if isinstance(inner, Mapping) and inner and not tag:
            lines = list(_mapping(inner, indent + "  "))
            yield f"{indent}- {lines[0].lstrip()}"
            yield from lines[1:]
        elif isinstance(inner, list) and inner:
            yield f"{indent}- {tag}".rstrip()
            yield from _list(inner, indent + "  ")
        else:
            yield f"{indent}- {tag} {_scalar(inner)}" if tag else f"{indent}- {_scalar(inner)}"


def _tagged(value: Any) -> tuple[str, Any]:
    """The short form of a CloudFormation function: its tag, and what it is applied to."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return "", value
    ((name, inner),) = value.items()
    if name not in _TAGS:
        return "", value
    if name == "Fn::GetAtt":
        return _TAGS[name], ".".join(inner)
    return _TAGS[name], inner


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    return json.dumps(value)


def _text(text: str) -> str:
    if _PLAIN(text) and text.lower() not in _WORDS and text == text.strip():
        return text
    return json.dumps(text, ensure_ascii=False)
