"""The service model: which members a request may have, and what AWS demands of each.

Everything is read from ``shapes.json``, which ``scripts/generate_shapes.py`` writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import orjson

#: Where AWS's own classes live; some error texts name them.
PACKAGE = "com.amazonaws.dynamodb.v20120810."

TABLE_ARN = re.compile(
    r"arn:[a-zA-Z0-9-]+:dynamodb:[a-zA-Z0-9-]*:[0-9]*:table/(?P<name>[a-zA-Z0-9_.-]{3,255})\Z"
)

_MODEL: dict[str, Any] = orjson.loads(Path(__file__).with_name("shapes.json").read_bytes())

OPERATIONS: frozenset[str] = frozenset(_MODEL["operations"]["dynamodb"])
STREAM_OPERATIONS: frozenset[str] = frozenset(_MODEL["operations"]["dynamodbstreams"])

_INPUTS: dict[str, str] = {
    **_MODEL["operations"]["dynamodb"],
    **_MODEL["operations"]["dynamodbstreams"],
}


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One shape of the model; ``kind`` says which of the other fields mean something."""

    name: str
    #: structure, list, map, string, boolean, integer, long, double, timestamp, or value
    kind: str
    members: dict[str, Shape] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    member: Shape | None = None
    key: Shape | None = None
    min: int | None = None
    max: int | None = None
    pattern: str | None = None
    matches: Callable[[str], object] | None = None
    enum: tuple[str, ...] = ()
    #: An ARN of a table may stand for its name.
    arn: bool = False
    #: AWS looks at this limit last, and words it without the value.
    late: bool = False

    @property
    def constrained(self) -> bool:
        """Whether the value itself can be wrong, apart from what is inside it."""
        return bool(self.enum or self.pattern) or not (self.min is None and self.max is None)

    @property
    def java(self) -> str:
        """The Java type AWS has for this shape, as its messages name it."""
        match self.kind:
            case "structure" | "value":
                return PACKAGE + self.name
            case "list":
                assert self.member is not None
                return f"java.util.List<{self.member.java}>"
            case "map":
                assert self.member is not None
                return f"java.util.Map<java.lang.String, {self.member.java}>"
            case kind:
                return JAVA[kind]


#: AWS's Java types of scalars.
JAVA = {
    "string": "java.lang.String",
    "boolean": "java.lang.Boolean",
    "integer": "java.lang.Integer",
    "long": "java.lang.Long",
    "double": "java.lang.Double",
    "timestamp": "java.util.Date",
}


def input_of(operation: str) -> Shape:
    """The shape of the request of ``operation``; KeyError if AWS has no such operation."""
    return shape(_INPUTS[operation])


@cache
def shape(name: str) -> Shape:
    """The shape called ``name``, with everything it refers to."""
    source = _MODEL["shapes"][name]
    inner = source.get("member") or source.get("value")
    pattern = source.get("pattern")
    return Shape(
        name=name,
        kind=source["type"],
        members={member: shape(of) for member, of in source.get("members", {}).items()},
        required=frozenset(source.get("required", ())),
        member=shape(inner) if inner else None,
        key=shape(source["key"]) if "key" in source else None,
        min=source.get("min"),
        max=source.get("max"),
        pattern=pattern,
        matches=re.compile(pattern).fullmatch if pattern else None,
        enum=tuple(source.get("enum", ())),
        arn=source.get("arn", False),
        late=source.get("late", False),
    )
