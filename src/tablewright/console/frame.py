"""What every page has around it: which system it belongs to, where it can go, who is looking."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tablewright.service.auth.principal import Principal
from tablewright.service.pages import Tone
from tablewright.service.system import NavItem, System

#: The console's own pages about a system lie below it: ``/console/<system>/model``.
TOOLS = "/console"

Crumb = tuple[str, str]


@dataclass(frozen=True)
class NavEntry:
    """A page that one can go to."""

    title: str
    path: str
    icon: str
    current: bool = False


@dataclass(frozen=True)
class NavGroup:
    """Pages that belong together."""

    title: str
    entries: tuple[NavEntry, ...]


@dataclass(frozen=True)
class Flash:
    """Something to say once, on the next page."""

    text: str
    tone: Tone = "success"


@dataclass(frozen=True)
class Place:
    """A system, with the pages that it has."""

    system: System
    #: None: it has no pages of its own.
    navigation: Sequence[NavItem] | None
    #: False: a model to look at, of which nothing runs in this process.
    runs: bool = True

    @property
    def name(self) -> str:
        return self.system.name

    @property
    def for_all(self) -> bool:
        """Whether it has something for who has signed in without any role."""
        return any(item.signed_in for item in self.navigation or ())

    @property
    def home(self) -> str:
        """Its first page, or what there is of it."""
        return f"{TOOLS}/{self.name}/model" if self.navigation is None else f"/{self.name}/"


@dataclass(frozen=True)
class PageFrame:
    """What the template ``frame.html`` shows."""

    theme: str
    places: tuple[Place, ...]
    system: System | None
    navigation: tuple[NavGroup, ...]
    crumbs: tuple[Crumb, ...]
    visitor: Principal | None
    roles: tuple[str, ...]
    csrf: str
    flash: Flash | None
    local: bool
    version: str
    #: The page is about a model of somebody's own, by itself: there are no systems around it.
    alone: bool = False
    #: The page is the one where one signs in.
    signing_in: bool = False


def place_of(path: str, places: Sequence[Place]) -> Place | None:
    """The system that a page belongs to."""
    words = path.strip("/").split("/")
    name = words[1] if words[0] == TOOLS.strip("/") and len(words) > 1 else words[0]
    return next((place for place in places if place.name == name), None)


def seen_by(places: Sequence[Place], visitor: Principal | None) -> tuple[Place, ...]:
    """The systems that somebody has a role in, and those that need none."""
    if visitor is None:
        return ()
    return tuple(place for place in places if visitor.roles_in(place.name) or place.for_all)


def navigation(
    place: Place, visitor: Principal | None, path: str, own: Collection[str] = ()
) -> tuple[NavGroup, ...]:
    """The pages of a system that somebody may see, and the console's pages about it.

    ``own``: roles that the system itself has given them, which decide about its pages alone.
    """
    roles = visitor.roles_in(place.name) if visitor else frozenset()
    pages = [
        NavEntry(item.title, f"/{place.name}/{item.path.strip('/')}", item.icon)
        for item in place.navigation or ()
        if item.public
        or (visitor is not None and item.signed_in)
        or (roles and not item.roles)
        or not item.roles.isdisjoint({*roles, *own})
    ]
    tools = _tools(place, admin="admin" in roles) if _lists_tools(place, roles) else []
    current = _current([*pages, *tools], path)
    groups = (NavGroup("", _marked(pages, current)), NavGroup("Inside", _marked(tools, current)))
    return tuple(group for group in groups if group.entries)


def _lists_tools(place: Place, roles: Collection[str]) -> bool:
    """Tell whether the console's pages about a system are in somebody's navigation."""
    wanted = place.system.tool_roles
    return bool(roles) and (not wanted or not wanted.isdisjoint(roles))


def _tools(place: Place, *, admin: bool) -> list[NavEntry]:
    """The console's pages; a model by itself has the tabs of its pages, and nothing beside them."""
    if not place.runs:
        return []
    base = f"{TOOLS}/{place.name}"
    entries = [
        NavEntry("Data model", f"{base}/model", "database"),
        NavEntry("Capacity", f"{base}/capacity", "activity"),
        NavEntry("REST API", f"{base}/api", "api"),
    ]
    return [*entries, NavEntry("Sessions", f"{base}/sessions", "logout")] if admin else entries


def _current(entries: Sequence[NavEntry], path: str) -> str:
    """The entry whose path is the longest beginning of where we are.

    A system's first page is above all others of it: that is where we are only if nothing follows.
    """
    here = path.rstrip("/") + "/"
    fitting = [
        each.path
        for each in entries
        if here == each.path or (here.startswith(f"{each.path}/") and not each.path.endswith("/"))
    ]
    return max(fitting, key=len, default="")


def _marked(entries: Sequence[NavEntry], current: str) -> tuple[NavEntry, ...]:
    return tuple(
        NavEntry(each.title, each.path, each.icon, each.path == current) for each in entries
    )


def crumbs(
    place: Place | None,
    path: str,
    own: Sequence[Crumb],
    *,
    signed_in: bool = True,
    only: bool = False,
) -> tuple[Crumb, ...]:
    """The way to a page, without the page itself.

    On a page that everybody sees, whoever has not signed in is not led where they would have to.
    ``only``: there is one system for the visitor, and so no list of systems to go back to.
    """
    if path.strip("/") == "":
        return ()
    if place is not None and not signed_in:
        return tuple(own)
    if place is not None and not place.runs:
        return tuple(own)
    way: list[Crumb] = [] if only else [("Systems", "/")]
    if place is not None and path.rstrip("/") != place.home.rstrip("/"):
        way.append((place.system.title, place.home))
    return (*way, *own)
