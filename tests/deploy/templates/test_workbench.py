"""NoSQL Workbench: out and in again, and files that others have made."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.deploy.templates.samples import ALL, sample

from tablewright.client import Db, Embedded
from tablewright.deploy.templates.workbench import export_model, import_model
from tablewright.engine import Engine
from tablewright.model.definition import entity_of
from tablewright.model.demo import Demo
from tablewright.model.errors import ModelError
from tablewright.review import review
from tablewright.review.from_model import design_of


def imported(text: str, name: str, folder: Path) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ALL)
def test_out_and_in_again(name: str, tmp_path: Path) -> None:
    given = sample(name)
    document = export_model(given.model)
    module = imported(import_model(json.dumps(document)), f"workbench_{name}", tmp_path)
    again = export_model(module.model)
    for old, new in zip(document["DataModel"], again["DataModel"], strict=True):
        for key in ("TableName", "KeyAttributes", "BillingMode"):
            assert new[key] == old[key]
        assert new.get("ProvisionedCapacitySettings") == old.get("ProvisionedCapacitySettings")
        assert _indexes(new) == _indexes(old)
        if len(new["TableFacets"]) == len(old["TableFacets"]):
            assert [each["FacetName"] for each in new["TableFacets"]] == [
                each["FacetName"] for each in old["TableFacets"]
            ]
        held = {each["AttributeName"]: each["AttributeType"] for each in old["NonKeyAttributes"]}
        kept = {each["AttributeName"]: each["AttributeType"] for each in new["NonKeyAttributes"]}
        assert set(held) <= set(kept)
        assert {name: kept[name] for name in held if held[name] in "SNB"} == {
            name: kind for name, kind in held.items() if kind in "SNB"
        }


def _indexes(table: dict[str, Any]) -> list[Any]:
    both = table["GlobalSecondaryIndexes"] + table.get("LocalSecondaryIndexes", [])
    return [
        {
            **each,
            "Projection": {
                k: sorted(v) if k[0] == "N" else v for k, v in each["Projection"].items()
            },
        }
        for each in both
    ]


@pytest.mark.parametrize("name", [name for name in ALL if name != "github"])
def test_what_is_read_in_reads_the_data_that_went_out(name: str, tmp_path: Path) -> None:
    """Sample items go out with the model; the imported model finds an owner for each of them."""
    given = sample(name)
    document = export_model(given.model, given.items)
    module = imported(import_model(json.dumps(document)), f"workbench_data_{name}", tmp_path)
    assert sum(len(each["TableData"]) for each in document["DataModel"]) == len(given.items)
    for said in document["DataModel"]:
        table = module.model.tables[said["TableName"]]
        for item in said["TableData"]:
            known = entity_of(table, item)
            assert known is not None, item
            assert known.encode(known.decode(item)) == item


@pytest.mark.parametrize("name", ALL)
def test_what_is_read_in_can_be_reviewed_and_created(name: str, tmp_path: Path) -> None:
    given = sample(name)
    document = json.dumps(export_model(given.model, given.items))
    module = imported(import_model(document), f"workbench_review_{name}", tmp_path)
    report = review(design_of(module.model, Demo(())))
    assert report is not None
    with Engine.memory() as engine:
        Db(Embedded(engine)).create_tables(module.model)
        names = engine.call("ListTables", {})["TableNames"]
        assert sorted(names) == sorted(given.model.tables)


# --- files of others -----------------------------------------------------------------------------

FORUM = {
    "ModelName": "Forum",
    "ModelMetadata": {"Author": "somebody", "Version": "1.0"},
    "DataModel": [
        {
            "TableName": "Thread",
            "KeyAttributes": {
                "PartitionKey": {"AttributeName": "Forum Name", "AttributeType": "S"},
                "SortKey": {"AttributeName": "class", "AttributeType": "S"},
            },
            "NonKeyAttributes": [
                {"AttributeName": "Views", "AttributeType": "N"},
                {"AttributeName": "Ratio", "AttributeType": "N"},
                {"AttributeName": "Tags", "AttributeType": "SS"},
                {"AttributeName": "model_config", "AttributeType": "M"},
                {"AttributeName": "LastPost", "AttributeType": "S"},
            ],
            "TableFacets": [
                {
                    "FacetName": "by subject",
                    "KeyAttributeAlias": {
                        "PartitionKeyAlias": "ForumName#Id",
                        "SortKeyAlias": "Subject",
                    },
                    "TableData": [],
                    "NonKeyAttributes": ["Views", "Ratio", "Tags", "model_config", "LastPost"],
                    "DataAccess": {"MySql": {}},
                }
            ],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "PostIndex",
                    "KeyAttributes": {
                        "PartitionKey": {"AttributeName": "LastPost", "AttributeType": "S"}
                    },
                    "Projection": {"ProjectionType": "KEYS_ONLY"},
                }
            ],
            "TableData": [
                {
                    "Forum Name": {"S": "S3"},
                    "class": {"S": "hello"},
                    "Views": {"N": "3"},
                    "Ratio": {"N": "0.5"},
                    "Tags": {"SS": ["a"]},
                    "model_config": {"M": {"x": {"N": "1"}}},
                    "LastPost": {"S": "2026"},
                }
            ],
            "DataAccess": {"MySql": {}},
            "BillingMode": "PROVISIONED",
            "ProvisionedCapacitySettings": {
                "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 2}
            },
        }
    ],
}


def test_a_file_of_somebody_else(tmp_path: Path) -> None:
    source = import_model(json.dumps(FORUM))
    assert "ForumName#Id, Subject" in source
    model = imported(source, "workbench_forum", tmp_path).model
    (entity,) = model.entities.values()
    assert set(entity.fields) == {
        "Forum_Name",
        "class_",
        "Views",
        "Ratio",
        "Tags",
        "model_config_",
        "LastPost",
    }
    assert entity.fields["Views"].annotation is int
    assert entity.fields["Forum_Name"].attribute == "Forum Name"
    (item,) = FORUM["DataModel"][0]["TableData"]  # type: ignore[index]
    assert entity.encode(entity.decode(item)) == item
    assert set(model.patterns) == {"by_subject", "by_subject_list", "by_subject_post_index"}
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(model)
        engine.call("PutItem", {"TableName": "Thread", "Item": item})
        found = db.run(model.patterns["by_subject_post_index"](LastPost="2026"))
        assert [each.Views for each in found] == [3]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nothing", "no JSON"),
        ("{}", "no model of NoSQL Workbench"),
        ('{"DataModel": []}', "no table"),
        ('{"DataModel": [{"TableName": "x"}]}', "KeyAttributes"),
        ("[]", "no model"),
    ],
)
def test_what_is_no_model(text: str, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        import_model(text)
