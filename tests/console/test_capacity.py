"""Planned and used units, from the process's own counters."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

from tests.console import gallery
from tests.console.explorer.workbench import workbench
from tests.console.support import Browser, signed_in
from tests.service.support import Running

from tablewright.client import Db, Embedded
from tablewright.console.assets import Assets
from tablewright.console.capacity import (
    History,
    Look,
    Row,
    Used,
    alone_patterns,
    look,
    rows,
    steady_patterns,
    used_by_pattern,
)
from tablewright.console.explorer.views import Explorer
from tablewright.engine import Engine
from tablewright.model import together
from tablewright.model.demo import Demo
from tablewright.service.auth.principal import system_principal
from tablewright.service.kit import audit, kit
from tablewright.service.metrics import Metrics


def test_what_a_database_did_is_in_the_rows(tablewright_db: Db) -> None:
    metrics = Metrics(process=False)
    other = Metrics(process=False)
    hook = metrics.db_hook("gallery")
    elsewhere = metrics.db_hook("elsewhere")
    db = Db(tablewright_db._transport, hook=lambda event: (hook(event), elsewhere(event)))
    db.create_tables(gallery.walls)
    for name in ("one", "two"):
        db.run(gallery.hang(gallery.Painting(wall="north", name=name)))
    db.run(gallery.painting("north", "one"))
    used = used_by_pattern(metrics, "gallery", gallery.model)
    assert used["hang"].requests == 2
    assert used["hang"].writes == 2
    assert used["painting"].reads == 0.5
    assert used_by_pattern(other, "gallery", gallery.model) == {}
    model = gallery.model
    found = rows(used, Explorer(model).loads, steady_patterns(model))
    table = {row.pattern: row for row in found}
    assert found[0].pattern == "hang", "the one that used most"
    assert table["hang"].verdict == "within"
    assert table["hang"].writes_each == 1
    assert table["painting"].verdict == "within"
    assert table["take_down"].verdict == "", "nobody called it"
    assert "setup" not in table, "creating tables uses no units"


def test_what_joins_a_write_is_not_held_against_it(tablewright_engine: Engine) -> None:
    metrics = Metrics(process=False)
    db = Db(Embedded(tablewright_engine), hook=metrics.db_hook("gallery"))
    db.create_tables(gallery.walls, kit)
    hung = gallery.hang(gallery.Painting(wall="north", name="one"))
    noted = audit.record(
        system_principal("gallery", "test"), "hung", "one", at=datetime(2026, 1, 1, tzinfo=UTC)
    )
    db.run(together(hung, noted))
    used = used_by_pattern(metrics, "gallery", gallery.model)
    assert used["hang"].writes == 2, "twice, in a transaction"
    assert used["hang"].beside == 2
    demo = Demo([], calls={"hang": hung})
    explorer = Explorer(gallery.model, demo)
    alone = alone_patterns(explorer)
    steady = steady_patterns(gallery.model)
    (found,) = (each for each in rows(used, explorer.loads, steady, alone) if each.requests)
    assert found.verdict == "within"
    (strict,) = (each for each in rows(used, explorer.loads, steady) if each.requests)
    assert strict.verdict == "above"


def row(
    requests: float = 1, reads: float = 1, planned: float | None = 1, steady: bool = True
) -> Row:
    return Row("x", requests, reads, 0, planned, None if planned is None else 0, steady)


def test_verdicts() -> None:
    assert row(reads=1.1).verdict == "within", "a little more is tolerated"
    assert row(reads=1.2).verdict == "above"
    assert row(reads=2.2, requests=2).verdict == "within"
    assert row(planned=None).verdict == "unplanned"
    assert row(reads=9, steady=False).verdict == "varies"
    assert row(requests=0, reads=0).verdict == ""


def test_patterns_of_any_number_are_not_held_against_the_plan() -> None:
    assert steady_patterns(gallery.model) == {"painting", "hang", "take_down"}


def test_rates_are_differences_between_looks() -> None:
    history = History()
    assert history.rates() == []
    history.add(Look(10, reads=0, writes=0, requests=0))
    history.add(Look(12, reads=10, writes=4, requests=2))
    history.add(Look(14, reads=10, writes=4, requests=2))
    assert history.rates() == [Look(12, 5, 2, 1), Look(14, 0, 0, 0)]


def test_a_clock_that_stands_still_and_counters_that_fall_do_no_harm() -> None:
    history = History()
    history.add(Look(10, 5, 5, 5))
    history.add(Look(10, 9, 9, 9))
    history.add(Look(12, 0, 0, 0))
    assert history.rates() == [Look(12, 0, 0, 0)]


def test_sums() -> None:
    used = {"a": Used(1, 2, 3), "b": Used(4, 5, 6)}
    assert look(used, 7.0) == Look(7.0, reads=7, writes=9, requests=5)


# --- heat ----------------------------------------------------------------------------------------


def told(browser: Browser, service: Running) -> str:
    """What the page is told about heat, while one wall is looked at."""
    own = service.runtime.db.transport
    with browser.client.stream("GET", "/console/gallery/capacity/events") as stream:
        assert stream.status_code == 200
        lines = stream.iter_lines()
        while service.runtime.db.transport is own:
            time.sleep(0.01)
        service.do(service.runtime.db.run(gallery.painting("north", "number01")))
        found = "\n".join(until(lines, "By pattern"))
    deadline = time.monotonic() + 10
    while service.runtime.db.transport is not own:
        assert time.monotonic() < deadline, "nobody watches any more, and it is still measured"
        time.sleep(0.05)
    return found


def until(lines: Iterator[str], last: str) -> Iterator[str]:
    for line in lines:
        yield line
        if last in line:
            return


def test_hot_partitions_are_measured_while_somebody_watches(assets: Assets) -> None:
    with workbench(assets, practice=False) as service, signed_in(service, "demo-admin") as browser:
        page = browser.get("/console/gallery/capacity")
        assert "Nothing is measured yet" in page.text
        found = told(browser, service)
    assert "<code>WALL#north</code>" in found
    assert "Keys may name people" not in found


def test_keys_are_marked_where_stored_items_are_not_shown(assets: Assets) -> None:
    with (
        workbench(assets, practice=False, explore_data=False) as service,
        signed_in(service, "demo-admin") as browser,
    ):
        found = told(browser, service)
    assert "WALL#north" not in found
    assert "<code>WALL#{wall}</code>" in found
    assert "Keys may name people" in found
