"""A page of results, and where the next one begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, overload

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Page(Sequence[T_co], Generic[T_co]):
    """Some results in order. ``cursor`` goes on after them; None if there are no more.

    A cursor may lead to an empty page: whether there is more is only known by looking.
    """

    items: tuple[T_co, ...]
    cursor: str | None = None

    @overload
    def __getitem__(self, position: int) -> T_co: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[T_co, ...]: ...
    def __getitem__(self, position: int | slice) -> T_co | tuple[T_co, ...]:
        return self.items[position]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[T_co]:
        return iter(self.items)
