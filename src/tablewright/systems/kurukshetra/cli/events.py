"""``event ...`` and ``seats``: events, and how many teams they have room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from tablewright.service.commands import Answer, Desk, Line, columns
from tablewright.service.problems import FieldError, invalid
from tablewright.service.typed import checked, facts
from tablewright.service.wording import plain, several
from tablewright.systems.kurukshetra.cli import meant
from tablewright.systems.kurukshetra.cli.event_options import NOTHING, EventOptions
from tablewright.systems.kurukshetra.cli.given import Festival
from tablewright.systems.kurukshetra.cli.words import Flag, Yes, example, moment, money

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tablewright.systems.kurukshetra.reads import Setup
    from tablewright.systems.kurukshetra.service.events import PublicEvent

app = App(name="event", help="Events: made, shown, changed.")

_ZONE = "Asia/Kolkata"
#: The currency of an event for which none is given.
_CURRENCY = "INR"


@app.command(name="list", help_epilogue=example("event list"))
async def list_events(festival: Festival, desk: Desk, /) -> Answer:
    """List all events, with their seats."""
    from tablewright.systems.kurukshetra import lists
    from tablewright.systems.kurukshetra.bodies.events import public_out

    found = [
        await festival.events.public(each.event_id, drafts=True)
        async for each in festival.db.iterate(lists.events())
    ]
    if not found:
        return Answer(["There is no event yet: tablewright kurukshetra event create"], [])
    lines = columns(
        ("event", "name", "registration", "starts", "seats", "free", "waiting"),
        [_row(each) for each in found],
        {"seats", "free", "waiting"},
    )
    return Answer(lines, [public_out(each).model_dump(mode="json") for each in found])


def _row(event: PublicEvent) -> tuple[str, ...]:
    config, seats = event.config, event.seats
    return (
        config.event_id,
        plain(config.event_name),
        event.phase.replace("_", " "),
        f"{config.event_start:%Y-%m-%d}",
        *(f"{each:,}" for each in (seats.capacity, seats.free, seats.waiting)),
    )


@app.command(help_epilogue=example("event show kurukshetra-2026"))
async def show(festival: Festival, desk: Desk, /, event: str) -> Answer:
    """Show an event: its settings, its seats, its questions.

    Parameters
    ----------
    event
        Its id, as in its address.
    """
    await meant.typist(festival, desk, event)
    return await _shown(festival, event)


@app.command(
    help_epilogue=example(
        "event create kurukshetra-2026 --name 'Kurukshetra 2026' --opens 2026-11-01 "
        "--closes 2026-12-01 --starts 2026-12-05T09:00 --ends 2026-12-06T18:00 --open"
    )
)
async def create(
    festival: Festival,
    desk: Desk,
    /,
    event: str,
    *,
    open: Annotated[bool, Flag] = False,
    settings: EventOptions = NOTHING,
) -> Answer:
    """Make an event, with all of its seats free.

    Parameters
    ----------
    event
        Its id: small letters, digits and hyphens. It is part of its address.
    open
        Registration is open from --opens on, without anybody opening it by hand.
    """
    from tablewright.systems.kurukshetra.bodies.events import EventIn
    from tablewright.systems.kurukshetra.cli.event_files import settings_of

    typed = {"event_id": event, **settings.typed(), "registration_open": True if open else None}
    values = settings_of(settings.file, typed, _ZONE)
    values |= settings.typed_fee(str(values.get("currency", _CURRENCY)))
    body = checked(EventIn, values)
    user = await festival.access.user(desk.by)
    made = await festival.events.create(user, body)
    return await _shown(festival, event, f"{plain(made.config.event_name)} is made.")


@app.command(help_epilogue=example("event change kurukshetra-2026 --closes 2026-12-03 --close"))
async def change(
    festival: Festival,
    desk: Desk,
    /,
    event: str,
    *,
    open: Annotated[bool, Flag] = False,
    close: Annotated[bool, Flag] = False,
    settings: EventOptions = NOTHING,
) -> Answer:
    """Change the settings of an event; what is not said stays.

    Parameters
    ----------
    event
        Its id.
    open
        Open registration, within its time.
    close
        Close registration now: no seat is taken after that.
    """
    from tablewright.systems.kurukshetra.cli.event_files import settings_of

    if open and close:
        raise invalid(FieldError("--open", "and --close cannot both be"))
    by = await meant.typist(festival, desk, event)
    before = await festival.events.setup_now(by.event_id)
    opened = True if open else False if close else None
    typed = {**settings.typed(), "registration_open": opened}
    values = settings_of(settings.file, typed, before.config.zone)
    values |= settings.typed_fee(str(values.get("currency", before.config.currency)))
    if not values:
        raise invalid(FieldError("event", "nothing is said that should change"))
    after = await _changed(festival, desk, before, values)
    same = after.config.version == before.config.version
    line = "It is so already." if same else f"{plain(after.config.event_name)} is changed."
    return await _shown(festival, event, line)


@app.command(help_epilogue=example("event delete kurukshetra-2026"))
async def delete(
    festival: Festival, desk: Desk, /, event: str, *, yes: Annotated[bool, Yes] = False
) -> Answer:
    """Delete an event that nobody has ever registered for, with everything that belongs to it.

    Parameters
    ----------
    event
        Its id.
    yes
        Do not ask.
    """
    from tablewright.service.agreeing import agreed

    by = await meant.typist(festival, desk, event)
    agreed(desk, yes, f"Delete {event} with its settings, questions, vouchers and helpers?")
    await festival.events.delete(by)
    return Answer([f"{event} is deleted."], {"event_id": event, "deleted": True})


async def seats(
    festival: Festival,
    desk: Desk,
    /,
    event: str,
    *,
    set: Annotated[int | None, Parameter(name="--set")] = None,
) -> Answer:
    """Show the seats of an event, or change how many there are.

    More seats are offered to who waits at once. Fewer are possible only as far as seats are free.

    Parameters
    ----------
    event
        Its id.
    set
        How many teams there may be.
    """
    from tablewright.systems.kurukshetra.bodies.checkout import seats_out

    await meant.typist(festival, desk, event)
    if set is not None:
        before = await festival.events.setup_now(event)
        await _changed(festival, desk, before, {"max_teams": set})
    found = await festival.seats.of(event)
    told = seats_out(found, festival.now())
    pairs = [
        ("seats", f"{found.capacity:,}"),
        ("taken", f"{found.capacity - found.free:,}"),
        ("free", f"{found.free:,}"),
        ("waiting", f"{found.waiting:,}"),
        ("registration", told.phase.replace("_", " ")),
    ]
    return Answer(facts(pairs), told.model_dump(mode="json"))


# --- shared --------------------------------------------------------------------------------------


async def _changed(
    festival: Festival, desk: Desk, before: Setup, values: Mapping[str, object]
) -> Setup:
    """From what was read a moment ago: somebody else's change in between is not written over."""
    from tablewright.service.preconditions import Precondition
    from tablewright.systems.kurukshetra.bodies.events import ConfigChange

    by = await meant.typist(festival, desk, before.config.event_id)
    seen = Precondition.seen(before.config.version)
    return await festival.events.change(by, checked(ConfigChange, values), seen)


