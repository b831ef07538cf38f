"""When a window stands out: what holds for any series."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import mean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.sentiment.config import Metric, Window
from tablewright.systems.sentiment.rules.deviation import (
    CALM,
    CALM_WINDOWS,
    FIRES,
    PRIOR,
    QUIET,
    Standing,
    deviation,
    last_closed,
    pressure,
    season_of,
    starts,
    step,
)
from tablewright.systems.sentiment.rules.figures import Figures

NOW = datetime(2026, 11, 20, 12, 7, 31, tzinfo=UTC)
METRICS: tuple[Metric, ...] = ("volume", "negative_share", "index")
AMOUNT = st.integers(0, 500)
FIGURES = st.builds(Figures, st.just(0), AMOUNT, AMOUNT, AMOUNT)
PRIORS = st.lists(FIGURES, min_size=PRIOR, max_size=PRIOR)


def tones(positive: int, neutral: int, negative: int) -> Figures:
    return Figures(0, positive, neutral, negative)


@given(PRIORS, FIGURES)
def test_z_is_that_of_the_textbook_where_no_floor_helps(
    prior: list[Figures], judged: Figures
) -> None:
    found = deviation("volume", prior, judged)
    volumes = [each.analysed for each in prior]
    assert found is not None
    if mean(volumes) < QUIET and judged.analysed > mean(volumes):
        return
    spread = max(pstdev(volumes), 1.0, mean(volumes) ** 0.5)
    assert found.z == pytest.approx((judged.analysed - mean(volumes)) / spread, abs=1e-9)


@given(FIGURES, st.sampled_from(METRICS))
def test_a_series_that_does_not_move_never_stands_out(each: Figures, metric: Metric) -> None:
    found = deviation(metric, [each] * PRIOR, each)
    assert found is None or abs(found.z) < 1e-6


@given(PRIORS, FIGURES, st.integers(1, 400))
def test_more_bad_news_is_never_less_alarming(
    prior: list[Figures], judged: Figures, more: int
) -> None:
    worse = tones(judged.positive, judged.neutral, judged.negative + more)
    for metric, sign in (("volume", 1), ("negative_share", 1), ("index", -1)):
        before, after = deviation(metric, prior, judged), deviation(metric, prior, worse)
        if before is not None and after is not None:
            assert sign * after.z >= sign * before.z - 1e-9


@given(st.lists(FIGURES, max_size=PRIOR - 1), FIGURES, st.sampled_from(METRICS))
def test_too_short_a_past_says_nothing(
    prior: list[Figures], judged: Figures, metric: Metric
) -> None:
    assert deviation(metric, prior, judged) is None


@pytest.mark.parametrize("metric", METRICS)
def test_crisis_on_a_quiet_topic_stands_out(metric: Metric) -> None:
    """Two articles in a day, and then fifteen in an hour, all of them bad."""
    quiet = [tones(0, 1, 0), *[Figures()] * 20, tones(1, 0, 0), *[Figures()] * 2]
    found = deviation(metric, quiet, tones(0, 0, 15))
    assert found is not None
    assert abs(found.z) > FIRES


@pytest.mark.parametrize(
    ("usual", "judged", "fires"),
    [
        # Chance gives six or more of one once in 1,684 windows, and five or more once in 273.
        (1, 6, True),
        (1, 5, False),
        # Never fewer than five articles, however quiet it is.
        (0, 4, False),
        (0, 5, True),
        # Nine is quiet, and 19 as rare (1 in 413) as z = 2.8.
        (9, 19, False),
        (9, 21, True),
    ],
)
def test_quiet_topic_fires_where_chance_hardly_explains_the_number(
    usual: int, judged: int, fires: bool
) -> None:
    found = deviation("volume", [tones(0, usual, 0)] * PRIOR, tones(0, judged, 0))
    assert found is not None
    assert (found.z >= FIRES) == fires


def test_few_articles_of_a_quiet_topic_have_no_share() -> None:
    quiet = [tones(0, 1, 0), *[Figures()] * (PRIOR - 1)]
    assert deviation("negative_share", quiet, tones(0, 0, 9)) is None
    assert deviation("index", quiet, tones(0, 0, 9)) is None


def test_busy_morning_is_compared_with_other_mornings() -> None:
    night = [tones(0, 2, 0)] * PRIOR
    morning = tones(0, 60, 0)
    alone = deviation("volume", night, morning)
    assert alone is not None
    assert alone.z > FIRES
    found = deviation("volume", night, morning, season=[55, 62, 58, 64], kind="weeks")
    assert found is not None
    assert (found.kind, abs(found.z) < 1) == ("weeks", True)
    quiet = deviation("volume", night, tones(0, 150, 0), season=[55, 62, 58, 64], kind="weeks")
    assert quiet is not None
    assert quiet.z > FIRES


def test_source_that_is_read_once_an_hour_does_not_stand_out_every_hour() -> None:
    bursts = [tones(0, 40, 0), Figures(), Figures(), Figures()] * (PRIOR // 4)
    found = deviation(
        "volume", bursts, tones(0, 40, 0), season=[10.0] * 8, kind="weeks", coarse=True
    )
    assert found is not None
    assert found.z < FIRES


@pytest.mark.parametrize(
    ("age", "kind", "number"),
    [(2, None, 0), (3, "days", 3), (20, "days", 7), (21, "weeks", 3), (300, "weeks", 8)],
)
def test_season_is_as_long_as_the_series_allows(age: int, kind: str | None, number: int) -> None:
    found = season_of(NOW, NOW - timedelta(days=age))
    assert (found and found.kind, len(found.shifts) if found else 0) == (kind, number)


def test_floors() -> None:
    steady = [tones(2, 2, 0)] * PRIOR
    volume = deviation("volume", [tones(8, 8, 0)] * PRIOR, tones(16, 16, 0))
    assert volume is not None
    assert volume.z == pytest.approx((32 - 16) / 4)
    share = deviation("negative_share", steady, tones(9, 0, 1))
    assert share is not None
    assert share.z == pytest.approx(0.1 / 0.05)
    index = deviation("index", steady, tones(1, 0, 0))
    assert index is not None
    assert index.z == pytest.approx(0.5 / 0.1)


@pytest.mark.parametrize(
    ("metric", "usual", "judged", "z"),
    [
        ("negative_share", (5, 5, 0), (17, 0, 3), FIRES),
        ("negative_share", (9, 0, 1), (15, 0, 5), FIRES),
        ("index", (0, 10, 0), (3, 7, 0), FIRES),
        ("volume", (0, 16, 0), (0, 28, 0), FIRES),
        ("volume", (0, 25, 0), (0, 40, 0), FIRES),
        ("index", (0, 20, 0), (3, 17, 0), CALM),
        ("negative_share", (10, 30, 0), (37, 0, 3), CALM),
        ("index", (0, 20, 0), (0, 17, 3), -CALM),
    ],
)
def test_the_limits_are_met_exactly(
    metric: Metric, usual: tuple[int, int, int], judged: tuple[int, int, int], z: float
) -> None:
    """What is 3 by reckoning on paper fires, and 1.5 is not calm yet."""
    found = deviation(metric, [tones(*usual)] * PRIOR, tones(*judged))
    assert found is not None
    assert found.z == z


def test_a_share_of_few_articles_says_nothing() -> None:
    steady = [tones(5, 5, 1)] * PRIOR
    assert deviation("negative_share", steady, tones(0, 0, 9)) is None
    assert deviation("negative_share", steady, tones(0, 0, 10)) is not None


def test_empty_windows_have_a_volume_and_nothing_else() -> None:
    mixed = [tones(5, 0, 5), Figures()] * (PRIOR // 2)
    found = deviation("index", mixed, tones(10, 0, 0))
    assert found is not None
    assert found.mean == 0
    silence = deviation("volume", [tones(50, 0, 50)] * PRIOR, Figures())
    assert silence is not None
    assert pressure(silence.z, "down") >= FIRES


@given(st.floats(-50, 50))
def test_directions(z: float) -> None:
    assert pressure(z, "up") == -pressure(z, "down")
    assert pressure(z, "both") == max(pressure(z, "up"), pressure(z, "down"))


@given(
    st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)), st.sampled_from(["15m", "1h", "6h"])
)
def test_windows_are_over_and_follow_each_other(moment: datetime, window: Window) -> None:
    now = moment.replace(tzinfo=UTC)
    length = {"15m": 15, "1h": 60, "6h": 360}[window] * timedelta(minutes=1)
    last = last_closed(now, window)
    assert last + length <= now < last + 2 * length
    assert last.timestamp() % length.total_seconds() == 0
    found = starts(last, window, 25)
    assert found[-1] == last
    assert {later - earlier for earlier, later in pairwise(found)} == {length}


# --- what a rule makes of it ---------------------------------------------------------------------

HOUR = timedelta(hours=1)


@given(st.lists(st.sampled_from(["fires", "between", "calm"]), min_size=1, max_size=60))
def test_a_rule_fires_rests_and_clears(pressures: list[str]) -> None:
    """Judged twice a window: alerts are a cooldown apart, and end after two calm windows."""
    standing, raised, calm = Standing(), [], 0
    for number, found in enumerate(pressures):
        window = NOW + number * timedelta(minutes=15)
        for again in range(2):
            now = window + timedelta(minutes=16 + again)
            taken = step(
                standing,
                window,
                fires=found == "fires",
                calm=found == "calm",
                now=now,
                cooldown=HOUR,
            )
            if taken == "raise":
                assert found == "fires"
                assert not standing.firing
                raised.append(now)
                standing, calm = Standing(True, 0, window, now), 0
            elif taken in ("calm", "trouble"):
                calm = standing.calm_windows + 1 if taken == "calm" else 0
                standing = Standing(True, calm, window, standing.last_fired_at)
            elif taken == "clear":
                assert standing.calm_windows == CALM_WINDOWS - 1
                standing = Standing(False, 0, window, standing.last_fired_at)
            if again:
                assert taken in ("nothing", "raise")
    assert all(b - a >= HOUR for a, b in pairwise(raised))
