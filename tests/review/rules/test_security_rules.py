"""The rules of security: what they find, and what is nearly the same and fine."""

from __future__ import annotations

from typing import ClassVar

import pytest
from tests.review.found import found, places

from tablewright.review.design import (
    Alarm,
    Attribute,
    Design,
    Entity,
    Index,
    Key,
    Pattern,
    Permission,
    Retention,
    Table,
    Unique,
)
from tablewright.review.report import review

TABLE = Table("App", pk="PK", indexes=(Index("GSI1", pk="GSI1PK"),), ttl="ends")
EMAIL = Attribute("email", personal=True)


def person(*keys: Key, **rest: object) -> Entity:
    return Entity("Person", "App", keys=keys, attributes=(Attribute("id"), EMAIL), **rest)  # type: ignore[arg-type]


class TestPersonalDataInKeys:
    def test_in_the_key_of_an_index(self) -> None:
        entity = person(Key("PERSON#{id}"), Key("EMAIL#{email}", on="GSI1"))
        assert places("X01", TABLE, entity) == ["key Person[GSI1]"]

    def test_in_a_lock(self) -> None:
        entity = person(Key("PERSON#{id}"), unique=(Unique("email", lock="EMAIL#{email}"),))
        assert places("X01", TABLE, entity) == ["entity Person"]

    def test_not_in_an_attribute(self) -> None:
        entity = person(Key("PERSON#{id}"), unique=(Unique("email", lock="EMAIL#{email_hash}"),))
        assert places("X01", TABLE, entity) == []


class TestCredentials:
    def test_in_clear_whether_key_or_not(self) -> None:
        token = Attribute("token", secret="clear")
        for key in (Key("{token}"), Key("{id}")):
            entity = Entity("Login", "App", keys=(key,), attributes=(token, Attribute("id")))
            assert places("X02", TABLE, entity) == ["attribute Login.token"]

    def test_encrypted_is_fine_but_not_as_a_key(self) -> None:
        token = Attribute("token", secret="encrypted")
        stored = Entity("Login", "App", keys=(Key("{id}"),), attributes=(token,))
        keyed = Entity("Login", "App", keys=(Key("{token}"),), attributes=(token,))
        assert places("X02", TABLE, stored) == []
        assert places("X02", TABLE, keyed) == ["attribute Login.token"]

    def test_a_hash_may_be_a_key(self) -> None:
        digest = Attribute("digest", secret="hash")
        entity = Entity("Login", "App", keys=(Key("{digest}"),), attributes=(digest,))
        assert places("X02", TABLE, entity) == []


class TestPermissions:
    ENTITY = Entity("Order", "App", keys=(Key("{id}"), Key("{state}", on="GSI1")))
    READ = Pattern("open", "query", "Order", index="GSI1", component="web")

    def of(self, pattern: Pattern, *permissions: Permission) -> list[str]:
        return [each.message for each in found("X03", TABLE, self.ENTITY, pattern, *permissions)]

    @pytest.mark.parametrize(
        "resource",
        ["table/App/index/GSI1", "table/App/index/*", "*", "arn:aws:dynamodb:*:*:table/App/*"],
    )
    def test_an_index_that_is_named(self, resource: str) -> None:
        assert self.of(self.READ, Permission("web", ("dynamodb:Query",), (resource,))) == []

    @pytest.mark.parametrize("resources", [(), ("table/App",), ("table/App/index/GSI2",)])
    def test_an_index_that_is_not(self, resources: tuple[str, ...]) -> None:
        (message,) = self.of(self.READ, Permission("web", ("Query",), resources))
        assert "table/App/index/GSI1" in message

    def test_an_action_that_is_missing(self) -> None:
        (message,) = self.of(self.READ, Permission("web", ("GetItem",), ("*",)))
        assert "Query" in message

    def test_a_transaction_needs_the_actions_of_its_members(self) -> None:
        members = (Pattern("", "put", "Order"), Pattern("", "check", "Order"))
        pattern = Pattern("place", "transaction", members=members, component="web")
        assert self.of(pattern, Permission("web", ("PutItem", "ConditionCheckItem"))) == []
        (message,) = self.of(pattern, Permission("web", ("PutItem",)))
        assert "ConditionCheckItem" in message

    def test_a_batch_has_an_action_of_its_own(self) -> None:
        pattern = Pattern(
            "load", "batch_write", members=(Pattern("", "put", "Order"),), component="web"
        )
        assert self.of(pattern, Permission("web", ("BatchWriteItem",))) == []
        assert len(self.of(pattern, Permission("web", ("PutItem",)))) == 1

    def test_components_without_permissions_are_nobodys_business(self) -> None:
        assert self.of(self.READ, Permission("worker", ("GetItem",))) == []


class TestProtection:
    def test_each_of_the_two_is_missed(self) -> None:
        (one,) = found("X04", Table("A", durable=True, pitr=True))
        (other,) = found("X04", Table("A", durable=True, deletion_protection=True))
        assert "deletion" in one.message
        assert "recovery" in other.message

    def test_nothing_is_said_about_what_may_be_lost(self) -> None:
        assert found("X04", Table("A"), Table("B", durable=False)) == []


class TestPersonalDataWithoutEnd:
    def test_nothing_ends_it(self) -> None:
        assert places("X05", TABLE, person(Key("{id}"))) == ["entity Person"]

    def test_it_ends(self) -> None:
        assert places("X05", TABLE, person(Key("{id}"), ttl="ends")) == []
        assert places("X05", TABLE, person(Key("{id}"), retention=Retention(days=365))) == []

    def test_a_pattern_deletes_it(self) -> None:
        erase = Pattern("erase", "transaction", members=(Pattern("", "delete", "Person"),))
        assert places("X05", TABLE, person(Key("{id}")), erase) == []

    @pytest.mark.parametrize(("update", "erased"), [("REMOVE email", True), ("SET a = :x", False)])
    def test_a_pattern_erases_it(self, update: str, erased: bool) -> None:
        erase = Pattern("erase", "update", "Person", update=update, values={":x": "S"})
        assert (places("X05", TABLE, person(Key("{id}")), erase) == []) is erased

    def test_who_erases_it_is_not_known(self) -> None:
        design = Design.of("reads only", TABLE, person(Key("{id}")), writes_declared=False)
        assert "X05" not in [each.code for each in review(design).findings]


class TestAlarms:
    WHOLE: ClassVar[dict[str, object]] = {
        "Namespace": "AWS/DynamoDB",
        "MetricName": "SystemErrors",
        "Dimensions": [{"Name": "TableName", "Value": "App"}],
        "Statistic": "Sum",
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 1,
        "ComparisonOperator": "GreaterThanThreshold",
    }

    def test_a_whole_one(self) -> None:
        assert found("X06", Alarm("errors", self.WHOLE)) == []

    @pytest.mark.parametrize("name", [name for name in WHOLE if name != "MetricName"])
    def test_every_part_is_needed(self, name: str) -> None:
        body = {each: value for each, value in self.WHOLE.items() if each != name}
        (one,) = found("X06", Alarm("errors", body))
        assert name in one.message

    def test_a_metric_of_the_account_has_no_table(self) -> None:
        body = {name: value for name, value in self.WHOLE.items() if name != "Dimensions"}
        assert found("X06", Alarm("errors", {**body, "MetricName": "UserErrors"})) == []

    def test_an_expression_has_its_metrics_inside(self) -> None:
        assert found("X06", Alarm("ratio", {"Metrics": [], "Threshold": 1})) == []
