"""``override``, ``correct``, ``alerts``, ``audit`` and ``revoke``: what operators do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.commands import Answer, Desk, columns
from tablewright.service.typed import checked, moment
from tablewright.systems.pricekeeper.cli import reading
from tablewright.systems.pricekeeper.cli.finding import app_of, org_of
from tablewright.systems.pricekeeper.cli.given import Keeper
from tablewright.systems.pricekeeper.cli.words import usd

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.spend import AlertSent


async def override(
    keeper: Keeper,
    desk: Desk,
    /,
    org: str,
    app: str | None = None,
    *,
    close: str = "",
    reopen: str = "",
    reason: str,
) -> Answer:
    """Close labels for the rest of the day, or open them again.

    Parameters
    ----------
    org
        The id or the name of the organisation.
    app
        The id of one of its apps; else the whole organisation is meant.
    close
        Labels to close, with commas between them.
    reopen
        Labels to open again, with commas between them.
    reason
        Why, for the audit log.
    """
    from tablewright.systems.pricekeeper.bodies import OverrideIn

    owner = await org_of(keeper, org)
    named = await app_of(keeper, owner, app)
    values = {"exhaust": reading.names(close), "restore": reading.names(reopen), "reason": reason}
    body = checked(OverrideIn, values)
    closed = await keeper.overrides.override(
        owner.org_id,
        named.app_id if named else None,
        desk.by,
        exhaust=body.exhaust,
        restore=body.restore,
        reason=body.reason,
    )
    labels = list(closed.labels)
    line = f"Closed for the rest of the day: {', '.join(labels) or 'no label'}."
    return Answer([line], {"exhausted_labels": labels, "reason": closed.reason})


async def correct(
    keeper: Keeper,
    desk: Desk,
    /,
    org: str,
    app: str,
    request_id: str,
    *,
    input_tokens: int = 0,
    output_tokens: int = 0,
    cache_read_tokens: int = 0,
    cache_write_tokens: int = 0,
    cost: str | None = None,
    reason: str,
    correction_id: str | None = None,
) -> Answer:
    """Add to a record, or take away from it. The record stays as it was reported.

    Parameters
    ----------
    org
        The id or the name of the organisation.
    app
        The id of the app.
    request_id
        The id of the record.
    input_tokens
        Input tokens to add; a negative number takes away.
    output_tokens
        Output tokens to add.
    cache_read_tokens
        Tokens read from the cache to add.
    cache_write_tokens
        Tokens written to the cache to add.
    cost
        Dollars to add; else what the tokens cost at the record's price.
    reason
        Why; it is kept in the ledger.
    correction_id
        A UUID, so that repeating the command counts once; else a new one.
    """
    from tablewright.systems.pricekeeper.api.corrections import read_correction
    from tablewright.systems.pricekeeper.api.rows import row_out
    from tablewright.systems.pricekeeper.bodies import CorrectionIn
    from tablewright.systems.pricekeeper.rules.uuids import uuid7

    owner = await org_of(keeper, org)
    values = {
        "request_id": request_id,
        "correction_id": correction_id or uuid7(keeper.clock.now()),
        "reason": reason,
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cache_read_tokens": cache_read_tokens,
        "cache_write_tokens": cache_write_tokens,
        "cost_usd_micros": None if cost is None else reading.micros("--cost", cost, signed=True),
    }
    body = checked(CorrectionIn, values)
    account = await keeper.directory.account(owner.org_id, app, even_disabled=True)
    made = await keeper.corrections.correct(
        account, body.request_id, read_correction(body), desk.by
    )
    done = "Corrected" if made.result == "recorded" else "Was corrected before"
    line = f"{done}: {body.request_id} by {body.correction_id}."
    data = {
        "result": made.result,
        "correction": row_out(made.correction).model_dump(mode="json"),
        "record": row_out(made.record).model_dump(mode="json"),
    }
    return Answer([line], data)


async def alerts(keeper: Keeper, /, org: str | None = None, *, limit: int = 20) -> Answer:
    """List the latest alerts: of an organisation's day, week and month, or of all organisations.

    Parameters
    ----------
    org
        The id or the name of the organisation; else all of them.
    limit
        How many to list.
    """
    from tablewright.systems.pricekeeper.api.alerts import alert_out

    if org is None:
        found = await keeper.alerts.latest(limit)
    else:
        found = (await keeper.alerts.of_org((await org_of(keeper, org)).org_id))[:limit]
    data = [alert_out(each).model_dump(mode="json") for each in found]
    if not found:
        return Answer(["No alerts."], data)
    heads = ("sent", "organisation", "app", "period", "label", "share", "spent", "limit")
    return Answer(columns(heads, [_alert_row(each) for each in found]), data)


def _alert_row(alert: AlertSent) -> tuple[str, ...]:
    org_id, _, app_id = alert.scope.removeprefix("ORG#").partition("#APP#")
    share = f"{alert.pct} %" if alert.pct else "no price"
    period = alert.period.partition("#")[2]
    amounts = (usd(alert.spend), usd(alert.quota))
    return (moment(alert.sent_at_epoch), org_id, app_id, period, alert.label, share, *amounts)


async def audit(
    keeper: Keeper, /, *, subject: str | None = None, action: str | None = None, limit: int = 20
) -> Answer:
    """List who did what, the latest first.

    Parameters
    ----------
    subject
        Only what was done to this, such as label/premium or org/ID.
    action
        Only what was done, such as label.put.
    limit
        How many entries to list.
    """
    from datetime import timedelta

    from tablewright.service.kit import audit as log
    from tablewright.service.kit.audit_bodies import audit_out
    from tablewright.systems.pricekeeper.bodies import iso

    until = iso(keeper.clock.now()) + timedelta(seconds=1)
    page = await log.entries(
        keeper.db,
        since=until - log.KEPT,
        until=until,
        limit=limit,
        subject=subject,
        action=action,
    )
    data = [audit_out(entry).model_dump(mode="json") for entry in page]
    if not data:
        return Answer(["No entries."], data)
    rows = [(str(e["at"]), str(e["actor"]), str(e["action"]), str(e["subject"])) for e in data]
    return Answer(columns(("at", "who", "action", "subject"), rows), data)


async def revoke(keeper: Keeper, desk: Desk, /, org: str, app: str | None = None) -> Answer:
    """Revoke all tokens of a client. Its secret stays valid, and gets it new ones.

    Parameters
    ----------
    org
        The id or the name of the organisation.
    app
        The id of the app; else the organisation's own client is meant.
    """
    owner = await org_of(keeper, org)
    named = await app_of(keeper, owner, app)
    app_id = named.app_id if named else None
    await keeper.credentials.end_tokens(owner.org_id, app_id, desk.by)
    whose = f"{owner.org_name}, {app_id}" if app_id else owner.org_name
    return Answer([f"Tokens of {whose} are revoked."], {"org_id": owner.org_id, "app_id": app_id})
