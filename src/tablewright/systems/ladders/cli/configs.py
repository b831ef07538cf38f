"""``config ...``: the ladder, written, compared, activated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App

from tablewright.service.commands import Answer, Desk, Line, Needs, Styled, columns, needs
from tablewright.service.problems import FieldError, invalid
from tablewright.service.typed import facts, moment
from tablewright.service.wording import plain, several
from tablewright.systems.ladders.cli import meant, texts
from tablewright.systems.ladders.cli.given import Company
from tablewright.systems.ladders.cli.words import Flag, example

if TYPE_CHECKING:
    from tablewright.systems.ladders.entities import ConfigVersion
    from tablewright.systems.ladders.fields import Ladder
    from tablewright.systems.ladders.rules.ladder_diff import LadderDiff, Place
    from tablewright.systems.ladders.service.callers import Caller
    from tablewright.systems.ladders.service.configs import ActiveVersion

app = App(name="config", help="The ladder: checked, uploaded, compared, activated.")


@app.command(help_epilogue=example("config validate ladder.md"))
@needs(Needs.NOWHERE)
async def validate(desk: Desk, /, file: Path) -> Answer:
    """Say everything that is wrong with a ladder, by line; exits with 1 if something is.

    No database is needed.

    Parameters
    ----------
    file
        The ladder in Markdown; - is standard input.
    """
    from tablewright.systems.ladders.rules.ladder_text import parse

    parsed = parse(texts.text_of(desk, file))
    if parsed.ladder is None:
        lines = [Styled(texts.error_line(file, each), "red") for each in parsed.errors]
        told = {"valid": False, "errors": [each._asdict() for each in parsed.errors]}
        return Answer([*lines, several(len(parsed.errors), "fault")], told, ok=False)
    told = {
        "valid": True,
        "errors": [],
        "notes": [each._asdict() for each in parsed.notes],
        **texts.size_of(parsed.ladder),
    }
    notes = [texts.error_line(file, each) for each in parsed.notes]
    return Answer([*notes, texts.size_line(parsed.ladder)], told)


@app.command(name="list", help_epilogue=example("config list"))
async def list_configs(company: Company, desk: Desk, /) -> Answer:
    """Show the versions of the ladder, the highest first."""
    by = await meant.typist(company, desk)
    found = await company.configs.list(by)
    active = None if found.pointer is None else found.pointer.active_config_id
    if not found.configs:
        hint = "There is no ladder yet: tablewright ladders config upload 1.0.0 --shipped"
        return Answer([hint], [])
    rows = [
        (
            each.version,
            "active" if each.config_id == active else "",
            moment(each.created_at),
            str(texts.size_line(each.parsed_config)),
        )
        for each in found.configs
    ]
    data = [_told(each, active=each.config_id == active) for each in found.configs]
    return Answer(columns(("version", "state", "uploaded", "ladder"), rows), data)


@app.command(help_epilogue=example("config upload 1.1.0 ladder.md --activate"))
async def upload(
    company: Company,
    desk: Desk,
    /,
    version: str,
    file: Path | None = None,
    *,
    shipped: Annotated[bool, Flag] = False,
    activate: Annotated[bool, Flag] = False,
) -> Answer:
    """Store a new version of the ladder. Versions never change.

    Parameters
    ----------
    version
        Three numbers: 1.1.0.
    file
        The ladder in Markdown; - is standard input.
    shipped
        The ladder that comes with the program, instead of a file.
    activate
        Make it the active one at once; reviews that have begun keep theirs.
    """
    if (file is None) is not shipped:
        raise invalid(FieldError("file", "give a file, or --shipped"))
    by = await meant.typist(company, desk)
    config = await company.configs.upload(by, version, _text(desk, file))
    if activate:
        return _activated(await company.configs.activate(by, config.config_id))
    lines = [f"Version {config.version} is stored, and not active."]
    return Answer([*lines, texts.size_line(config.parsed_config)], _told(config, active=False))


def _text(desk: Desk, file: Path | None) -> bytes:
    """A file with faults is refused with its own name on every line."""
    if file is None:
        from tablewright.systems.ladders.rules.shipped import shipped_text

        return shipped_text().encode()
    from tablewright.systems.ladders.rules.ladder_text import parse

    text = texts.text_of(desk, file)
    parsed = parse(text)
    if parsed.ladder is None:
        raise texts.faulty(file, parsed.errors)
    return text


@app.command(help_epilogue=example("config activate 1.1.0"))
async def activate(company: Company, desk: Desk, /, version: str) -> Answer:
    """Make a version the active one; reviews that have begun keep theirs.

    Parameters
    ----------
    version
        Which: 1.1.0.
    """
    by = await meant.typist(company, desk)
    chosen = await meant.config(company, by, version)
    return _activated(await company.configs.activate(by, chosen.config_id))


@app.command(help_epilogue=example("config rollback"))
async def rollback(company: Company, desk: Desk, /) -> Answer:
    """Make the version active again that was so before."""
    by = await meant.typist(company, desk)
    return _activated(await company.configs.rollback(by))


@app.command(help_epilogue=example("config export active --out ladder.md"))
async def export(
    company: Company, desk: Desk, /, version: str = meant.ACTIVE, *, out: Path | None = None
) -> Answer:
    """Write a version as it was uploaded.

    Parameters
    ----------
    version
        Which: 1.1.0; the active one if nothing is said.
    out
        A file to write; else standard output.
    """
    if out is None and desk.json:
        raise invalid(FieldError("--out", "is needed with --json: the ladder cannot go there, too"))
    by = await meant.typist(company, desk)
    text = (await meant.config(company, by, version)).config_content.encode()
    if out is None:
        desk.stdout.write(text)
        desk.stdout.flush()
        return Answer()
    out.write_bytes(text)
    return Answer([f"{out}: {len(text):,} bytes"], {"file": str(out), "bytes": len(text)})


@app.command(help_epilogue=example("config diff active ladder.md"))
async def diff(company: Company, desk: Desk, /, old: str, new: str) -> Answer:
    """Show what another ladder changes: what comes, what goes, what is said otherwise.

    Parameters
    ----------
    old
        A version (1.0.0, or active) or a file.
    new
        The same.
    """
    from tablewright.systems.ladders.rules import ladder_diff

    by = await meant.typist(company, desk)
    before, after = [await _ladder(company, desk, by, each) for each in (old, new)]
    return _compared(ladder_diff.diff(before, after))


# --- inside --------------------------------------------------------------------------------------


async def _ladder(company: Company, desk: Desk, by: Caller, text: str) -> Ladder:
    """What is there as a file is one."""
    file = Path(text)
    if text == "-" or (text != meant.ACTIVE and file.is_file()):
        return texts.ladder_of(desk, file)
    return (await meant.config(company, by, text)).parsed_config


def _activated(active: ActiveVersion) -> Answer:
    config = active.config
    lines: list[Line] = [f"Version {config.version} is active."]
    return Answer([*lines, texts.size_line(config.parsed_config)], _told(config, active=True))


def _told(config: ConfigVersion, *, active: bool) -> dict[str, object]:
    return {
        "config_id": config.config_id,
        "version": config.version,
        "active": active,
        "created_at": config.created_at,
        **texts.size_of(config.parsed_config),
    }


def _compared(found: LadderDiff) -> Answer:
    lines: list[Line] = [
        *(Styled(f"- {_named(each)}", "red") for each in found.removed),
        *(Styled(f"+ {_named(each)}", "green") for each in found.added),
    ]
    for place, before, after in found.reworded:
        lines += [
            f"~ {_named(place)}",
            *facts([("before", plain(before)), ("after", plain(after))]),
        ]
    told = {
        "added": [each._asdict() for each in found.added],
        "removed": [each._asdict() for each in found.removed],
        "reworded": [
            {**each.place._asdict(), "before": each.before, "after": each.after}
            for each in found.reworded
        ],
    }
    return Answer(lines or ["They say the same."], told)


def _named(place: Place) -> str:
    """``Craft / Code / 3``"""
    parts = (place.category, place.competency, place.level)
    known = [plain(str(each)) for each in parts if each is not None]
    return " / ".join(known) if place.category is not None else f"name of level {place.level}"
