"""How organisations and apps stand now, as pages show it.

Everything comes from the selections and totals that callers are answered with, so that a page never
says anything else than the API does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.service.gathering import at_most
from tablewright.systems.pricekeeper.config import App, Org
from tablewright.systems.pricekeeper.reads import dirty_counts_of_day
from tablewright.systems.pricekeeper.rules.account import Limit
from tablewright.systems.pricekeeper.rules.calendar import calendar_of, periods_of
from tablewright.systems.pricekeeper.rules.choosing import LabelStanding, Standing
from tablewright.systems.pricekeeper.rules.cost import micros
from tablewright.systems.pricekeeper.rules.limits import org_limits
from tablewright.systems.pricekeeper.service.recording.markers import MARK_SECS
from tablewright.systems.pricekeeper.service.totals import OrgBooks, Spend
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, scope_of, slot_of

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper
    from tablewright.systems.pricekeeper.service.selection import Selection

#: A total of so many seconds ago is current without looking further.
_RECENT_SECS = 60.0
#: Apps that are asked about at the same time.
_AT_ONCE = 8
#: What a window is called, and what the one is that goes on.
WINDOWS = {"DAY": "a day", "WEEK": "a week", "MONTH": "a month"}
CURRENT = {"DAY": "today", "WEEK": "this week", "MONTH": "this month"}


def label_text(label: str) -> str:
    """A label as people read it."""
    return "all labels" if label == ALL else label


@dataclass(frozen=True)
class LimitLine:
    """One limit, and what is spent of it."""

    limit: Limit
    spend_micros: int
    pct: float
    #: Seconds until it is reached, as spend goes now; None for ever.
    secs_left: float | None
    #: Its window ends first.
    lasts: bool

    @classmethod
    def of(cls, standing: Standing, now: float) -> LimitLine:
        left = standing.secs_left
        lasts = left is None or now + left >= standing.ends
        return cls(standing.limit, micros(standing.spend_picos), standing.pct, left, lasts)

    @property
    def label(self) -> str:
        return label_text(self.limit.label)

    @property
    def window(self) -> str:
        return WINDOWS[self.limit.window]

    @property
    def current(self) -> str:
        return CURRENT[self.limit.window]

    @property
    def app_id(self) -> str:
        """The app whose limit it is; "" for an organisation's."""
        return self.limit.scope.partition("#APP#")[2]


@dataclass(frozen=True)
class LabelLine:
    """One label of a chain: whether it is open, and its limit that is nearest its end."""

    label: str
    state: str  # active, open, closed, used-up, unpriced
    nearest: LimitLine
    limits: tuple[LimitLine, ...] = ()
    #: Whether its model has a price; without one, its limits may have no effect.
    is_priced: bool = True

    @property
    def is_open(self) -> bool:
        return self.state in ("active", "open")


def chain_of(selection: Selection) -> list[LabelLine]:
    """The labels of an app's ordering as they are now."""
    chosen, now = selection.choice.recommended, selection.now
    return [_label_line(each, chosen, now) for each in selection.choice.labels]


def _label_line(standing: LabelStanding, chosen: str | None, now: float) -> LabelLine:
    limits = tuple(LimitLine.of(each, now) for each in standing.standings)
    nearest = max(limits, key=lambda line: (line.pct, line.limit.quota_micros is not None))
    state = _state(standing, chosen)
    return LabelLine(standing.label, state, nearest, limits, not standing.unpriced)


def _state(standing: LabelStanding, chosen: str | None) -> str:
    if standing.label == chosen:
        return "active"
    if standing.open:
        return "open"
    if standing.unpriced and not standing.exhausted:
        return "unpriced"
    # Closed by hand, or used up before it was corrected; else its spend says so itself.
    return "used-up" if any(each.over for each in standing.standings) else "closed"


# --- apps ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AppLine:
    """One app, and what it is told to use."""

    app: App
    #: None if it may use nothing: it, or its organisation, is not active.
    selection: Selection | None
    spend: Spend

    @property
    def chain(self) -> list[LabelLine]:
        return [] if self.selection is None else chain_of(self.selection)

    @property
    def limits(self) -> list[LimitLine]:
        """Everything that can close a label of the chain, the fullest first."""
        found = {line.limit: line for label in self.chain for line in label.limits}
        return sorted(found.values(), key=lambda line: -line.pct)

    @property
    def recommended(self) -> str | None:
        return None if self.selection is None else self.selection.choice.recommended

    @property
    def runs_out(self) -> LimitLine | None:
        """The limit that takes the label in use away first, if one does before its window ends."""
        ending = [
            (line.secs_left, line)
            for label in self.chain
            if label.state == "active"
            for line in label.limits
            if line.secs_left is not None and not line.lasts
        ]
        return min(ending, key=lambda each: each[0])[1] if ending else None

    @property
    def moved_down(self) -> bool:
        """Whether it has to do without the label that it would like best."""
        return self.selection is not None and self.recommended != self.selection.account.ordering[0]

    @property
    def is_tight(self) -> bool:
        return self.selection is not None and self.selection.choice.mode == "TIGHT"

    @property
    def spend_micros(self) -> int:
        return micros(self.spend.picos)


async def app_line(keeper: Keeper, org: Org, app: App) -> AppLine:
    """An app as it stands now."""
    books = OrgBooks(org.org_id, calendar_of(org))
    key = TotalKey(scope_of(org.org_id, app.app_id), ALL, _day(keeper, org))
    spend = (await keeper.totals.spend(books, [key]))[key]
    if org.status != "ACTIVE" or app.status != "ACTIVE":
        return AppLine(app, None, spend)
    account = await keeper.directory.account(org.org_id, app.app_id)
    return AppLine(app, await keeper.selector.select(account), spend)


