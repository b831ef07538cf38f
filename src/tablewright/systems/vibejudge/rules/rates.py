"""What the tokens of a model cost: a dated file of prices, each with its source.

A model without a price cannot be held to a budget, so it is refused before it is called. The file
that ships can be added to by one of the operator's own: what is asked at one's own address may cost
nothing, but that has to be said.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, Decimal, localcontext
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

ServiceTier: TypeAlias = Literal["standard", "flex"]
#: A price is told exactly; a number of TOML would have gone through binary on its way.
PerToken: TypeAlias = Annotated[Decimal, Field(ge=0, lt=1, allow_inf_nan=False)]

#: What all amounts of money are rounded up to.
NANO = Decimal("0.000000001")
#: Names that people know models by, and what their provider calls them.
ALIASES: Mapping[str, str] = {
    "anthropic.claude-sonnet-4-20250514": "us.anthropic.claude-sonnet-4-20250514-v1:0",
    "anthropic.claude-sonnet-4-20250514-v1:0": "us.anthropic.claude-sonnet-4-20250514-v1:0",
    "us.anthropic.claude-sonnet-4-20250514": "us.anthropic.claude-sonnet-4-20250514-v1:0",
    "anthropic.claude-sonnet-4-5-20250929": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "anthropic.claude-sonnet-4-5-20250929-v1:0": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "amazon.nova-lite": "amazon.nova-lite-v1:0",
    "amazon.nova-micro": "amazon.nova-micro-v1:0",
}
_MODEL_ID = Field(min_length=1, max_length=200)


class UnknownModel(Exception):
    """No price is known for a model, so nobody calls it."""

    code = "unknown_model"

    def __init__(self, model_id: str, tier: ServiceTier) -> None:
        super().__init__(
            f"No price is known for the model {model_id} in the {tier} tier. "
            "Check its name, or add its price to the file in the setting rates_file."
        )
        self.model_id = model_id
        self.tier = tier


class BadRates(ValueError):
    """A file of prices that cannot be gone by."""


class Rate(BaseModel):
    """The prices of a model in a tier, from a day on: one for each kind of token."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model_id: Annotated[str, _MODEL_ID]
    provider: Literal["bedrock", "openai"]
    service_tier: ServiceTier = "standard"
    effective_from: date
    input: PerToken
    output: PerToken
    cache_read: PerToken
    cache_write: PerToken
    #: Where the figures were read.
    source: Annotated[str, Field(min_length=1, max_length=500)]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    dated: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}[\w.+-]{0,20}$")]
    rates: list[Rate]


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one call. Those of a cache are not among the input."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class Cost:
    """USD of one call, by kind. The total is the sum of what is shown, so that books add up."""

    input: Decimal
    output: Decimal
    cache: Decimal

    @property
    def total(self) -> Decimal:
        return self.input + self.output + self.cache


NOTHING = Cost(Decimal(0), Decimal(0), Decimal(0))


def usd(amount: Decimal) -> Decimal:
    """An amount in whole billionths of a dollar, rounded up."""
    with localcontext() as exact:
        exact.prec = 60
        return amount.quantize(NANO, rounding=ROUND_CEILING)


def cost_of(usage: TokenUsage, rate: Rate) -> Cost:
    """What these tokens cost; never less than the exact amount."""
    with localcontext() as exact:
        exact.prec = 60
        cached = usage.cache_read * rate.cache_read + usage.cache_write * rate.cache_write
        return Cost(
            input=usd(usage.input * rate.input),
            output=usd(usage.output * rate.output),
            cache=usd(cached),
        )


class Rates:
    """All prices, and what they are called together."""

    def __init__(self, version: str, rates: Iterable[Rate]) -> None:
        self.version = version
        self._rates: dict[tuple[str, ServiceTier], list[Rate]] = {}
        for each in sorted(rates, key=lambda rate: rate.effective_from):
            self._rates.setdefault((each.model_id, each.service_tier), []).append(each)

    def rate(self, model_id: str, tier: ServiceTier, on: date) -> Rate:
        """The price on a day; :class:`UnknownModel` if there is none."""
        for each in reversed(self._rates.get((model_id, tier), [])):
            if each.effective_from <= on:
                return each
        raise UnknownModel(model_id, tier)

    def ids(self, provider: Literal["bedrock", "openai"], tier: ServiceTier) -> list[str]:
        """List the models of a provider that have a price in a tier."""
        return sorted(
            model_id
            for (model_id, held), rows in self._rates.items()
            if held == tier and rows[-1].provider == provider
        )

    def known(self) -> tuple[Rate, ...]:
        """Every row, by model and tier, the oldest first."""
        return tuple(row for key in sorted(self._rates) for row in self._rates[key])

    def with_more(self, other: Rates) -> Rates:
        """These and an operator's own, which win where both have a price from the same day."""
        mine = {(row.model_id, row.service_tier, row.effective_from): row for row in self.known()}
        theirs = {
            (row.model_id, row.service_tier, row.effective_from): row for row in other.known()
        }
        return Rates(f"{self.version}+{other.version}", (mine | theirs).values())


@cache
def bundled_rates() -> Rates:
    """The prices that ship with the program."""
    return read_rates(files(__package__).joinpath("rates.toml").read_text("utf-8"))


def rates_of(path: Path | None) -> Rates:
    """The prices that ship, and those of an operator's own file if there is one."""
    if path is None:
        return bundled_rates()
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRates(f"{path}: cannot be read: {error}") from error
    try:
        return bundled_rates().with_more(read_rates(text))
    except BadRates as error:
        raise BadRates(f"{path}: {error}") from error


def provider_id(model_id: str, rates: Rates, tier: ServiceTier, on: date) -> str:
    """Return what the provider calls a model, for names that only people use.

    A price of one's own for exactly the given name goes before its alias.
    """
    known = ALIASES.get(model_id.strip())
    if known is None:
        return model_id
    try:
        rates.rate(model_id, tier, on)
    except UnknownModel:
        return known
    return model_id


def read_rates(text: str) -> Rates:
    """The prices of a file; :class:`BadRates` says what is wrong with it."""
    try:
        found = _File.model_validate(tomllib.loads(text, parse_float=Decimal))
    except tomllib.TOMLDecodeError as error:
        raise BadRates(f"is no TOML: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadRates(f"{where}: {first['msg']}") from error
    seen: set[tuple[str, ServiceTier, date]] = set()
    for row in found.rates:
        key = row.model_id, row.service_tier, row.effective_from
        if key in seen:
            raise BadRates(f"{row.model_id} has two prices from {row.effective_from} on")
        seen.add(key)
    return Rates(found.dated, found.rates)
