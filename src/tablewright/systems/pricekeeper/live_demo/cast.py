"""Who there is in the demo: organisations of three kinds, their apps, labels and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5
from zoneinfo import ZoneInfo

from tablewright.systems.pricekeeper.bodies import AppIn, LabelIn, OrgIn

_NAMES = uuid5(NAMESPACE_URL, "tablewright:pricekeeper:demo")
#: All around the world: somewhere it is always the time of day that is wanted.
_ZONES = (
    "Pacific/Auckland",
    "Australia/Sydney",
    "Asia/Tokyo",
    "Asia/Singapore",
    "Asia/Kolkata",
    "Asia/Dubai",
    "Africa/Nairobi",
    "Europe/Oslo",
    "Europe/Lisbon",
    "Atlantic/Azores",
    "America/Sao_Paulo",
    "America/New_York",
    "America/Denver",
    "America/Los_Angeles",
    "Pacific/Honolulu",
)
_DOLLAR = 1_000_000

LABELS: Mapping[str, LabelIn] = {
    "reasoning": LabelIn(
        bedrock_model_id="anthropic.claude-opus-4-5-20251101-v1:0",
        tier="frontier",
        family="claude-4.5",
        description="Long plans and hard questions. Ask before you make it a default.",
    ),
    "premium": LabelIn(
        bedrock_model_id="anthropic.claude-sonnet-4-5-20250929-v1:0",
        tier="premium",
        family="claude-4.5",
        description="The default for what customers read.",
    ),
    "standard": LabelIn(
        bedrock_model_id="anthropic.claude-haiku-4-5-20251001-v1:0",
        tier="standard",
        family="claude-4.5",
        description="Fast and good enough for most work.",
    ),
    "economy": LabelIn(
        bedrock_model_id="amazon.nova-lite-v1:0",
        tier="economy",
        family="nova",
        description="Classification, routing, and the end of every chain.",
    ),
}


@dataclass(frozen=True)
class AppPlan:
    """An app, and what a usual working day of it is like."""

    app_id: str
    body: AppIn
    #: Calls on a working day, and the tokens of one: the least and the most.
    calls: int
    input_tokens: tuple[int, int]
    output_tokens: tuple[int, int]
    #: The share of its input that comes from the cache, in percent.
    cached: int = 0
    #: Out of a hundred calls, so many fail.
    errors: int = 1
    #: A job of the night rather than of people.
    nightly: bool = False


@dataclass(frozen=True)
class OrgPlan:
    """An organisation."""

    name: str
    #: The local hour that it is meant to be there now.
    hour: float
    settings: Mapping[str, object]
    apps: tuple[AppPlan, ...]
    #: How much of a working day's calls there are at weekends, in percent.
    weekend: int = 35
    #: Today is so much busier than usual, whatever day it is: a limit is reached while one looks.
    busy_today: float = 0.0
    org_id: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "org_id", str(uuid5(_NAMES, self.name)))

    def body(self, now: int, **changes: object) -> OrgIn:
        """Its settings, at a moment: it is in a zone where it is the wanted time of day."""
        given = {"org_name": self.name, "timezone": zone_near(self.hour, now), **self.settings}
        return OrgIn.model_validate({**given, **changes})


def zone_near(hour: float, now: int) -> str:
    """The zone whose clocks are nearest an hour of the day."""

    def distance(name: str) -> float:
        local = datetime.fromtimestamp(now, UTC).astimezone(ZoneInfo(name))
        apart = abs(local.hour + local.minute / 60 - hour)
        return min(apart, 24 - apart)

    return min(_ZONES, key=distance)


def usd(dollars: float) -> int:
    """Micro-USD."""
    return round(dollars * _DOLLAR)


#: One budget for all apps; the best label is used up by the afternoon.
RETAIL = OrgPlan(
    name="Fernway Retail",
    hour=16.0,
    settings={
        "quota_scope": "ORG",
        "model_ordering": ["premium", "standard", "economy"],
        "quotas": {"premium": usd(24), "standard": usd(18), "economy": None},
        "quotas_week": {"_all": usd(260)},
    },
    apps=(
        AppPlan(
            "shop-assistant",
            AppIn(app_name="Shop assistant"),
            calls=46,
            input_tokens=(36_000, 180_000),
            output_tokens=(1_800, 10_000),
            cached=35,
        ),
        AppPlan(
            "product-copy",
            AppIn(app_name="Product copy"),
            calls=19,
            input_tokens=(16_000, 80_000),
            output_tokens=(4_000, 18_000),
        ),
        AppPlan(
            "search-rerank",
            AppIn(app_name="Search reranking", model_ordering=["standard", "economy"]),
            calls=30,
            input_tokens=(40_000, 120_000),
            output_tokens=(200, 1_400),
            errors=3,
        ),
    ),
    weekend=80,
    busy_today=2.2,
)

#: Limits of the whole and of each app, by day and by month.
INSURANCE = OrgPlan(
    name="Marlin Mutual",
    hour=13.0,
    settings={
        "quota_scope": "BOTH",
        "model_ordering": ["reasoning", "premium", "standard"],
        "quotas": {"_all": usd(90)},
        "quotas_month": {"reasoning": usd(1_000), "_all": usd(1_400)},
        "alert_pcts": [50, 75, 90, 100],
        "tight_mode_threshold_pct": 90,
    },
    apps=(
        AppPlan(
            "claims-triage",
            AppIn(app_name="Claims triage", quotas={"reasoning": usd(34), "_all": usd(60)}),
            calls=35,
            input_tokens=(60_000, 260_000),
            output_tokens=(3_000, 12_000),
            cached=20,
        ),
        AppPlan(
            "policy-search",
            AppIn(
                app_name="Policy search",
                model_ordering=["premium", "standard"],
                quotas={"_all": usd(25)},
            ),
            calls=32,
            input_tokens=(30_000, 140_000),
            output_tokens=(600, 4_000),
            cached=50,
        ),
    ),
    weekend=45,
)

#: Teams with budgets of their own; one of them is close to its end.
LABS = OrgPlan(
    name="Orbital Labs",
    hour=20.0,
    settings={
        "quota_scope": "APP",
        "model_ordering": ["premium", "standard", "economy"],
        "quotas": {"_all": usd(12)},
        "quotas_week": {"_all": usd(70)},
        "fail_mode": "open",
    },
    apps=(
        AppPlan(
            "research-agent",
            AppIn(app_name="Research agent"),
            calls=17,
            input_tokens=(50_000, 240_000),
            output_tokens=(2_000, 14_000),
            cached=30,
            errors=4,
        ),
        AppPlan(
            "nightly-batch",
            AppIn(app_name="Nightly batch", model_ordering=["economy"]),
            calls=40,
            input_tokens=(120_000, 800_000),
            output_tokens=(2_000, 16_000),
            nightly=True,
        ),
        AppPlan(
            "ide-plugin",
            AppIn(app_name="IDE plug-in", quotas={"premium": usd(8), "standard": usd(8)}),
            calls=27,
            input_tokens=(12_000, 100_000),
            output_tokens=(400, 5_000),
            cached=60,
        ),
    ),
    weekend=40,
)

ORGS = (RETAIL, INSURANCE, LABS)
