"""Which route answers: as a template without the values in it, for logs and metrics.

A route that was included with a prefix does not know it. Newer releases of the framework keep the
whole in an object beside the route (a context), older ones make a new route of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    from starlette.requests import Request

#: For requests that no route answers; their paths are whatever callers make up.
NONE = "(none)"


def template_of(scope: MutableMapping[str, Any]) -> str:
    """``/pricekeeper/api/v1/orgs/{org_id}``."""
    route = scope.get("route")
    if route is None:
        return NONE
    kept = scope.get("fastapi")
    context = kept.get("effective_route_context") if kept else None
    path = getattr(context or route, "path_format", None) or getattr(route, "path", "")
    return f"{scope.get('root_path', '')}{path}"


def flat(routes: Iterable[Any]) -> Iterator[tuple[Any, Any | None]]:
    """All routes that answer by themselves, each with its context if it has one."""
    for route in routes:
        contexts = getattr(route, "effective_route_contexts", None)
        if contexts is not None:
            for context in contexts():
                yield context.original_route, context
        elif not hasattr(route, "routes"):  # a mounted app
            yield route, None


def methods_at(request: Request) -> list[str]:
    """All methods that the path of a request takes, whichever route each belongs to."""
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    found: set[str] = set()
    for route, context in flat(request.scope["app"].routes):
        shape = context or route
        pattern = getattr(shape, "path_regex", None)
        if pattern is not None and pattern.match(path):
            found |= getattr(shape, "methods", None) or set()
    return sorted(found)


def check_types(routes: Iterable[Any]) -> None:
    """Refuse routes whose types nobody can find out: the framework would take them for queries.

    That is what becomes of ``who: Annotated[Principal, admin]`` where ``admin`` is a local name and
    annotations are postponed: a check of roles that is never made.
    """
    for route, context in flat(routes):
        shape = context or route
        for call in _calls(getattr(shape, "dependant", None)):
            try:
                get_type_hints(call, include_extras=True)
            except NameError as error:
                place = f"{'/'.join(sorted(shape.methods))} {shape.path_format}"
                where = f"{call.__module__}.{call.__qualname__}"
                advice = "name it in the module, or do not postpone annotations there"
                raise TypeError(f"{place}: {error} in the types of {where}: {advice}") from None


def _calls(dependant: Any) -> Iterator[Callable[..., Any]]:
    """The function that answers, and those that it depends on."""
    if dependant is None:
        return
    if hasattr(dependant.call, "__globals__"):
        yield dependant.call
    for each in dependant.dependencies:
        yield from _calls(each)
