"""What a system is, to the process, the console and the command line: one :class:`System`.

They assemble systems from this alone, and know none by name. A system is described without being
started: ``build`` makes its parts and does no I/O, and the process opens their ``lifespan``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from tablewright.model import Model
from tablewright.service.auth.claims import TokenKind
from tablewright.service.auth.local import DemoPerson
from tablewright.service.ports import Ports
from tablewright.service.runtime import Runtime
from tablewright.service.workers import Worker

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.service.kit.outbox.sinks.base import Sink
    from tablewright.service.kit.outbox.sinks.people import AddressOf
    from tablewright.service.pages import Pages


@dataclass(frozen=True)
class NavItem:
    """A page in the navigation."""

    title: str
    #: Below the system's own path: ``""`` is its first page.
    path: str
    #: The name of a Tabler icon.
    icon: str
    #: Who sees it; empty is everybody who has any role in the system.
    roles: frozenset[str] = frozenset()
    #: It can be seen without signing in.
    public: bool = False
    #: Who has signed in sees it, with any role or none.
    signed_in: bool = False


@dataclass(frozen=True)
class Allowance:
    """What one path may have that others may not: files take room and time."""

    max_bytes: int
    timeout_secs: float


@dataclass(frozen=True)
class Reference:
    """What its OpenAPI document says beyond the routes."""

    #: How to begin, in Markdown.
    about: str = ""
    #: What its routes are about (their tags), in the order to show them, and a sentence for each.
    subjects: Mapping[str, str] = field(default_factory=dict)
    #: Ways to prove who is calling, besides those that all systems have.
    schemes: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


@dataclass(frozen=True)
class Parts:
    """What a system brings into a process."""

    #: Everything under ``/<system>/api/v1`` and beside it; documented in its OpenAPI.
    routers: Sequence[APIRouter]
    reference: Reference = field(default_factory=Reference)
    workers: Sequence[Worker] = ()
    #: Where messages of its outbox go that are for nobody else.
    sinks: Sequence[Sink] = ()
    #: Where somebody gets mail, whom a message names as its ``person``.
    address_of: AddressOf | None = None
    #: By path below the system's own: ``/api/v1/uploads``, ``/api/v1/topics/{tag}/files``.
    allowances: Mapping[str, Allowance] = field(default_factory=dict)
    #: Opened before the first request, closed after the last one.
    lifespan: Callable[[], AbstractAsyncContextManager[object]] = nullcontext
    navigation: Sequence[NavItem] = ()
    #: The pages, given what renders them.
    pages: Callable[[Pages], APIRouter] | None = None
    #: Where the pages' templates lie, named ``<system>/….html``.
    templates: Path | None = None
    #: Whether it lets in somebody with this address. Without it, all of its demo people are offered
    #: when somebody signs in on their own machine.
    knows_address: Callable[[str], Awaitable[bool]] | None = None
    #: Fills a fresh place with something to look at; called once its lifespan is open.
    demo: Callable[[], Awaitable[None]] | None = None
    #: Whether it can do its work; the text says what is wrong, "" nothing.
    health: Callable[[], Awaitable[str]] | None = None
    #: What an operator has to mend although it works, such as mails that go nowhere; read at start
    #: and with each report of health.
    warnings: Callable[[], Sequence[str]] | None = None
    #: What it does for other systems, and how it is told what they do.
    offers: Ports = field(default_factory=Ports)
    joined: Callable[[Ports], None] | None = None


class NoOptions(BaseModel):
    """A system without settings of its own."""


@dataclass(frozen=True)
class System:
    """One system, before it runs."""

    #: Also the first part of all its paths: ``/pricekeeper/...``.
    name: str
    title: str
    #: One sentence, for people who do not know it.
    about: str
    model: Model
    build: Callable[[Runtime], Parts]
    #: The roles that people and API keys can have in it.
    roles: Sequence[str] = ("admin",)
    #: Its section of the settings file, and ``TABLEWRIGHT_<SYSTEM>_...`` of the environment.
    options: type[BaseModel] = field(default=NoOptions)
    #: Names by which its world knows settings of the process: ``{"X_OIDC_ISSUER": "issuer_url"}``.
    #: They count where it runs.
    variables: Mapping[str, str] = field(default_factory=dict, hash=False)
    #: The names of its own keys: what is stored, or given to others, is made with them.
    keys: Sequence[str] = ()
    icon: str = "box"
    #: Whose navigation lists the console's pages about it, such as its data model; empty is all.
    tool_roles: frozenset[str] = frozenset()
    #: Which of the issuer's tokens open it: those that are made to, or those that say who one is.
    tokens: TokenKind = "access"
    #: Whom one may sign in as on one's own machine, beside a user for each role.
    demo_people: Sequence[DemoPerson] = ()
