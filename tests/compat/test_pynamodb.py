"""PynamoDB: models, indexes, conditions, versions, batches, transactions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pynamodb.attributes import (
    BinaryAttribute,
    BinarySetAttribute,
    BooleanAttribute,
    JSONAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    NumberSetAttribute,
    TTLAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    UTCDateTimeAttribute,
    VersionAttribute,
)
from pynamodb.connection import Connection
from pynamodb.exceptions import (
    DeleteError,
    DoesNotExist,
    PutError,
    QueryError,
    TableDoesNotExist,
    TableError,
    TransactWriteError,
    UpdateError,
)
from pynamodb.indexes import (
    AllProjection,
    GlobalSecondaryIndex,
    IncludeProjection,
    KeysOnlyProjection,
    LocalSecondaryIndex,
)
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite
from tests.compat.conftest import ACCESS_KEY, REGION, SECRET_KEY


class Address(MapAttribute[str, Any]):
    street = UnicodeAttribute()
    number = NumberAttribute(null=True)


class ByAuthor(GlobalSecondaryIndex[Any]):
    class Meta:
        index_name = "by-author"
        projection = AllProjection()
        read_capacity_units = 1
        write_capacity_units = 1

    author = UnicodeAttribute(hash_key=True)
    views = NumberAttribute(range_key=True)


class ByViews(LocalSecondaryIndex[Any]):
    class Meta:
        index_name = "by-views"
        projection = IncludeProjection(["author"])

    forum = UnicodeAttribute(hash_key=True)
    views = NumberAttribute(range_key=True)


class ByTime(GlobalSecondaryIndex[Any]):
    class Meta:
        index_name = "by-time"
        projection = KeysOnlyProjection()
        read_capacity_units = 1
        write_capacity_units = 1

    written = UTCDateTimeAttribute(hash_key=True)


def thread_model(url: str, name: str) -> Any:
    """The model class; a new one for each table, because it holds its connection."""

    class Thread(Model):
        class Meta:
            table_name = name
            host = url
            region = REGION
            aws_access_key_id = ACCESS_KEY
            aws_secret_access_key = SECRET_KEY
            read_capacity_units = 5
            write_capacity_units = 5

        forum = UnicodeAttribute(hash_key=True)
        subject = UnicodeAttribute(range_key=True)
        author = UnicodeAttribute(null=True)
        views = NumberAttribute(default=0)
        open = BooleanAttribute(default=True)
        tags = UnicodeSetAttribute(null=True)
        scores = NumberSetAttribute(null=True)
        blob = BinaryAttribute(null=True, legacy_encoding=False)
        blobs = BinarySetAttribute(null=True, legacy_encoding=False)
        written = UTCDateTimeAttribute(null=True)
        data = JSONAttribute(null=True)
        address = Address(null=True)
        notes = ListAttribute[Any](null=True)
        by_author = ByAuthor()
        by_views = ByViews()
        by_time = ByTime()

    return Thread


def versioned_model(url: str, name: str) -> Any:
    class Account(Model):
        class Meta:
            table_name = name
            host = url
            region = REGION
            aws_access_key_id = ACCESS_KEY
            aws_secret_access_key = SECRET_KEY
            billing_mode = "PAY_PER_REQUEST"

        id = UnicodeAttribute(hash_key=True)
        money = NumberAttribute(default=0)
        until = TTLAttribute(null=True)
        version = VersionAttribute()

    return Account


@pytest.fixture
def thread(endpoint: str, name: str) -> Iterator[Any]:
    model = thread_model(endpoint, name)
    model.create_table(wait=True)
    yield model
    model.delete_table()


@pytest.fixture
def account(endpoint: str, name: str) -> Iterator[Any]:
    model = versioned_model(endpoint, name)
    model.create_table(wait=True)
    yield model
    model.delete_table()


@pytest.fixture
def connection(endpoint: str, account: Any) -> Any:
    return account._get_connection().connection


class TestTables:
    def test_create_describe_and_delete(self, endpoint: str, name: str) -> None:
        model = thread_model(endpoint, name)
        assert not model.exists()
        model.create_table(wait=True)
        assert model.exists()
        description = model.describe_table()
        assert description["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
        assert {i["IndexName"] for i in description["GlobalSecondaryIndexes"]} == {
            "by-author",
            "by-time",
        }
        model.delete_table()
        assert not model.exists()
        with pytest.raises(PutError) as caught:
            model("a", "b").save()
        assert caught.value.cause_response_code == "ResourceNotFoundException"
        with pytest.raises(TableDoesNotExist):
            thread_model(endpoint, name + "-never").describe_table()

    def test_time_to_live(self, account: Any) -> None:
        # create_table() has switched it on, because of the TTLAttribute.
        with pytest.raises(TableError, match="TimeToLive is already enabled"):
            account.update_ttl(ignore_update_ttl_errors=False)
        moment = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
        account("a", until=moment).save()
        assert account.get("a").until == moment


class TestItems:
    def test_every_attribute_comes_back(self, thread: Any) -> None:
        now = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
        thread(
            "f",
            "s",
            author="Zo\u00eb",
            views=12345678901234567890,
            open=False,
            tags={"a", "b"},
            scores={1, 2.5},
            blob=b"\x00\xff",
            blobs={b"a", b"b"},
            written=now,
            data={"x": [1, None]},
            address=Address(street="Main", number=5),
            notes=["a", 1, {"b": True}],
        ).save()
        back = thread.get("f", "s", consistent_read=True)
        assert (back.author, back.views, back.open) == ("Zo\u00eb", 12345678901234567890, False)
        assert (back.tags, back.scores) == ({"a", "b"}, {1, 2.5})
        assert (back.blob, back.blobs) == (b"\x00\xff", {b"a", b"b"})
        assert (back.written, back.data) == (now, {"x": [1, None]})
        assert back.address.street == "Main"
        assert back.notes == ["a", 1, {"b": True}]
        with pytest.raises(thread.DoesNotExist):
            thread.get("f", "other")

    def test_conditions(self, thread: Any) -> None:
        item = thread("f", "s", views=1)
        item.save(thread.forum.does_not_exist())
        with pytest.raises(PutError) as put:
            item.save(thread.forum.does_not_exist())
        assert put.value.cause_response_code == "ConditionalCheckFailedException"
        with pytest.raises(UpdateError) as update:
            item.update([thread.views.set(2)], condition=thread.views.between(5, 9))
        assert update.value.cause_response_message == "The conditional request failed"
        with pytest.raises(DeleteError):
            item.delete((thread.views > 1) | thread.tags.contains("x"))
        item.delete((thread.views == 1) & thread.tags.does_not_exist())
        with pytest.raises(DoesNotExist):
            thread.get("f", "s")

    def test_updates(self, thread: Any) -> None:
        item = thread("f", "s", tags={"a"}, notes=["one"], address=Address(street="A"))
        item.save()
        item.update(
            [
                thread.views.set(thread.views + 5),
                thread.author.set(thread.author | "nobody"),
                thread.tags.add({"b"}),
                thread.notes.set(thread.notes.append(["two"])),
                thread.address.street.set("B"),
                thread.open.remove(),
            ]
        )
        assert (item.views, item.author, item.tags) == (5, "nobody", {"a", "b"})
        assert (item.notes, item.address.street) == (["one", "two"], "B")
        item.update([thread.tags.delete({"a"}), thread.notes[0].remove()])
        assert (item.tags, item.notes) == ({"b"}, ["two"])


class TestReads:
    @pytest.fixture
    def filled(self, thread: Any) -> Any:
        with thread.batch_write() as batch:
            for number in range(60):
                batch.save(
                    thread(
                        f"forum {number % 2}",
                        f"subject {number:02}",
                        author=["ada", "bob", "cyd"][number % 3],
                        views=number,
                    )
                )
        return thread

    def test_query_in_pages(self, filled: Any) -> None:
        found = filled.query(
            "forum 1",
            filled.subject.startswith("subject"),
            filter_condition=filled.views >= 10,
            page_size=4,
            scan_index_forward=False,
        )
        assert [item.views for item in found] == list(range(59, 10, -2))
        first = filled.query("forum 0", limit=10)
        assert len(list(first)) == 10
        rest = filled.query("forum 0", last_evaluated_key=first.last_evaluated_key)
        assert len(list(rest)) == 20

    def test_indexes(self, filled: Any) -> None:
        found = list(filled.by_author.query("bob", filled.views < 20, page_size=2))
        assert [item.views for item in found] == [1, 4, 7, 10, 13, 16, 19]
        assert filled.by_author.count("bob", filled.views < 20) == 7
        found = list(filled.by_views.query("forum 0", filled.views.between(10, 14)))
        assert [item.subject for item in found] == ["subject 10", "subject 12", "subject 14"]
        assert len(list(filled.by_author.scan())) == 60

    def test_scan(self, filled: Any) -> None:
        assert filled.count() == 60
        segments = [
            item.views
            for segment in range(3)
            for item in filled.scan(segment=segment, total_segments=3, page_size=5)
        ]
        assert sorted(segments) == list(range(60))
        found = filled.scan(filled.author.is_in("ada", "bob"), attributes_to_get=["views"])
        assert len(list(found)) == 40

    def test_batch_get_and_delete(self, filled: Any) -> None:
        keys = [(f"forum {n % 2}", f"subject {n:02}") for n in range(60)]
        items = list(filled.batch_get([*keys, ("no", "such")]))
        assert sorted(item.views for item in items) == list(range(60))
        with filled.batch_write() as batch:
            for item in items:
                batch.delete(item)
        assert filled.count() == 0

    def test_an_error(self, thread: Any) -> None:
        with pytest.raises(QueryError) as caught:
            list(thread.query(""))
        assert caught.value.cause_response_code == "ValidationException"


class TestVersionsAndTransactions:
    def test_a_stale_version_is_refused(self, account: Any) -> None:
        first = account("a", money=1)
        first.save()
        second = account.get("a")
        first.money = 2
        first.save()
        assert first.version == 2
        second.money = 3
        with pytest.raises(PutError) as caught:
            second.save()
        assert caught.value.cause_response_code == "ConditionalCheckFailedException"

    def test_transfer(self, account: Any, connection: Connection) -> None:
        ada, bob = account("ada", money=10), account("bob")
        ada.save()
        bob.save()
        with TransactWrite(connection=connection, client_request_token="one") as transaction:
            transaction.update(ada, [account.money.add(-4)], condition=account.money >= 4)
            transaction.update(bob, [account.money.add(4)])
        with TransactGet(connection=connection) as transaction:
            futures = [transaction.get(account, key) for key in ("ada", "bob")]
        assert [future.get().money for future in futures] == [6, 4]
        assert [future.get().version for future in futures] == [2, 2]

    def test_a_cancelled_transaction_names_its_reasons(
        self, account: Any, connection: Connection
    ) -> None:
        account("ada", money=10).save()

        def create_if_rich() -> None:
            with TransactWrite(connection=connection) as transaction:
                transaction.condition_check(account, "ada", condition=account.money > 99)
                transaction.save(account("cyd"))

        with pytest.raises(TransactWriteError) as caught:
            create_if_rich()
        assert caught.value.cause_response_code == "TransactionCanceledException"
        refused, fine = caught.value.cancellation_reasons
        assert refused is not None
        assert refused.code == "ConditionalCheckFailed"
        assert fine is None
        with pytest.raises(DoesNotExist):
            account.get("cyd")
