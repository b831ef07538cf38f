"""Gates: what the limits of a day have let through, spend and open reservations together.

A limit of a day that is a number has a gate: for each level, for the label and for all labels.
Records and reservations move them by what they add or give back; all moves of one write to one gate
are one. A reservation remembers which gates it went through, so that it gives back where it took,
even if the limits have changed meanwhile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from tablewright.systems.pricekeeper.rules.account import Account, Limit
from tablewright.systems.pricekeeper.rules.cost import PICOS
from tablewright.systems.pricekeeper.shapes import ALL, scope_of
from tablewright.systems.pricekeeper.spend import Gate, Held, Ledger, Reservation

#: From the start of a day in UTC: the day itself, the zones around it, and three days more.
_KEPT = timedelta(days=5)


class GateKey(NamedTuple):
    """Which gate."""

    scope: str
    day: str
    label: str


def gated(account: Account, label: str) -> list[Limit]:
    """The limits of a label that have a gate."""
    limits = account.limits(label)
    return [each for each in limits if each.window == "DAY" and each.quota_micros is not None]


def held_by(limits: Iterable[Limit]) -> set[Held]:
    """What a reservation remembers of the gates that it went through."""
    return {_HELD[limit.level, limit.label == ALL] for limit in limits}


def through(reservation: Reservation) -> Iterator[GateKey]:
    """The gates that a reservation went through."""
    for level, all_labels in (_PLACES[held] for held in reservation.gates):
        app_id = reservation.app_id if level == "APP" else None
        label = ALL if all_labels else reservation.label
        yield GateKey(scope_of(reservation.org_id, app_id), reservation.day, label)


def moves(
    rows: Iterable[tuple[Account, Ledger]], ended: Iterable[Reservation], now: float
) -> list[Gate]:
    """What records add and ended reservations give back; nothing where no gates are kept."""
    spent: defaultdict[GateKey, int] = defaultdict(int)
    back: defaultdict[GateKey, int] = defaultdict(int)
    for account, row in rows:
        if account.reserves(row.day):
            for limit in gated(account, row.label):
                spent[GateKey(limit.scope, row.day, limit.label)] += row.cost_usd_picos
    for reservation in ended:
        for key in through(reservation):
            back[key] += reservation.reserved_picos
    return [
        gate_at(key, spent[key] - back[key], spent[key])
        for key in dict.fromkeys((*spent, *back))
        if (spent[key] or back[key]) and lasts(key.day, now)
    ]


def claims(
    limits: Sequence[Limit], day: str, reserved_picos: int, unseen: Sequence[int]
) -> list[tuple[Gate, int]]:
    """Each gate that a reservation goes through, with the most that it may hold before.

    ``unseen`` is what each of them lacks of the day. A gate that is not there yet holds nothing:
    whether that is too much, the caller has to see.
    """
    return [
        (gate_at(GateKey(limit.scope, day, limit.label), reserved_picos), room - lacking)
        for limit, lacking in zip(limits, unseen, strict=True)
        if (room := room_in(limit, reserved_picos)) is not None
    ]


def is_under(limit: Limit, reservation: Reservation) -> bool:
    """Whether a reservation spends what a limit is of."""
    scopes = (None, reservation.app_id)
    return limit.label in (ALL, reservation.label) and limit.scope in (
        scope_of(reservation.org_id, app_id) for app_id in scopes
    )


def room_in(limit: Limit, reserved_picos: int) -> int | None:
    """What may be spent before a reservation still fits; None without a limit, < 0 never."""
    quota = limit.quota_micros
    return None if quota is None else quota * PICOS - reserved_picos


def gate_at(key: GateKey, picos: int, spent_picos: int = 0) -> Gate:
    """A gate whose numbers are what is added to the stored ones."""
    return Gate(
        scope=key.scope,
        day=key.day,
        label=key.label,
        granted_picos=picos,
        spent_picos=spent_picos,
        expires_at_epoch=_expiry(key.day),
    )


def _expiry(day: str) -> datetime:
    return datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC) + _KEPT


def lasts(day: str, now: float) -> bool:
    """Whether a gate is still there: nobody asks a day that is long over for room."""
    return _expiry(day).timestamp() > now


_HELD: dict[tuple[str, bool], Held] = {
    ("ORG", False): "ORG",
    ("ORG", True): "ORG_ALL",
    ("APP", False): "APP",
    ("APP", True): "APP_ALL",
}
_PLACES = {held: place for place, held in _HELD.items()}
