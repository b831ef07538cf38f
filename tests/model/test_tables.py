"""Tables as declared, and as the service is asked for them."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.client import Db
from tablewright.model import Index, Number, OnDemand, Provisioned, Table
from tablewright.model.errors import ModelError
from tablewright.testing import Backend


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Index("Idx"), "pk is missing"),
        (lambda: Index("Idx", pk="a", include=("b",), keys_only=True), "not both"),
        (lambda: Index("Idx", pk="a", local=True), "leave pk out"),
        (lambda: Index("Idx", local=True), "exactly one sk"),
        (lambda: Index("Idx", pk=("a", "b", "c", "d", "e")), "at most 4"),
        (
            lambda: Table("Tab", pk="a", indexes=[Index("Idx", sk="b", local=True)]),
            "with a sort key",
        ),
        (
            lambda: Table("Tab", pk="a", indexes=[Index("Idx", pk="b"), Index("Idx", pk="c")]),
            "two ind",
        ),
        (lambda: Table("Tab", pk="a", indexes=[Index("Idx", pk=Number("a"))]), "two types"),
        (lambda: Table("Tab", pk="a", delimiter="ab"), "one ASCII sign"),
        (lambda: Table("Tab", pk="a", delimiter="x"), "one ASCII sign"),
    ],
)
def test_what_cannot_be_declared(make: Any, text: str) -> None:
    with pytest.raises(ModelError, match=text):
        make()


def test_a_key_given_as_a_list_is_the_same_as_a_tuple() -> None:
    listed = Index("Idx", pk=["a", "b"], sk=["c", Number("d")])
    given = Index("Idx", pk=("a", "b"), sk=("c", Number("d")))
    assert (listed, hash(listed)) == (given, hash(given))


def described(db: Db, table: Table) -> dict[str, Any]:
    from tests.client import raw

    found: dict[str, Any] = raw.call(db, "DescribeTable", {"TableName": table.name})["Table"]
    return found


def test_what_is_created_is_what_was_declared(tablewright_backend: Backend) -> None:
    db = tablewright_backend.db()
    table = Table(
        "Everything",
        pk="PK",
        sk=Number("SK"),
        ttl="ends",
        stream="NEW_IMAGE",
        billing=Provisioned(5, 6),
        indexes=[
            Index("All", pk="A", sk="B"),
            Index("Some", pk="C", include=("x",), billing=Provisioned(2, 3)),
            Index("None", pk="D", keys_only=True),
            Index("Near", sk="E", local=True, include=("y",)),
        ],
    )
    assert db.create_tables(table) == ["Everything"]
    found = described(db, table)
    assert found["KeySchema"] == [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ]
    types = {each["AttributeName"]: each["AttributeType"] for each in found["AttributeDefinitions"]}
    assert types == {"PK": "S", "SK": "N", "A": "S", "B": "S", "C": "S", "D": "S", "E": "S"}
    indexes = {each["IndexName"]: each for each in found["GlobalSecondaryIndexes"]}
    assert indexes["All"]["Projection"] == {"ProjectionType": "ALL"}
    some = indexes["Some"]["Projection"]
    assert set(some["NonKeyAttributes"]) == {"x", "entity_type"}
    assert indexes["Some"]["ProvisionedThroughput"]["WriteCapacityUnits"] == 3
    assert indexes["All"]["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    [near] = found["LocalSecondaryIndexes"]
    assert set(near["Projection"]["NonKeyAttributes"]) == {"y", "entity_type"}
    assert found["StreamSpecification"]["StreamViewType"] == "NEW_IMAGE"
    # Once more: nothing is made, and the time to live that is on stays on.
    assert db.create_tables(table) == []


def test_on_demand_with_everything_else() -> None:
    from tablewright.model.tables import create_request

    table = Table(
        "Tab",
        pk="PK",
        discriminator=None,
        billing=OnDemand(max_write_units=40),
        tags={"team": "a"},
        table_class="STANDARD_INFREQUENT_ACCESS",
        deletion_protection=True,
        indexes=[Index("Idx", pk="A", include=("x",))],
    )
    body = create_request(table)
    assert body["BillingMode"] == "PAY_PER_REQUEST"
    assert body["OnDemandThroughput"] == {"MaxWriteRequestUnits": 40}
    assert body["Tags"] == [{"Key": "team", "Value": "a"}]
    assert body["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert body["DeletionProtectionEnabled"] is True
    [index] = body["GlobalSecondaryIndexes"]
    assert index["Projection"]["NonKeyAttributes"] == ["x"]
    assert "ProvisionedThroughput" not in index
