"""What NoSQL Workbench is given; :mod:`tests.adopt.test_workbench` reads it in again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.deploy.templates.samples import ALL, sample

from tablewright.deploy.templates.workbench import export_model


@pytest.mark.parametrize("name", ALL)
def test_every_table_entity_and_item_goes_out(name: str) -> None:
    given = sample(name)
    document = export_model(given.model, given.items)
    assert json.loads(json.dumps(document)) == document
    assert document["ModelName"] == given.model.name
    assert [each["TableName"] for each in document["DataModel"]] == list(given.model.tables)
    for said in document["DataModel"]:
        table = given.model.tables[said["TableName"]]
        assert [each["FacetName"] for each in said["TableFacets"]] == list(table.entities)
        own = {each.name for each in table.primary()}
        assert own.isdisjoint(each["AttributeName"] for each in said["NonKeyAttributes"])
    assert sum(len(each["TableData"]) for each in document["DataModel"]) == len(given.items)


def test_a_template_is_an_alias_with_attributes_in_it() -> None:
    (table,) = export_model(sample("ecommerce").model)["DataModel"]
    aliases: dict[str, Any] = {
        each["FacetName"]: each["KeyAttributeAlias"] for each in table["TableFacets"]
    }
    assert aliases["OrderItem"] == {
        "PartitionKeyAlias": "ORDER#{order_id}",
        "SortKeyAlias": "ITEM#{position}",
    }


def test_the_same_model_is_the_same_file() -> None:
    given = sample("corners")
    assert export_model(given.model, given.items) == export_model(given.model, given.items)
