"""What a system's command is, to the command line: an async function that gives an :class:`Answer`.

A system has its commands in a package ``cli``, with ``app``, a cyclopts App of them all, and
``given(runtime)``, what commands are given by name beside :class:`Desk`::

    async def totals(keeper: Keeper, desk: Desk, /, org: str, *, app: str | None = None) -> Answer:
        ...

What stands before the slash is given, the rest is typed. So a command does not know where its
database is, nor how an answer is shown; and the command line does not know any system.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from tablewright.service.auth import Principal

F = TypeVar("F", bound=Callable[..., Any])
_NEEDS = "_tablewright_needs"


class Styled(NamedTuple):
    """A line that stands out, where that can be seen: bold, dim, red, green, yellow, cyan."""

    text: str
    style: str


Line: TypeAlias = str | Styled


@dataclass(frozen=True)
class Afterwards:
    """The system is run in the same place once the command has ended, until somebody stops it."""

    #: Stays open as long as it runs; gives variables for its settings.
    around: AbstractContextManager[Mapping[str, str]]
    port: int | None = None


@dataclass(frozen=True)
class Answer:
    """What came of a command: ``lines`` for people, ``data`` for ``--json``.

    It is not ``ok`` if the command did its work and found something amiss; what could not be done
    at all is raised, as a problem.
    """

    lines: Sequence[Line] = ()
    data: object = None
    ok: bool = True
    #: For people only: a program that asks for a document gets it, and no more.
    then: Afterwards | None = None


@dataclass(frozen=True)
class Deployment:
    """Where tables are and what stands before their names, for commands that do not open them."""

    region: str
    prefix: str = ""
    env: str = ""


@dataclass(frozen=True)
class Tables:
    """What a system's tables are called in an account: ``osem-prod-Users``.

    A system that has one as ``tables`` in its package ``cli`` has commands to deploy them.
    """

    prefix: str
    #: The environment, if nobody says which.
    env: str


def _unsaid(text: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class Desk:
    """Where a command is typed."""

    #: Who types; what audits keep.
    by: Principal
    #: Shows how far it has come, on a terminal; the next one takes its place.
    tick: Callable[[str], None]
    stdin: BinaryIO
    #: For what is larger than an answer. Not to be used with ``json``.
    stdout: BinaryIO
    #: Whether a program asks.
    json: bool = False
    #: Whether another process runs in the same place.
    joined: bool = False
    #: Says at once what has to be known whatever becomes of the command; not part of its answer.
    say: Callable[[str], None] = _unsaid


class Needs(Enum):
    """What has to be there before a command can begin."""

    #: A place with the system's tables.
    PLACE = "place"
    #: None: a place is made, and the tables in it, if they are not there.
    NOTHING = "nothing"
    #: Any place with the system's tables; one that is gone afterwards, if none is named.
    SCRATCH = "scratch"
    #: No place at all: such a command is given a :class:`Desk` and a :class:`Deployment`.
    NOWHERE = "nowhere"


def needs(what: Needs) -> Callable[[F], F]:
    """Say of a command what it needs, if that is not a place that is there."""

    def said(command: F) -> F:
        setattr(command, _NEEDS, what)
        return command

    return said


def needs_of(command: Callable[..., Any]) -> Needs:
    found: Needs = getattr(command, _NEEDS, Needs.PLACE)
    return found


def columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()
) -> list[Line]:
    """Rows under a head, each column as wide as it must be; those in ``right`` are flush right."""
    widths = [max(map(len, cells)) for cells in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        parts = (
            f"{cell:>{width}}" if name in right else f"{cell:{width}}"
            for name, cell, width in zip(head, cells, widths, strict=True)
        )
        return "  ".join(parts).rstrip()

    return [Styled(line(head), "bold"), *map(line, rows)]
