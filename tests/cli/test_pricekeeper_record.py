"""`tablewright pricekeeper record`: files of usage into the ledger, every row once."""

from __future__ import annotations

import asyncio
import csv
import gzip
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.pricekeeping import NOVA_INPUT, Typed, cost, provision, usage, write

from tablewright.model.errors import Unavailable
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.cli import importing
from tablewright.systems.pricekeeper.cli.importing import Import, Rejects
from tablewright.systems.pricekeeper.cli.usage_files import Row
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.service.recording import Outcome


def spent(typed: Typed, org: str, *app: str) -> tuple[int, int]:
    """Requests and micro-USD of today, as totals have them."""
    found = typed.json("totals", org, *app)["totals"]
    return found["requests"], found["cost_usd_micros"]


def test_json_lines(typed: Typed, tmp_path: Path) -> None:
    provision(typed, "Lines")
    rows = usage(1203, seed=1)
    write(tmp_path / "usage.jsonl", rows)
    told = typed.json("record", "usage.jsonl", "--org", "Lines", "--app", "web")
    assert (told["rows"], told["recorded"], told["duplicate"], told["rejected"]) == (
        1203,
        1203,
        0,
        0,
    )
    assert told["cost_usd_picos"] == cost(rows)
    assert spent(typed, "Lines") == (1203, round(cost(rows) / 1_000_000))
    again = typed("record", "usage.jsonl", "--org", "Lines", "--app", "web")
    assert again.code == 0
    assert "1,203 rows" in again.out
    assert spent(typed, "Lines") == (1203, round(cost(rows) / 1_000_000))
    assert typed.json("reconcile", "Lines")["clean"] is True
    assert not (tmp_path / "usage.jsonl.rejects.jsonl").exists()


