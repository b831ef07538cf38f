"""Items that a changed model no longer finds: noticed by diff, migrate and review, and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.deploy.test_migrate import ITEMS, migrate, old_order

import tablewright.cli.main as main
from tablewright.client import Db, Embedded
from tablewright.deploy.problems import DeployError
from tablewright.deploy.setup import set_up
from tablewright.engine import Engine
from tablewright.model import definition, put
from tablewright.model.errors import ServiceError

from tests.deploy import shop_drifted, shop_v1  # isort: skip

V1, DRIFTED, REINDEXED, RENAMED = (
    f"tests.deploy.{name}:model"
    for name in ("shop_v1", "shop_drifted", "shop_reindexed", "shop_renamed")
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with the shop as it is deployed first, with orders in it."""
    with Engine(tmp_path / "d", durability="relaxed") as engine:
        db = Db(Embedded(engine))
        db.drive(set_up(db.context, list(shop_v1.model.tables.values())))
        for number in range(60):
            db.run(put(old_order(number)))
    return tmp_path / "d"


@pytest.fixture
def run(data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(data.parent)

    def call(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main.run((*words, "--data", str(data)))
        shown = capsys.readouterr()
        return int(ended.value.code or 0), shown.out + shown.err

    return call


@pytest.mark.parametrize("words", [("tables", "diff"), ("tables", "verify")])
def test_an_unchanged_model_has_no_differences(run: Any, words: tuple[str, ...]) -> None:
    code, _ = run(*words, V1)
    assert code == 0


@pytest.mark.parametrize("model", [DRIFTED, REINDEXED, RENAMED])
@pytest.mark.parametrize(
    "words", [("tables", "diff"), ("tables", "verify"), ("tables", "migrate", "--yes")]
)
def test_items_that_the_model_does_not_find_are_an_error(
    run: Any, model: str, words: tuple[str, ...]
) -> None:
    code, text = run(*words, model)
    assert code == 1
    expected = {
        DRIFTED: "CLIENT#{customer}",
        REINDEXED: "--backfill GSI1",
        RENAMED: "type 'Order'",
    }[model]
    assert expected in text


def test_an_index_that_shares_the_partition_key_has_not_drifted_by_itself(run: Any) -> None:
    _, text = run("tables", "diff", DRIFTED)
    assert "the key of Order items is different in" in text
    assert "ByTotal" not in text


@pytest.mark.parametrize("model", [DRIFTED, RENAMED])
def test_a_migration_of_drifted_items_writes_nothing(run: Any, data: Path, model: str) -> None:
    def items() -> list[Any]:
        with Engine(data) as engine:
            found: list[Any] = engine.call("Scan", {"TableName": "Orders"})["Items"]
            return sorted(found, key=json.dumps)

    before = items()
    for more in (("--yes",), ("--yes", "--backfill", "all"), ("--dry-run", "--backfill", "all")):
        code, text = run("tables", "migrate", model, *more)
        assert code == 1, text
    assert items() == before


def test_a_renamed_class_that_keeps_its_type_is_told_what_to_write(run: Any) -> None:
    _, text = run("tables", "migrate", RENAMED, "--yes")
    assert 'type="' in text
    assert "--skip-unknown" in text


def test_items_of_another_program_can_be_left_alone(run: Any) -> None:
    assert run("tables", "migrate", RENAMED, "--yes", "--skip-unknown")[0] == 0


def test_an_index_template_is_repaired_by_its_backfill(run: Any) -> None:
    assert run("tables", "migrate", REINDEXED, "--yes", "--backfill", "GSI1")[0] == 0
    assert run("tables", "diff", REINDEXED)[0] == 0


def test_a_single_old_item_among_many_stops_a_migration(run: Any, data: Path) -> None:
    """A sample may miss it; a migration reads them all."""
    with Engine(data) as engine:
        encode = definition(shop_drifted.Order).encode
        for number in range(60):
            order = old_order(number)
            key = {name: definition(shop_v1.Order).encode(order)[name] for name in ("PK", "SK")}
            if number:
                engine.call("DeleteItem", {"TableName": "Orders", "Key": key})
        for number in range(1, 1500):
            item = encode(shop_drifted.Order(**old_order(number).model_dump()))
            engine.call("PutItem", {"TableName": "Orders", "Item": item})
    code, text = run("tables", "migrate", DRIFTED, "--yes")
    assert (code, "1 Order items" in text) == (1, True), text


def test_the_review_of_a_deployed_table_reports_drifted_keys(run: Any) -> None:
    code, text = run("review", DRIFTED)
    assert code == 1
    assert "S01" in text
    assert run("review", V1)[0] == 0


def test_a_backfill_counts_drifted_items_exactly(db: Db, send: Any) -> None:
    db.drive(set_up(db.context, list(shop_v1.model.tables.values())))
    for number in range(40):
        db.run(put(old_order(number)))
    with pytest.raises(DeployError, match="40 Order items have another key in the table"):
        migrate(db, shop_drifted.model, backfill=("GSI1",))
    assert ITEMS > 40


def test_a_role_that_may_not_read_items_can_still_migrate_settings(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*arguments: Any) -> Any:
        raise ServiceError("AccessDeniedException", "not authorized to perform: dynamodb:Scan")
        yield

    monkeypatch.setattr("tablewright.deploy.filling.ask", denied)
    monkeypatch.setattr("tablewright.deploy.drift.ask", denied)
    code, text = run("tables", "migrate", V1, "--yes")
    assert code == 0
    assert "were not compared" in text
    assert run("tables", "verify", V1)[0] == 0
    assert run("tables", "migrate", V1, "--yes", "--check-items")[0] == 1
