"""``app ...``: apps of organisations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from tablewright.service.commands import Answer, Desk, columns
from tablewright.service.typed import checked, facts
from tablewright.systems.pricekeeper.cli import reading
from tablewright.systems.pricekeeper.cli.finding import org_of
from tablewright.systems.pricekeeper.cli.given import Keeper
from tablewright.systems.pricekeeper.cli.orgs import Limits, limit_lines, put_limits, waiting
from tablewright.systems.pricekeeper.cli.words import InFile, example

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.bodies import AppIn
    from tablewright.systems.pricekeeper.config import App as StoredApp
    from tablewright.systems.pricekeeper.config import Org

app = App(name="app", help="Apps of organisations: what they have of their own.")


@app.command(help_epilogue=example("app put Acme web --name 'The shop' --quota premium=10"))
async def put(
    keeper: Keeper,
    desk: Desk,
    /,
    org: str,
    app_id: Annotated[str, Parameter(name="app")],
    *,
    file: InFile | None = None,
    name: str | None = None,
    ordering: str | None = None,
    quota: Limits = None,
    quota_week: Limits = None,
    quota_month: Limits = None,
    setting: Annotated[list[str] | None, Parameter(name="--set")] = None,
) -> Answer:
    """Create an app, or change one: what is not said stays as it is.

    A new one gets a client, whose secret waits to be fetched with `secret`.

    Parameters
    ----------
    org
        The id or the name of its organisation.
    app_id
        Its id: small letters, digits, - and _.
    file
        All settings, as JSON, as the REST API takes them; - is standard input.
    name
        What it is called; its id if nothing is said.
    ordering
        Its labels from the best to the cheapest, with commas between them; else as its
        organisation has them.
    quota
        A limit of its own for a day: LABEL=DOLLARS, _all=DOLLARS for all labels together, =none
        for unlimited, = alone removes it. May be given several times.
    quota_week
        The same for a week.
    quota_month
        The same for a month.
    setting
        Any other setting: NAME=VALUE, such as tight_mode_threshold_pct=90; =null is as the
        organisation has it.
    """
    from tablewright.systems.pricekeeper.bodies import AppIn

    owner = await org_of(keeper, org)
    stored = await _stored(keeper, owner, app_id)
    values = _values(stored, app_id) if file is None else reading.mapping(file, desk)
    if name is not None:
        values["app_name"] = name
    if ordering is not None:
        values["model_ordering"] = reading.names(ordering)
    put_limits(values, quota, quota_week, quota_month)
    values |= reading.settings("--set", setting)
    return await _put(keeper, desk, owner, app_id, stored, checked(AppIn, values))


async def _stored(keeper: Keeper, org: Org, app_id: str) -> StoredApp | None:
    from tablewright.systems.pricekeeper.reads import app
    from tablewright.systems.pricekeeper.rules.ids import checked_app_id

    return await keeper.db.run(app(org.org_id, checked_app_id(app_id)))


def _values(stored: StoredApp | None, app_id: str) -> dict[str, object]:
    """The settings of an app as they would be put, its status apart."""
    from tablewright.systems.pricekeeper.bodies import AppIn

    if stored is None:
        return {"app_name": app_id}
    return stored.model_dump(mode="json", include=AppIn.model_fields.keys() - {"status"})


async def _put(
    keeper: Keeper, desk: Desk, org: Org, app_id: str, stored: StoredApp | None, body: AppIn
) -> Answer:
    from tablewright.service.preconditions import UNSAID, Precondition
    from tablewright.systems.pricekeeper.api.settings import app_created, app_out
    from tablewright.systems.pricekeeper.cli.access import check_keys

    if stored is None:
        check_keys(keeper)
    when = UNSAID if stored is None else Precondition.seen(stored.version)
    saved = await keeper.orgs.apps.put(org.org_id, app_id, body, desk.by, when)
    if saved.issued is not None:
        told = app_created(saved.entity, saved.issued).model_dump(mode="json")
        return Answer(
            [f"Created the app {app_id} of {org.org_name}.", *waiting(saved.issued)], told
        )
    same = stored is not None and saved.entity.version == stored.version
    what = "is as it was" if same else f"is changed (version {saved.entity.version})"
    line = f"The app {app_id} of {org.org_name} {what}."
    return Answer([line], app_out(saved.entity).model_dump(mode="json"))


@app.command(name="list", help_epilogue=example("app list Acme"))
async def list_apps(keeper: Keeper, /, org: str, *, deleted: bool = False) -> Answer:
    """List the apps of an organisation.

    Parameters
    ----------
    org
        The id or the name of the organisation.
    deleted
        Show those that were deleted, too.
    """
    from tablewright.systems.pricekeeper.api.settings import app_out
    from tablewright.systems.pricekeeper.reads import apps

    owner = await org_of(keeper, org, deleted=deleted)
    op = apps(owner.org_id, hidden=None if deleted else "DELETED")
    found = [each async for each in keeper.db.iterate(op)]
    data = [app_out(each).model_dump(mode="json") for each in found]
    if not found:
        return Answer([f"{owner.org_name} has no app yet."], data)
    rows = [(each.app_id, each.app_name, each.status) for each in found]
    return Answer(columns(("id", "name", "status"), rows), data)


@app.command(help_epilogue=example("app show Acme web"))
async def show(
    keeper: Keeper, /, org: str, app_id: Annotated[str, Parameter(name="app")]
) -> Answer:
    """Show one app with what it has of its own.

    Parameters
    ----------
    org
        The id or the name of its organisation.
    app_id
        Its id.
    """
    from tablewright.systems.pricekeeper.api.settings import app_out

    owner = await org_of(keeper, org, deleted=True)
    found = await keeper.orgs.apps.get(owner.org_id, app_id, deleted=True)
    told = app_out(found).model_dump(mode="json")
    own = [
        (name, ", ".join(value) if isinstance(value, list) else value)
        for name, value in told.items()
        if value is not None and not isinstance(value, dict)
    ]
    return Answer([*facts(own), *limit_lines(found.model_dump())], told)


@app.command(help_epilogue=example("app disable Acme web"))
async def disable(
    keeper: Keeper, desk: Desk, /, org: str, app_id: Annotated[str, Parameter(name="app")]
) -> Answer:
    """Let an app in no more, until it is enabled again. Its records stay.

    Parameters
    ----------
    org
        The id or the name of its organisation.
    app_id
        Its id.
    """
    return await _set_status(keeper, desk, org, app_id, "DISABLED")


@app.command(help_epilogue=example("app enable Acme web"))
async def enable(
    keeper: Keeper, desk: Desk, /, org: str, app_id: Annotated[str, Parameter(name="app")]
) -> Answer:
    """Let an app in again that was disabled or deleted.

    Parameters
    ----------
    org
        The id or the name of its organisation.
    app_id
        Its id.
    """
    return await _set_status(keeper, desk, org, app_id, "ACTIVE")


async def _set_status(
    keeper: Keeper, desk: Desk, text: str, app_id: str, status: Literal["ACTIVE", "DISABLED"]
) -> Answer:
    from tablewright.systems.pricekeeper.bodies import AppIn

    org = await org_of(keeper, text)
    stored = await keeper.orgs.apps.get(org.org_id, app_id, deleted=status == "ACTIVE")
    body = checked(AppIn, {**_values(stored, app_id), "status": status})
    return await _put(keeper, desk, org, app_id, stored, body)
