"""What a scenario file says about a model: rates, sizes and numbers of items for one occasion.

A scenario overrides what the model declares, so that one model can be planned for a quiet first
month and for the day on which everybody comes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tablewright.model.model import Model
from tablewright.plan.demand import Settings
from tablewright.plan.keys import KeySpread
from tablewright.plan.loads import Expectation


class ScenarioError(Exception):
    """A scenario file cannot be read, or says something that makes no sense."""


@dataclass(frozen=True)
class Outlook:
    """Everything that a scenario says about a model."""

    title: str = ""
    region: str | None = None
    patterns: Mapping[str, Expectation] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    #: Bytes of an item, by entity.
    sizes: Mapping[str, float] = field(default_factory=dict)
    #: By the template of the partition key.
    keys: Mapping[str, KeySpread] = field(default_factory=dict)
    #: Seconds of load that the heat is found for.
    seconds: int = 3600


def read_file(file: Path) -> dict[str, object]:
    """The file's contents; :class:`ScenarioError` in words."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ScenarioError(f"{file} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{file} is not TOML: {error}") from None


def outlook_of(told: Mapping[str, Any], model: Model) -> Outlook:
    """The part of a scenario that is about ``model``."""
    _check_shape(told)
    _check_names("pattern", told.get("patterns", {}), model.patterns)
    _check_names("entity", told.get("entities", {}), model.entities)
    _check_names("table", told.get("tables", {}), model.tables)
    try:
        return Outlook(
            title=told.get("title", ""),
            region=told.get("region"),
            patterns={name: Expectation(**said) for name, said in told.get("patterns", {}).items()},
            settings=_settings(told),
            sizes={
                name: said["size"]
                for name, said in told.get("entities", {}).items()
                if "size" in said
            },
            keys={template: KeySpread(**said) for template, said in told.get("keys", {}).items()},
            seconds=int(told.get("seconds", 3600)),
        )
    except ValueError as error:
        raise ScenarioError(f"the scenario is wrong: {error}") from None


def _settings(told: Mapping[str, Any]) -> Settings:
    given = {
        name: told[name]
        for name in ("hours", "utilisation", "least_units", "free_tier")
        if name in told
    }
    entities, tables = told.get("entities", {}), told.get("tables", {})
    return Settings(
        **given,
        items={name: said["items"] for name, said in entities.items() if "items" in said},
        backups={name: said["backups"] for name, said in tables.items() if "backups" in said},
        stream_reads={
            name: said["stream_reads"] for name, said in tables.items() if "stream_reads" in said
        },
    )


def _check_shape(told: Mapping[str, Any]) -> None:
    """Refuse words that mean nothing, and texts where numbers belong."""
    strange = sorted(told.keys() - _WORDS - _SECTIONS.keys())
    if strange:
        known = ", ".join(sorted(_WORDS | _SECTIONS.keys()))
        raise ScenarioError(f"a scenario knows no {', '.join(strange)}; it knows {known}")
    _check_numbers("the scenario", {name: told[name] for name in _NUMBERS if name in told})
    for section, words in _SECTIONS.items():
        for name, said in told.get(section, {}).items():
            _check_section(f"[{section}.{name}]", said, words)


def _check_section(where: str, said: Any, words: frozenset[str]) -> None:
    if not isinstance(said, Mapping) or said.keys() - words:
        raise ScenarioError(f"{where} takes {', '.join(sorted(words))} and nothing unknown")
    _check_numbers(where, said)


def _check_numbers(where: str, said: Mapping[str, Any]) -> None:
    for name, value in said.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise ScenarioError(f"{where}: {name} is a number and not negative, not {value!r}")


_NUMBERS = ("hours", "utilisation", "least_units", "seconds")
_WORDS = frozenset({"title", "region", "free_tier", *_NUMBERS})
_SECTIONS = {
    "patterns": frozenset({"average", "peak", "expect", "item_size"}),
    "entities": frozenset({"items", "size"}),
    "tables": frozenset({"backups", "stream_reads"}),
    "keys": frozenset({"count", "zipf", "hottest"}),
}


def _check_names(what: str, named: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    strange = sorted(named.keys() - known.keys())
    if strange:
        raise ScenarioError(
            f"the model has no {what} {', '.join(strange)}; it has {', '.join(known)}"
        )
