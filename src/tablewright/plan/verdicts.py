"""A scenario for people and for programs: what a document claims beside what is right."""

from __future__ import annotations

from tablewright.plan.pricing import Prices
from tablewright.plan.scenario import Scenario, Verdict, cost_of
from tablewright.plan.text import dollars, figure, table, times

#: Claims that are this near are right.
NEAR = 0.05


def text_of(scenario: Scenario, prices: Prices) -> str:
    """Its operations, then its claims."""
    head = f"{scenario.title}\n{prices.region}, prices of {prices.dated}"
    parts = [head]
    if scenario.operations:
        parts.append("What it does\n" + _operations(scenario, prices))
    if scenario.claims:
        parts.append("What it claims, and what is right\n" + _claims(scenario, prices))
    return "\n\n".join(parts)


def _operations(scenario: Scenario, prices: Prices) -> str:
    rows = []
    for each in scenario.operations.values():
        units = each.units
        calls, read, write = map(figure, (each.calls, units.reads, units.writes))
        rows.append([each.name, each.kind, calls, read, write, dollars(cost_of(each, prices))])
    head = ["operation", "kind", "calls/month", "read units", "write units", "on demand"]
    return table(head, rows, left=(0, 1))


def _claims(scenario: Scenario, prices: Prices) -> str:
    rows = []
    for each in scenario.verdicts(prices):
        claimed, right = (amount(value, each) for value in (each.claim.claimed, each.right))
        rows.append([each.claim.about, claimed, right, error_of(each), each.claim.says])
    return table(["figure", "claimed", "right", "error", "what it says"], rows, left=(0, 4))


def amount(value: float, verdict: Verdict) -> str:
    """A figure in the claim's unit."""
    unit = verdict.claim.unit
    return dollars(value) if unit == "$" else f"{figure(value)} {unit}"


def error_of(verdict: Verdict) -> str:
    """How far off the claim is, in words."""
    factor = verdict.factor
    if factor is None:
        return "missing" if verdict.right else "right"
    if abs(factor - 1) <= NEAR:
        return "right"
    return f"{times(factor)} too low" if factor > 1 else f"{times(1 / factor)} too high"


def data_of(scenario: Scenario, prices: Prices) -> dict[str, object]:
    """The same as plain data, for JSON."""
    return {
        "scenario": scenario.name,
        "title": scenario.title,
        "region": prices.region,
        "prices": {"dated": prices.dated, "source": prices.source},
        "operations": [
            {
                "name": each.name,
                "calls": each.calls,
                "read_units": each.units.reads,
                "write_units": each.units.writes,
                "on_demand": cost_of(each, prices),
            }
            for each in scenario.operations.values()
        ],
        "claims": [
            {
                "about": each.claim.about,
                "unit": each.claim.unit,
                "claimed": each.claim.claimed,
                "right": each.right,
                "factor": each.factor,
                "says": each.claim.says,
            }
            for each in scenario.verdicts(prices)
        ],
    }
