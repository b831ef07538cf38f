"""How rare dependencies are, by a list that was written by us and has a date."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from importlib.resources import files

from tablewright.systems.vibejudge.static.manifests import Dependency

UNLISTED = "uncommon"
#: For those who develop, not for those who use what they have made.
TOOL = "tool"


@functools.cache
def _lists() -> tuple[str, dict[str, Decimal], dict[str, dict[str, str]]]:
    text = files(__package__).joinpath("data/commonness.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    rarity = {level: Decimal(value) for level, value in data["rarity"].items()}
    levels = {
        ecosystem: {name: level for level, names in held.items() for name in names}
        for ecosystem, held in data.items()
        if ecosystem not in ("dated", "rarity")
    }
    return data["dated"], rarity, levels


def dated() -> str:
    return _lists()[0]


def level_of(ecosystem: str, name: str) -> str:
    """Look up how common a package is; packages that no list has are uncommon."""
    lists = _lists()[2]
    return _level_in(lists["tools"], name) or _level_in(lists.get(ecosystem, {}), name) or UNLISTED


def _level_in(held: Mapping[str, str], name: str) -> str | None:
    if name in held:
        return held[name]
    # The longest of those that stand for many.
    for length in range(len(name), 0, -1):
        found = held.get(f"{name[:length]}*")
        if found:
            return found
    return None


def rarity_of(dependency: Dependency) -> Decimal:
    return _lists()[1][level_of(dependency.ecosystem, dependency.name)]


def mean_rarity(dependencies: Sequence[Dependency]) -> Decimal | None:
    """Each dependency once, however many manifests ask for it."""
    once = {(each.ecosystem, each.name): each for each in dependencies}
    if not once:
        return None
    return sum((rarity_of(each) for each in once.values()), Decimal(0)) / len(once)
