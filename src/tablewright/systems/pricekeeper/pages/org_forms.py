"""Creating an organisation, changing its settings and limits, and deleting it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.pricekeeper.bodies import OrgIn
from tablewright.systems.pricekeeper.config import Label, Org
from tablewright.systems.pricekeeper.pages import limit_table
from tablewright.systems.pricekeeper.pages.fleet import Fleets
from tablewright.systems.pricekeeper.pages.forms import locale_of
from tablewright.systems.pricekeeper.pages.merging import merged, packed
from tablewright.systems.pricekeeper.pages.paths import BASE, org_path
from tablewright.systems.pricekeeper.rules.offsets import zone_names
from tablewright.systems.pricekeeper.rules.uuids import uuid7

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: Settings that are typed as they are.
_PLAIN = (
    "org_name",
    "timezone",
    "quota_scope",
    "agg_shard_count",
    "tight_mode_threshold_pct",
    "refresh_interval_normal_secs",
    "refresh_interval_tight_secs",
    "write_mode",
    "reservations",
    "fail_mode",
    "unpriced",
    "late_window_hours",
    "ledger_retention_days",
)
#: For its defaults.
_NEW = OrgIn(org_name="new", timezone="UTC", model_ordering=["none"])


def values_of(org: Org, locale: str | None = None) -> dict[str, str]:
    """An organisation's settings as the form shows them."""
    return {
        **{name: str(getattr(org, name)) for name in _PLAIN},
        "status": org.status,
        "sticky_fallback_enabled": "1" if org.sticky_fallback_enabled else "",
        "alert_pcts": ", ".join(map(str, org.alert_pcts)),
        **limit_table.shown(
            org.model_ordering,
            {field: getattr(org, field) for field in limit_table.QUOTAS},
            locale,
        ),
    }


def first_values(labels: Sequence[str]) -> dict[str, str]:
    """What a new organisation begins with: its defaults, and every label in the chain."""
    defaults = {name: str(getattr(_NEW, name)) for name in _PLAIN}
    return {
        **defaults,
        "org_name": "",
        "status": "ACTIVE",
        "sticky_fallback_enabled": "1",
        "alert_pcts": ", ".join(map(str, _NEW.alert_pcts)),
        **(limit_table.shown(labels, {}) if len(labels) == 1 else {}),
    }


def in_order(labels: Sequence[Label], ordering: Sequence[str]) -> list[Label]:
    """Labels as the table shows them: those of the chain first."""
    places = {label: place for place, label in enumerate(ordering)}
    return sorted(labels, key=lambda each: (places.get(each.label, len(places)), each.label))


def read_org(
    values: Typed, labels: Sequence[str], locale: str | None = None
) -> tuple[OrgIn, limit_table.Read]:
    """The body that a form makes, or a problem at its fields."""
    table = limit_table.read(values, labels, locale)
    errors = list(table.errors)
    pcts = [part.strip(" %") for part in values.get("alert_pcts", "").split(",")]
    pcts = [part for part in pcts if part]
    if not all(map(_is_percentage, pcts)):
        errors.append(FieldError("body.alert_pcts", "Percentages with commas: 50, 80, 100."))
        pcts = []
    if not table.ordering and not any(each.field.startswith("body.order") for each in errors):
        errors.append(FieldError("body.order", "Give at least one label a place in the chain."))
    given = {
        **{name: values[name] for name in _PLAIN if values.get(name)},
        "org_name": values.get("org_name", ""),
        "timezone": values.get("timezone", ""),
        "status": values.get("status") or None,
        "sticky_fallback_enabled": values.get("sticky_fallback_enabled") == "1",
        "alert_pcts": pcts,
        # Without a chain there is an error already, and no second one is needed.
        "model_ordering": table.ordering or ["none"],
        **table.quotas,
    }
    return built(OrgIn, given, errors), table


