"""Patterns: named access patterns, declared by a function's signature.

The signature is the parameter list, the docstring the documentation, the decorator the rest. A
:class:`Pattern` is data: everything that later tools want to know stands in its attributes, and
calling it makes an op. Decorators are in :mod:`queries`, :mod:`reads` and :mod:`writing`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, TypeAlias, TypeVar

from tablewright.model.definition import EntityDef
from tablewright.model.errors import ModelError
from tablewright.model.expressions.conditions import Condition
from tablewright.model.keys import BoundKey
from tablewright.model.table import Index, Table

if TYPE_CHECKING:
    from tablewright.model.ops import Op

P = ParamSpec("P")
O_co = TypeVar("O_co", bound="Op[Any]", covariant=True)

Kind: TypeAlias = Literal[
    "get",
    "query",
    "find",
    "collect",
    "count",
    "scan",
    "total",
    "put",
    "update",
    "delete",
    "write",
    "transaction",
    "batch",
]


@dataclass(frozen=True)
class Rate:
    """How often a pattern runs: calls per second, on average and at the peak."""

    average: float
    peak: float | None = None

    def __post_init__(self) -> None:
        if self.average < 0 or (self.peak is not None and self.peak < self.average):
            raise ModelError(f"a rate is not negative, and its peak not below its average: {self}")


@dataclass(frozen=True)
class Range:
    """A range on the sort component after those given by equality, by parameter names.

    ``Range("placed_at", ge="since", lt="until")``: a bound whose parameter is None is open.
    """

    field: str
    ge: str | None = None
    gt: str | None = None
    le: str | None = None
    lt: str | None = None
    begins_with: str | None = None

    def parameters(self) -> dict[str, str]:
        """Operator to parameter, for those that are declared."""
        named = {
            "ge": self.ge,
            "gt": self.gt,
            "le": self.le,
            "lt": self.lt,
            "begins_with": self.begins_with,
        }
        return {operator: name for operator, name in named.items() if name is not None}


@dataclass(frozen=True)
class Member:
    """What one part of a write, transaction or batch does, as its annotation says."""

    kind: str
    entity: EntityDef[Any] | None
    #: There may be any number of them.
    many: bool = False


@dataclass(frozen=True, eq=False)
class Declared:
    """What a decorator says about a pattern beside its key."""

    rate: Rate | None = None
    #: How many results one call has, typically.
    expect: float | None = None
    #: Bytes of one item; found from the entity's fields or samples if it is not given.
    item_size: int | None = None
    #: The part of the system that uses it.
    component: str | None = None
    #: How uneven the keys are: the share of the calls that go to the hottest key.
    hottest: float | None = None
    #: The field that callers need the results ordered by.
    order: str | None = None
    #: The share of the items read that the filter keeps.
    filter_keeps: float | None = None
    #: The result must show what was written just before.
    fresh: bool = False
    #: The same call may arrive twice and must count once.
    idempotent: bool = False

    def __post_init__(self) -> None:
        if self.filter_keeps is not None and not 0 <= self.filter_keeps <= 1:
            raise ModelError(
                f"filter_keeps={self.filter_keeps} must be a share between 0 and 1, such as 0.02"
            )


class Pattern(Generic[P, O_co]):
    """A named access pattern; ``pattern(...)`` makes its op."""

    def __init__(
        self,
        function: Callable[P, object],
        kind: Kind,
        make: Callable[[dict[str, Any]], O_co],
        *,
        declared: Declared,
        tables: tuple[Table, ...],
        entities: tuple[EntityDef[Any], ...],
        key: BoundKey | None = None,
        range: Range | None = None,
        filter: Condition | None = None,
        projection: tuple[str, ...] | None = None,
        consistent: bool = False,
        descending: bool = False,
        limit: int | None = None,
        hydrate: bool = False,
        admin: bool = False,
        members: tuple[Member, ...] = (),
        result: object = None,
    ) -> None:
        self.name = function.__name__
        self.doc = inspect.getdoc(function) or ""
        self.module = function.__module__
        self.signature = inspect.signature(function, eval_str=True)
        self.kind: Kind = kind
        self.tables = tables
        self.entities = entities
        self.key = key
        self.range = range
        self.filter = filter
        self.projection = projection
        self.consistent = consistent
        self.descending = descending
        self.limit = limit
        self.hydrate = hydrate
        self.admin = admin
        self.members = members
        self.result = result
        self.rate = declared.rate
        self.expect = declared.expect
        self.item_size = declared.item_size
        self.component = declared.component
        self.hottest = declared.hottest
        self.order = declared.order
        self.filter_keeps = declared.filter_keeps
        self.fresh = declared.fresh
        self.idempotent = declared.idempotent
        _check_facts(self)
        self._make = make
        self._bind = _binder(self.name, self.signature)
        self.__doc__ = self.doc
        self.__name__ = self.name
        self.__wrapped__ = function

    @property
    def index(self) -> Index | None:
        """The index that it reads; None is the table."""
        return None if self.key is None else self.key.index

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """What its function takes."""
        return self.signature.parameters

    @property
    def writes(self) -> bool:
        """Whether it changes anything."""
        return self.kind in ("put", "update", "delete", "write") or any(
            member.kind in ("put", "update", "delete") for member in self.members
        )

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> O_co:
        values = self._bind(*args, **kwargs)
        op = self._make(values)
        # Every op is made for this call alone, so it may be told; `replace` would cost ten times.
        op.__dict__["called_with"] = values
        return op

    def __repr__(self) -> str:
        return f"<{self.kind} pattern {self.name}{self.signature}>"


def _check_facts(pattern: Pattern[..., Any]) -> None:
    """Raise a :class:`ModelError` for facts that do not fit the pattern."""
    if pattern.filter_keeps is not None and pattern.filter is None:
        raise ModelError(f"pattern {pattern.name}: filter_keeps= needs a filter=")
    known = pattern.entities[0] if pattern.entities else None
    if pattern.order is not None and known is not None and pattern.order not in known.fields:
        raise ModelError(
            f"pattern {pattern.name}: order={pattern.order!r} is no field of {known.name}; it has "
            f"{', '.join(known.fields)}"
        )


def _binder(name: str, signature: inspect.Signature) -> Callable[..., dict[str, Any]]:
    """A function with the same parameters that gives them as a dict.

    Ten times as fast as ``Signature.bind``; and Python's own errors name the pattern.
    """
    defaults: dict[str, object] = {}
    parts: list[str] = []
    starred = False
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ModelError(f"pattern {name}: its parameters have names; * and ** are not for it")
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            parts.append("*")
        text = parameter.name
        if parameter.default is not parameter.empty:
            defaults[f"_default_{parameter.name}"] = parameter.default
            text += f"=_default_{parameter.name}"
        parts.append(text)
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise ModelError(f"pattern {name}: positional-only parameters are not for a pattern")
    body = ", ".join(f"{each!r}: {each}" for each in signature.parameters)
    source = f"def {name}({', '.join(parts)}): return {{{body}}}"
    namespace: dict[str, Any] = dict(defaults)
    exec(source, namespace)
    bound: Callable[..., dict[str, Any]] = namespace[name]
    return bound
