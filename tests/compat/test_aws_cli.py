"""The AWS CLI, run as people run it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aws = Callable[..., Any]


class CliError(Exception):
    """The command failed: its exit status and what it wrote."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        super().__init__(done.stderr.strip())
        self.status = done.returncode


@pytest.fixture
def aws(endpoint: str, environment: dict[str, str]) -> Aws:
    """``aws("dynamodb", "put-item", ...)``: what it printed, from JSON."""
    beside = Path(sys.executable).with_name("aws")
    command = str(beside) if beside.exists() else shutil.which("aws")
    if command is None:
        pytest.skip("the AWS CLI is not installed")

    def run(*words: str) -> Any:
        done = subprocess.run(
            [command, "--endpoint-url", endpoint, "--output", "json", *words],
            env={**environment, "AWS_PAGER": ""},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode != 0:
            raise CliError(done)
        return json.loads(done.stdout) if done.stdout.strip() else None

    return run


@pytest.fixture
def table(make_table: Callable[..., str]) -> str:
    # Every run of the command takes a second: what isn't the matter is done without it.
    return make_table("S", "N")


def test_tables(aws: Aws, name: str) -> None:
    created = aws(
        *("dynamodb", "create-table", "--table-name", name),
        *("--attribute-definitions", "AttributeName=pk,AttributeType=S"),
        *("AttributeName=sk,AttributeType=N",),
        *("--key-schema", "AttributeName=pk,KeyType=HASH", "AttributeName=sk,KeyType=RANGE"),
        *("--billing-mode", "PAY_PER_REQUEST"),
    )
    assert created["TableDescription"]["TableName"] == name
    aws("dynamodb", "wait", "table-exists", "--table-name", name)
    described = aws("dynamodb", "describe-table", "--table-name", name)["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    deleted = aws("dynamodb", "delete-table", "--table-name", name)
    assert deleted["TableDescription"]["TableStatus"] == "DELETING"


def test_items_and_a_query(aws: Aws, client: Any, table: str, tmp_path: Path) -> None:
    item = {"pk": {"S": "a"}, "sk": {"N": "0"}, "text": {"S": "Gr\u00fc\u00dfe"}}
    aws("dynamodb", "put-item", "--table-name", table, "--item", json.dumps(item))
    for number in "12":
        client.put_item(TableName=table, Item={**item, "sk": {"N": number}})
    values = tmp_path / "values.json"
    values.write_text('{":p": {"S": "a"}, ":n": {"N": "2"}}')
    found = aws(
        *("dynamodb", "query", "--table-name", table, "--page-size", "1"),
        *("--key-condition-expression", "pk = :p AND sk < :n"),
        *("--expression-attribute-values", f"file://{values}"),
        "--no-scan-index-forward",
    )
    assert found["Items"] == [{**item, "sk": {"N": "1"}}, item]
    assert found["Count"] == 2
    updated = aws(
        *("dynamodb", "update-item", "--table-name", table),
        *("--key", '{"pk": {"S": "a"}, "sk": {"N": "1"}}'),
        *("--update-expression", "SET #t = :t", "--return-values", "ALL_NEW"),
        *("--expression-attribute-names", '{"#t": "text"}'),
        *("--expression-attribute-values", '{":t": {"S": "new"}}'),
    )
    assert updated["Attributes"]["text"] == {"S": "new"}
    first = aws("dynamodb", "scan", "--table-name", table, "--max-items", "2")
    assert len(first["Items"]) == 2
    rest = aws("dynamodb", "scan", "--table-name", table, "--starting-token", first["NextToken"])
    assert [item["sk"]["N"] for item in rest["Items"]] == ["2"]


def test_statements(aws: Aws, table: str) -> None:
    insert = f"INSERT INTO \"{table}\" VALUE {{'pk': 'a', 'sk': 1, 'n': ?}}"
    aws("dynamodb", "execute-statement", "--statement", insert, "--parameters", '[{"N": "5"}]')
    select = f"SELECT n FROM \"{table}\" WHERE pk='a'"
    found = aws("dynamodb", "execute-statement", "--statement", select, "--query", "Items[].n.N")
    assert found == ["5"]


def test_streams_and_transactions(aws: Aws, client: Any, make_table: Callable[..., str]) -> None:
    view = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    table = make_table("S", "N", StreamSpecification=view)
    arn = client.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    described = aws("dynamodbstreams", "describe-stream", "--stream-arn", arn)
    shard = described["StreamDescription"]["Shards"][0]["ShardId"]
    put = [
        {"Put": {"TableName": table, "Item": {"pk": {"S": str(n)}, "sk": {"N": "1"}}}}
        for n in range(60)  # enough for every shard to get some
    ]
    aws("dynamodb", "transact-write-items", "--transact-items", json.dumps(put))
    iterator = aws(
        *("dynamodbstreams", "get-shard-iterator", "--stream-arn", arn, "--shard-id", shard),
        *("--shard-iterator-type", "TRIM_HORIZON"),
    )["ShardIterator"]
    records = aws("dynamodbstreams", "get-records", "--shard-iterator", iterator)["Records"]
    assert {record["eventName"] for record in records} == {"INSERT"}
    assert {record["dynamodb"]["NewImage"]["sk"]["N"] for record in records} == {"1"}


def test_errors_are_told_in_the_clis_words(aws: Aws, table: str) -> None:
    with pytest.raises(CliError, match="ConditionalCheckFailedException") as caught:
        aws(
            *("dynamodb", "delete-item", "--table-name", table),
            *("--key", '{"pk": {"S": "a"}, "sk": {"N": "1"}}'),
            *("--condition-expression", "attribute_exists(pk)"),
        )
    assert caught.value.status in (254, 255)