@pytest.mark.parametrize("packed", [False, True])
def test_csv(typed: Typed, tmp_path: Path, packed: bool) -> None:
    org = f"Csv{packed}"
    provision(typed, org)
    rows = usage(40, seed=2 + packed, status="ERROR")
    text = io.StringIO()
    # Cells may be empty, and cells may hold spaces: both are as if nothing was said.
    table = csv.DictWriter(text, [*rows[0], "service_tier", "cost_usd_micros"])
    table.writeheader()
    table.writerows({**row, "cost_usd_micros": " "} for row in rows)
    raw = b"\xef\xbb\xbf" + text.getvalue().encode()
    name = "usage.csv.gz" if packed else "usage.csv"
    (tmp_path / name).write_bytes(gzip.compress(raw, mtime=0) if packed else raw)
    told = typed.json("record", name, "--org", org, "--app", "web")
    assert (told["recorded"], told["rejected"]) == (40, 0), told
    assert typed.json("totals", org)["totals"]["errors"] == 40


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_standard_input(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """What it holds is seen by its first character."""
    org = f"Stdin {form}"
    provision(typed, org)
    rows = usage(3, seed=4)
    text = io.StringIO()
    if form == "csv":
        table = csv.DictWriter(text, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    else:
        text.write("\n\n".join(map(json.dumps, rows)))
    given = io.TextIOWrapper(io.BytesIO(text.getvalue().encode()))
    monkeypatch.setattr(sys, "stdin", given)
    told = typed.json("record", "-", "--org", org, "--app", "web")
    assert (told["recorded"], told["rejected"]) == (3, 0)
    assert not given.buffer.closed


def test_rows_of_several_apps(typed: Typed, tmp_path: Path) -> None:
    provision(typed, "Several")
    typed.json("app", "put", "Several", "batch")
    rows = usage(30, seed=5)
    for row in rows[:10]:
        row["app_id"] = "batch"
    for row in rows[10:13]:
        row["app_id"] = "nosuch"
    write(tmp_path / "mixed.jsonl", rows)
    told = typed.json("record", "mixed.jsonl", "--org", "Several", "--app", "web", code=1)
    assert (told["recorded"], told["rejected"]) == (27, 3)
    assert spent(typed, "Several", "batch")[0] == 10
    assert spent(typed, "Several", "web")[0] == 17
    bare = typed.json("record", "mixed.jsonl", "--org", "Several", code=1)
    assert (bare["duplicate"], bare["rejected"]) == (10, 20)
    assert {each["code"] for each in bare["reasons"]} == {"NO_APP", "NOT_FOUND"}


def test_what_is_refused_is_kept_with_its_reason(typed: Typed, tmp_path: Path) -> None:
    provision(typed, "Refused")
    good, other, late, label, wide = usage(5, seed=6)
    late["timestamp"] -= 100 * 3600
    label["label"] = "nosuch"
    bad = {"request_id": "x", "label": "economy", "colour": "red"}
    changed = {**good, "input_tokens": good["input_tokens"] + 1}
    lines = [json.dumps(each) for each in (good, other, changed, late, label, bad)]
    lines += ["nonsense", "[1]", json.dumps({**wide, "label": "x" * 70_000})]
    (tmp_path / "mixed.log").write_text("\n".join(["{}", *lines]))
    told = typed.json(
        "record", "mixed.log", "--org", "Refused", "--app", "web", "--format", "jsonl", code=1
    )
    assert (told["rows"], told["recorded"], told["rejected"]) == (10, 2, 8)
    kept = [json.loads(line) for line in Path(told["rejects_file"]).read_text().splitlines()]
    assert {each["line"]: each["code"] for each in kept} == {
        1: "INVALID",
        4: "REQUEST_ID_REUSED",
        5: "OUTSIDE_WINDOW",
        6: "UNKNOWN_LABEL",
        7: "INVALID",
        8: "UNREADABLE",
        9: "UNREADABLE",
        10: "UNREADABLE",
    }
    by_line = {each["line"]: each for each in kept}
    assert by_line[4]["row"] == changed
    assert {each["field"] for each in by_line[7]["errors"]} >= {"request_id", "colour"}
    assert by_line[8]["row"] == "nonsense"
    reasons = {each["code"]: each for each in told["reasons"]}
    assert (reasons["UNREADABLE"]["rows"], reasons["UNREADABLE"]["first_line"]) == (3, 8)
    said = typed("record", "mixed.log", "--org", "Refused", "--app", "web")
    assert said.code == 1
    assert "mixed.log.rejects.jsonl" in said.out
    write(tmp_path / "mixed.log", [good])
    assert typed("record", "mixed.log", "--org", "Refused", "--app", "web").code == 0
    assert not (tmp_path / "mixed.log.rejects.jsonl").exists(), "it was of another run"


def test_what_is_worth_knowing_is_counted(typed: Typed, tmp_path: Path) -> None:
    provision(typed, "Flags")
    typed.json("label", "put", "unpriced", "--model", "no.such.model")
    plain, dear, apart = usage(3, seed=7)
    rows = [plain, {**dear, "cost_usd_micros": 10**9}, {**apart, "label": "unpriced"}]
    write(tmp_path / "flags.jsonl", rows)
    told = typed.json("record", "flags.jsonl", "--org", "Flags", "--app", "web")
    assert told["flags"] == {"cost_mismatch": 1, "unpriced": 1, "outside_ordering": 1}


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", b"request_id,labl,timestamp\n", "no column 'labl'"),
        ("a.csv", b"request_id,label\n", "does not name the column 'timestamp'"),
        ("a.csv", b"request_id,label,timestamp,label\n", "names a column twice"),
        ("a.json", b'[{"request_id": 1}]', "one object on each line"),
        ("a.jsonl.gz", gzip.compress(b"{}\n" * 9000, mtime=0)[:-12], "damaged"),
        ("a.jsonl.gz", b"plain", "damaged"),
    ],
)
def test_a_file_that_cannot_be_used(
    typed: Typed, tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    if not typed.json("org", "list") or "Unusable" not in typed("org", "list").out:
        provision(typed, "Unusable")
    (tmp_path / name).write_bytes(content)
    assert told in typed.fails("record", name, "--org", "Unusable", "--app", "web")


def test_what_cannot_begin(typed: Typed, tmp_path: Path) -> None:
    provision(typed, "Closed")
    write(tmp_path / "u.jsonl", usage(1, seed=8))
    there = ("--org", "Closed", "--app", "web")
    assert "nosuch.jsonl: No such file" in typed.fails("record", "nosuch.jsonl", *there)
    assert "no such app" in typed.fails("record", "u.jsonl", "--org", "Closed", "--app", "other")
    same = typed.fails("record", "u.jsonl", *there, "--rejects", "u.jsonl")
    assert "the file that is read" in same
    (tmp_path / "bad.jsonl").write_text("nonsense\n")
    folder = typed.fails("record", "bad.jsonl", *there, "--rejects", "no/such/folder")
    assert "No such file or directory" in folder
    typed.json("org", "disable", "Closed")
    assert "disabled" in typed.fails("record", "u.jsonl", "--org", "Closed")
    assert "disabled" in typed.fails("record", "u.jsonl", *there)


def test_nothing_is_nothing(typed: Typed, tmp_path: Path) -> None:
    provision(typed, "Nothing")
    for name in ("empty.jsonl", "empty.csv", "empty"):
        (tmp_path / name).touch()
        told = typed.json("record", name, "--org", "Nothing", "--app", "web")
        assert (told["rows"], told["recorded"]) == (0, 0)


def test_progress_is_shown_on_a_terminal_only(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provision(typed, "Progress")
    write(tmp_path / "rows.jsonl", usage(5, seed=11))
    words = ("record", "rows.jsonl", "--org", "Progress", "--app", "web")
    assert typed(*words).err == ""
    for module in ("system_run", "terminal"):
        monkeypatch.setattr(f"tablewright.cli.{module}.coloured", lambda stream: True)
    write(tmp_path / "rows.jsonl", [*usage(5, seed=12), {"request_id": "x"}])
    said = typed(*words)
    ticks = said.err.split("\r\x1b[K")
    assert ticks[0] == ticks[-1] == "", "the last line is wiped"
    assert "0 recorded" in ticks[1]
    assert "summing up" in ticks
    assert "\x1b[33mRejected, see" in said.out
    assert typed(*words, "--json").err == ""


# --- a store that is busy ------------------------------------------------------------------------


class Busy:
    """Use cases whose store cannot take every second record, or every single one, at first."""

    def __init__(self, refusals: int, every: int = 2) -> None:
        self._every = every
        self.directory = self.recorder = self
        self.seen: list[str] = []
        self._refusals = refusals
        self._away = True

    async def account(self, org_id: str, app_id: str) -> str:
        if self._away:
            self._away = False
            raise Unavailable("nobody answers")
        return app_id

    async def record(self, account: str, usages: Sequence[Usage]) -> list[Outcome]:
        refused = Problem(503, "OVERLOADED", "busy")
        outcomes = []
        for place, each in enumerate(usages):
            self.seen.append(each.request_id)
            if (place + 1) % self._every == 0 and self._refusals > 0:
                outcomes.append(Outcome(each.request_id, "rejected", problem=refused))
            else:
                outcomes.append(Outcome(each.request_id, "recorded"))
        self._refusals -= 1
        return outcomes


class Given:
    """A file of so many rows."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = [Row(line, row) for line, row in enumerate(rows, 1)]

    def take(self, count: int) -> list[Row]:
        taken, self._rows = self._rows[:count], self._rows[count:]
        return taken

    def share(self) -> float | None:
        return None


def imported(keeper: Busy, rows: list[dict[str, Any]], path: Path) -> importing.Report:
    ticks: list[str] = []
    with Rejects(path) as rejects:
        work = Import(keeper, "org", "web", rejects, ticks.append)  # type: ignore[arg-type]
        report = asyncio.run(work.run(Given(rows)))  # type: ignore[arg-type]
    assert ticks
    return report


def test_what_the_store_cannot_take_is_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "PAUSE_SECS", 0.0001)
    rows = usage(9, seed=9)
    keeper = Busy(refusals=2)
    report = imported(keeper, rows, tmp_path / "rejects")
    assert report.results == {"recorded": 9}
    # All of them, then every second one, then every second one of those.
    assert [keeper.seen.count(row["request_id"]) for row in rows] == [1, 2, 1, 3, 1, 2, 1, 3, 1]
    assert not (tmp_path / "rejects").exists()


def test_a_store_that_stays_away_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "PAUSE_SECS", 0.0001)
    with pytest.raises(Problem, match="since line 1 ") as stopped:
        imported(Busy(refusals=100, every=1), usage(2, seed=10), tmp_path / "rejects")
    assert stopped.value.status == 503
    assert "counts once" in str(stopped.value.extra["hint"])


def test_rows_cost_what_they_should() -> None:
    """The figures of these tests are those of the table that ships."""
    from tablewright.systems.pricekeeper.rules.bundled import bundled_prices

    (price,) = (
        each
        for each in bundled_prices()
        if (each.bedrock_model_id, each.region_class, each.service_tier)
        == ("amazon.nova-lite-v1:0", "region", "standard")
    )
    assert price.input_price_usd_micros_per_1m == NOVA_INPUT
