"""Prices: a dated file, one section per region, that a user may replace by another."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

MILLION = 1_000_000
STREAM_READS = 100_000
GB = 1024**3


class PriceError(Exception):
    """A price file cannot be read, or lacks what is asked of it."""


@dataclass(frozen=True)
class ClassPrices:
    """What one table class costs."""

    #: A million request units, on demand.
    writes: float
    reads: float
    #: One provisioned unit for an hour.
    write_unit: float
    read_unit: float
    #: A GB for a month.
    storage: float


@dataclass(frozen=True)
class FreeTier:
    """What is free every month, per account and region."""

    storage: float = 0
    write_units: float = 0
    read_units: float = 0
    stream_reads: float = 0


@dataclass(frozen=True)
class Prices:
    """The prices of one region."""

    region: str
    dated: str
    source: str
    #: Prices that the file's author did not look up.
    unsure: tuple[str, ...]
    standard: ClassPrices
    infrequent: ClassPrices
    pitr: float
    backup: float
    restore: float
    stream_reads: float
    free: FreeTier

    def of_class(self, name: str) -> ClassPrices:
        return self.standard if name == "STANDARD" else self.infrequent


def regions(file: Path | None = None) -> list[str]:
    """The regions that a price file knows."""
    text, name = _text(file)
    return sorted(_read(text, name)["regions"])


def load_prices(region: str = "us-east-1", file: Path | None = None) -> Prices:
    """The prices of a region, from the file that ships or from another one."""
    text, name = _text(file)
    told = _read(text, name)
    if region not in told["regions"]:
        known = ", ".join(sorted(told["regions"]))
        raise PriceError(f"{name} has no prices of {region}; it has those of {known}")
    try:
        return _prices(region, told, told["regions"][region])
    except (KeyError, TypeError) as error:
        raise PriceError(f"{name}, {region}: {error} is missing or wrong") from None


def _read(text: str, name: str) -> dict[str, Any]:
    try:
        told = tomllib.loads(text)
        _ = told["regions"]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise PriceError(f"{name} is no price file: {error}") from None
    return told


def _text(file: Path | None) -> tuple[str, str]:
    if file is None:
        shipped = resources.files("tablewright.plan") / "prices" / "aws.toml"
        return shipped.read_text(encoding="utf-8"), "aws.toml"
    try:
        return file.read_text(encoding="utf-8"), str(file)
    except OSError as error:
        raise PriceError(f"{file} cannot be read: {error.strerror}") from None


def _prices(region: str, told: Mapping[str, Any], own: Mapping[str, Any]) -> Prices:
    return Prices(
        region=region,
        dated=str(told["dated"]),
        source=" ".join(str(told["source"]).split()),
        unsure=tuple(own.get("unsure", ())),
        standard=ClassPrices(**own["standard"]),
        infrequent=ClassPrices(**own["infrequent"]),
        pitr=own["pitr"],
        backup=own["backup"],
        restore=own["restore"],
        stream_reads=own["stream_reads"],
        free=FreeTier(**told.get("free", {})),
    )
