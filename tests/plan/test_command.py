"""`tablewright plan` as a user calls it, and the charts it draws."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.docs.markdown import ROOT, blocks
from tests.plan import demos

from examples import ecommerce
from tablewright.cli import models
from tablewright.cli.main import run
from tablewright.plan.charts import cost_chart, heat_chart
from tablewright.plan.heat import simulate
from tablewright.plan.keys import KeySpread
from tablewright.plan.plan import make_plan
from tablewright.plan.pricing import load_prices
from tablewright.plan.traffic import Stream
from tablewright.plan.units import Place

SVG = "{http://www.w3.org/2000/svg}"
MODEL = "examples.ecommerce:model"


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        run(["plan", *arguments])
    assert ended.value.code == 0
    return capsys.readouterr().out


def failure(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        run(["plan", *arguments])
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, MODEL, "--region", "eu-west-1")
    for section in ("Patterns", "Tables and indexes", "Entities", "Dollars a month", "Heat"):
        assert section in text
    assert "prices of eu-west-1 not looked up" in text
    assert "\x1b" not in text


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(output(capsys, MODEL, "--json"))
    patterns = {each["pattern"]: each for each in told["patterns"]}
    assert patterns.keys() == ecommerce.model.patterns.keys()
    assert patterns["customer"]["units"] == [
        {"table": "Shop", "index": None, "read": 0.5, "write": 0.0}
    ]
    whole = sum(each["month"]["on_demand"] for each in told["patterns"])
    assert told["bills"]["on demand"]["total"] == pytest.approx(whole)
    assert {each["table"] for each in told["heat"]} == {"Shop"}


def test_samples_are_used(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        models, "_told", lambda module, name: demos.shop() if name == "demo" else None
    )
    told = json.loads(output(capsys, MODEL, "--json"))
    assert {each["basis"] for each in told["patterns"]} == {"measured", "scaled"}


def test_a_scenario_for_a_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "sale.toml"
    file.write_text(
        """
        region = "ap-south-1"
        [patterns.customer]
        average = 1000
        [entities.Customer]
        items = 1_000_000
        [keys."CUSTOMER#{user_name}"]
        count = 1_000_000
        hottest = 0.9
        """
    )
    told = json.loads(output(capsys, MODEL, "--scenario", str(file), "--json"))
    assert told["region"] == "ap-south-1"
    assert (
        next(each for each in told["patterns"] if each["pattern"] == "customer")["average"] == 1000
    )
    assert told["storage"][0]["items"] == 1_000_000
    table = next(each for each in told["heat"] if each["index"] is None)
    key = next(each for each in table["keys"] if each["template"] == "CUSTOMER#{user_name}")
    assert key["load"] > 0.1
    assert not key["guessed"]


def test_without_numpy_the_rest_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    text = output(capsys, MODEL)
    assert "Dollars a month" in text
    assert "install tablewright with its extra 'tools'" in text


def test_the_page_has_a_scenario_that_works(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ROOT / "docs" / "plan.md"
    (shop,) = (each for each in blocks(page, "python") if each.text.startswith("# shop.py"))
    (sale,) = (each for each in blocks(page, "toml") if each.text.startswith("# sale.toml"))
    (tmp_path / "planned_shop.py").write_text(shop.text)
    (tmp_path / "sale.toml").write_text(sale.text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    text = output(capsys, "planned_shop:model", "--scenario", "sale.toml")
    assert "eu-west-1" in text
    assert "STATE#{state}" in text


def test_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "--scenario", "pricekeeper")
    assert "$16.20" in text
    assert "50.6x too low" in text
    told = json.loads(output(capsys, "--scenario", "pricekeeper", "--json"))
    assert len(told["claims"]) == text.count("too ") + text.count("missing")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing to plan"),
        (("nobody",), "is no model"),
        ((MODEL, "--region", "mars-1"), "no prices of mars-1"),
        ((MODEL, "--scenario", "nowhere.toml"), "cannot be read"),
        ((MODEL, "--prices", "nowhere.toml"), "cannot be read"),
    ],
)
def test_mistakes(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    error = failure(capsys, *arguments)
    assert message in error
    assert "Traceback" not in error


def test_a_scenario_needs_its_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "sale.toml"
    file.write_text("[patterns.customer]\naverage = 1\n")
    assert "Name the model" in failure(capsys, "--scenario", str(file))
    file.write_text("[patterns.nobody]\naverage = 1\n")
    assert "no pattern nobody" in failure(capsys, MODEL, "--scenario", str(file))
    file.write_text("[[patterns")
    assert "is not TOML" in failure(capsys, MODEL, "--scenario", str(file))


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert "tablewright plan" in output(capsys, "--help").split("Example:")[1]


# --- charts --------------------------------------------------------------------------------------


def test_charts_are_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    output(capsys, MODEL, "--svg", str(tmp_path / "charts"))
    names = {file.name for file in (tmp_path / "charts").iterdir()}
    assert {"ecommerce-cost.svg", "ecommerce-heat-Shop.svg"} <= names
    for file in (tmp_path / "charts").iterdir():
        assert ET.parse(file).getroot().tag == f"{SVG}svg"


def test_charts_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be written" in failure(capsys, MODEL, "--svg", str(tmp_path / "file"))


def test_bars_are_as_long_as_the_costs() -> None:
    demo = demos.shop()
    plan = make_plan(ecommerce.model, demo.items, demo.calls, load_prices())
    root = ET.fromstring(cost_chart(plan))
    widths: dict[str, float] = {}
    for bar in root.iter(f"{SVG}rect"):
        if bar.get("height") == "18":
            row = bar.get("y", "")
            widths[row] = widths.get(row, 0.0) + float(bar.get("width", 0))
    costs = sorted((plan.pattern_share(load).cost for load in plan.loads), reverse=True)
    scale = costs[0] / max(widths.values())
    # Widths are written with one decimal.
    shown = [widths[row] * scale for row in sorted(widths, key=float)]
    assert shown == pytest.approx(costs, abs=0.2 * scale)
    labels = {text.text for text in root.iter(f"{SVG}text")}
    assert ecommerce.model.patterns.keys() <= labels


def test_what_is_too_hot_is_marked_and_dark_is_thought_of() -> None:
    place = Place("T<b>")
    stream = Stream("p", place, "K", KeySpread(1), 3000, write=1.0, bound="one item")
    text = heat_chart(simulate(place, [stream], seconds=60))
    root = ET.fromstring(text)
    kinds = [bar.get("class") for bar in root.iter(f"{SVG}rect")]
    assert kinds.count("hot") == 1
    assert root.findtext(f"{SVG}title") == "Heat of T<b>"
    assert "prefers-color-scheme: dark" in text
