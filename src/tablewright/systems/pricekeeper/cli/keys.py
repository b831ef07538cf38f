"""``keys ...``: API keys for programs that administer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from tablewright.service.commands import Answer, Desk, Line, columns
from tablewright.service.typed import facts, moment
from tablewright.systems.pricekeeper.cli.access import check_lasting
from tablewright.systems.pricekeeper.cli.given import Keeper
from tablewright.systems.pricekeeper.cli.words import example

if TYPE_CHECKING:
    from tablewright.service.kit.entities import ApiKey

app = App(name="keys", help="API keys for programs that administer pricekeeper.")


@app.command(help_epilogue=example("keys create 'Nightly export' --role auditor --days 90"))
async def create(
    keeper: Keeper,
    desk: Desk,
    /,
    name: str,
    *,
    role: list[str] | None = None,
    days: Annotated[int | None, Parameter(validator=Number(gte=1, lte=3650))] = None,
) -> Answer:
    """Make an API key. Its text is shown this once.

    Parameters
    ----------
    name
        What it is for.
    role
        What it may do: admin, operator or auditor. May be given several times; admin if nothing
        is said.
    days
        When it ends; never if nothing is said.
    """
    check_lasting(keeper, "api-keys")
    now = datetime.fromtimestamp(keeper.now(), UTC)
    made, text = await keeper.runtime.auth.api_keys.create(
        desk.by,
        name=name,
        roles=role or ["admin"],
        ends_at=None if days is None else now + timedelta(days=days),
    )
    lines: list[Line] = [
        *facts([("key", text), ("id", made.key_id), ("ends", moment(made.expires_at))]),
        "It is not kept anywhere: write it down now.",
    ]
    return Answer(lines, {**_told(made), "api_key": text})


@app.command(name="list", help_epilogue=example("keys list"))
async def list_keys(keeper: Keeper, /) -> Answer:
    """List all API keys, revoked ones too; without their texts, which nobody has."""
    from tablewright.service.kit.patterns import api_keys

    found = [each async for each in keeper.db.iterate(api_keys())]
    data = [_told(each) for each in found]
    if not found:
        return Answer(["There is no API key yet."], data)
    rows = [(each.key_id, each.name, ", ".join(sorted(each.roles)), _state(each)) for each in found]
    return Answer(columns(("id", "name", "roles", "state"), rows), data)


@app.command(help_epilogue=example("keys revoke 5hx0c2m3k1a7d9pq"))
async def revoke(keeper: Keeper, desk: Desk, /, key_id: str) -> Answer:
    """End an API key; within half a minute no process accepts it.

    Parameters
    ----------
    key_id
        Its id, as the list shows it.
    """
    ended = await keeper.runtime.auth.api_keys.revoke(desk.by, key_id)
    return Answer([f"The key {ended.name} ({ended.key_id}) is revoked."], _told(ended))


def _state(key: ApiKey) -> str:
    if key.revoked_at is not None:
        return f"revoked {moment(key.revoked_at)}"
    return "good" if key.expires_at is None else f"good until {moment(key.expires_at)}"


def _told(key: ApiKey) -> dict[str, object]:
    """A key without what its text is checked with."""
    shown = {"key_id", "name", "created_at", "created_by", "expires_at", "revoked_at"}
    told = key.model_dump(mode="json", include={*shown, "last_used_at"})
    return {**told, "roles": sorted(key.roles)}
