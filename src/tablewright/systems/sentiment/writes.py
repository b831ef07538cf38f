"""What people configure and workers note down: topics, sources, models, rules, runs, jobs."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

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
    MAX_WATCHES,
    Alert,
    AlertRule,
    Comparison,
    Job,
    JobState,
    ModelVersion,
    Publisher,
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


@write(component="ingest", rate=Rate(0.02, peak=2))
def note_publisher(source_key: str, name: str, articles: int, now: datetime) -> Update[Publisher]:
    """Make a publisher known, and add to its number of articles. [1]"""
    return (
        update(Publisher, source_key)
        .upsert()
        .do(
            attr(Publisher.name).set_if_missing(name),
            attr(Publisher.articles).add(articles),
            attr(Publisher.last_seen).set(now),
        )
    )


@transaction(component="editor", rate=Rate(0.001), expect=2)
def create_watch(watch: Watch) -> tuple[Put[Watch], Update[Settings]]:
    """A new topic, if its tag is free, whatever its case, and there are fewer than 20. [11]"""
    number = attr(Settings.watch_count)
    counted = update(Settings).do(number.add(1))
    return put(watch).new(), counted.when(number.missing() | (number < MAX_WATCHES))


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
def save_source(source: Source, *, afresh: bool = False, trusted: bool = False) -> Update[Source]:
    """A source as somebody has edited it, from the revision that was read. [1]

    How far it has been read is not touched, unless it is another one now (``afresh``); nor is the
    breaker, unless somebody says that all is well again (``trusted``).
    """
    changes = [
        attr(Source.url).set(source.url),
        attr(Source.query).set(source.query),
        attr(Source.interval_seconds).set(source.interval_seconds),
        attr(Source.daily_limit).set(source.daily_limit),
        attr(Source.enabled).set(source.enabled),
        attr(Source.revision).add(1),
    ]
    if afresh:
        places = (attr(Source.cursor), attr(Source.etag), attr(Source.last_modified))
        changes += [place.remove() for place in places]
    if afresh or trusted:
        changes += _all_is_well()
    return update(Source, source.name).do(*changes).when(attr(Source.revision) == source.revision)


@write(component="admin", rate=Rate(0.0001))
def delete_source(source: Source) -> Delete[Source]:
    """No longer read a source. [1]"""
    return delete(Source, source.name).when(attr(Source.revision) == source.revision)


def _all_is_well() -> list[Any]:
    return [
        attr(Source.failures).set(0),
        attr(Source.breaker_open_until).remove(),
        attr(Source.error_code).remove(),
    ]


@write(component="ingest", rate=Rate(0.0033, peak=1))
def advance_source(
    source: Source, cursor: str | None, etag: str | None = None, last_modified: str | None = None
) -> Update[Source]:
    """A page has been stored: go on after it, with the breaker closed. [1]

    Refused if it has another address or question by now: that one is read from its beginning.
    """
    advanced = update(Source, source.name).do(
        attr(Source.cursor).set(cursor),
        attr(Source.etag).set(etag),
        attr(Source.last_modified).set(last_modified),
        attr(Source.rules_mark).set(source.rules_mark),
        *_all_is_well(),
    )
    url, query = attr(Source.url), attr(Source.query)
    there = url.missing() if source.url is None else url == source.url
    asked = query.missing() if source.query is None else query == source.query
    return advanced.when(there & asked)


@write(component="ingest", rate=Rate(0.0001))
def source_failed(
    name: str, *, open_until: datetime | None, enabled: bool, error_code: str | None = None
) -> Update[Source]:
    """A call that failed; the third opens the breaker, and a refused key switches it off. [1]"""
    changes = [
        attr(Source.failures).add(1),
        attr(Source.breaker_open_until).set(open_until),
        attr(Source.error_code).set(error_code),
    ]
    # Never True: somebody may have switched it off meanwhile.
    if not enabled:
        changes.append(attr(Source.enabled).set(False))
    return update(Source, name).do(*changes)


@write(component="ingest", rate=Rate(0.0001))
def delay_source(name: str, until: datetime, error_code: str) -> Update[Source]:
    """It asks to be left alone until then. [1]"""
    return update(Source, name).do(
        attr(Source.breaker_open_until).set(until), attr(Source.error_code).set(error_code)
    )


@write(component="ingest", rate=Rate(0.0033, peak=1))
def begin_reading(run: Run) -> Update[Source]:
    """The source knows its run, so that the next one finds it if it never ends. [14]"""
    return update(Source, run.source).do(
        attr(Source.last_run_at).set(run.started_at), attr(Source.open_run).set(run.run_id)
    )


@write(component="ingest", rate=Rate(0.0033, peak=1))
def end_reading(run: Run) -> Update[Source]:
    """The run of a source is over, if it is still that one. [14]"""
    ended = update(Source, run.source).do(attr(Source.open_run).remove())
    return ended.when(attr(Source.open_run) == run.run_id)


@write(component="ingest", rate=Rate(0.0001))
def abandon_run(source: str, started_at: datetime, run_id: str, now: datetime) -> Update[Run]:
    """A run whose process has gone; the next one finds it. [14]"""
    abandoned = update(Run, source, started_at, run_id).do(
        attr(Run.state).set("abandoned"), attr(Run.finished_at).set(now)
    )
    return abandoned.when(attr(Run.state) == "running")


@write(component="ingest", rate=Rate(0.0033, peak=1))
def take_quota(source: str, day: date, limit: int, ends: datetime) -> Update[Quota]:
    """One call of a day's quota, if one is left. [15]"""
    taken = (
        update(Quota, source, day)
        # A day's row ends months after the day: whoever takes from it never has to delete one.
        .upsert(anew=False)
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
def advance_job(
    job: Job, cursor: datetime, done: int, skipped: int = 0, report: Comparison | None = None
) -> Update[Job]:
    """Hours have been worked on, once: after a stop, go on with the next. [14]"""
    changes = [
        attr(Job.cursor).set(cursor),
        attr(Job.done).set(job.done + done),
        attr(Job.skipped).set(job.skipped + skipped),
    ]
    if report is not None:
        changes.append(attr(Job.report).set(report))
    at = attr(Job.cursor)
    here = at.missing() if job.cursor is None else at == job.cursor
    return update(Job, job.job_id).do(*changes).when(here & (attr(Job.state) == job.state))


@write(component="reanalysis", rate=Rate(0.0001))
def begin_promotion(job_id: str, *, now: datetime, cursor: datetime) -> Update[Job]:
    """The model is the active one from now on; all articles are gone through again. [14]"""
    begun = update(Job, job_id).do(
        attr(Job.state).set("promoting"),
        attr(Job.flipped_at).set(now),
        attr(Job.cursor).set(cursor),
        attr(Job.done).set(0),
        attr(Job.skipped).set(0),
    )
    return begun.when(attr(Job.state).is_in(BEFORE["promoting"]))


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
def save_alert_rule(rule: AlertRule) -> Update[AlertRule]:
    """A rule as somebody has edited it, from the version that was read. [14]

    Whether it is firing is not touched: that is noted beside all editing.
    """
    edited = update(AlertRule, rule.rule_id).do(
        attr(AlertRule.name).set(rule.name),
        attr(AlertRule.watch_tag).set(rule.watch_tag),
        attr(AlertRule.metric).set(rule.metric),
        attr(AlertRule.ops).set(rule.ops),
        attr(AlertRule.direction).set(rule.direction),
        attr(AlertRule.window).set(rule.window),
        attr(AlertRule.threshold).set(rule.threshold),
        attr(AlertRule.cooldown_minutes).set(rule.cooldown_minutes),
        attr(AlertRule.channel).set(rule.channel),
        attr(AlertRule.delivery).set(rule.delivery),
        attr(AlertRule.enabled).set(rule.enabled),
        attr(AlertRule.version).set(rule.version + 1),
    )
    return edited.when(attr(AlertRule.version) == rule.version)


@write(component="editor", rate=Rate(0.001))
def delete_alert_rule(rule: AlertRule) -> Delete[AlertRule]:
    """No longer watch for something. [14]"""
    return delete(AlertRule, rule.rule_id).when(attr(AlertRule.version) == rule.version)


@write(component="alerts", rate=Rate(0.0001))
def install_alert_rule(rule: AlertRule) -> Put[AlertRule]:
    """A rule that every newsroom has, unless it is there. [14]"""
    return put(rule).new()


@transaction(component="alerts", rate=Rate(0.001), expect=2)
def raise_alert(
    alert: Alert, now: datetime, *, quiet_since: datetime
) -> tuple[Put[Alert], Update[AlertRule]]:
    """A rule fires, once for a window, if it is not firing and has not since ``quiet_since``. [14]

    However many processes find the same at the same moment, one of them raises the alert.
    """
    fired = update(AlertRule, alert.rule_id).do(
        attr(AlertRule.firing).set(True),
        attr(AlertRule.calm_windows).set(0),
        attr(AlertRule.judged_window).set(alert.window_start),
        attr(AlertRule.fired_window).set(alert.window_start),
        attr(AlertRule.last_fired_at).set(now),
    )
    last = attr(AlertRule.last_fired_at)
    rested = last.missing() | (last <= quiet_since)
    return put(alert).new(), fired.when(attr(AlertRule.firing).eq(False) & rested)


@write(component="alerts", rate=Rate(0.001))
def note_window(rule_id: str, window_start: datetime, calm_windows: int) -> Update[AlertRule]:
    """How many windows a firing rule has been quiet for; each window counts once. [14]"""
    noted = update(AlertRule, rule_id).do(
        attr(AlertRule.calm_windows).set(calm_windows),
        attr(AlertRule.judged_window).set(window_start),
    )
    later = attr(AlertRule.judged_window) < window_start
    return noted.when(attr(AlertRule.firing).eq(True) & later)


@transaction(component="alerts", rate=Rate(0.001), expect=2)
def clear_alert(
    rule_id: str, fired_window: datetime, window_start: datetime, now: datetime
) -> tuple[Update[AlertRule], Update[Alert]]:
    """Two windows were quiet: the alert of ``fired_window`` is over. [14]"""
    cleared = update(Alert, fired_window, rule_id).do(
        attr(Alert.state).set("cleared"), attr(Alert.cleared_at).set(now)
    )
    return _rests(rule_id, fired_window, window_start), cleared


@write(component="alerts", rate=Rate(0.0001))
def rest_rule(rule_id: str, fired_window: datetime, window_start: datetime) -> Update[AlertRule]:
    """Two windows were quiet, after the alert of ``fired_window`` has ended by its age. [14]"""
    return _rests(rule_id, fired_window, window_start)


def _rests(rule_id: str, fired_window: datetime, window_start: datetime) -> Update[AlertRule]:
    over = update(AlertRule, rule_id).do(
        attr(AlertRule.firing).set(False),
        attr(AlertRule.calm_windows).set(0),
        attr(AlertRule.judged_window).set(window_start),
    )
    same = attr(AlertRule.firing).eq(True) & (attr(AlertRule.fired_window) == fired_window)
    return over.when(same & (attr(AlertRule.judged_window) < window_start))


@write(component="alerts", rate=Rate(0.0003))
def note_digest(rule_id: str, until: datetime) -> Update[AlertRule]:
    """What a rule has fired up to a moment is told, once. [14]"""
    told = attr(AlertRule.digested_until)
    noted = update(AlertRule, rule_id).do(told.set(until))
    return noted.when(told.missing() | (told < until))


@write(component="editor", rate=Rate(0.001))
def acknowledge_alert(
    window_start: datetime, rule_id: str, *, by: str, now: datetime
) -> Update[Alert]:
    """Somebody has seen an alert; the first one counts. [14]"""
    return update(Alert, window_start, rule_id).do(
        attr(Alert.acked_by).set_if_missing(by), attr(Alert.acked_at).set_if_missing(now)
    )
