"""Every invariant finds what was planted against it, and nothing where all is well."""

from __future__ import annotations

import copy
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias

import pytest
from soak.image import Image, Key
from soak.invariants import (
    kit,
    kurukshetra,
    ladders,
    logs,
    pricekeeper,
    sentiment,
    storage,
    vibejudge,
)
from soak.invariants.finding import Finding, gathered
from soak.journal import Deed, Journal
from tests.soak.worlds import DELIVERED, GATEWAY, image, journal

Check: TypeAlias = Callable[[Image, Journal], Finding]
Plant: TypeAlias = Callable[[Image, Journal], object]

MAIN, JUDGED = "codekurukshetra_main", "VibeJudgeTable"


def change(name: str, *key: str, **to: Any) -> Plant:
    """An item has other attributes; None takes one away."""

    def plant(world: Image, _: Journal) -> None:
        item = world.tables[name].items[key]
        for attribute, value in to.items():
            if value is None:
                del item[attribute]
            else:
                item[attribute] = value

    return plant


def lose(name: str, *key: str) -> Plant:
    return lambda world, _: world.tables[name].items.pop(key)


def double(name: str, key: Key, under: Key, **to: Any) -> Plant:
    """A copy of an item is there, under another key."""

    def plant(world: Image, _: Journal) -> None:
        table = world.tables[name]
        keys = dict(zip(table.keys, under, strict=True))
        table.items[under] = {**table.items[key], **keys, **to}

    return plant


def done(system: str, kind: str, key: str, **facts: Any) -> Plant:
    """Somebody was told that something is done which is not there."""
    return lambda _, told: told.add(Deed(system, kind, key, "acknowledged", facts))


def both(check: Callable[..., Finding]) -> Check:
    return check


def one(check: Callable[..., Finding]) -> Check:
    return lambda world, _: check(world)


def _index(world: Image) -> Any:
    return world.tables["Things"].indexes[0].items


def _stream(world: Image) -> Any:
    return world.tables["Things"].stream.changes


