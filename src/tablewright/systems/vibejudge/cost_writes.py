"""Writes of budgets and costs.

Money is set aside before a call and settled after it, so that callers at the same time cannot
spend more than there is, and a worker that dies in between has spent what it set aside.
"""

from __future__ import annotations

from datetime import datetime

from tablewright.model import (
    Delete,
    Put,
    Update,
    attr,
    delete,
    put,
    transaction,
    update,
    write,
)
from tablewright.systems.vibejudge.analysis import CostRecord, HackathonCost, Reservation
from tablewright.systems.vibejudge.entities import OrgUsage
from tablewright.systems.vibejudge.rates import EACH_AGENT, RARE
from tablewright.systems.vibejudge.writes import used_this_year


@transaction(component="analyser", rate=EACH_AGENT)
def reserve(
    reservation: Reservation, now: datetime
) -> tuple[Update[HackathonCost], Put[Reservation]]:
    """Set aside what a call may cost, if so much is left. [T7]"""
    amount = reservation.amount_usd
    taken = update(HackathonCost, reservation.hack_id).do(
        attr(HackathonCost.budget_remaining_usd).add(-amount),
        attr(HackathonCost.updated_at).set(now),
    )
    enough = attr(HackathonCost.budget_remaining_usd) >= amount
    return taken.when(enough), put(reservation).new()


@write(component="analyser", rate=EACH_AGENT)
def start_call(reservation: Reservation, now: datetime) -> Update[Reservation]:
    """The call goes out: from now on it costs, whatever becomes of its answer.

    The reservation must be there still. To say it twice changes nothing.
    """
    return update(reservation).do(attr(Reservation.call_started_at).set(now))


@transaction(component="analyser", rate=EACH_AGENT)
def settle(
    reservation: Reservation, cost: CostRecord, now: datetime
) -> tuple[Update[HackathonCost], Delete[Reservation], Put[CostRecord], Update[OrgUsage]]:
    """What a call has cost instead of what was set aside for it; an orphan by estimate. [T8]"""
    spent = cost.total_cost_usd
    inputs = cost.input_tokens + cost.cache_read_tokens + cost.cache_write_tokens
    booked = update(HackathonCost, cost.hack_id).do(
        attr(HackathonCost.budget_remaining_usd).add(reservation.amount_usd - spent),
        attr(HackathonCost.total_cost_usd).add(spent),
        attr(HackathonCost.total_input_tokens).add(inputs),
        attr(HackathonCost.total_output_tokens).add(cost.output_tokens),
        attr(HackathonCost.cost_by_agent[cost.agent_name]).add(spent),
        attr(HackathonCost.cost_by_model[cost.model_id]).add(spent),
        attr(HackathonCost.updated_at).set(now),
    )
    used = used_this_year(reservation.org_id, now, spend_usd=spent)
    return booked, _released(reservation), put(cost).new(), used


@transaction(component="sweeper", rate=RARE)
def free_reservation(
    reservation: Reservation, now: datetime
) -> tuple[Update[HackathonCost], Delete[Reservation]]:
    """Give back what was set aside for a call that never went out."""
    given_back = update(HackathonCost, reservation.hack_id).do(
        attr(HackathonCost.budget_remaining_usd).add(reservation.amount_usd),
        attr(HackathonCost.updated_at).set(now),
    )
    unused = _released(reservation).when(attr(Reservation.call_started_at).missing())
    return given_back, unused


def _released(reservation: Reservation) -> Delete[Reservation]:
    # Whoever is second, the worker or the sweeper, finds it gone.
    return delete(reservation).existing()
