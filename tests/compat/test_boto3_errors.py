"""Errors arrive as the client's own classes, and the client's retries work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError
from tests.compat.conftest import Local, settings

from tablewright.engine.realism import Fault
from tablewright.server import Credentials, ServerThread
from tablewright.testing import injected

MakeTable = Callable[..., str]


def code_of(caught: pytest.ExceptionInfo[ClientError]) -> str:
    return str(caught.value.response["Error"]["Code"])


class TestClasses:
    def test_resource_not_found(self, client: Any, name: str) -> None:
        with pytest.raises(client.exceptions.ResourceNotFoundException) as caught:
            client.get_item(TableName=name, Key={"pk": {"S": "a"}})
        assert caught.value.response["Error"]["Message"] == "Requested resource not found"

    def test_resource_in_use(self, client: Any, make_table: MakeTable) -> None:
        table = make_table()
        with pytest.raises(client.exceptions.ResourceInUseException):
            client.create_table(
                TableName=table,
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                BillingMode="PAY_PER_REQUEST",
            )

    def test_table_not_found_of_backups(self, client: Any, name: str) -> None:
        with pytest.raises(client.exceptions.TableNotFoundException):
            client.create_backup(TableName=name, BackupName="none")
        with pytest.raises(client.exceptions.BackupNotFoundException):
            client.describe_backup(
                BackupArn="arn:aws:dynamodb:us-east-1:000000000000:table/none/backup/"
                "01489602797149-73d8d5bc"
            )

    @pytest.mark.parametrize(
        ("request_", "message"),
        [
            (
                {"Key": {"wrong": {"S": "a"}}},
                "The provided key element does not match the schema",
            ),
            (
                {"Key": {"pk": {"S": "a"}}, "ProjectionExpression": "a..b"},
                "Invalid ProjectionExpression: Syntax error;",
            ),
            (
                {"Key": {"pk": {"N": "one"}}},
                "The parameter cannot be converted to a numeric value: one",
            ),
        ],
    )
    def test_validation(
        self, client: Any, make_table: MakeTable, request_: Any, message: str
    ) -> None:
        with pytest.raises(ClientError) as caught:
            client.get_item(TableName=make_table(), **request_)
        assert code_of(caught) == "ValidationException"
        assert message in caught.value.response["Error"]["Message"]

    def test_what_botocore_does_not_check_itself(self, endpoint: str, name: str) -> None:
        unchecked = settings(endpoint)
        unchecked["config"] = unchecked["config"].merge(Config(parameter_validation=False))
        client = boto3.Session().client("dynamodb", **unchecked)
        with pytest.raises(ClientError) as caught:
            client.get_item(TableName=name, Key={"pk": {"S": 5}})
        assert code_of(caught) == "SerializationException"

    def test_unknown_operations_and_services(self, endpoint: str) -> None:
        client = boto3.Session().client("dynamodb", **settings(endpoint))

        def rename(request: Any, **_: Any) -> None:
            request.headers["X-Amz-Target"] = "DynamoDB_20120810.NoSuchThing"

        client.meta.events.register("before-sign.dynamodb", rename)
        with pytest.raises(ClientError) as caught:
            client.list_tables()
        assert code_of(caught) == "UnknownOperationException"


class TestSignatures:
    def test_botocore_signs_what_the_server_checks(self, local: Local) -> None:
        keys = [Credentials("AKIDEXAMPLE", "right")]
        with ServerThread(local.engine, credentials=keys) as server:

            def client(key: str, secret: str) -> Any:
                given = {
                    **settings(server.url),
                    "aws_access_key_id": key,
                    "aws_secret_access_key": secret,
                }
                return boto3.Session().client("dynamodb", **given)

            assert client("AKIDEXAMPLE", "right").list_tables()["TableNames"] == []
            with pytest.raises(ClientError) as caught:
                client("AKIDEXAMPLE", "wrong").list_tables()
            assert code_of(caught) == "InvalidSignatureException"
            with pytest.raises(ClientError) as caught:
                client("AKIDOTHER", "right").list_tables()
            assert code_of(caught) == "UnrecognizedClientException"


class TestRetries:
    @pytest.fixture
    def table(self, local: Local) -> str:
        local.client().create_table(
            TableName="Retried",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        return "Retried"

    @pytest.mark.parametrize(
        "fault",
        [
            Fault("UpdateItem", error="InternalServerError", times=2),
            Fault("UpdateItem", error="ProvisionedThroughputExceededException", times=2),
            Fault("UpdateItem", error="ThrottlingException", times=2),
            Fault("UpdateItem", drop=True, times=2),
        ],
        ids=["internal", "throughput", "throttled", "dropped"],
    )
    def test_a_passing_failure_is_retried(self, local: Local, table: str, fault: Fault) -> None:
        with injected(local.engine, fault):
            answer = local.client().update_item(
                TableName=table,
                Key={"pk": {"S": "a"}},
                UpdateExpression="ADD n :one",
                ExpressionAttributeValues={":one": {"N": "1"}},
                ReturnValues="ALL_NEW",
            )
        assert answer["Attributes"]["n"] == {"N": "1"}
        assert answer["ResponseMetadata"]["RetryAttempts"] == 2

    def test_a_lasting_failure_is_raised(self, local: Local, table: str) -> None:
        client = local.client()
        with injected(local.engine, Fault("GetItem", error="InternalServerError")):
            with pytest.raises(client.exceptions.InternalServerError) as caught:
                client.get_item(TableName=table, Key={"pk": {"S": "a"}})
        assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500
        with injected(local.engine, Fault("GetItem", drop=True)):
            with pytest.raises(ConnectionClosedError):
                client.get_item(TableName=table, Key={"pk": {"S": "a"}})

    def test_a_transaction_whose_answer_was_lost_happens_once(
        self, local: Local, table: str
    ) -> None:
        client = local.client()
        with injected(local.engine, Fault("TransactWriteItems", drop=True, times=1, after=True)):
            client.transact_write_items(
                TransactItems=[
                    {
                        "Update": {
                            "TableName": table,
                            "Key": {"pk": {"S": "a"}},
                            "UpdateExpression": "ADD n :one",
                            "ExpressionAttributeValues": {":one": {"N": "1"}},
                        }
                    }
                ]
            )
        # botocore makes a ClientRequestToken and sends it again with the retry.
        item = client.get_item(TableName=table, Key={"pk": {"S": "a"}})["Item"]
        assert item["n"] == {"N": "1"}

    def test_the_batch_writer_repeats_what_was_left_unprocessed(
        self, local: Local, table: str
    ) -> None:
        resource = boto3.Session().resource("dynamodb", **settings(local.url))
        with injected(local.engine, Fault("BatchWriteItem", unprocessed=0.5)):
            with resource.Table(table).batch_writer() as batch:
                for number in range(80):
                    batch.put_item(Item={"pk": str(number)})
        assert local.client().scan(TableName=table)["Count"] == 80
