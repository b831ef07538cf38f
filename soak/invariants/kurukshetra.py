"""Seats, people and money, beside what people were told and what the gateway has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from soak.image import Image, Item
from soak.invariants.finding import invariant, unless
from soak.journal import Journal

TABLE, KIND = "codekurukshetra_main", "entity_type"
#: A team in one of these has a seat.
SEATED = ("pending", "offered", "paid")


def _all(image: Image, name: str) -> list[Item]:
    return image.typed(TABLE, name, KIND)


@invariant("kurukshetra: seats that are taken and free are all there are")
def seats(image: Image) -> Iterator[str | None]:
    taken = Counter(
        each["event_id"] for each in _all(image, "team") if each["payment_status"] in SEATED
    )
    for each in _all(image, "seats"):
        event, free, capacity = each["event_id"], each["free"], each["capacity"]
        yield unless(free >= 0, f"{event}: {free} seats are free")
        yield unless(taken[event] <= capacity, f"{event}: {taken[event]} of {capacity} are taken")
        whole = taken[event] + free
        yield unless(whole == capacity, f"{event}: {whole} seats of {capacity}")


@invariant("kurukshetra: acknowledged teams are there")
def teams(image: Image, journal: Journal) -> Iterator[str | None]:
    there = {each["team_id"] for each in _all(image, "team")}
    for deed in journal.sure("kurukshetra", "team"):
        yield unless(deed.key in there, f"team {deed.key} is gone")


@invariant("kurukshetra: as many people as registered, each once")
def people(image: Image, journal: Journal) -> Iterator[str | None]:
    """Addresses are stored as hashes, so people are counted."""
    found = Counter(each["event_id"] for each in _all(image, "participant"))
    sure: Counter[str] = Counter()
    perhaps: Counter[str] = Counter()
    for deed in journal.of("kurukshetra", "registration"):
        sure[deed.facts["event"]] += deed.sure
        perhaps[deed.facts["event"]] += deed.open
    for event in sure.keys() | found.keys():
        least, most = sure[event], sure[event] + perhaps[event]
        fine = least <= found[event] <= most
        yield unless(fine, f"{event}: {found[event]} people, {least} to {most} have registered")
    hashes = Counter((each["event_id"], each["email_hash"]) for each in _all(image, "participant"))
    for place, times in hashes.items():
        yield unless(times == 1, f"{place} has registered {times} times")


@invariant("kurukshetra: names and codes have one team each, and teams have theirs")
def locks(image: Image) -> Iterator[str | None]:
    by_id = {each["team_id"]: each for each in _all(image, "team")}
    named = {each["owner"]: each["folded_name"] for each in _all(image, "team_name_lock")}
    coded = {each["owner"]: each["invite_hash"] for each in _all(image, "invite_lock")}
    for owner in named.keys() | coded.keys():
        yield unless(owner in by_id, f"a lock is of {owner}, which is not there")
    for team_id, team in by_id.items():
        if team["payment_status"] == "cancelled":
            continue
        yield unless(named.get(team_id) == team["name"].lower(), f"{team_id} has lost its name")
        code = team.get("invite_hash")
        yield unless(coded.get(team_id) == code, f"{team_id} has lost its code")


@invariant("kurukshetra: money is captures less refunds, as the gateway has it")
def money(image: Image, gateway: Sequence[Mapping[str, Any]]) -> Iterator[str | None]:
    """``gateway``: its payments."""
    captured: dict[str, Decimal] = defaultdict(Decimal)
    for each in gateway:
        if each["captured"]:
            captured[each["order_id"]] += each["amount"] - each["amount_refunded"]
    ours = {str(each.get("razorpay_order_id")): each for each in _all(image, "payment")}
    for order, amount in captured.items():
        known = ours.get(order)
        yield unless(known is not None, f"{order} is of no payment of ours")
        if known is not None:
            have = _kept(known)
            yield unless(have == amount, f"{order}: {have} in our books, {amount} there")
    for order, known in ours.items():
        if order not in captured:
            yield unless(_kept(known) == 0, f"{order}: {_kept(known)} that nobody has paid")


def _kept(payment: Item) -> Decimal:
    """What we have of it now."""
    if payment["status"] not in ("paid", "late", "partially_refunded", "refunded"):
        return Decimal(0)
    return Decimal(payment["amount"] - payment.get("refunded", 0))


@invariant("kurukshetra: refunds have come to an end, and none is paid twice")
def refunds(image: Image) -> Iterator[str | None]:
    for each in _all(image, "refund"):
        yield unless(each["status"] in ("processed", "failed"), f"{each['refund_id']} is open")
    sums: dict[Any, Decimal] = defaultdict(Decimal)
    for each in _all(image, "refund"):
        if each["status"] == "processed":
            sums[each["payment_id"]] += each["amount"]
    for payment in _all(image, "payment"):
        back, amount = sums[payment["payment_id"]], payment["amount"]
        yield unless(back <= amount, f"{payment['payment_id']}: {back} of {amount} went back")


@invariant("kurukshetra: who paid has a seat, or the money back")
def served(image: Image) -> Iterator[str | None]:
    teams = {each["team_id"]: each for each in _all(image, "team")}
    for payment in _all(image, "payment"):
        if payment["status"] == "paid":
            team = teams.get(payment["team_id"], {})
            fine = team.get("payment_status") in ("paid", "refunded")
            yield unless(fine, f"{payment['payment_id']} is paid, its team is not")
