"""``org ...``: organisations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.typed import checked, facts, moment
from tablewright.systems.pricekeeper.cli import reading
from tablewright.systems.pricekeeper.cli.finding import org_id_of, org_of
from tablewright.systems.pricekeeper.cli.given import Keeper
from tablewright.systems.pricekeeper.cli.words import InFile, example, usd

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tablewright.systems.pricekeeper.bodies import OrgIn
    from tablewright.systems.pricekeeper.config import Org
    from tablewright.systems.pricekeeper.service.credentials import Issued

app = App(name="org", help="Organisations: their calendars, limits and settings.")

Limits = list[str] | None


@app.command(
    help_epilogue=example(
        "org put --name Acme --timezone Europe/Oslo --ordering premium,standard "
        "--quota premium=25 --quota standard=none"
    )
)
async def put(
    keeper: Keeper,
    desk: Desk,
    /,
    org: str | None = None,
    *,
    file: InFile | None = None,
    name: str | None = None,
    timezone: str | None = None,
    ordering: str | None = None,
    quota: Limits = None,
    quota_week: Limits = None,
    quota_month: Limits = None,
    setting: Annotated[list[str] | None, Parameter(name="--set")] = None,
) -> Answer:
    """Create an organisation, or change one: what is not said stays as it is.

    A new one gets a client, whose secret waits to be fetched with `secret`.

    Parameters
    ----------
    org
        The id or the name of the one to change; a new one is created if nothing is said, or under
        an id that nobody has.
    file
        All settings, as JSON, as the REST API takes them; - is standard input. What it leaves out
        has its default.
    name
        What it is called.
    timezone
        Of the time zone database, such as Europe/Oslo: when its days begin.
    ordering
        Its labels from the best to the cheapest, with commas between them.
    quota
        A limit for a day: LABEL=DOLLARS, _all=DOLLARS for all labels together, =none for
        unlimited, = alone removes it. May be given several times.
    quota_week
        The same for a week.
    quota_month
        The same for a month.
    setting
        Any other setting: NAME=VALUE, such as write_mode=stream or late_window_hours=72.
    """
    from tablewright.systems.pricekeeper.bodies import OrgIn

    org_id = await _meant(keeper, org)
    stored = await _stored(keeper, org_id)
    values = _values(stored) if file is None else reading.mapping(file, desk)
    given = {
        "org_name": name,
        "timezone": timezone,
        "model_ordering": None if ordering is None else reading.names(ordering),
    }
    values |= {each: value for each, value in given.items() if value is not None}
    put_limits(values, quota, quota_week, quota_month)
    values |= reading.settings("--set", setting)
    return await _put(keeper, desk, org_id, stored, checked(OrgIn, values))


async def _meant(keeper: Keeper, text: str | None) -> str:
    from tablewright.systems.pricekeeper.rules.uuids import uuid7

    return (
        uuid7(keeper.clock.now()) if text is None else await org_id_of(keeper, text, deleted=True)
    )


async def _stored(keeper: Keeper, org_id: str) -> Org | None:
    from tablewright.systems.pricekeeper.reads import org

    return await keeper.db.run(org(org_id))


def _values(stored: Org | None) -> dict[str, object]:
    """The settings of an organisation as they would be put, its status apart."""
    from tablewright.systems.pricekeeper.bodies import OrgIn

    if stored is None:
        return {}
    return stored.model_dump(mode="json", include=OrgIn.model_fields.keys() - {"status"})


def put_limits(values: dict[str, object], day: Limits, week: Limits, month: Limits) -> None:
    """Put the limits that were typed among the others."""
    for option, field, texts in (
        ("--quota", "quotas", day),
        ("--quota-week", "quotas_week", week),
        ("--quota-month", "quotas_month", month),
    ):
        if texts:
            before = values.get(field)
            stored = before if isinstance(before, dict) else {}
            values[field] = reading.limits(option, texts, stored)


async def _put(keeper: Keeper, desk: Desk, org_id: str, stored: Org | None, body: OrgIn) -> Answer:
    from tablewright.service.preconditions import UNSAID, Precondition
    from tablewright.systems.pricekeeper.api.settings import org_created, org_out
    from tablewright.systems.pricekeeper.cli.access import check_keys

    if stored is None:
        check_keys(keeper)
    when = UNSAID if stored is None else Precondition.seen(stored.version)
    saved = await keeper.orgs.put(org_id, body, desk.by, when)
    now = keeper.now()
    if saved.issued is not None:
        told = org_created(saved.entity, now, saved.issued).model_dump(mode="json")
        lines = [f"Created the organisation {saved.entity.org_name}, {org_id}."]
        return Answer([*lines, *waiting(saved.issued)], told)
    same = stored is not None and saved.entity.version == stored.version
    what = "is as it was" if same else f"is changed (version {saved.entity.version})"
    line = f"The organisation {saved.entity.org_name} {what}."
    return Answer([line], org_out(saved.entity, now).model_dump(mode="json"))


def waiting(issued: Issued) -> list[Line]:
    """How to get at a new secret."""
    until = moment(issued.retrieval.expires_at_epoch)
    return [
        *facts([("client", issued.credential.client_id), ("retrieval token", issued.token)]),
        f"Fetch its secret until {until}, once: tablewright pricekeeper secret {issued.token}",
    ]


@app.command(name="list", help_epilogue=example("org list --deleted"))
async def list_orgs(keeper: Keeper, /, *, deleted: bool = False) -> Answer:
    """List all organisations.

    Parameters
    ----------
    deleted
        Show those that were deleted, too.
    """
    from tablewright.systems.pricekeeper.reads import orgs

    found = keeper.db.iterate(orgs(hidden=None if deleted else "DELETED"))
    rows = [(each.org_id, each.org_name, each.status) async for each in found]
    data = [dict(zip(("org_id", "org_name", "status"), row, strict=True)) for row in rows]
    if not rows:
        return Answer(["There is no organisation yet."], data)
    return Answer(columns(("id", "name", "status"), rows), data)


@app.command(help_epilogue=example("org show Acme"))
async def show(keeper: Keeper, /, org: str) -> Answer:
    """Show one organisation with its limits and settings.

    Parameters
    ----------
    org
        Its id or its name.
    """
    from tablewright.systems.pricekeeper.api.settings import org_out

    found = await org_of(keeper, org, deleted=True)
    told = org_out(found, keeper.now()).model_dump(mode="json")
    plain = [
        (name, value)
        for name, value in told.items()
        if value is not None and not isinstance(value, dict | list)
    ]
    ordering = ("model_ordering", ", ".join(found.model_ordering))
    return Answer([*facts([*plain, ordering]), *limit_lines(found.model_dump())], told)


def limit_lines(settings: Mapping[str, object]) -> list[Line]:
    """The limits among settings."""
    windows = {"quotas": "a day", "quotas_week": "a week", "quotas_month": "a month"}
    rows = [
        (label, words, usd(amount))
        for field, words in windows.items()
        if isinstance(found := settings.get(field), dict)
        for label, amount in found.items()
    ]
    if not rows:
        return []
    return [Styled("limits", "bold"), *columns(("label", "for", "limit"), rows, {"limit"})]


@app.command(help_epilogue=example("org disable Acme"))
async def disable(keeper: Keeper, desk: Desk, /, org: str) -> Answer:
    """Let nobody of an organisation in, until it is enabled again. Its records stay.

    Parameters
    ----------
    org
        Its id or its name.
    """
    return await _set_status(keeper, desk, org, "DISABLED")


@app.command(help_epilogue=example("org enable Acme"))
async def enable(keeper: Keeper, desk: Desk, /, org: str) -> Answer:
    """Let an organisation in again that was disabled or deleted.

    Parameters
    ----------
    org
        Its id or its name.
    """
    return await _set_status(keeper, desk, org, "ACTIVE")


async def _set_status(
    keeper: Keeper, desk: Desk, text: str, status: Literal["ACTIVE", "DISABLED"]
) -> Answer:
    from tablewright.systems.pricekeeper.bodies import OrgIn

    stored = await org_of(keeper, text, deleted=status == "ACTIVE")
    body = checked(OrgIn, {**_values(stored), "status": status})
    return await _put(keeper, desk, stored.org_id, stored, body)
