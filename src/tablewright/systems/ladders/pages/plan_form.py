"""The form of a plan: days by the company's clock, and what it says in the API's words."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Final
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field

from tablewright.service.bodies import line
from tablewright.service.forms import Typed
from tablewright.service.problems import FieldError
from tablewright.systems.ladders.bodies.common import lines
from tablewright.systems.ladders.bodies.plans import SeasonIn
from tablewright.systems.ladders.entities import Plan
from tablewright.systems.ladders.fields import ConfigVersionText
from tablewright.systems.ladders.pages.form_fields import PLAN, read_form
from tablewright.systems.ladders.service.plans import Draft, PlanEdit

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.callers import Caller
    from tablewright.systems.ladders.service.company import Company

#: How long a review takes, if nobody says so.
_USUAL: Final = timedelta(days=21)
_LAST: Final = time(23, 59, 59)


class PlanForm(BaseModel):
    """What the form asks for."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    season: SeasonIn | None = None
    plan_name: Annotated[str, *line(2, 100)]
    description: Annotated[str, *lines(2000)] | None = None
    start_date: date | None = None
    end_date: date
    flag_threshold: int | None = Field(default=None, ge=1, le=9)
    require_all: bool | None = None
    config_version: ConfigVersionText | None = None

    def draft(self, zone: str) -> Draft:
        assert self.season is not None
        assert self.start_date is not None
        return Draft(
            season=self.season,
            plan_name=self.plan_name,
            start_date=begins(self.start_date, zone),
            end_date=ends(self.end_date, zone),
            description=self.description,
            config_version=self.config_version,
            flag_threshold=self.flag_threshold or 2,
            require_all=bool(self.require_all),
        )

    def edit(self, zone: str) -> PlanEdit:
        start = None if self.start_date is None else begins(self.start_date, zone)
        return PlanEdit(
            plan_name=self.plan_name,
            end_date=ends(self.end_date, zone),
            description=self.description,
            start_date=start,
            config_version=self.config_version,
            flag_threshold=self.flag_threshold,
            require_all=self.require_all,
        )


def begins(day: date, zone: str) -> datetime:
    """The first moment of a day there."""
    return datetime.combine(day, time.min, ZoneInfo(zone)).astimezone(UTC)


def ends(day: date, zone: str) -> datetime:
    """The last second of a day there."""
    return datetime.combine(day, _LAST, ZoneInfo(zone)).astimezone(UTC)


def day_of(moment: datetime, zone: str) -> str:
    """As an input for a day has it."""
    return moment.astimezone(ZoneInfo(zone)).date().isoformat()


def seasons_near(today: date) -> list[str]:
    """Those that a plan is likely to be for."""
    quarter = (today.month + 2) // 3
    year, half = today.year, 1 if today.month <= 6 else 2
    after = f"{year}-H2" if half == 1 else f"{year + 1}-H1"
    later = f"{year}-Q{quarter + 1}" if quarter < 4 else f"{year + 1}-Q1"
    return [f"{year}-H{half}", after, f"{year}-Q{quarter}", later, str(year), str(year + 1)]


def first_values(now: datetime, zone: str, taken: Collection[str] = ()) -> dict[str, str]:
    """A new plan, from today: the half that is on, or the next one if it has a plan already."""
    today = now.astimezone(ZoneInfo(zone)).date()
    halves = seasons_near(today)[:2]
    season = next((each for each in halves if each not in taken), halves[0])
    return {
        "season": season,
        "plan_name": f"Review {season}",
        "description": "",
        "start_date": today.isoformat(),
        "end_date": (today + _USUAL).isoformat(),
        "flag_threshold": "2",
        "require_all": "1",
        "config_version": "",
    }


def values_of(plan: Plan, zone: str) -> dict[str, str]:
    """A plan as the form shows it."""
    return {
        "season": plan.season,
        "plan_name": plan.plan_name,
        "description": plan.description or "",
        "start_date": day_of(plan.start_date, zone),
        "end_date": day_of(plan.end_date, zone),
        "flag_threshold": str(plan.flag_threshold),
        "require_all": "1" if plan.require_all else "",
        "config_version": plan.config_version,
    }


def read_new(values: Typed) -> PlanForm:
    """A new plan, or a problem at its fields."""
    lacking = [
        FieldError(f"body.{name}", "Is missing.")
        for name in ("season", "start_date", "end_date")
        if not values.get(name)
    ]
    return _at_fields({**_always(values), **_settled(values)}, lacking)


def read_draft(values: Typed) -> PlanForm:
    """A draft; its season stays."""
    said = {**_always(values), **_settled(values)}
    return _at_fields({name: value for name, value in said.items() if name != "season"})


def read_active(values: Typed) -> PlanForm:
    """What may still change: name, description, a later end."""
    return _at_fields(_always(values))


def _always(values: Typed) -> dict[str, object]:
    return {
        "plan_name": values.get("plan_name", ""),
        "description": values.get("description") or None,
        "end_date": values.get("end_date", ""),
    }


def _settled(values: Typed) -> dict[str, object]:
    return {
        "season": values.get("season") or None,
        "start_date": values.get("start_date") or None,
        "flag_threshold": values.get("flag_threshold") or None,
        "require_all": values.get("require_all") == "1",
        "config_version": values.get("config_version") or None,
    }


def _at_fields(said: dict[str, object], errors: list[FieldError] | None = None) -> PlanForm:
    return read_form(PlanForm, said, PLAN, errors or [])


async def ladders_for(
    company: Company, by: Caller, plan: Plan | None = None
) -> list[tuple[str, str]]:
    """The versions to choose from: all for administrators, else the active one and the plan's."""
    pointer = await company.configs.pointer()
    active = "" if pointer is None else pointer.version
    known = [] if plan is None else [plan.config_version]
    if by.admin:
        known += [each.version for each in (await company.configs.list(by)).configs]
    found = [("", f"The active one ({active})")] if plan is None and active else []
    found += [(each, f"{each} (active)" if each == active else each) for each in known]
    if plan is not None and active:
        found.append((active, f"{active} (active)"))
    return list(dict(found).items()) if found else [("", "There is none yet")]