async def _shown(festival: Festival, event_id: str, line: str = "") -> Answer:
    from tablewright.systems.kurukshetra.bodies.events import config_out, question_out, seats_out

    setup = await festival.events.setup_now(event_id)
    config, found = setup.config, setup.seats
    public = await festival.events.public(event_id, drafts=True)
    pairs = [
        ("event", config.event_id),
        ("name", plain(config.event_name)),
        ("registration", public.phase.replace("_", " ")),
        ("opens", moment(config.registration_start, config.zone)),
        ("closes", moment(config.registration_end, config.zone)),
        ("starts", moment(config.event_start, config.zone)),
        ("ends", moment(config.event_end, config.zone)),
        ("zone", config.zone),
        ("fee", money(config.team_fee, config.currency)),
        ("teams of", f"{config.min_team_size} to {config.max_team_size}"),
        ("seats", f"{found.capacity:,}, {found.free:,} free, {found.waiting:,} waiting"),
        ("tracks", ", ".join(config.tracks)),
        ("questions", several(len(setup.questions), "question")),
    ]
    lines: list[Line] = [*([line] if line else []), *facts(pairs)]
    told = {
        **config_out(config).model_dump(mode="json"),
        "phase": public.phase,
        "seats": seats_out(found).model_dump(mode="json"),
        "questions": [question_out(each).model_dump(mode="json") for each in setup.questions],
    }
    return Answer(lines, told)
