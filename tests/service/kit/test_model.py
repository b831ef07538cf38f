"""The kit's model: nothing is found in it, all of it runs, and it fits beside every system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tablewright.cli.main import run
from tablewright.cli.models import KIT, find_deployed, find_model
from tablewright.cli.place_options import Place
from tablewright.client import Db, Embedded
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import Model, put
from tablewright.model.demo import Demo
from tablewright.model.errors import ModelError
from tablewright.review import review
from tablewright.review.from_model import design_of
from tablewright.service.kit import demo, kit, kit_model
from tablewright.service.process import deployed, naming
from tablewright.service.settings import Settings
from tablewright.systems import NAMES


def test_nothing_is_found() -> None:
    named = find_model(KIT)
    design = design_of(named.model, Demo(named.items, named.calls))
    assert review(design).findings == ()
    assert [each.name for each in design.patterns if each.opaque] == []


def test_every_pattern_says_what_it_is() -> None:
    for pattern in kit_model.patterns.values():
        assert pattern.component, pattern.name
        assert pattern.doc, pattern.name
        assert pattern.rate is not None, pattern.name


def test_every_entity_and_pattern_has_a_sample_and_it_runs() -> None:
    shown = demo()
    assert shown.now is not None
    assert {type(item).__name__ for item in shown.items} == set(kit_model.entities)
    assert set(shown.calls) == set(kit_model.patterns)
    clock = ManualClock(shown.now.timestamp())
    with Engine.memory(clock=clock) as engine, Db(Embedded(engine), clock=clock) as db:
        db.create_tables(kit)
        for item in shown.items:
            db.run(put(item).new())
        for call in shown.calls.values():
            db.run(call)


# --- beside a system's own tables ----------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_beside_every_system(name: str) -> None:
    whole, own = find_deployed(name).model, find_model(name).model
    assert whole.name == own.name
    assert list(whole.tables) == [*own.tables, "kit"]
    assert set(whole.patterns) == {*own.patterns, *kit_model.patterns}
    assert set(find_deployed(name).calls) >= set(kit_model.patterns)
    # Looking at a system's model does not show it.
    assert "kit" not in own.tables


def test_who_deploys_and_who_runs_agree_on_its_name() -> None:
    settings = Settings(table_prefix="acme", table_env="test")
    running = naming("ladders", deployed(settings))
    assert running("kit") == Place(prefix="acme", env="test").of("ladders").naming("kit")
    assert running("Users") == Place(prefix="acme", env="test").of("ladders").naming("Users")


def test_a_model_of_ones_own_has_none() -> None:
    assert find_deployed(KIT).model is kit_model


def test_two_things_of_one_name_cannot_be_joined() -> None:
    other = Model("other", "tablewright.service.kit.entities")
    assert set(kit_model.joined(other).tables) == {"kit"}  # the same one is no other one
    other.patterns["api_key"] = kit_model.patterns["api_keys"]
    with pytest.raises(ModelError, match="two things are called pattern"):
        kit_model.joined(other)


def tables(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    with pytest.raises(SystemExit):
        run(["tables", *words, "--json"])
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_tables_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ("--data", str(tmp_path / "data"))
    named = (*place, "--prefix", "acme", "--env", "test")
    for system in ("ladders", "sentiment"):
        made = tables(capsys, "setup", system, *named)["data"]["tables"]
        assert [each["physical"] for each in made][-1] == f"acme-test-{system}-kit"
        seen = tables(capsys, "verify", system, *named)
        assert seen["success"]
    rows = tables(capsys, "list", "ladders", *named)["data"]["tables"]
    assert [row["part"] for row in rows] == ["model"] * 6 + ["kit"]
    # Each system has its own, and another environment has another.
    missing = tables(capsys, "verify", "vibejudge", *named)
    assert "acme-test-vibejudge-kit" in missing["error"]["message"]
    assert not tables(capsys, "verify", "ladders", *place)["success"]
    gone = tables(capsys, "delete", "ladders", *named, "--yes")["data"]["tables"]
    assert len(gone) == 7
    assert "acme-test-ladders-kit" in [each["physical"] for each in gone]
    assert tables(capsys, "verify", "sentiment", *named)["success"]


def test_the_kit_table_stands_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ("--data", str(tmp_path / "data"))
    tables(capsys, "setup", "sentiment", *place)
    with pytest.raises(SystemExit):
        run(["tables", "list", "sentiment", *place])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == ""
    assert lines[-1].startswith("sentiment-kit ")


def template(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        run(["template", *words])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_templates(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("sentiment", "--env", "prod", "--prefix", "acme")
    stack = json.loads(template(capsys, *words, "--json", "--policies"))
    made = stack["Resources"]["KitTable"]["Properties"]
    assert made["TableName"] == {"Fn::Sub": "${NamePrefix}${Environment}-sentiment-kit"}
    assert made["TimeToLiveSpecification"]["AttributeName"] == "expires_at"
    assert made["DeletionProtectionEnabled"]
    assert "LeasesPolicy" in stack["Resources"]

    text = template(capsys, *words, "--format", "terraform")
    assert '"${var.name_prefix}${var.environment}-sentiment-kit"' in text

    policies = json.loads(template(capsys, *words, "--format", "iam"))
    (audit,) = policies["audit"]["Statement"]
    assert audit["Resource"].endswith(":table/acme-prod-sentiment-kit")
    assert audit["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] == ["AUDIT#*"]

    looked_at = template(capsys, "sentiment", "--format", "workbench")
    assert [each["TableName"] for each in json.loads(looked_at)["DataModel"]] == ["sentiment-items"]


def test_a_component_that_follows_changes_may_write_checkpoints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("pricekeeper", "--format", "iam", "--component", "fold", "--feed", "fold=RequestDedup")
    policy = json.loads(template(capsys, *words))
    kept = [each for each in policy["Statement"] if each["Resource"].endswith("/pricekeeper-kit")]
    assert any("dynamodb:UpdateItem" in each["Action"] for each in kept)
