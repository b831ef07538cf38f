"""Alerts: rules, the log, acknowledging, the chart; and by whom."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.sentiment.pages.support import BASE, Office
from tests.systems.sentiment.support import ANALYST

from tablewright.model import put
from tablewright.service.preconditions import Precondition
from tablewright.systems.sentiment.config import Alert, AlertRule
from tablewright.systems.sentiment.pages.alert_chart import chart_of
from tablewright.systems.sentiment.rules.deviation import Deviation
from tablewright.systems.sentiment.rules.figures import NOTHING
from tablewright.systems.sentiment.samples import NOW
from tablewright.systems.sentiment.service.alerts.alerts import ChartPoint
from tablewright.systems.sentiment.service.newsroom import Newsroom

ALERTS = f"{BASE}/alerts"


def rule(**changes: str) -> dict[str, str]:
    return {
        "name": "Much about AI",
        "metric": "volume",
        "tag": "ai",
        "direction": "both",
        "window": "1h",
        "cooldown_minutes": "30",
        "delivery": "immediate",
        "enabled": "1",
        **changes,
    }


def make(browser: Browser, **changes: str) -> str:
    """A rule; its path."""
    made = browser.post(f"{ALERTS}/rules/new", rule(**changes))
    assert made.status_code == 303, text_of(made)
    return str(made.headers["location"])


async def fire(newsroom: Newsroom, rule_id: str, minutes: int = 0) -> None:
    """An alert in the log."""
    now = newsroom.now() - timedelta(minutes=minutes)
    known = await newsroom.alerts.rule(rule_id)
    alert = Alert(
        window_start=now.replace(second=0, microsecond=0),
        rule_id=rule_id,
        name=known.name,
        watch_tag=known.watch_tag,
        metric="volume",
        window="1h",
        value=Decimal(40),
        mean=Decimal(4),
        z=Decimal("5.25"),
        fired_at=now,
        ttl_timestamp=now + timedelta(days=90),
    )
    await newsroom.db.run(put(alert))


def test_a_rule_is_made_shown_paused_and_deleted(analyst: Browser) -> None:
    path = make(analyst)
    page = analyst.get(path)
    shows(page, "Much about AI", "the number of articles about AI rises or falls within an hour")
    # Nothing to compare with yet.
    shows(page, "Too little to compare with", "after 30 minutes at the earliest")
    assert analyst.post(f"{path}/pause", {}).status_code == 303
    shows(analyst.get(ALERTS), "“Much about AI” is paused", "paused")
    assert analyst.post(f"{path}/resume", {}).status_code == 303
    form = fields_of(analyst.get(f"{path}/edit"), "/delete")
    assert analyst.post(f"{path}/delete", form).status_code == 303
    assert analyst.get(path).status_code == 404


def test_rules_of_the_system_are_there_and_stay(analyst: Browser) -> None:
    shows(analyst.get(ALERTS), "Articles are stuck", "more than 10 articles have waited")
    path = f"{ALERTS}/rules/ops-stuck"
    form = fields_of(analyst.get(f"{path}/edit"), "/ops-stuck/edit")
    assert "Delete" not in text_of(analyst.get(f"{path}/edit"))
    saved = analyst.post(f"{path}/edit", {**form, "name": "Stuck!", "cooldown_minutes": "5"})
    assert saved.status_code == 303
    shows(analyst.get(path), "Stuck!", "after 5 minutes at the earliest")
    other = analyst.post(f"{path}/edit", {**form, "version": "2", "metric": "ops.failed"})
    assert other.status_code == 409


def test_who_only_reads_has_nothing_to_press(viewer: Browser, analyst: Browser) -> None:
    path = make(analyst, name="Read me")
    for page in (viewer.get(ALERTS), viewer.get(path)):
        assert page.status_code == 200
        assert not re.search(r"<form[^>]*/alerts", page.text)
        assert "Edit" not in text_of(page)
    shows(viewer.get(ALERTS), "Read me")
    assert viewer.get(f"{path}/edit").status_code == 403
    assert viewer.post(f"{path}/pause", {}).status_code == 403
    assert viewer.post(f"{ALERTS}/ack", {"alert": "x"}).status_code == 403


def test_an_alert_is_acknowledged_once(analyst: Browser, viewer: Browser, office: Office) -> None:
    rule_id = make(analyst, name="Seen rule").rpartition("/")[2]
    newsroom = Newsroom(office.service.runtime)
    office.service.do(fire(newsroom, rule_id))
    shows(viewer.get(ALERTS), "Seen rule Volume of AI is 40 +5.2", "not yet")
    page = analyst.get(ALERTS)
    form = fields_of(page, "/alerts/ack")
    done = analyst.post(f"{ALERTS}/ack", {"alert": form["alert"]})
    assert done.headers["location"] == f"{ALERTS}#log"
    shows(analyst.get(ALERTS), "You have seen: Seen rule.", "seen demo-analyst")
    assert (
        analyst.post(f"{ALERTS}/ack", {"alert": "2026-01-01T00:00:00.000Z:none"}).status_code == 404
    )


def test_the_log_is_paged(analyst: Browser, office: Office) -> None:
    rule_id = make(analyst, name="Often").rpartition("/")[2]
    newsroom = Newsroom(office.service.runtime)

    async def often() -> None:
        for number in range(30):
            await fire(newsroom, rule_id, minutes=60 * number)

    office.service.do(often())
    first = analyst.get(ALERTS)
    more = re.search(r'hx-get="(/sentiment/alerts\?cursor=[^"]+)"', first.text)
    assert more is not None
    second = analyst.get(more[1].replace("&amp;", "&"))
    assert text_of(second).count("Volume of AI is 40") >= 5
    assert analyst.get(f"{ALERTS}?cursor=nonsense").status_code == 400


def test_what_is_wrong_stands_at_its_field(analyst: Browser) -> None:
    wrong = rule(name="", cooldown_minutes="-1", metric="loudness", window="9h")
    page = analyst.post(f"{ALERTS}/rules/new", wrong)
    assert page.status_code == 422
    assert wrong_fields(page) == {"name", "cooldown_minutes", "metric", "window"}
    unsafe = analyst.post(f"{ALERTS}/rules/new", rule(channel="https://169.254.169.254/x"))
    assert (unsafe.status_code, wrong_fields(unsafe)) == (422, {"channel"})
    gone = analyst.post(f"{ALERTS}/rules/new", rule(tag="sports"))
    assert (gone.status_code, wrong_fields(gone)) == (422, {"tag"})


def test_two_who_edit_a_rule_lose_nothing(analyst: Browser, office: Office) -> None:
    path = make(analyst, name="Both")
    rule_id = path.rpartition("/")[2]
    form = fields_of(analyst.get(f"{path}/edit"), f"{rule_id}/edit")
    newsroom = Newsroom(office.service.runtime)

    async def other() -> None:
        known = await newsroom.alerts.rule(rule_id)
        names = {"name", "watch_tag", "metric", "ops", "direction", "window", "channel", "delivery"}
        given = {**known.model_dump(include={*names, "enabled"}), "cooldown_minutes": 90}
        await newsroom.alerts.save(rule_id, given, Precondition.seen(known.version), ANALYST)

    office.service.do(other())
    page = analyst.post(f"{path}/edit", {**form, "name": "Both of us"})
    assert page.status_code == 412
    shows(page, "Somebody changed it", "cooldown minutes")
    again = fields_of(page, f"{rule_id}/edit")
    assert (again["name"], again["cooldown_minutes"]) == ("Both of us", "90")
    assert analyst.post(f"{path}/edit", again).status_code == 303


def test_the_secret_of_a_webhook_is_shown_when_asked(analyst: Browser, viewer: Browser) -> None:
    path = make(analyst, name="By mail", channel="desk@example.com")
    assert "signing secret" not in text_of(analyst.get(path))
    assert analyst.post(f"{path}/secret", {}).status_code == 409
    assert viewer.post(f"{path}/secret", {}).status_code == 403


# --- the chart -----------------------------------------------------------------------------------


def point(z: float | None, value: float = 0.5) -> ChartPoint:
    found = None if z is None else Deviation(value, 0.25, z)
    return ChartPoint(NOW, NOTHING, found)


def test_lines_stand_on_the_side_that_a_rule_looks_at() -> None:
    def marks(direction: str) -> list[object]:
        known = AlertRule(rule_id="r", name="r", metric="index", direction=direction)  # type: ignore[arg-type]
        return [mark["value"] for mark in chart_of(known, [point(1)]).marks]

    assert marks("up") == [3, 1.5]
    assert marks("down") == [-3, -1.5]
    assert marks("both") == [3, 1.5, -3, -1.5]


def test_windows_that_say_nothing_are_gaps_and_shares_are_percent() -> None:
    known = AlertRule(rule_id="r", name="r", metric="negative_share")
    chart = chart_of(known, [point(None), point(3.14159)])
    assert chart.z[0]["values"] == [None, 3.14]
    assert (chart.values[0]["values"], chart.unit) == ([None, 50.0], "percent")
    assert chart_of(known, [point(None)]).is_empty
