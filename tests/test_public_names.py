"""What the packages offer: their names are there, and say what they are for."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator

import pytest

PACKAGES = (
    "adopt",
    "client",
    "client.feed",
    "client.transports",
    "document",
    "engine",
    "expressions",
    "model",
    "review",
    "server",
    "service.auth",
    "service.events",
    "service.kit",
    "service.workers",
    "systems.pricekeeper.client",
    "testing",
)


def offered(package: str) -> dict[str, object]:
    module = importlib.import_module(f"tablewright.{package}")
    names: list[str] = module.__all__
    assert len(names) == len(set(names)), f"{package} names something twice"
    return {name: getattr(module, name) for name in names}


def methods_of(kind: type) -> Iterator[tuple[str, object]]:
    """Its own, without those that Python calls."""
    for name, found in vars(kind).items():
        function = found.fget if isinstance(found, property) else found
        function = getattr(function, "__func__", function)
        if not name.startswith("_") and inspect.isfunction(function):
            yield name, function


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_offered_is_there_and_explained(package: str) -> None:
    found = offered(package)
    kinds = [each for each in found.values() if inspect.isclass(each)]
    # What a protocol explains, its implementations need not explain again.
    explained = {
        name
        for kind in kinds
        if getattr(kind, "_is_protocol", False)
        for name, method in methods_of(kind)
        if method.__doc__
    }
    silent = [name for name, each in found.items() if _is_code(each) and not _says(each)]
    for kind in filter(_keeps_texts, kinds):
        silent += [
            f"{kind.__name__}.{name}"
            for name, method in methods_of(kind)
            if not method.__doc__ and name not in explained
        ]
    assert silent == []


def _is_code(each: object) -> bool:
    return (inspect.isclass(each) and _keeps_texts(each)) or inspect.isfunction(each)


def _keeps_texts(kind: type) -> bool:
    """Compiling takes the texts away; the same tests run on the sources, too."""
    return str(sys.modules[kind.__module__].__file__).endswith(".py")


def _says(each: object) -> bool:
    """Whether it has a text of its own; dataclasses are given their signature as one."""
    text = each.__doc__ or ""
    name = getattr(each, "__name__", "")
    return bool(text.strip()) and not text.startswith(f"{name}(")
