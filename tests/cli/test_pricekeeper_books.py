"""`tablewright pricekeeper` on what was spent: select, totals, reconcile, reprice, export."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.cli.pricekeeping import Typed, cost, provision, usage, write

from tablewright.systems.pricekeeper.cli.words import usd


def recorded(
    typed: Typed, folder: Path, org: str, rows: list[dict[str, Any]], app: str = "web"
) -> None:
    write(folder / "rows.jsonl", rows)
    told = typed.json("record", "rows.jsonl", "--org", org, "--app", app)
    assert told["recorded"] == len(rows)


def test_select(typed: Typed, tmp_path: Path) -> None:
    provision(typed, "Select", quota="economy=0.000002")
    chosen = typed.json("select", "Select", "web")
    assert (chosen["recommended_label"], chosen["retry_after_secs"]) == ("economy", 0)
    assert "Use economy" in typed("select", "Select", "web").out
    recorded(typed, tmp_path, "Select", usage(5, seed=20, input_tokens=1000))
    none = typed.json("select", "Select", "web", "--force", code=1)
    assert none["recommended_label"] is None
    assert none["retry_after_secs"] > 0
    assert none["models_status"][0]["limits"][0]["quota_usd_micros"] == 2
    said = typed("select", "Select", "web")
    assert (said.code, "None is open" in said.out) == (1, True)


def test_totals(typed: Typed, tmp_path: Path) -> None:
    provision(typed, "Totals", quota="economy=5")
    assert "not summed yet" in typed("totals", "Totals").out
    rows = usage(20, seed=21)
    recorded(typed, tmp_path, "Totals", rows)
    day = typed.json("totals", "Totals", "web")
    assert day["models"]["economy"]["requests"] == 20
    assert day["models"]["economy"]["quota_usd_micros"] is None, "the limit is the organisation's"
    assert typed.json("totals", "Totals")["models"]["economy"]["quota_usd_micros"] == 5_000_000
    month = typed.json("totals", "Totals", "--period", day["period"][:7])
    assert (month["window"], month["totals"]) == ("MONTH", {**day["totals"]})
    first = f"{datetime.fromisoformat(day['period']) - timedelta(days=2):%Y-%m-%d}"
    days = typed.json("totals", "Totals", "--from", first)
    assert [each["totals"]["requests"] for each in days["items"]][-1] == 20
    weeks = typed.json("totals", "Totals", "--from", day["period"], "--window", "WEEK")
    assert len(weeks["items"]) == 1
    text = typed("totals", "Totals", "--now").out
    assert usd(round(cost(rows) / 1_000_000)) in text
    assert "as of" in text
    assert "--period" in typed.fails("totals", "Totals", "--period", "2026-11", "--from", first)


def _counters(typed: Typed) -> Iterable[dict[str, Any]]:
    with typed.database() as (engine, _):
        yield from engine.call("Scan", {"TableName": "UsageAggSharded"})["Items"]


def test_reconcile(typed: Typed, tmp_path: Path) -> None:
    org_id = provision(typed, "Books")
    recorded(typed, tmp_path, "Books", usage(8, seed=22))
    assert "all of them agree" in typed("reconcile", "Books").out
    (key,) = (
        {"PK": each["PK"], "SK": each["SK"]}
        for each in _counters(typed)
        if org_id in each["PK"]["S"]
    )
    with typed.database() as (engine, _):
        engine.call(
            "UpdateItem",
            {
                "TableName": "UsageAggSharded",
                "Key": key,
                "UpdateExpression": "ADD requests :n",
                "ExpressionAttributeValues": {":n": {"N": "-3"}},
            },
        )
    found = typed.json("reconcile", "Books", "web", code=1)
    assert found["clean"] is False
    (one,) = found["organisations"][0]["differences"]
    assert (one["state"], one["ledger"]["requests"], one["counters"]["requests"]) == ("drift", 8, 5)
    said = typed("reconcile", "--fix")
    assert said.code == 0, "all organisations, if none is named"
    assert "was repaired" in said.out
    assert "+3" in said.out
    assert typed.json("reconcile", "Books")["clean"] is True
    assert typed.json("totals", "Books")["totals"]["requests"] == 8


def test_reprice(typed: Typed, tmp_path: Path) -> None:
    provision(typed, "Reprice")
    typed.json("label", "put", "new", "--model", "new.model")
    rows = usage(6, seed=23, label="new", input_tokens=1000, output_tokens=0)
    recorded(typed, tmp_path, "Reprice", rows)
    assert "cost what they should" in typed("reprice", "Reprice").out
    price = {
        "bedrock_model_id": "new.model",
        "effective_from": "2026-01-01T00:00:00Z",
        "input_price_usd_micros_per_1m": 2_000_000,
        "output_price_usd_micros_per_1m": 0,
    }
    (tmp_path / "price.json").write_text(json.dumps({"prices": [price]}))
    typed.json("prices", "import", "price.json")
    found = typed.json("reprice", "Reprice", code=1)
    (one,) = found["organisations"]
    # A thousand tokens at two dollars a million are 2,000 micro-USD.
    assert (one["changed"], one["difference_usd_picos"]) == (6, 6 * 2_000 * 1_000_000)
    assert typed.json("totals", "Reprice")["totals"]["cost_usd_micros"] == 0
    assert typed.json("reprice", "Reprice", "--label", "economy")["organisations"][0]["rows"] == 0
    assert "--apply" in typed("reprice", "Reprice", "web").out
    done = typed.json("reprice", "Reprice", "--apply")
    assert done["organisations"][0]["applied"] == 6
    assert typed.json("totals", "Reprice")["totals"]["cost_usd_micros"] == 12_000
    again = typed.json("reprice", "--apply")
    assert sum(each["changed"] for each in again["organisations"]) == 0


def test_export(typed: Typed, tmp_path: Path) -> None:
    provision(typed, "Export")
    rows = usage(7, seed=24)
    recorded(typed, tmp_path, "Export", rows)
    told = typed.json("export", "Export", "--kind", "ledger", "--out", "ledger.csv")
    assert told == {"rows": 7, "file": "ledger.csv"}
    table = list(csv.DictReader((tmp_path / "ledger.csv").read_text().splitlines()))
    assert {each["request_id"] for each in table} == {each["request_id"] for each in rows}
    assert [path.name for path in tmp_path.glob("ledger.csv*")] == ["ledger.csv"]
    text = typed("export", "Export", "web").out
    (whole,) = (each for each in csv.DictReader(io.StringIO(text)) if each["label"] == "_all")
    assert whole["requests"] == "7"
    empty = typed("export", "Export", "--to", "2020-01-01").out
    assert len(empty.splitlines()) == 1


def test_an_export_for_programs_needs_a_file(typed: Typed) -> None:
    provision(typed, "Programs")
    said = typed("export", "Programs", "--json")
    assert said.code == 2
    assert json.loads(said.out)["errors"][0]["field"] == "--out"


def test_bench(typed: Typed, tmp_path: Path) -> None:
    said = typed.bare("pricekeeper", "bench", "--seconds", "0.1", "--callers", "4", "--json")
    assert said.code == 0, said
    found = {each["name"]: each for each in json.loads(said.out)["results"]}
    assert len(found) == 3
    assert all(each["per_second"] > 0 for each in found.values())
    assert all(0 < each["median_ms"] <= each["p99_ms"] for each in found.values())
    assert list(tmp_path.iterdir()) == [], "it was a place that is gone"


def test_bench_on_a_place(typed: Typed) -> None:
    before = typed.json("org", "list")
    said = typed("bench", "--seconds", "0.05", "--callers", "2", "--batch", "10")
    assert (said.code, "records, 10 at once" in said.out) == (0, True)
    assert typed.json("org", "list") == before
    gone = [each for each in typed.json("org", "list", "--deleted") if each not in before]
    assert [each["status"] for each in gone] == ["DELETED"]
    assert typed("bench", "--seconds", "0.05", "--callers", "2").code == 0, "again"


def test_demo(typed: Typed, tmp_path: Path) -> None:
    first = typed.bare("pricekeeper", "demo")
    assert first.code == 0, first
    assert (tmp_path / "tablewright-data" / "engine").exists()
    listed = json.loads(typed.bare("pricekeeper", "org", "list", "--json").out)
    assert listed
    before = typed.bare("pricekeeper", "totals", listed[0]["org_id"], "--json").out
    assert json.loads(before)["totals"]["requests"] > 0
    assert typed.bare("pricekeeper", "demo", "--json").code == 0, "again"
    after = typed.bare("pricekeeper", "totals", listed[0]["org_id"], "--json").out
    assert json.loads(after)["totals"] == json.loads(before)["totals"]
    assert typed.bare("pricekeeper", "reconcile").code == 0
