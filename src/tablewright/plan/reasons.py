"""Why a way of paying is the cheapest for a table, in words."""

from __future__ import annotations

from tablewright.plan.demand import Demand
from tablewright.plan.month import MODES, Choice, table_cost
from tablewright.plan.plan import Plan

_WORDS = {
    "declared": "as the model declares",
    "on demand": "on demand",
    "provisioned": "provisioned for the peak",
    "scaled": "provisioned, scaled automatically",
}


def mode_words(mode: str) -> str:
    return _WORDS[mode]


def reasons(plan: Plan, demand: Demand) -> list[str]:
    """Why the choice for this table was made, and what to know about it."""
    choice = plan.cheapest.choices[demand.table.name]
    found = [_comparison(plan, demand, choice)]
    if not demand.load.average:
        found.append("nothing is known of its load: no pattern with a rate uses it")
    elif choice.mode == "on demand":
        found.append(_why_on_demand(plan, demand))
    else:
        found.append(_why_provisioned(plan, choice, demand))
    if choice.table_class != "STANDARD":
        found.append("it holds much and is used little: the class for infrequent access is cheaper")
    return found


def _comparison(plan: Plan, demand: Demand, choice: Choice) -> str:
    parts = []
    for mode in MODES:
        cost = table_cost(demand, Choice(mode, choice.table_class), plan.prices, plan.settings)
        parts.append(f"{mode_words(mode)} ${cost.total:,.2f}")
    return ", ".join(parts) + ", before what is free"


def _why_on_demand(plan: Plan, demand: Demand) -> str:
    own = plan.prices.standard
    even = own.write_unit / 3600 / (own.writes / 1_000_000)
    load = demand.load
    if load.average < len(demand.places):
        return "so little is used that even one provisioned unit per hour costs more"
    if demand.spiky:
        return (
            f"the peak is {load.peak / load.average:.3g} times the average: units for it would "
            f"stand idle, and automatic scaling comes minutes too late for it"
        )
    return f"provisioned units pay only where more than {even:.0%} of them is used"


def _why_provisioned(plan: Plan, choice: Choice, demand: Demand) -> str:
    free, load = plan.prices.free, demand.load
    if plan.settings.free_tier and load.average < free.write_units:
        return (
            f"up to {free.write_units:g} provisioned units of each kind are free per region; "
            "requests on demand never are"
        )
    if choice.mode == "scaled" and load.peak > load.average:
        return (
            "scaling follows the load within minutes; a jump to the peak within seconds is "
            "throttled until it has"
        )
    return (
        f"the load is steady enough to use {plan.settings.utilisation:.0%} of what is provisioned"
    )
