"""Settings as the plan takes them: an outlook, and the same as a scenario file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablewright.console.explorer.plan_settings import PlanSettings, number_text
from tablewright.model.model import Model
from tablewright.plan.demand import Settings
from tablewright.plan.keys import KeySpread
from tablewright.plan.loads import Expectation
from tablewright.plan.outlook import Outlook


def outlook_of(settings: PlanSettings, model: Model, spreads: Mapping[str, KeySpread]) -> Outlook:
    """``spreads`` is what is known of the model's keys without the settings."""
    return Outlook(
        region=settings.region,
        patterns=_expectations(settings, model),
        settings=Settings(
            utilisation=settings.utilisation / 100,
            free_tier=settings.free_tier,
            items=settings.items,
        ),
        sizes=settings.size,
        keys=_keys(settings, spreads),
    )


def _expectations(settings: PlanSettings, model: Model) -> dict[str, Expectation]:
    """Rates that differ; a peak keeps its proportion to the average, unless it is set."""
    found: dict[str, Expectation] = {}
    for name, pattern in model.patterns.items():
        declared = 0.0 if pattern.rate is None else pattern.rate.average
        peak = None if pattern.rate is None else pattern.rate.peak
        average = settings.rate.get(name, declared) * settings.rates
        if average == declared and settings.peak is None:
            continue
        times = (peak / declared if peak and declared else 1.0) if not settings.peak else None
        found[name] = Expectation(average, average * (times or settings.peak or 1.0))
    return found


def _keys(settings: PlanSettings, spreads: Mapping[str, KeySpread]) -> dict[str, KeySpread]:
    found: dict[str, KeySpread] = {}
    for template in dict.fromkeys((*settings.keys, *settings.hottest)):
        known = spreads[template]
        count = settings.keys.get(template, known.count)
        percent = settings.hottest.get(template)
        found[template] = KeySpread(
            count, None, known.hottest if percent is None else percent / 100
        )
    return found


def scenario_text(outlook: Outlook, command: str) -> str:
    """A scenario file that says the same, with the command that reads it."""
    return "\n".join([f"# {command}", *_head(outlook), *_sections(outlook)]) + "\n"


def _head(outlook: Outlook) -> Iterator[str]:
    settings, plain = outlook.settings, Settings()
    yield f'region = "{outlook.region}"'
    if settings.utilisation != plain.utilisation:
        yield f"utilisation = {number_text(settings.utilisation)}"
    if settings.free_tier != plain.free_tier:
        yield f"free_tier = {str(settings.free_tier).lower()}"


def _sections(outlook: Outlook) -> Iterator[str]:
    for name, said in outlook.patterns.items():
        yield f"\n[patterns.{_bare(name)}]\naverage = {number_text(said.average or 0.0)}"
        yield f"peak = {number_text(said.peak or 0.0)}"
    for name in dict.fromkeys((*outlook.sizes, *outlook.settings.items)):
        yield f"\n[entities.{_bare(name)}]"
        if name in outlook.sizes:
            yield f"size = {number_text(outlook.sizes[name])}"
        if name in outlook.settings.items:
            yield f"items = {number_text(outlook.settings.items[name])}"
    for template, spread in outlook.keys.items():
        yield f"\n[keys.{_quoted(template)}]\ncount = {number_text(spread.count)}"
        if spread.hottest is not None:
            yield f"hottest = {number_text(spread.hottest)}"


def _bare(name: str) -> str:
    """Names of Python may have letters that TOML only takes in quotes."""
    return name if name.isascii() else _quoted(name)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
