"""Settings as they become: what a body makes of an organisation or an app, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from tablewright.service.problems import FieldError
from tablewright.systems.pricekeeper.bodies import AppIn, AppPatch, OrgIn, OrgPatch
from tablewright.systems.pricekeeper.config import App, Org
from tablewright.systems.pricekeeper.rules.account import (
    FIELDS,
    Account,
    limit_errors,
    ordering_errors,
    org_limit_errors,
)
from tablewright.systems.pricekeeper.rules.calendar import calendar, calendar_of, zones_of
from tablewright.systems.pricekeeper.rules.offsets import zone_names
from tablewright.systems.pricekeeper.rules.zones import first_day_ahead, with_zone
from tablewright.systems.pricekeeper.shapes import ALL

#: Limits of one window; more labels than that nobody orders.
MOST_LIMITS = 100
_HOUR = 3600


def new_org(org_id: str, body: OrgIn, now: int) -> Org:
    """An organisation as it begins. Nothing is spent yet: reservations count from today on."""
    days = calendar(zones_of(body.timezone))
    today = datetime.fromtimestamp(days.start(days.day(now)), UTC)
    return Org(
        **_settings(body),
        org_id=org_id,
        status=body.status or "ACTIVE",
        reservations_from_epoch=today if body.reservations == "on" else None,
        created_at_epoch=_moment(now),
        updated_at_epoch=_moment(now),
    )


def changed_org(org: Org, body: OrgIn, now: int) -> Org:
    """An organisation with other settings; what ends with the day takes effect at a midnight."""
    history = with_zone(org.timezone, org.zone_history, body.timezone, now)
    raised = body.ledger_retention_days > org.ledger_retention_days
    changed = Org(
        **_settings(body),
        org_id=org.org_id,
        zone_history=history,
        status=body.status or org.status,
        retention_raised_epoch=_moment(now) if raised else org.retention_raised_epoch,
        version=org.version,
        created_at_epoch=org.created_at_epoch,
        updated_at_epoch=_moment(now),
    )
    return changed.model_copy(update={"reservations_from_epoch": _reserved_from(org, changed, now)})


def _settings(body: OrgIn) -> dict[str, Any]:
    pcts = tuple(sorted(set(body.alert_pcts)))
    return {**body.model_dump(exclude={"status"}), "alert_pcts": pcts}


def _reserved_from(before: Org, after: Org, now: int) -> datetime | None:
    if after.reservations == "off":
        return None
    if before.reservations == "on" and before.reservations_from_epoch is not None:
        return before.reservations_from_epoch
    return first_day_ahead(calendar_of(after), now)


def new_app(org_id: str, app_id: str, body: AppIn, now: int) -> App:
    """An app as it begins."""
    return App(
        **body.model_dump(exclude={"status"}),
        org_id=org_id,
        app_id=app_id,
        status=body.status or "ACTIVE",
        created_at_epoch=_moment(now),
        updated_at_epoch=_moment(now),
    )


def changed_app(app: App, body: AppIn, now: int) -> App:
    """An app with other settings."""
    return App(
        **body.model_dump(exclude={"status"}),
        org_id=app.org_id,
        app_id=app.app_id,
        status=body.status or app.status,
        version=app.version,
        created_at_epoch=app.created_at_epoch,
        updated_at_epoch=_moment(now),
    )


def _moment(epoch: int) -> datetime:
    return datetime.fromtimestamp(epoch, UTC)


# --- partial changes ---


def patched_org(org: Org, patch: OrgPatch) -> OrgIn:
    """Return an organisation's settings with those that a patch names."""
    stored = org.model_dump(mode="json", include=OrgIn.model_fields.keys() - {"status"})
    given = patch.model_dump(exclude_unset=True)
    return OrgIn.model_validate({**stored, **given}, strict=False)


def patched_app(app: App, patch: AppPatch) -> AppIn:
    """Return an app's settings with those that a patch names."""
    stored = app.model_dump(mode="json", include=AppIn.model_fields.keys() - {"status"})
    given = patch.model_dump(exclude_unset=True)
    return AppIn.model_validate({**stored, **given}, strict=False)


def reset_errors(body: OrgIn | AppIn, before: Org | App) -> list[FieldError]:
    """Find the settings that a body does not name and that would lose their value by that."""
    stored = before.model_dump(mode="json")
    default = body.model_dump(mode="json")
    missing = type(body).model_fields.keys() - body.model_fields_set - {"status"}
    return [
        FieldError(f"body.{name}", f"would be reset from {stored[name]!r}: {_NAME_IT}")
        for name in sorted(missing)
        if stored[name] != default[name]
    ]


_NAME_IT = "name it, or change only some settings with PATCH"


# --- what is wrong -------------------------------------------------------------------------------


def org_errors(body: OrgIn, before: Org | None, now: int) -> list[FieldError]:
    """What is wrong with an organisation's settings by themselves."""
    found = [*ordering_errors(body.model_ordering), *_limits_errors(body)]
    if body.timezone not in zone_names():
        found.append(FieldError("body.timezone", "is no zone of the time zone database"))
    found += _window_errors(body, before, now)
    return found


def app_errors(body: AppIn) -> list[FieldError]:
    """What is wrong with an app's settings by themselves."""
    return [*ordering_errors(body.model_ordering), *_limits_errors(body)]


def _limits_errors(body: OrgIn | AppIn) -> Iterator[FieldError]:
    for field in FIELDS.values():
        if len(getattr(body, field) or {}) > MOST_LIMITS:
            yield FieldError(f"body.{field}", f"has more than {MOST_LIMITS} limits")


def _window_errors(body: OrgIn, before: Org | None, now: int) -> Iterator[FieldError]:
    """A repeat that is still accepted has to find the row that it repeats."""
    window = body.late_window_hours
    if body.ledger_retention_days * 24 < window + 24:
        yield FieldError("body.ledger_retention_days", "has to be the late window and a day more")
    if before is None or window <= before.late_window_hours:
        return
    raised = before.retention_raised_epoch
    recent = raised is not None and now - raised.timestamp() < window * _HOUR
    if recent or before.ledger_retention_days * 24 < window + 24:
        message = (
            "reaches back further than rows of the ledger are kept so far: raise "
            "ledger_retention_days first, and this once that is as long ago as the window is long"
        )
        yield FieldError("body.late_window_hours", message)


def named_labels(body: OrgIn | AppIn) -> dict[str, str]:
    """The labels that settings name, each with a field that names it."""
    found: dict[str, str] = {}
    for place, label in enumerate(body.model_ordering or ()):
        found.setdefault(label, f"body.model_ordering.{place}")
    for field in FIELDS.values():
        for label in getattr(body, field) or {}:
            if label != ALL:
                found.setdefault(label, f"body.{field}.{label}")
    return found


def apps_errors(org: Org, apps: list[App]) -> list[FieldError]:
    """Where an organisation's settings leave a label without a limit: its own, or an app's."""
    return [
        *org_limit_errors(org),
        *(
            FieldError(error.field, f"in the ordering of the app {app.app_id}: {error.message}")
            for app in apps
            for error in limit_errors(Account(org, app))
        ),
    ]
