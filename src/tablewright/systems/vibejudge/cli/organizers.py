"""``organizer ...``: whose hackathons they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import App

from tablewright.service.commands import Answer, Desk, columns
from tablewright.service.typed import checked, facts
from tablewright.service.wording import plain
from tablewright.systems.vibejudge.cli import meant
from tablewright.systems.vibejudge.cli.given import Courtroom
from tablewright.systems.vibejudge.cli.words import Tier, Yes, example

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.entities import Organizer

app = App(name="organizer", help="Organisers: whose hackathons they are.")


@app.command(name="list", help_epilogue=example("organizer list"))
async def list_organizers(courtroom: Courtroom, /) -> Answer:
    """List all organisers. On AWS the whole table is read for it, and paid for."""
    from tablewright.systems.vibejudge.audit_patterns import all_organizers
    from tablewright.systems.vibejudge.bodies.organizers import organizer_out

    every = courtroom.db.iterate(all_organizers())
    found = sorted([each async for each in every], key=lambda each: each.org_id)
    if not found:
        return Answer(["There is no organiser yet: tablewright vibejudge organizer add"], [])
    rows = [
        (plain(each.name), plain(each.email), each.tier, f"{each.hackathon_count:,}", each.org_id)
        for each in found
    ]
    lines = columns(("organiser", "e-mail", "tier", "hackathons", "id"), rows, {"hackathons"})
    return Answer(lines, [organizer_out(each).model_dump(mode="json") for each in found])


@app.command(help_epilogue=example("organizer add 'Ada Organiser' --email ada@example.org"))
async def add(
    courtroom: Courtroom,
    desk: Desk,
    /,
    name: str,
    *,
    email: str,
    organization: str | None = None,
    tier: Tier = "free",
) -> Answer:
    """Register an organiser. Their first API key is shown this once.

    Parameters
    ----------
    name
        As people call them.
    email
        Their e-mail address, which nobody else has.
    organization
        What they organise for.
    tier
        free (3 hackathons a year with 50 submissions each), premium (24 with 500), or enterprise
        (any number with 5,000).
    """
    from tablewright.systems.vibejudge.bodies.organizers import OrganizerIn, organizer_out

    values = {"name": name, "email": email, "organization": organization}
    made = await courtroom.organizers.register(checked(OrganizerIn, values), desk.by)
    found = made.organizer
    if tier != found.tier:
        by = meant.typist(desk)
        found = await courtroom.organizers.set_tier(by, found.org_id, tier)
    told = organizer_out(found).model_dump(mode="json")
    lines = [
        f"{plain(found.name)} is an organiser.",
        *_facts(found, ("API key", made.api_key)),
        "The key is shown this once.",
    ]
    return Answer(lines, {**told, "api_key": made.api_key})


@app.command(name="tier", help_epilogue=example("organizer tier ada@example.org premium"))
async def set_tier(courtroom: Courtroom, desk: Desk, /, organizer: str, tier: Tier) -> Answer:
    """Let an organiser have more, or less.

    Parameters
    ----------
    organizer
        Their e-mail address, or their id.
    tier
        free, premium or enterprise.
    """
    from tablewright.systems.vibejudge.bodies.organizers import organizer_out

    before = await meant.organizer(courtroom, organizer)
    by = meant.typist(desk)
    found = await courtroom.organizers.set_tier(by, before.org_id, tier)
    told = organizer_out(found).model_dump(mode="json")
    return Answer([f"{plain(found.name)} has the tier {found.tier}.", *_facts(found)], told)


@app.command(help_epilogue=example("organizer erase ada@example.org --yes"))
async def erase(
    courtroom: Courtroom, desk: Desk, /, organizer: str, *, yes: Annotated[bool, Yes] = False
) -> Answer:
    """Erase an organiser with all their hackathons. Costs stay, and name nobody.

    Parameters
    ----------
    organizer
        Their e-mail address, or their id.
    yes
        Do not ask.
    """
    from tablewright.service.agreeing import agreed
    from tablewright.systems.vibejudge.cli.erasing import erased

    found = await meant.organizer(courtroom, organizer)
    what = f"{plain(found.name)} and {found.hackathon_count:,} of their hackathons"
    agreed(desk, yes, f"Erase {what}? There is no way back.")
    await courtroom.organizers.erase(await meant.acting_for(courtroom, desk, found.org_id))
    return await erased(courtroom, desk, f"{plain(found.name)} is gone.", {"org_id": found.org_id})


def _facts(found: Organizer, *more: tuple[str, object]) -> list[str]:
    return facts(
        [
            ("organiser", found.org_id),
            ("e-mail", plain(found.email)),
            ("for", plain(found.organization or "-")),
            ("tier", found.tier),
            *more,
        ]
    )
