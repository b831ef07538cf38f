"""What people configure and workers note down: topics, sources, models, rules, runs, jobs."""

from __future__ import annotations

from datetime import date, datetime

from tablewright.model import (
    Check,
    Delete,
    Put,
    Rate,
    Update,
    attr,
    check,
    delete,
    put,
    transaction,
    update,
    write,
)
from tablewright.systems.sentiment.config import (
    MAX_SOURCE_KEYS,
    MAX_WATCHES,
    Alert,
    AlertRule,
    Comparison,
    Job,
    JobState,
    ModelVersion,
    Quota,
    Run,
    Settings,
    Source,
    Watch,
)
from tablewright.systems.sentiment.shapes import SHARDS

#: What a job may have been before.
BEFORE: dict[JobState, tuple[JobState, ...]] = {
    "running": (),
    "compared": ("running",),
    "promoting": ("compared", "promoted"),
    "promoted": ("promoting",),
    "cancelled": ("running", "compared"),
    "failed": ("running", "promoting"),
}


# --- settings and topics -------------------------------------------------------------------------


@write(component="admin", rate=Rate(0.0001))
def install_settings(active_model: str, shards: int = SHARDS) -> Update[Settings]:
    """The first settings; what is set already stays. [17]"""
    return (
        update(Settings)
        .upsert()
        .do(
            attr(Settings.active_model).set_if_missing(active_model),
            attr(Settings.shards).set_if_missing(shards),
        )
    )


@write(component="admin", rate=Rate(0.0001))
def raise_shards(shards: int) -> Update[Settings]:
    """Spread counts over more items; fewer would hide what was counted. [9]"""
    return (
        update(Settings).do(attr(Settings.shards).set(shards)).when(attr(Settings.shards) < shards)
    )


@write(component="ingest", rate=Rate(0.001))
def add_source_key(source_key: str) -> Update[Settings]:
    """Count a publisher by name, as long as there are not too many. [1]"""
    keys = attr(Settings.source_keys)
    added = update(Settings).do(keys.add_members({source_key}))
    return added.when(keys.missing() | (keys.size() < MAX_SOURCE_KEYS))


@transaction(component="editor", rate=Rate(0.001), expect=2)
def create_watch(watch: Watch) -> tuple[Put[Watch], Update[Settings]]:
    """A new topic, if its tag is free, whatever its case, and there are fewer than 20. [11]"""
    counted = update(Settings).do(attr(Settings.watch_count).add(1))
    return put(watch).new(), counted.when(attr(Settings.watch_count) < MAX_WATCHES)


@write(component="editor", rate=Rate(0.001))
def save_watch(watch: Watch) -> Put[Watch]:
    """A topic as somebody has edited it, from the version that was read. [11]"""
    return put(watch).replace()


@transaction(component="editor", rate=Rate(0.001), expect=2)
def delete_watch(watch: Watch) -> tuple[Delete[Watch], Update[Settings]]:
    """No longer follow a topic; articles keep its tag. [11]"""
    counted = update(Settings).do(attr(Settings.watch_count).add(-1))
    return delete(watch).existing(), counted.when(attr(Settings.watch_count) > 0)


# --- sources -------------------------------------------------------------------------------------


@write(component="admin", rate=Rate(0.0001))
def create_source(source: Source) -> Put[Source]:
    """A new source. [1]"""
    return put(source).new()


@write(component="admin", rate=Rate(0.0001))
def save_source(source: Source) -> Update[Source]:
    """A source as somebody has edited it; how far it has been read is not touched. [1]"""
    return update(Source, source.name).do(
        attr(Source.url).set(source.url),
        attr(Source.query).set(source.query),
        attr(Source.interval_seconds).set(source.interval_seconds),
        attr(Source.daily_limit).set(source.daily_limit),
        attr(Source.enabled).set(source.enabled),
    )


@write(component="ingest", rate=Rate(0.0033, peak=1))
def advance_source(name: str, cursor: str, etag: str | None = None) -> Update[Source]:
    """A page has been stored: go on after it, with the breaker closed. [1]"""
    return update(Source, name).do(
        attr(Source.cursor).set(cursor),
        attr(Source.etag).set(etag),
        attr(Source.failures).set(0),
        attr(Source.breaker_open_until).remove(),
    )


@write(component="ingest", rate=Rate(0.0001))
def source_failed(name: str, *, open_until: datetime | None, enabled: bool) -> Update[Source]:
    """A call that failed; the third opens the breaker, and a refused key switches it off. [1]"""
    return update(Source, name).do(
        attr(Source.failures).add(1),
        attr(Source.breaker_open_until).set(open_until),
        attr(Source.enabled).set(enabled),
    )


