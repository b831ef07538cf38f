"""Files of NoSQL Workbench become models: our own that went out, and those of others."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from tests.adopt.tables import item, keys, strays, types
from tests.deploy.templates.samples import ALL, sample

from tablewright.adopt import Proposal, propose, read_workbench
from tablewright.adopt.workbench.reading import read_drafts
from tablewright.client import Db, Embedded
from tablewright.deploy.templates.workbench import export_model
from tablewright.engine import Engine
from tablewright.model.definition import entity_of
from tablewright.model.demo import Demo
from tablewright.model.errors import ModelError
from tablewright.review import review
from tablewright.review.from_model import design_of


def adopted(document: Any) -> Proposal:
    return propose(*read_workbench(json.dumps(document)))


# --- out and in again ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_tables_come_back_as_they_went_out(name: str) -> None:
    given = sample(name)
    for items in ((), given.items):
        document = export_model(given.model, items)
        again = export_model(adopted(document).model)
        for old, new in zip(document["DataModel"], again["DataModel"], strict=True):
            for key in ("TableName", "KeyAttributes", "BillingMode"):
                assert new[key] == old[key]
            assert new.get("ProvisionedCapacitySettings") == old.get("ProvisionedCapacitySettings")
            assert _indexes(new) == _indexes(old)


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


@pytest.mark.parametrize("name", ALL)
def test_entities_and_attributes_come_back_without_samples(name: str) -> None:
    document = export_model(sample(name).model)
    again = export_model(adopted(document).model)
    for old, new in zip(document["DataModel"], again["DataModel"], strict=True):
        if len(new["TableFacets"]) == len(old["TableFacets"]):
            assert [each["FacetName"] for each in new["TableFacets"]] == [
                each["FacetName"] for each in old["TableFacets"]
            ]
        held, kept = _types(old), _types(new)
        assert set(held) <= set(kept)
        plain = {name: kind for name, kind in held.items() if kind in "SNB"}
        assert {name: kept[name] for name in plain} == plain


def _types(table: dict[str, Any]) -> dict[str, str]:
    return {each["AttributeName"]: each["AttributeType"] for each in table["NonKeyAttributes"]}


@pytest.mark.parametrize("name", ALL)
def test_nothing_that_the_file_names_is_lost_for_its_samples(name: str) -> None:
    """An attribute is a field; or a comment names it, where nothing says whose it is, or what."""
    given = sample(name)
    document = export_model(given.model, given.items)
    found = adopted(document)
    again = export_model(found.model)
    comments = [line for line in found.source.splitlines() if line.lstrip().startswith("# ")]
    for old, new in zip(document["DataModel"], again["DataModel"], strict=True):
        for attribute in set(_types(old)) - set(_types(new)):
            assert attribute in " ".join(comments).split()


@pytest.mark.parametrize("name", [name for name in ALL if name != "github"])
def test_every_sample_is_read_back_exactly(name: str) -> None:
    given = sample(name)
    document = export_model(given.model, given.items)
    found = adopted(document)
    assert strays(found) == []
    assert sum(len(each["TableData"]) for each in document["DataModel"]) == len(given.items)
    for said in document["DataModel"]:
        table = found.model.tables[said["TableName"]]
        for each in said["TableData"]:
            known = entity_of(table, each)
            assert known is not None, each
            assert known.encode(known.decode(each)) == each


@pytest.mark.parametrize("name", ALL)
def test_what_is_read_in_can_be_reviewed_and_created(name: str) -> None:
    given = sample(name)
    found = adopted(export_model(given.model, given.items))
    assert review(design_of(found.model, Demo(()))) is not None
    with Engine.memory() as engine:
        Db(Embedded(engine)).create_tables(found.model)
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


def test_a_file_of_somebody_else() -> None:
    found = adopted(FORUM)
    assert "    # Keys, as the file has them: ForumName#Id, Subject\n" in found.source
    model = found.model
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
    (stored,) = FORUM["DataModel"][0]["TableData"]  # type: ignore[index]
    assert entity.encode(entity.decode(stored)) == stored
    assert {"by_subject", "by_subjects", "by_subjects_by_post_index"} <= set(model.patterns)
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(model)
        engine.call("PutItem", {"TableName": "Thread", "Item": stored})
        posts = db.run(model.patterns["by_subjects_by_post_index"](LastPost="2026"))
        assert [each.Views for each in posts] == [3]


def test_a_sample_that_is_not_finished_is_left_out_and_told() -> None:
    document: Any = deepcopy(FORUM)
    document["DataModel"][0]["TableData"].append({"Forum Name": {"S": "S3"}})
    found = adopted(document)
    assert "# Samples without a whole key, left out: 1\n" in found.source
    assert found.model.entities.keys() == adopted(FORUM).model.entities.keys()


def test_what_the_samples_do_not_show_is_declared() -> None:
    document: Any = deepcopy(FORUM)
    (stored,) = document["DataModel"][0]["TableData"]
    for name in ("Views", "Tags", "LastPost"):
        del stored[name]
    found = adopted(document)
    assert dict(types(found, "BySubject")) == {
        "Forum_Name": "str",
        "class_": "str",
        "Ratio": "Decimal",
        "model_config_": "dict[str, int]",
        "Views": "Decimal?",
        "Tags": "set[str]?",
        "LastPost": "str?",
    }
    assert "by_subjects_by_post_index" in found.model.patterns
    assert strays(found) == []


def table(*facets: dict[str, Any], data: Any = (), names: tuple[str, ...] = ("id",)) -> Any:
    """A file with one table."""
    key = {"AttributeType": "S"}
    return {
        "DataModel": [
            {
                "TableName": "Things",
                "KeyAttributes": {
                    "PartitionKey": {"AttributeName": "PK", **key},
                    "SortKey": {"AttributeName": "SK", **key},
                },
                "NonKeyAttributes": [{"AttributeName": name, **key} for name in names],
                "TableFacets": list(facets),
                "TableData": list(data),
            }
        ]
    }


def facet(name: str, pk: str, sk: str, *names: str) -> dict[str, Any]:
    alias = {"PartitionKeyAlias": pk, "SortKeyAlias": sk}
    return {"FacetName": name, "KeyAttributeAlias": alias, "NonKeyAttributes": list(names)}


USER = facet("User", "u#{id}", "PROFILE", "id", "kind")
POST = facet("Post", "u#{id}", "p#{post}", "id", "post", "kind")
NAMES = ("id", "post", "kind")


def test_one_sample_is_enough_where_the_file_says_what_the_key_is() -> None:
    data = [
        item(PK="u#a", SK="PROFILE", id="a", kind="x"),
        item(PK="u#a", SK="p#1", id="a", post="1"),
    ]
    found = adopted(table(USER, POST, data=data, names=NAMES))
    assert keys(found) == {"User": ("u#{id}", "PROFILE"), "Post": ("u#{id}", "p#{post}")}
    assert types(found, "Post") == {"id": "str", "post": "str", "kind": "str?"}
    assert strays(found) == []
    assert "as the file has them" not in found.source


def test_a_facet_without_samples_is_an_entity_beside_those_with_some() -> None:
    found = adopted(table(USER, POST, data=[item(PK="u#a", SK="PROFILE", id="a")], names=NAMES))
    assert keys(found) == {"User": ("u#{id}", "PROFILE"), "Post": ("u#{id}", "p#{post}")}
    assert '"""No samples."""' in found.source
    assert strays(found) == []


def test_an_attribute_with_the_names_of_facets_tells_them_apart() -> None:
    data = [
        item(PK="1", SK="1", what="User", id="a"),
        item(PK="2", SK="1", what="Post", id="b"),
        item(PK="3", SK="1", what="Other", id="c"),
    ]
    own = [facet(name, "key", "other", "id", "what") for name in ("User", "Post", "Gone")]
    found = adopted(table(*own, data=data, names=("id", "what")))
    assert found.model.tables["Things"].discriminator == "what"
    assert list(found.model.entities) == ["User", "Post", "Other", "Gone"]
    assert found.source.count("# Keys, as the file has them: key, other\n") == 3
    assert strays(found) == []


def test_samples_are_told_apart_where_the_facets_are_not() -> None:
    data = [item(PK=f"USER#{n}", SK="PROFILE", id=str(n)) for n in range(5)]
    data += [item(PK=f"USER#{n}", SK=f"POST#{n}", post=f"p{n}") for n in range(5)]
    own = [facet("one", "user", "x", "id"), facet("two", "user", "y", "post", "unseen")]
    found = adopted(table(*own, data=data, names=("id", "post", "unseen")))
    assert set(keys(found)) == {"User", "Post"}
    assert "# Keys, as the file has them: one: user, x; two: user, y\n" in found.source
    assert "# Attributes that no sample has: unseen\n" in found.source


def test_braces_of_an_alias_that_are_written_twice_are_braces() -> None:
    data = [item(PK="{a}#1", SK="X#1", id="1")]
    own = facet("Odd", "{{a}}#{id}", "X#{id}", "id")
    for samples in ([], data):
        found = adopted(table(own, data=samples))
        assert keys(found) == {"Odd": ("{{a}}#{id}", "X#{id}")}


def test_a_key_of_endless_width_is_no_template() -> None:
    found = adopted(table(facet("Wide", "{id:0999999999999d}", "X#{id}", "id")))
    assert keys(found) == {"Wide": ("{pk}", "X#{id}")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nothing", "no JSON"),
        ("{}", "no model of NoSQL Workbench"),
        ('{"DataModel": []}', "no table"),
        ('{"DataModel": [{"TableName": "x"}]}', "KeyAttributes"),
        ("[]", "no model"),
        (
            json.dumps(table(data=[{"PK": {"S": "b"}}, {"PK": "a"}])),
            "table Things, sample 2, attribute PK: 'a' stands where a value has to be",
        ),
        (json.dumps(table(data=[{"PK": {"S": 1}}])), "where a value has to be"),
        (json.dumps(table(data=[{"PK": {"SS": [1]}}])), "where a set of texts has to be"),
        (json.dumps(table(data=[{"PK": {"N": "one"}}])), "sample 1 cannot be stored"),
    ],
)
def test_what_is_no_model(text: str, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        read_workbench(text)


def test_maps_that_workbench_writes_without_types_or_twice_are_read() -> None:
    """The ways in which the files of AWS's own sample models have them."""
    plain = {"cameras": {"front": {"on": True}}, "speed": 7, "name": "x", "none": None, "l": [1]}
    data = [{"PK": {"S": "a"}, "m": {"M": plain}, "twice": {"M": {"M": {"HP": {"N": "50"}}}}}]
    (draft,) = read_drafts(json.dumps(table(data=data))).tables
    assert draft.data[0]["m"] == {
        "M": {
            "cameras": {"M": {"front": {"M": {"on": {"BOOL": True}}}}},
            "speed": {"N": "7"},
            "name": {"S": "x"},
            "none": {"NULL": True},
            "l": {"L": [{"N": "1"}]},
        }
    }
    assert draft.data[0]["twice"] == {"M": {"HP": {"N": "50"}}}