async def app_lines(keeper: Keeper, org: Org, apps: Iterable[App]) -> list[AppLine]:
    return await at_most(_AT_ONCE, (app_line(keeper, org, app) for app in apps))


# --- organisations -------------------------------------------------------------------------------


@dataclass(frozen=True)
class OrgLine:
    """An organisation as it stands now."""

    org: Org
    apps: Sequence[AppLine]
    #: There are more apps than are looked at.
    more_apps: bool
    #: By window, what all labels have cost.
    spends: Mapping[str, Spend]
    #: The organisation's own limits.
    limits: Sequence[LimitLine]
    now: float
    #: How far today's total is behind what was recorded, in seconds; 0 if it has all of it.
    lag_secs: float = 0.0
    #: Labels of the chain and the limits whose models have no price.
    unpriced: Sequence[str] = ()

    @property
    def today_micros(self) -> int:
        return micros(self.spends["DAY"].picos)

    def spend_micros(self, window: str) -> int:
        return micros(self.spends[window].picos)

    def quota(self, window: str) -> int | None:
        """The organisation's limit of all labels in a window."""
        found = (line.limit for line in self.limits)
        return next(
            (each.quota_micros for each in found if (each.window, each.label) == (window, ALL)),
            None,
        )

    @property
    def burn(self) -> float:
        return self.spends["DAY"].burn_micros_per_hour

    @property
    def is_tight(self) -> bool:
        return any(app.is_tight for app in self.apps)

    @property
    def labels(self) -> list[tuple[str, str]]:
        """Each label that an app may use, and its state: in use if one of them is told to."""
        found: dict[str, str] = dict.fromkeys(self.org.model_ordering, "closed")
        for line in (line for app in self.apps for line in app.chain):
            found[line.label] = min(found.get(line.label, "closed"), line.state, key=_rank)
        return list(found.items()) if self.apps else [(label, "open") for label in found]

    @property
    def pressing(self) -> list[LimitLine]:
        """Every limit there is, its own and its apps', each once; the one nearest its end first."""
        of_apps = (each for app in self.apps for label in app.chain for each in label.limits)
        found = {line.limit: line for line in (*self.limits, *of_apps)}
        real = [line for line in found.values() if line.limit.quota_micros is not None]
        return sorted(real, key=lambda line: -line.pct)


def _rank(state: str) -> int:
    return ("active", "open", "used-up", "unpriced", "closed").index(state)


async def org_line(keeper: Keeper, org: Org, *, most_apps: int = 100) -> OrgLine:
    """An organisation, its own limits and its apps."""
    page = await keeper.orgs.apps.page(org.org_id, limit=most_apps)
    apps = await app_lines(keeper, org, page)
    periods = periods_of(_day(keeper, org).removeprefix("DAY#"))
    scope, books = scope_of(org.org_id), OrgBooks(org.org_id, calendar_of(org))
    whole = {window: TotalKey(scope, ALL, periods.of(window)) for window in WINDOWS}
    limits = {
        limit: TotalKey(limit.scope, limit.label, periods.of(limit.window))
        for limit in org_limits(org)
    }
    keys = list(dict.fromkeys((*whole.values(), *limits.values())))
    spends = await keeper.totals.spend(books, keys)
    now = keeper.clock.now()
    return OrgLine(
        org,
        apps,
        page.cursor is not None,
        {window: spends[key] for window, key in whole.items()},
        [_limit_line(limit, spends[key], books, key, now) for limit, key in limits.items()],
        now,
        await lag_of(keeper, org, spends[whole["DAY"]]),
        await unpriced_labels(keeper, (*org.model_ordering, *(each.label for each in limits))),
    )


async def lag_of(keeper: Keeper, org: Org, today: Spend) -> float:
    """Return how many seconds an organisation's total of today is behind what was recorded.

    A total that is older than the aggregator's interval is behind only if something was counted
    since: every count that may be written to has a mark that ends after its last record.
    """
    now, as_of = keeper.clock.now(), today.as_of_ms / 1000
    age = max(now - as_of, 0.0)
    if today.as_of_ms and age < _RECENT_SECS:
        return age
    day = keeper.aggregates.today(org)
    marks = keeper.db.iterate(dirty_counts_of_day(slot_of(org.org_id), org.org_id, day))
    ends = [mark.dirty_until_epoch.timestamp() async for mark in marks]
    if not ends or max(ends) <= as_of:
        return 0.0
    return age if today.as_of_ms else max(now - min(ends) + MARK_SECS, 0.0)


async def unpriced_labels(keeper: Keeper, names: Iterable[str]) -> list[str]:
    """Find the labels whose models have no price, each once; both are read from caches."""
    found: list[str] = []
    for name in dict.fromkeys(names):
        label = await keeper.directory.label(name)
        if label is not None and await keeper.prices.of_label(label) is None:
            found.append(name)
    return found


def _limit_line(
    limit: Limit, spend: Spend, books: OrgBooks, key: TotalKey, now: float
) -> LimitLine:
    ends = books.calendar.ends(key.period)
    return LimitLine.of(Standing(limit, spend.picos, spend.burn_micros_per_hour, ends), now)


def _day(keeper: Keeper, org: Org) -> str:
    return f"DAY#{keeper.aggregates.today(org)}"
