"""Which partition keys a key template can make, as values of ``dynamodb:LeadingKeys``.

A template that begins with literal text, with a field that has few possible values, or with a text
whose shape begins so, makes keys that all begin alike. What follows is ``*``. A template that
begins with anything else tells nothing, and a policy cannot hold its patterns to certain keys.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from tablewright.deploy.templates.iam.beginnings import beginnings
from tablewright.model.definition import EntityDef
from tablewright.model.keys import BoundKey, KeyPart
from tablewright.model.types import Shaped

#: More values of one field than this are not listed one by one.
MAX_CHOICES = 16
#: A policy holds these signs as themselves only in this form.
_SIGNS = {"*": "${*}", "?": "${?}", "$": "${$}"}


def leading_keys(key: BoundKey, entity: EntityDef[Any]) -> tuple[str, ...] | None:
    """Texts for StringLike that fit every partition key of ``key``; None if nothing is fixed."""
    if len(key.partition) != 1 or key.partition[0].attribute.type != "S":
        return None
    texts = _texts(key.partition[0], entity)
    return None if "*" in texts else simplified(texts)


def simplified(texts: Iterable[str]) -> tuple[str, ...]:
    """The same keys in as few texts as possible, in order."""
    wanted = sorted(set(texts))
    return tuple(each for each in wanted if not any(_covers(other, each) for other in wanted))


def _covers(wide: str, text: str) -> bool:
    return wide != text and wide.endswith("*") and text.startswith(wide[:-1])


def _texts(part: KeyPart, entity: EntityDef[Any]) -> list[str]:
    texts = [""]
    for piece in part.pieces:
        if isinstance(piece, str):
            texts = [text + _escaped(piece) for text in texts]
            continue
        field = entity.fields[piece.field]
        choices = _choices(field.annotation)
        if not choices or len(choices) * len(texts) > MAX_CHOICES:
            return [f"{text}*" for text in (_shaped(field.metadata) if texts == [""] else texts)]
        endings = [_escaped(part.encoded(piece, choice)) for choice in choices]
        texts = [text + ending for text in texts for ending in endings]
    return texts


def _shaped(marks: Iterable[object]) -> list[str]:
    """What a text of a certain shape may begin with; the empty text if that is anything."""
    for mark in marks:
        if isinstance(mark, Shaped):
            found = beginnings(mark.pattern)
            if len(found) <= MAX_CHOICES:
                return [_escaped(text) for text in found]
    return [""]


def _choices(annotation: object) -> tuple[object, ...]:
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(annotation)
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _escaped(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in text)
