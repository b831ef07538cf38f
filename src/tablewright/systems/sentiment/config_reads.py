"""Reads of topics, sources, models and rules; of runs, quotas, alerts and jobs."""

from __future__ import annotations

from datetime import date, datetime

from tablewright.model import (
    Range,
    Rate,
    Ulid,
    get,
    query,
)
from tablewright.systems.sentiment.config import (
    Alert,
    AlertRule,
    Job,
    ModelVersion,
    Publisher,
    Quota,
    Run,
    Settings,
    Source,
    Watch,
)
from tablewright.systems.sentiment.shapes import (
    RuleId,
    SourceName,
    Tag,
    VersionName,
)


@get(Settings, consistent=True, component="ingest", rate=Rate(0.02))
def settings() -> None:
    """What holds for the whole system. [17]"""


@get(Settings, consistent=True, component="analysis", rate=Rate(0.03))
def model_in_use() -> None:
    """Which model analyses, and over how many items counts are spread. [2]"""


@query(Watch, consistent=True, component="ingest", rate=Rate(0.02), expect=5)
def watch_rules() -> None:
    """All topics, to match articles with. [11]"""


@query(Watch, consistent=True, component="dashboard", rate=Rate(0.02), expect=5)
def watches() -> None:
    """All topics, to show them. [11]"""


@get(Watch, consistent=True, component="editor", rate=Rate(0.01))
def watch(watch_tag: Tag) -> None:
    """One topic, to edit it. [11]"""


@get(Source, consistent=True, component="ingest", rate=Rate(0.02))
def source(name: SourceName) -> None:
    """A source, and how far it has been read. [1]"""


@get(Source, consistent=True, component="admin", rate=Rate(0.0001))
def source_to_edit(name: SourceName) -> None:
    """A source, before somebody's change to it is written. [1]"""


@query(Source, consistent=True, component="ingest", rate=Rate(0.2), expect=5)
def sources_to_read() -> None:
    """All sources, to read those whose time has come. [1]"""


@query(Source, component="dashboard", rate=Rate(0.01), expect=5)
def sources() -> None:
    """All sources. [14]"""


@query(Publisher, component="dashboard", rate=Rate(0.03), expect=100)
def publishers() -> None:
    """All publishers, to show them by name. [9]"""


@query(ModelVersion, component="dashboard", rate=Rate(0.01), expect=3)
def models() -> None:
    """All models that can be used. [17]"""


@get(ModelVersion, consistent=True, component="analysis", rate=Rate(0.001))
def registered_model(model_version: VersionName) -> None:
    """A model, to load it if it is still what was registered. [17]"""


@query(AlertRule, descending=True, component="dashboard", rate=Rate(0.01), expect=10)
def alert_rules() -> None:
    """All rules of alerts. [14]"""


@query(AlertRule, consistent=True, component="alerts", rate=Rate(0.017), expect=10)
def alert_rules_to_check() -> None:
    """All rules of alerts, each minute. [14]"""


@get(AlertRule, consistent=True, component="editor", rate=Rate(0.001))
def alert_rule(rule_id: RuleId) -> None:
    """One rule, to edit it. [14]"""


@query(Source, component="alerts", rate=Rate(0.017), expect=5)
def sources_to_check() -> None:
    """All sources, each minute: whether one is cut off, and which have quotas. [14]"""


# --- runs, quotas, alerts, jobs ------------------------------------------------------------------


@query(Run, descending=True, limit=20, component="dashboard", rate=Rate(0.02), expect=20)
def runs(source: SourceName) -> None:
    """The runs of a source, the latest first. [14]"""


@query(Quota, descending=True, limit=1, component="alerts", rate=Rate(0.017), expect=1)
def latest_quota(source: SourceName) -> None:
    """How much of a source's quota is used on the last day that any was. [15]"""


@get(Quota, component="dashboard", rate=Rate(0.02))
def quota(source: SourceName, day: date) -> None:
    """How much of a source's quota is used on a day. [15]"""


@query(
    Alert,
    range=Range("window_start", ge="since", lt="until"),
    descending=True,
    limit=50,
    component="dashboard",
    rate=Rate(0.05),
    expect=10,
)
def alerts(*, since: datetime | None = None, until: datetime | None = None) -> None:
    """What rules have fired, the latest first. [14]"""


@query(
    Alert,
    range=Range("window_start", ge="since", lt="until"),
    consistent=True,
    component="alerts",
    rate=Rate(0.0003),
    expect=5,
)
def alerts_to_digest(*, since: datetime, until: datetime) -> None:
    """What rules have fired in some time, to tell it together. [14]"""


@get(Alert, consistent=True, component="editor", rate=Rate(0.001))
def alert(window_start: datetime, rule_id: RuleId) -> None:
    """One alert, to acknowledge it. [14]"""


@query(Job, descending=True, limit=20, component="dashboard", rate=Rate(0.01), expect=5)
def jobs() -> None:
    """Comparisons of models, the latest first. [14]"""


@get(Job, consistent=True, component="reanalysis", rate=Rate(0.01))
def job(job_id: Ulid) -> None:
    """One comparison, to go on with it. [14]"""
