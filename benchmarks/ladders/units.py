"""Write units of an autosave, beside the planner's, and what it would be with larger indexes.

The same save is done on tables whose indexes of assessments hold everything: what the store charges
then is what the short ones spare.
"""

from __future__ import annotations

import asyncio
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.findings import Finding, at_most, exactly
from benchmarks.ladders.extent import Crew, Someone
from benchmarks.ladders.stage import (
    PLANNED,
    Stage,
    caller,
    company_on,
    laddered,
    size_of,
)
from benchmarks.ladders.texts import USUAL, text
from benchmarks.written import Written
from tablewright.client import AsyncEmbedded, RequestEvent
from tablewright.client.transports.wire import Request, Response
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.service.kit import kit_model
from tablewright.service.preconditions import Precondition
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.bodies.assessments import SaveIn
from tablewright.systems.ladders.service.company import Company

WANTED = 17.0
_PATTERN = "save_answers"


@dataclass(frozen=True)
class Saved:
    """What one save has used."""

    size: int
    table: float
    indexes: float
    requests: int
    planned: float

    @property
    def units(self) -> float:
        return self.table + self.indexes


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    ours = asyncio.run(_saved(AsyncEmbedded))
    theirs = asyncio.run(_saved(_Everything))
    note = f"the table {ours.table:g}, its indexes {ours.indexes:g}; {ours.size:,} bytes"
    with_all = f"the table {theirs.table:g}, its indexes {theirs.indexes:g}"
    return [
        at_most("write units of an autosave", ours.units, WANTED, note=note),
        exactly("the planner says", ours.planned, ours.units),
        Finding("the same with all in its indexes", theirs.units, note=with_all),
        exactly("requests of a save", ours.requests, 4, note="assessment, plan, team; the write"),
    ]


class _Everything(AsyncEmbedded):
    """Makes tables whose indexes hold everything, whatever is asked for."""

    def prepare(self, asked: Request) -> Request:
        return super().prepare(_with_all(asked))

    async def send(self, asked: Request) -> Response:
        return await super().send(_with_all(asked))


def _with_all(asked: Request) -> Request:
    if asked.operation != "CreateTable":
        return asked
    body: dict[str, Any] = deepcopy(asked.body)
    for index in body.get("GlobalSecondaryIndexes", []):
        index["Projection"] = {"ProjectionType": "ALL"}
    return Request(asked.operation, body)


async def _saved(transport: type[AsyncEmbedded]) -> Saved:
    heard: list[RequestEvent] = []
    tables = {**m.model.tables, **kit_model.tables}
    with Engine(None) as engine, Written(tables) as written:
        async with company_on(engine, heard=heard, transport=transport(engine)) as company:
            crew = Crew("units", Someone("manager"), [Someone("member")])
            before = await _begun(company, crew)
            by = await caller(company, crew.members[0])
            heard.clear()
            seen = Precondition.seen(before.revision)
            after = await company.assessments.save(by, before.assessment_id, change(before), seen)
            used = [part for each in heard for part in each.consumed]
    if not PLANNED - 1024 < size_of(after) <= PLANNED:
        raise RuntimeError(f"an assessment has {size_of(after)} bytes")
    return Saved(
        size_of(after),
        sum(each.write_units for each in used if each.index is None),
        sum(each.write_units for each in used if each.index is not None),
        len(heard),
        written.planned(_PATTERN),
    )


async def _begun(company: Company, crew: Crew) -> m.Assessment:
    """One that somebody is at; the process has read the ladder before."""
    config = await laddered(company)
    stage = Stage(company.now(), config.config_id, config.parsed_config)
    for each in stage.at_it(crew):
        await company.db.run(put(each))
    await company.configs.ladder(await company.db.require(m.plan(crew.plan_id())))
    return await company.db.require(m.assessment(crew.assessment_id(crew.members[0])))


def change(assessment: m.Assessment) -> SaveIn:
    """Another text for something that was said."""
    category, found = next(iter(assessment.selections.items()))
    competency, level = next(iter(found.items()))
    said = {
        "category": category,
        "competency": competency,
        "level": level,
        "evidence": text(Random(1), USUAL.evidence),
    }
    return SaveIn.model_validate({"changes": [said]})