CASES: list[tuple[str, Check, Plant]] = [
    ("index lacks", one(storage.indexes), lambda w, _: _index(w).clear()),
    ("index differs", one(storage.indexes), lambda w, _: _index(w)[0].update(n=Decimal(9))),
    ("index has more", one(storage.indexes), lambda w, _: _index(w).append({"id": "z", "n": 1})),
    ("index twice", one(storage.indexes), lambda w, _: _index(w).append(dict(_index(w)[0]))),
    ("index holds too much", one(storage.indexes), lambda w, _: _index(w)[0].update(more="x")),
    ("stream lacks a change", one(storage.streams), lambda w, _: _stream(w).pop()),
    ("stream lacks a removal", one(storage.streams), lambda w, _: _stream(w).pop(3)),
    ("stream repeats", one(storage.streams), lambda w, _: _stream(w).append(_stream(w)[0])),
    ("stream tells otherwise", one(storage.streams), change("Things", "a", more="y")),
    ("stream old image", one(storage.streams), lambda w, _: _stream(w)[2].old.update(n=7)),
    ("record lost", both(pricekeeper.recorded), lose("RequestDedup", "p", "r1")),
    (
        "record twice",
        both(pricekeeper.recorded),
        double("RequestDedup", ("p", "r1"), ("q", "r1")),
    ),
    (
        "record costs otherwise",
        both(pricekeeper.recorded),
        change("RequestDedup", "p", "r1", cost_usd_picos=Decimal(31)),
    ),
    (
        "unknown record twice",
        both(pricekeeper.sent),
        double("RequestDedup", ("p", "r2"), ("q", "r2")),
    ),
    (
        "record of nobody",
        both(pricekeeper.sent),
        double("RequestDedup", ("p", "r2"), ("p", "r9"), request_id="r9"),
    ),
    ("counter lost", one(pricekeeper.counters), lose("UsageAggSharded", "1", "d")),
    (
        "counter counts twice",
        one(pricekeeper.counters),
        change("UsageAggSharded", "1", "d", cost_usd_picos=Decimal(24)),
    ),
    (
        "total differs",
        one(pricekeeper.totals),
        change("DailyTotal", "t", "d", cost_usd_picos=Decimal(41)),
    ),
    ("total lost", one(pricekeeper.totals), lose("DailyTotal", "t", "d")),
    ("seat leaked", one(kurukshetra.seats), change(MAIN, "E", "SEATS", free=Decimal(0))),
    (
        "oversold",
        one(kurukshetra.seats),
        change(MAIN, "E", "SEATS", free=Decimal(0), capacity=Decimal(0)),
    ),
    ("seats below none", one(kurukshetra.seats), change(MAIN, "E", "SEATS", free=Decimal(-1))),
    ("team lost", both(kurukshetra.teams), lose(MAIN, "T1", "PROFILE")),
    ("person lost", both(kurukshetra.people), lose(MAIN, "P1", "PROFILE")),
    (
        "person twice",
        both(kurukshetra.people),
        double(MAIN, ("P1", "PROFILE"), ("P2", "PROFILE")),
    ),
    ("name unlocked", one(kurukshetra.locks), lose(MAIN, "N", "LOCK")),
    ("code of nobody", one(kurukshetra.locks), change(MAIN, "I", "LOCK", owner="t9")),
    ("not captured", one(lambda w: kurukshetra.money(w, [])), lambda w, _: None),
    (
        "refund not noted",
        one(lambda w: kurukshetra.money(w, GATEWAY)),
        change(MAIN, "PAY", "TRANSACTION", refunded=Decimal(0)),
    ),
    (
        "order of nobody",
        one(lambda w: kurukshetra.money(w, GATEWAY)),
        lose(MAIN, "PAY", "TRANSACTION"),
    ),
    ("refund open", one(kurukshetra.refunds), change(MAIN, "PAY", "REFUND#1", status="pending")),
    (
        "refunded too much",
        one(kurukshetra.refunds),
        change(MAIN, "PAY", "REFUND#1", amount=Decimal(901)),
    ),
    (
        "paid without a seat",
        one(kurukshetra.served),
        change(MAIN, "T1", "PROFILE", payment_status="unpaid"),
    ),
    ("hackathon lost", both(vibejudge.there), lose(JUDGED, "H", "META")),
    ("submission lost", both(vibejudge.there), lose(JUDGED, "H", "SUB")),
    ("job lost", both(vibejudge.there), done("vibejudge", "job", "j9")),
    ("job goes on", one(vibejudge.jobs), change(JUDGED, "H", "JOB", status="running")),
    ("task left", one(vibejudge.jobs), change(JUDGED, "J", "TASK", state="leased")),
    (
        "job counts wrongly",
        one(vibejudge.jobs),
        change(JUDGED, "H", "JOB", completed_submissions=Decimal(2)),
    ),
    ("score lost", one(vibejudge.scores), lose(JUDGED, "S", "SUMMARY")),
    (
        "cost differs",
        one(vibejudge.costs),
        change(JUDGED, "H", "COST", total_cost_usd=Decimal(1)),
    ),
    (
        "still reserved",
        one(vibejudge.costs),
        double(JUDGED, ("J", "TASK"), ("H", "RESV"), entity_type="RESERVATION", run_id="r"),
    ),
    ("repository unlocked", one(vibejudge.locks), lose(JUDGED, "H", "REPO")),
    ("lock of nobody", one(vibejudge.locks), change(JUDGED, "H", "TEAM", sub_id="s9")),
    (
        "submissions miscounted",
        one(vibejudge.counted),
        change(JUDGED, "H", "META", submission_count=Decimal(2)),
    ),
    ("article lost", both(sentiment.articles), done("sentiment", "article", "https://b")),
    (
        "article twice",
        both(sentiment.once),
        double("sentiment-items", ("file#1", "2026-11-16T06:12:19.628Z"), ("file#2", "x")),
    ),
    (
        "article of nobody",
        both(sentiment.once),
        change("sentiment-items", "file#1", "2026-11-16T06:12:19.628Z", source_url="https://c"),
    ),
    (
        "article waits",
        one(sentiment.analysed),
        change("sentiment-items", "file#1", "2026-11-16T06:12:19.628Z", status="pending"),
    ),
    (
        "miscounted",
        one(sentiment.counts),
        change("sentiment-items", "agg#all#00", "h#2026-11-16T06Z", ingested=Decimal(2)),
    ),
    (
        "tone miscounted",
        one(sentiment.counts),
        change("sentiment-items", "file#1", "2026-11-16T06:12:19.628Z", sentiment="negative"),
    ),
    ("team unknown", one(ladders.membership), change("Users", "u1", teamIds=None)),
    ("member unknown", one(ladders.membership), change("Teams", "g1", memberIds=frozenset())),
    ("manager unknown", one(ladders.membership), change("Teams", "g1", managerId="u1")),
    ("managed unknown", one(ladders.membership), change("Users", "u2", managedTeamIds=None)),
    ("address free", one(ladders.addresses), lose("Users", "EMAIL#a@b")),
    ("address of nobody", one(ladders.addresses), change("Users", "EMAIL#a@b", ownerId="u9")),
    (
        "two active",
        one(ladders.active),
        change("ConfigVersions", "c0", isActive=Decimal(1)),
    ),
    (
        "active is another",
        one(ladders.active),
        change("ConfigVersions", "ACTIVE", activeConfigId="c0"),
    ),
    ("assessment lost", one(ladders.pairs), lose("Assessments", "f2")),
    (
        "assessment twice",
        one(ladders.pairs),
        double("Assessments", ("f1",), ("f3",)),
    ),
    ("save lost", both(ladders.kept), change("Assessments", "f1", revision=Decimal(2))),
    ("not submitted", both(ladders.kept), change("Assessments", "f1", status="in_progress")),
    ("user lost", both(ladders.kept), lose("Users", "u1")),
    ("report lost", both(ladders.kept), lose("AssessmentReports", "rep")),
    (
        "report of another revision",
        one(ladders.reports),
        change("Assessments", "f2", revision=Decimal(4)),
    ),
    (
        "not audited",
        lambda w, j: kit.audit(w, j, "ladders"),
        done("ladders", "audited", "y", action="team.create", subject="team/g1"),
    ),
    (
        "message waits",
        lambda w, _: kit.outbox(w, DELIVERED, "ladders"),
        change("ladders-kit", "OUTBOX#SENT#20261116", "1", place="PENDING#01"),
    ),
    (
        "message given up",
        lambda w, _: kit.outbox(w, DELIVERED, "ladders"),
        change("ladders-kit", "OUTBOX#SENT#20261116", "1", place="DEAD"),
    ),
    ("message never arrived", lambda w, _: kit.outbox(w, [], "ladders"), lambda w, j: None),
    (
        "message with another content",
        lambda w, _: kit.repeats([*DELIVERED, {**DELIVERED[0], "body": {"a": 2}}]),
        lambda w, j: None,
    ),
    (
        "fence fell",
        lambda w, _: kit.fences(image(), w),
        change("ladders-kit", "LEASE#worker", "LEASE", fence=Decimal(3)),
    ),
    (
        "lease lost",
        lambda w, _: kit.fences(image(), w),
        lose("ladders-kit", "LEASE#worker", "LEASE"),
    ),
    (
        "a 500",
        lambda _, j: logs.answers(j),
        lambda _, j: j.complain("ladders", "GET /x: 500"),
    ),
    (
        "a traceback",
        lambda w, _: logs.tracebacks(["fine", 'x": "Traceback (most recent call last):\\n"']),
        lambda w, j: None,
    ),
    (
        "a process stays",
        lambda w, _: logs.endings(1, ["the service left processes behind"]),
        lambda w, j: None,
    ),
]

