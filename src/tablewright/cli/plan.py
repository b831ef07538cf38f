"""`tablewright plan`: what a model will use and cost, and which of its keys would get too hot."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tablewright.cli.models import find_costs, find_model
from tablewright.cli.terminal import Failure, coloured

if TYPE_CHECKING:
    from datetime import datetime

    from tablewright.plan.heat import Heat
    from tablewright.plan.plan import Plan
    from tablewright.plan.pricing import Prices

#: The same for people and for programs.
Part: TypeAlias = tuple[str, dict[str, Any]]

DEFAULT_REGION = "us-east-1"


def plan(
    model: str | None = None,
    *,
    scenario: str | None = None,
    region: str | None = None,
    prices: Path | None = None,
    svg: Path | None = None,
    json: bool = False,
) -> None:
    """Say what a model will use and cost in a month.

    Parameters
    ----------
    model
        A system's name, or package.module:name of your own model.
    scenario
        A TOML file: rates, sizes and numbers of items that differ from the model's; or, without a
        model, the capacity section of a document that is to be checked. Those that ship have
        names: kurukshetra, ladders, pricekeeper, sentiment, vibejudge.
    region
        The AWS region whose prices count; us-east-1 if neither this nor the scenario says.
    prices
        A price file of your own.
    svg
        A folder to write charts to: the cost of each pattern, the heat of each partition.
    json
        Print JSON instead of text.
    """
    from tablewright.plan.outlook import ScenarioError
    from tablewright.plan.pricing import PriceError, load_prices

    if model is None and scenario is None:
        raise Failure("There is nothing to plan.", "Name a model, or give a --scenario.")
    try:
        told = {} if scenario is None else _scenario(scenario)
        known = load_prices(region or told.get("region") or DEFAULT_REGION, prices)
        parts: list[Part] = []
        if model is not None:
            parts.append(_model(model, told, known, svg))
        if scenario is not None and "operations" in told:
            parts.append(_document(Path(scenario).stem, told, known))
    except (ScenarioError, PriceError) as error:
        raise Failure(f"{error}.") from None
    if not parts:
        raise Failure(
            f"{scenario} says how a model is used, but not which.",
            "Name the model: tablewright plan MODEL --scenario FILE.",
        )
    _print(parts, json)


def _print(parts: list[Part], json: bool) -> None:
    if not json:
        print("\n\n".join(text for text, _ in parts))
        return
    import orjson

    told = parts[0][1] if len(parts) == 1 else {"parts": [data for _, data in parts]}
    print(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())


def _model(text: str, told: Mapping[str, Any], prices: Prices, svg: Path | None) -> Part:
    from tablewright.plan import costs, hot, report
    from tablewright.plan.outlook import outlook_of
    from tablewright.plan.partitions import NumpyMissing
    from tablewright.plan.plan import make_plan

    named = find_model(text)
    outlook = outlook_of({} if "operations" in told else told, named.model)
    # The samples may end soon after the moment they were made for.
    moment: datetime | None = getattr(named, "now", None)
    made = make_plan(
        named.model,
        named.items,
        named.calls,
        prices,
        outlook,
        now=None if moment is None else moment.timestamp(),
        progress=_progress,
    )
    heats: list[Heat] = []
    missing = ""
    try:
        heats = hot.heats_of(
            named.model, made, outlook.keys, seconds=outlook.seconds, progress=_progress
        )
    except NumpyMissing as error:
        missing = str(error)
    _progress("")
    if svg is not None:
        _draw(svg, made, heats)
    shown = f"Heat\n  {missing}" if missing else hot.text_of(heats)
    data = {**report.data_of(made), "heat": None if missing else hot.data_of(heats)}
    bills = find_costs(text)
    if bills is None:
        return f"{report.text_of(made)}\n\n{shown}", data
    data["costs"] = costs.data_of(bills, prices)
    return f"{report.text_of(made)}\n\n{costs.text_of(bills, prices)}\n\n{shown}", data


def _draw(folder: Path, made: Plan, heats: list[Heat]) -> None:
    """Write the charts; their names are those of the model and of the places."""
    from tablewright.plan.charts import cost_chart, heat_chart

    charts = {f"{made.model}-cost.svg": cost_chart(made)}
    for heat in heats:
        charts[f"{made.model}-heat-{str(heat.place).replace('/', '-')}.svg"] = heat_chart(heat)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in charts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"The charts cannot be written to {folder}: {error.strerror}.") from None


def _document(name: str, told: Mapping[str, Any], prices: Prices) -> Part:
    from tablewright.plan import verdicts
    from tablewright.plan.scenario import scenario_of

    scenario = scenario_of(name, told)
    return verdicts.text_of(scenario, prices), verdicts.data_of(scenario, prices)


def _scenario(text: str) -> dict[str, Any]:
    """A file, or one of those that ship, by its name."""
    from tablewright.plan.outlook import read_file

    shipped = resources.files("tablewright.plan") / "scenarios" / f"{text}.toml"
    if Path(text).suffix != ".toml" and shipped.is_file():
        with resources.as_file(shipped) as file:
            return read_file(file)
    return read_file(Path(text))


def _progress(doing: str) -> None:
    """One line that says what is being done, on a terminal."""
    if coloured(sys.stderr):
        print(f"\r\x1b[2K{doing}", end="", file=sys.stderr, flush=True)
