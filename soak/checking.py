"""Which checks are made when: while it runs, until it is quiet, and when all is over."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from soak import books, image
from soak.image import Image
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
from soak.invariants.finding import Finding
from soak.journal import Journal
from soak.place import SYSTEMS, Place
from tablewright.engine import Engine
from tablewright.engine.verify import problems

#: How often it is looked again while others write.
_LOOKS = 4


def live(call: image.Call, before: Image | None) -> tuple[Image, list[Finding]]:
    """What can be told while others write: of tables that did not change while they were read."""
    for _ in range(_LOOKS):
        found = image.read(call)
        steady = {name: image.base_items(call, each) for name, each in found.tables.items()}
        findings = [storage.indexes(found, steady=steady), *_of_one_moment(found, steady)]
        if before is not None:
            findings.append(kit.fences(before, found))
        if not any(each.violations for each in findings):
            break
        time.sleep(0.5)
    return found, findings


def _of_one_moment(found: Image, steady: Mapping[str, Any]) -> list[Finding]:
    def still(*tables: str) -> bool:
        return all(name in steady and steady[name] == found.tables[name].items for name in tables)

    checks = []
    if still(kurukshetra.TABLE):
        checks += [kurukshetra.seats(found), kurukshetra.locks(found)]
    if still(ladders.USERS, ladders.TEAMS):
        checks += [ladders.membership(found), ladders.addresses(found)]
    if still(ladders.CONFIGS):
        checks.append(ladders.active(found))
    if still(ladders.PLANS, ladders.FORMS):
        checks.append(ladders.pairs(found))
    if still(vibejudge.TABLE):
        checks += [vibejudge.locks(found), vibejudge.counted(found)]
    return checks


def in_time(
    found: Image,
    delivered: Sequence[Mapping[str, Any]],
    gateway: Sequence[Mapping[str, Any]],
    quiet: Image | None = None,
) -> list[Finding]:
    """What becomes true when nobody does anything any more."""
    return [
        pricekeeper.counters(found),
        pricekeeper.totals(found),
        kurukshetra.money(found, gateway),
        kurukshetra.refunds(found),
        vibejudge.jobs(found),
        vibejudge.costs(found),
        sentiment.analysed(found),
        *(kit.outbox(found, delivered, system, quiet) for system in SYSTEMS),
    ]


def always(found: Image, journal: Journal) -> list[Finding]:
    """What is true of an image of one moment."""
    return [
        storage.indexes(found),
        storage.streams(found),
        pricekeeper.recorded(found, journal),
        pricekeeper.sent(found, journal),
        kurukshetra.seats(found),
        kurukshetra.teams(found, journal),
        kurukshetra.people(found, journal),
        kurukshetra.locks(found),
        kurukshetra.served(found),
        vibejudge.there(found, journal),
        vibejudge.scores(found),
        vibejudge.locks(found),
        vibejudge.counted(found),
        sentiment.articles(found, journal),
        sentiment.once(found, journal),
        sentiment.counts(found),
        ladders.membership(found),
        ladders.addresses(found),
        ladders.active(found),
        ladders.pairs(found),
        ladders.kept(found, journal),
        ladders.reports(found),
        *(kit.audit(found, journal, system) for system in SYSTEMS),
    ]


async def final(
    place: Place,
    journal: Journal,
    gateway: Sequence[Mapping[str, Any]],
    before: Image | None,
    quiet: Image | None,
) -> list[Finding]:
    """Everything, on a folder that nobody has open; ``quiet`` is what was there at rest."""
    delivered = messages(place.data / "outbox" / "messages.jsonl")
    found, engine = await asyncio.to_thread(_opened, place.data)
    findings = [
        *always(found, journal),
        *in_time(found, delivered, gateway, quiet),
        kit.repeats(delivered),
        engine,
        logs.answers(journal),
        logs.tracebacks(lines(place.logs)),
        logs.endings(1, place.complaints),
        *await books.verified(place.data, place.service.environ),
    ]
    return findings if before is None else [*findings, kit.fences(before, found)]


def _opened(data: Path) -> tuple[Image, Finding]:
    finding = Finding("the database's own check of its files")
    with Engine(data) as engine:
        wrong = problems(engine)
        finding.expect(not wrong, "; ".join(wrong[:20]))
        return image.read(engine.call, streams=True), finding


def messages(file: Path) -> list[dict[str, Any]]:
    """What was delivered; a line that was cut off by a full disk is none."""
    found = []
    for line in file.read_bytes().splitlines() if file.exists() else []:
        with contextlib.suppress(orjson.JSONDecodeError):
            found.append(orjson.loads(line))
    return found


def lines(files: Sequence[Path]) -> list[str]:
    return [line for file in files for line in file.read_text(errors="replace").splitlines()]