@write(component="ingest", rate=Rate(0.0033, peak=1))
def take_quota(source: str, day: date, limit: int, ends: datetime) -> Update[Quota]:
    """One call of a day's quota, if one is left. [15]"""
    taken = (
        update(Quota, source, day)
        .upsert()
        .do(
            attr(Quota.used).add(1),
            attr(Quota.limit).set(limit),
            attr(Quota.ttl_timestamp).set_if_missing(ends),
        )
    )
    return taken.when(attr(Quota.used).missing() | (attr(Quota.used) < limit))


@write(component="ingest", rate=Rate(0.0033, peak=1))
def start_run(run: Run) -> Put[Run]:
    """A reading of a source begins. [14]"""
    return put(run).new()


@write(component="ingest", rate=Rate(0.0033, peak=1))
def finish_run(run: Run) -> Put[Run]:
    """How a reading of a source has ended. [14]"""
    return put(run).replace().when(attr(Run.state) == "running")


# --- models and jobs -----------------------------------------------------------------------------


@write(component="admin", rate=Rate(0.0001))
def register_model(model: ModelVersion) -> Put[ModelVersion]:
    """A model that can be used from now on. [17]"""
    return put(model).new()


@transaction(component="reanalysis", rate=Rate(0.0001), expect=2)
def activate_model(model_version: str) -> tuple[Check[ModelVersion], Update[Settings]]:
    """New articles are analyzed by this model; the old ones follow one by one. [17]"""
    activated = update(Settings).do(attr(Settings.active_model).set(model_version))
    return check(ModelVersion, model_version), activated


@write(component="reanalysis", rate=Rate(0.0001))
def start_job(job: Job) -> Put[Job]:
    """Begin to compare a model with the active one. [14]"""
    return put(job).new()


@write(component="reanalysis", rate=Rate(0.01))
def advance_job(job_id: str, cursor: datetime, done: int) -> Update[Job]:
    """An hour has been worked on: after a stop, go on with the next. [14]"""
    advanced = update(Job, job_id).do(attr(Job.cursor).set(cursor), attr(Job.done).add(done))
    return advanced.when(attr(Job.state).is_in(["running", "promoting"]))


@write(component="reanalysis", rate=Rate(0.0001))
def move_job(job_id: str, state: JobState, report: Comparison | None = None) -> Update[Job]:
    """The next state of a job, from one that allows it; the report comes with "compared". [14]"""
    changes = [attr(Job.state).set(state)]
    if report is not None:
        changes.append(attr(Job.report).set(report))
    return update(Job, job_id).do(*changes).when(attr(Job.state).is_in(BEFORE[state]))


# --- alerts --------------------------------------------------------------------------------------


@write(component="editor", rate=Rate(0.001))
def create_alert_rule(rule: AlertRule) -> Put[AlertRule]:
    """A new rule. [14]"""
    return put(rule).new()


@write(component="editor", rate=Rate(0.001))
def save_alert_rule(rule: AlertRule) -> Put[AlertRule]:
    """A rule as somebody has edited it, from the version that was read. [14]"""
    return put(rule).replace()


@write(component="editor", rate=Rate(0.001))
def delete_alert_rule(rule: AlertRule) -> Delete[AlertRule]:
    """No longer watch for something. [14]"""
    return delete(rule).existing()


@transaction(component="alerts", rate=Rate(0.001), expect=2)
def raise_alert(alert: Alert, now: datetime) -> tuple[Put[Alert], Update[AlertRule]]:
    """A rule fires, once for a window. [14]"""
    fired = update(AlertRule, alert.rule_id).do(
        attr(AlertRule.firing).set(True),
        attr(AlertRule.calm_windows).set(0),
        attr(AlertRule.last_fired_at).set(now),
    )
    return put(alert).new(), fired


@write(component="alerts", rate=Rate(0.001))
def note_calm(rule_id: str, calm_windows: int, firing: bool) -> Update[AlertRule]:
    """A firing rule has had quiet windows; the second ends the alert. [14]"""
    noted = update(AlertRule, rule_id).do(
        attr(AlertRule.calm_windows).set(calm_windows), attr(AlertRule.firing).set(firing)
    )
    return noted.when(attr(AlertRule.firing).eq(True))


@write(component="editor", rate=Rate(0.001))
def acknowledge_alert(
    window_start: datetime, rule_id: str, *, by: str, now: datetime
) -> Update[Alert]:
    """Somebody has seen an alert; the first one counts. [14]"""
    return update(Alert, window_start, rule_id).do(
        attr(Alert.acked_by).set_if_missing(by), attr(Alert.acked_at).set_if_missing(now)
    )
