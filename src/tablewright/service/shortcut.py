"""Finding a route by the words of its path.

The framework tries all routes one after another, those of included routers several times over: with
forty routes that is most of what a small request costs. :func:`shorten` puts a tree before an app's
router, made of the segments of all paths. The tree only proposes; the route itself says whether it
matches, in the order in which routes were added. Everything else (no such path, no such method,
mounted apps) is left to the router, so that both always agree. :class:`ByName` does the same for
the apps of the systems, which would otherwise be reached through all layers of their parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.convertors import PathConvertor
from starlette.routing import Match

from tablewright.service.routes import flat

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import ASGIApp, Receive, Scope, Send


@dataclass
class _Node:
    """One place in the tree: what may follow, and the routes that end here."""

    words: dict[str, _Node] = field(default_factory=dict)
    anything: _Node | None = None
    routes: list[_Proposed] = field(default_factory=list)


@dataclass(frozen=True)
class _Proposed:
    number: int
    route: Any
    #: What the framework calls a route that was included with a prefix; else the route.
    context: Any


class Shortcut:
    """Stands before the router of an app."""

    def __init__(self, app: ASGIApp, router: ASGIApp, routes: Iterable[tuple[Any, Any]]) -> None:
        self.app = app
        self.router = router
        self._root = _Node()
        #: Those whose paths may have any number of segments.
        self._loose: list[_Proposed] = []
        for number, (route, context) in enumerate(routes):
            self._add(_Proposed(number, route, context))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (route := self._select(scope)) is not None:
            scope.setdefault("router", self.router)
            await route.handle(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _select(self, scope: Scope) -> Any | None:
        """The route that answers, with the scope as the framework would leave it."""
        kept = scope.setdefault("fastapi", {})
        for proposed in self._proposals(_path(scope)):
            kept["effective_route_context"] = proposed.context
            match, child = proposed.route.matches(scope)
            if match is Match.FULL:
                scope.update(child)
                return proposed.route
        kept.pop("effective_route_context", None)
        return None

    def _proposals(self, path: str) -> Sequence[_Proposed]:
        nodes = [self._root]
        for word in path.split("/"):
            nodes = [
                below
                for node in nodes
                for below in (node.words.get(word), node.anything)
                if below is not None
            ]
        if len(nodes) == 1 and not self._loose:
            return nodes[0].routes
        found = [each for node in nodes for each in node.routes] + self._loose
        return sorted(found, key=lambda each: each.number)

    def _add(self, proposed: _Proposed) -> None:
        shape = proposed.context or proposed.route
        if any(isinstance(each, PathConvertor) for each in shape.param_convertors.values()):
            self._loose.append(proposed)
            return
        node = self._root
        for word in shape.path_format.split("/"):
            if "{" in word:
                node.anything = node = node.anything or _Node()
            else:
                node = node.words.setdefault(word, _Node())
        node.routes.append(proposed)


class ByName:
    """Leads to a system's app as the parent's mount does, without the parent's layers."""

    def __init__(self, parent: FastAPI, apps: Mapping[str, FastAPI]) -> None:
        self.parent = parent
        self.apps = dict(apps)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            _, _, below = scope["path"].partition("/")
            name, slash, _ = below.partition("/")
            app = self.apps.get(name)
            if app is not None and slash:
                root = scope.get("root_path", "")
                scope.update(app_root_path=root, root_path=f"{root}/{name}", path_params={})
                # Addresses are made from the names of all routes, the parent's too.
                scope["router"] = self.parent.router
                await app(scope, receive, send)
                return
        await self.parent(scope, receive, send)


def shorten(app: FastAPI) -> None:
    """Let the app find its routes that way; to be called when it has all of them."""
    router = app.router
    found = [
        (route, context)
        for route, context in flat(router.routes)
        if getattr(context or route, "path_format", None) is not None
    ]
    router.middleware_stack = Shortcut(router.middleware_stack, router, found)


def _path(scope: Scope) -> str:
    path: str = scope["path"]
    return path[len(scope.get("root_path", "")) :]