#: In a world in which all is well.
WELL: list[Check] = [
    *(one(check) for check in (storage.indexes, storage.streams)),
    *(one(check) for check in (pricekeeper.counters, pricekeeper.totals)),
    *(pricekeeper.recorded, pricekeeper.sent),
    *(one(check) for check in (kurukshetra.seats, kurukshetra.locks, kurukshetra.refunds)),
    *(one(kurukshetra.served), kurukshetra.teams, kurukshetra.people),
    lambda w, _: kurukshetra.money(w, GATEWAY),
    *(vibejudge.there, one(vibejudge.jobs), one(vibejudge.scores), one(vibejudge.costs)),
    *(one(vibejudge.locks), one(vibejudge.counted)),
    *(sentiment.articles, sentiment.once, one(sentiment.analysed), one(sentiment.counts)),
    *(one(ladders.membership), one(ladders.addresses), one(ladders.active), one(ladders.pairs)),
    *(ladders.kept, one(ladders.reports)),
    lambda w, j: kit.audit(w, j, "ladders"),
    lambda w, _: kit.outbox(w, DELIVERED, "ladders"),
    lambda w, _: kit.repeats(DELIVERED),
    lambda w, _: kit.fences(w, w),
    lambda _, j: logs.answers(j),
    lambda w, _: logs.tracebacks(["fine"]),
    lambda w, _: logs.endings(1, []),
]


@pytest.mark.parametrize("check", WELL)
def test_nothing_is_found_where_all_is_well(check: Check) -> None:
    finding = check(image(), journal())
    assert finding.violations == []
    assert finding.checked > 0


@pytest.mark.parametrize(("name", "check", "plant"), CASES, ids=[case[0] for case in CASES])
def test_what_was_planted_is_found(name: str, check: Check, plant: Plant) -> None:
    world, told = copy.deepcopy(image()), journal()
    plant(world, told)
    assert check(world, told).violations


def test_every_invariant_has_something_planted_against_it() -> None:
    planted = {check(image(), journal()).what for _, check, _ in CASES}
    assert {check(image(), journal()).what for check in WELL} == planted


def test_what_changed_while_it_was_read_is_no_violation() -> None:
    world = image()
    things = world.tables["Things"]
    _index(world)[0]["n"] = Decimal(3)  # it was written between the two
    _index(world).append({"id": "new", "n": Decimal(1)})
    later = {("a",): {**things.items[("a",)], "n": Decimal(3)}, ("new",): {"id": "new", "n": 1}}
    steady = {name: dict(table.items) for name, table in world.tables.items()}
    steady["Things"] = {**steady["Things"], **later}
    assert storage.indexes(world, steady=steady).violations == []
    assert storage.indexes(world).violations != []


def test_findings_of_one_invariant_come_together() -> None:
    first, second = Finding("a", 2, ["x"]), Finding("a", 3)
    (found,) = gathered([first, second])
    assert (found.checked, found.violations) == (5, ["x"])