def _is_percentage(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= 100


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/orgs")
    admin = Depends(keeper.runtime.auth.require("admin"))
    fleets = Fleets.of(keeper)

    async def shown(
        request: Request, org: Org | None, *, status: int = 200, **context: object
    ) -> Response:
        labels = await keeper.directory.labels()
        first = (
            values_of(org, locale_of(request))
            if org
            else first_values([each.label for each in labels])
        )
        given: dict[str, object] = {
            "org": org,
            "first": first,
            "seen": packed(first),
            "version": org.version if org else "",
            "labels": in_order(labels, org.model_ordering if org else ()),
            "zones": sorted(zone_names()),
            "crumbs": [("Organisations", f"{BASE}/orgs")]
            + ([(org.org_name, org_path(org.org_id))] if org else []),
        }
        return pages.render(
            request, "pricekeeper/org_form.html", status=status, **{**given, **context}
        )

    @routes.get("/new")
    async def new(request: Request, who: Principal = admin) -> Response:
        # The id comes with the form: who sends it twice creates one organisation.
        return await shown(request, None, org_id=uuid7(keeper.clock.now()))

    @routes.post("/new")
    async def create(request: Request, who: Principal = admin) -> Response:
        values = await typed(request)
        org_id = values.get("org_id", "")
        labels = [each.label for each in await keeper.directory.labels()]
        try:
            body, table = read_org(values, labels, locale_of(request))
            try:
                saved = await keeper.orgs.put(org_id, body, who)
            except Problem as problem:
                raise table.told(problem) from problem
        except Problem as problem:
            if problem.code == "PRECONDITION_REQUIRED":
                return pages.done(request, org_path(org_id), "It is there already.", tone="info")
            again = {"problem": problem, "values": values, "org_id": org_id}
            return await shown(request, None, status=problem.status, **again)
        assert saved.issued is not None  # it is new
        fleets.forget()
        return pages.render(
            request,
            "pricekeeper/created.html",
            status=201,
            name=saved.entity.org_name,
            what="organisation",
            path=org_path(org_id),
            next_path=f"{org_path(org_id)}/new-app",
            client_id=saved.issued.credential.client_id,
            token=saved.issued.token,
            until=saved.issued.retrieval.expires_at_epoch,
            crumbs=[("Organisations", f"{BASE}/orgs")],
        )

    @routes.get("/{org_id}/edit")
    async def edit(request: Request, org_id: str, who: Principal = admin) -> Response:
        return await shown(request, await keeper.orgs.get(org_id))

    @routes.post("/{org_id}/edit")
    async def save(request: Request, org_id: str, who: Principal = admin) -> Response:
        values = await typed(request)
        labels = [each.label for each in await keeper.directory.labels()]
        try:
            body, table = read_org(values, labels, locale_of(request))
            seen = Precondition(if_match=f'"{values.get("version", "")}"')
            try:
                await keeper.orgs.put(org_id, body, who, seen)
            except Problem as problem:
                raise table.told(problem) from problem
        except Problem as problem:
            org = await keeper.orgs.get(org_id)
            if problem.status == 412:
                clash = merged(values, values_of(org, locale_of(request)))
                return await shown(request, org, status=412, values=clash.values, clash=clash)
            kept = {name: values.get(name, "") for name in ("version", "seen")}
            again = {"problem": problem, "values": values, **kept}
            return await shown(request, org, status=problem.status, **again)
        fleets.forget()
        return pages.done(request, org_path(org_id), "The settings are saved.")

    @routes.post("/{org_id}/delete")
    async def delete(request: Request, org_id: str, who: Principal = admin) -> Response:
        values = await typed(request)
        seen = Precondition(if_match=f'"{values.get("version", "")}"')
        await keeper.orgs.delete(org_id, who, seen)
        fleets.forget()
        return pages.done(request, f"{BASE}/orgs", "The organisation is deleted.", tone="info")

    return routes
