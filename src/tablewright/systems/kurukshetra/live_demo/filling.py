"""The demo, through the use cases. A second attempt finds what the first one has left."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from tablewright.service.gathering import at_most
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.live_demo import door, past
from tablewright.systems.kurukshetra.live_demo.acting import Acting
from tablewright.systems.kurukshetra.live_demo.cast import (
    ADMIN,
    AHEAD,
    DIYA,
    FULL,
    OPEN,
    ORGANIZER,
    OVER,
    QUESTIONS,
    SOON,
    Stage,
    principal_of,
    vouchers,
)
from tablewright.systems.kurukshetra.live_demo.plans import Act, Plan, acts, plans
from tablewright.systems.kurukshetra.people import RoleName

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

#: Teams that are founded at once.
_BESIDE: Final = 8
#: Who helps at one event only.
_CREW: Final[dict[str, tuple[RoleName, ...]]] = {
    "nisha.rao@example.org": ("organizer",),
    "accounts@example.org": ("finance",),
    "gate.one@example.org": ("volunteer",),
    "gate.two@example.org": ("volunteer",),
}


async def fill(festival: Festival) -> None:
    """Four events; the last one is made when all others are complete."""
    if festival.options.production or not festival.gateway.is_sandbox:
        log.warning("the demo is left out: it needs the sandbox, where no money moves")
        return
    if await _config(festival, SOON.event_id) is not None:
        return
    today, teams = await _today(festival), plans()
    for stage in (OVER, FULL, OPEN):
        config = await _made(festival, stage, today)
        await _played(festival, stage, config, today, teams[stage.event_id])
    over = await festival.events.config(OVER.event_id)
    await door.opened(festival, over, teams[OVER.event_id])
    await door.honoured(festival, over, teams[OVER.event_id][0])
    await _begun_form(festival)
    await _made(festival, SOON, today)


async def _today(festival: Festival) -> datetime:
    """When the demo was begun: its first event tells."""
    first = await _config(festival, OVER.event_id)
    if first is None:
        return festival.now()
    return first.created_at + AHEAD - timedelta(days=OVER.days[0])


async def _config(festival: Festival, event_id: str) -> Config | None:
    try:
        return (await festival.events.setup_now(event_id)).config
    except Problem as problem:
        if problem.status != 404:
            raise
        return None


# --- events --------------------------------------------------------------------------------------


async def _made(festival: Festival, stage: Stage, today: datetime) -> Config:
    """An event with its questions, vouchers and crew, as long before as it takes."""
    when = min(today, today + timedelta(days=stage.days[0]) - AHEAD)
    then = past.at(festival, when)
    if await _config(then, stage.event_id) is None:
        user = await then.access.user(ORGANIZER)
        await then.events.create(user, stage.body(today))
    organizer = await then.access.caller(ORGANIZER, stage.event_id)
    setup = await then.events.setup_now(stage.event_id)
    if not setup.questions:
        seen = Precondition.seen(setup.config.version)
        await then.events.questions.save(organizer, QUESTIONS, seen)
    if stage is OPEN:
        await _vouchers(then, setup.config)
    if stage in (FULL, OPEN):
        await _crew(then, stage.event_id)
    return (await then.events.setup_now(stage.event_id)).config


async def _vouchers(festival: Festival, config: Config) -> None:
    organizer = await festival.access.caller(ORGANIZER, config.event_id)
    known = {each.code for each in await festival.events.vouchers.list(organizer)}
    for each in vouchers(config.registration_start, config.registration_end):
        if each.code not in known:
            await festival.events.vouchers.save(organizer, each, Precondition())


async def _crew(festival: Festival, event_id: str) -> None:
    admin = await festival.access.caller(ADMIN, event_id)
    known = {each.who for each in await festival.events.roles.list(admin)}
    for who, roles in _CREW.items():
        if who not in known:
            await festival.events.roles.grant(admin, who, roles)


# --- teams ---------------------------------------------------------------------------------------


async def _played(
    festival: Festival, stage: Stage, config: Config, today: datetime, teams: Sequence[Plan]
) -> None:
    """All that teams did: they were founded side by side, and met over seats in their order."""

    async def do(act: Act) -> None:
        then = past.at(festival, act.at)
        await Acting(then, stage.event_id, teams[act.number], act.number).do(act.kind)

    planned = acts(stage, config, today, teams)
    await at_most(_BESIDE, (do(each) for each in planned if each.kind == "found"))
    for each in planned:
        if each.kind != "found":
            await do(each)


async def _begun_form(festival: Festival) -> None:
    """Somebody who was called away in the middle of it."""
    by = await festival.access.now(principal_of(DIYA), OPEN.event_id)
    if by.participant_id is None and await festival.people.draft(by) is None:
        said = {"first_name": DIYA.first_name, "college": DIYA.college}
        await festival.people.save_draft(by, dict(said))
