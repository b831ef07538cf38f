"""``hackathon ...``: made, opened, frozen, released, put away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.problems import FieldError, invalid
from tablewright.service.typed import checked, facts
from tablewright.service.wording import plain, several
from tablewright.systems.vibejudge.cli import meant
from tablewright.systems.vibejudge.cli.given import Courtroom
from tablewright.systems.vibejudge.cli.words import (
    Policy,
    Provider,
    Yes,
    day,
    example,
    percent,
    usd,
)
from tablewright.systems.vibejudge.rules.spoken import spoken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablewright.systems.vibejudge.bodies.hackathons import HackathonRow
    from tablewright.systems.vibejudge.entities import HackathonDetail
    from tablewright.systems.vibejudge.service.freezing import Unfrozen

app = App(name="hackathon", help="Hackathons: made, opened, frozen, released, put away.")

_SHOWN = 20


@app.command(name="list", help_epilogue=example("hackathon list --organizer ada@example.org"))
async def list_hackathons(
    courtroom: Courtroom, desk: Desk, /, *, organizer: str | None = None
) -> Answer:
    """List hackathons, the latest first: all, or an organiser's.

    Parameters
    ----------
    organizer
        An organiser's e-mail address or id. Without it the whole table is read, which on AWS is
        paid for.
    """
    told = await _rows(courtroom, desk, organizer)
    if not told:
        return Answer(["There is no hackathon yet: tablewright vibejudge hackathon create"], [])
    rows = [
        (plain(each.name), each.status, f"{each.submission_count:,}", each.hack_id) for each in told
    ]
    lines = columns(("hackathon", "state", "submissions", "id"), rows, {"submissions"})
    return Answer(lines, [each.model_dump(mode="json") for each in told])


async def _rows(courtroom: Courtroom, desk: Desk, text: str | None) -> list[HackathonRow]:
    from tablewright.systems.vibejudge import erasing_reads, reads
    from tablewright.systems.vibejudge.bodies.hackathons import row_out

    if text is not None:
        by = await meant.acting_for(courtroom, desk, text)
        own = courtroom.db.iterate(reads.hackathons_of_organizer(by.registered()))
        return [row_out(each) async for each in own]
    every = courtroom.db.iterate(erasing_reads.all_hackathons())
    found = [row_out(each.listing()) async for each in every]
    return sorted(found, key=lambda each: each.hack_id, reverse=True)


@app.command(help_epilogue=example("hackathon show 'Winter Code Jam'"))
async def show(courtroom: Courtroom, desk: Desk, /, hackathon: str) -> Answer:
    """Show a hackathon, and what its dimensions weigh under its policy on AI.

    Parameters
    ----------
    hackathon
        Its id, or its name.
    """
    return _shown(await meant.hackathon(courtroom, desk, hackathon))


@app.command(
    help_epilogue=example(
        "hackathon create 'Winter Code Jam' --start 2026-12-04 --end 2026-12-06 --rubric all-round"
    )
)
async def create(
    courtroom: Courtroom,
    desk: Desk,
    /,
    name: str | None = None,
    *,
    file: Annotated[Path | None, Parameter(name="--from")] = None,
    organizer: str | None = None,
    start: str | None = None,
    end: str | None = None,
    description: str | None = None,
    public: Annotated[bool, Parameter(negative=())] = False,
    rubric: str | None = None,
    policy: Policy | None = None,
    authenticity: float | None = None,
    provider: Provider | None = None,
    budget: str | None = None,
) -> Answer:
    """Make a hackathon: a draft, which takes no submissions yet.

    Parameters
    ----------
    name
        What it is called.
    file
        A TOML or JSON file with what the API takes for a hackathon: name, rubric, agents_enabled,
        agent_models and so on. What is typed goes before it.
    organizer
        An organiser's e-mail address or id; else the only one there is.
    start
        When it begins, as 2026-12-04 or 2026-12-04T17:00:00Z.
    end
        When it ends: until then teams hand in, then their commits are frozen.
    description
        What it is about.
    public
        It stands in the gallery, and teams hand in by themselves.
    rubric
        What counts: a template (all-round, vibe-coding, classic ...), or a TOML or JSON file.
    policy
        What is thought of AI: full_vibe, ai_assisted, traditional, or custom.
    authenticity
        What authenticity weighs under a custom policy, from 0 to 0.5.
    provider
        Who judges: static rules, which cost nothing, or models of bedrock or openai.
    budget
        What models may cost, in US dollars.
    """
    from tablewright.systems.vibejudge.bodies.hackathons import HackathonIn
    from tablewright.systems.vibejudge.cli.hackathon_files import settings_of

    typed = {
        "name": name,
        "description": description,
        "visibility": "public" if public else None,
        "start_date": start,
        "end_date": end,
        "rubric": rubric,
        "ai_policy_mode": policy,
        "ai_policy_config": None if authenticity is None else {"authenticity_weight": authenticity},
        "agent_provider": provider,
        "budget_limit_usd": _budget(budget),
    }
    body = checked(HackathonIn, settings_of(file, typed))
    by = await meant.acting_for(courtroom, desk, organizer)
    made = await courtroom.hackathons.create(by, body)
    return _shown(made, f"{plain(made.name)} is a draft.", _next(made))


def _budget(text: str | None) -> str | None:
    from tablewright.service.amounts import AmountError, parse_amount

    if text is None:
        return None
    try:
        return str(parse_amount(text, decimals=9, currency="USD"))
    except AmountError as error:
        raise invalid(FieldError("--budget", str(error))) from None


def _next(made: HackathonDetail) -> str:
    if made.start_date is None or made.end_date is None:
        return "It needs a start and an end before it is activated."
    return f"Let it take submissions: tablewright vibejudge hackathon activate {made.hack_id}"


@app.command(help_epilogue=example("hackathon activate 'Winter Code Jam'"))
async def activate(courtroom: Courtroom, desk: Desk, /, hackathon: str) -> Answer:
    """Let a draft take submissions from now on.

    Parameters
    ----------
    hackathon
        Its id, or its name.
    """
    found = await meant.hackathon(courtroom, desk, hackathon)
    made = await courtroom.hackathons.activate(meant.typist(desk), found.hack_id)
    return _shown(made, f"{plain(made.name)} takes submissions.")


@app.command(help_epilogue=example("hackathon reopen 'Winter Code Jam'"))
async def reopen(courtroom: Courtroom, desk: Desk, /, hackathon: str) -> Answer:
    """Let a completed one take submissions and changes again; its results are taken back.

    Parameters
    ----------
    hackathon
        Its id, or its name.
    """
    found = await meant.hackathon(courtroom, desk, hackathon)
    made = await courtroom.hackathons.reopen(meant.typist(desk), found.hack_id)
    return _shown(made, f"{plain(made.name)} is open again.")


@app.command(help_epilogue=example("hackathon release 'Winter Code Jam'"))
async def release(
    courtroom: Courtroom,
    desk: Desk,
    /,
    hackathon: str,
    *,
    close_rounds: Annotated[bool, Parameter(negative=())] = False,
    top: int | None = None,
) -> Answer:
    """Show teams their results as they are now, and everybody the ranking if it is public.

    Scores, ranks and submissions cannot be changed afterwards, unless the hackathon is reopened.

    Parameters
    ----------
    hackathon
        Its id, or its name.
    close_rounds
        Close the rounds that judges are still at. Without it, an open round stops the release.
    top
        The public sees only so many ranks. Each team sees its own.
    """
    from tablewright.systems.vibejudge.bodies.hackathons import ReleaseIn

    found = await meant.hackathon(courtroom, desk, hackathon)
    body = checked(ReleaseIn, {"close_rounds": close_rounds, "public_ranks": top})
    made = await courtroom.releases.release(meant.typist(desk), found.hack_id, body)
    already = " already" if found.released_at is not None else ""
    return _shown(made, f"The results of {plain(made.name)} are released{already}.")


@app.command(help_epilogue=example("hackathon archive 'Winter Code Jam'"))
async def archive(courtroom: Courtroom, desk: Desk, /, hackathon: str) -> Answer:
    """Put a hackathon away, to be read and nothing else. There is no way back.

    Parameters
    ----------
    hackathon
        Its id, or its name.
    """
    found = await meant.hackathon(courtroom, desk, hackathon)
    made = await courtroom.hackathons.archive(meant.typist(desk), found.hack_id)
    return _shown(made, f"{plain(made.name)} is put away.")


@app.command(help_epilogue=example("hackathon freeze 'Winter Code Jam'"))
async def freeze(courtroom: Courtroom, desk: Desk, /, hackathon: str) -> Answer:
    """Pin the commit that each submission has now; at the end that is done by itself.

    If a repository cannot be asked, the exit code is 1.

    Parameters
    ----------
    hackathon
        Its id, or its name.
    """
    from tablewright.systems.vibejudge.bodies.submitted import frozen_out

    found = await meant.hackathon(courtroom, desk, hackathon)
    desk.tick(f"asking {several(found.submission_count, 'repository', 'repositories')}")
    report = await courtroom.freezing.now(meant.typist(desk), found.hack_id)
    lines: list[Line] = [
        f"{several(report.frozen, 'commit')} pinned, {report.before:,} before.",
        *_unfrozen(report.unfrozen),
    ]
    if report.left:
        lines.append(f"{several(report.left, 'repository', 'repositories')} asked again later.")
    ok = not report.unfrozen and not report.left
    return Answer(lines, frozen_out(report).model_dump(mode="json"), ok=ok)


def _unfrozen(missed: Sequence[Unfrozen]) -> list[Line]:
    if not missed:
        return []
    rows = [(plain(each.submission.team_name), each.code, plain(each.reason)) for each in missed]
    more = len(rows) - _SHOWN
    return [
        Styled(
            several(len(rows), "commit could not be pinned:", "commits could not be pinned:"),
            "yellow",
        ),
        *columns(("team", "code", "why"), rows[:_SHOWN]),
        *([f"and {several(more, 'other')}"] if more > 0 else []),
    ]


@app.command(help_epilogue=example("hackathon erase 'Winter Code Jam' --yes"))
async def erase(
    courtroom: Courtroom, desk: Desk, /, hackathon: str, *, yes: Annotated[bool, Yes] = False
) -> Answer:
    """Erase a hackathon with all its submissions and results. Costs stay, and name nobody.

    Parameters
    ----------
    hackathon
        Its id, or its name.
    yes
        Do not ask.
    """
    from tablewright.service.agreeing import agreed
    from tablewright.systems.vibejudge.cli.erasing import erased

    found = await meant.hackathon(courtroom, desk, hackathon)
    name, many = plain(found.name), several(found.submission_count, "submission")
    agreed(desk, yes, f"Erase {name} with {many}? There is no way back.")
    await courtroom.erasing.begin_hackathon(meant.typist(desk), found.hack_id)
    return await erased(courtroom, desk, f"{name} is gone.", {"hack_id": found.hack_id})


# --- shared --------------------------------------------------------------------------------------


def _shown(found: HackathonDetail, line: str = "", then: str = "") -> Answer:
    from tablewright.systems.vibejudge.bodies.hackathons import effective_weights, hackathon_out

    state = "released" if found.released_at is not None else found.status
    pairs = [
        ("hackathon", found.hack_id),
        ("name", plain(found.name)),
        ("state", state),
        ("from", day(found.start_date)),
        ("to", day(found.end_date)),
        ("for", "everybody" if found.visibility == "public" else "those who are told"),
        ("submissions", f"{found.submission_count:,}"),
        ("judged by", _judged_by(found)),
        ("policy on AI", spoken(found.ai_policy_mode)),
    ]
    weights = effective_weights(found)
    rows = [
        (plain(spoken(each.name)), spoken(each.agent), percent(weights[each.name]))
        for each in found.rubric.dimensions
    ]
    lines: list[Line] = [
        *([line] if line else []),
        *facts(pairs),
        "",
        *columns(("dimension", "agent", "weight"), rows, {"weight"}),
        *(["", then] if then else []),
    ]
    return Answer(lines, hackathon_out(found).model_dump(mode="json"))


def _judged_by(found: HackathonDetail) -> str:
    if found.agent_provider == "static":
        return "static rules, which cost nothing"
    return f"models of {found.agent_provider}, for {usd(found.budget_limit_usd)}"
