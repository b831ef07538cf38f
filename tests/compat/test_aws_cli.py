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
            [command, "--endpoint-url", endpoint, "--output", "json", "--no-cli-pager", *words]
            if _version_2(command)
            else [command, "--endpoint-url", endpoint, "--output", "json", *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode != 0:
            raise CliError(done)
        return json.loads(done.stdout) if done.stdout.strip() else None

    return run


def _version_2(command: str) -> bool:
    return Path(command).resolve().name == "aws" and "aws-cli" in str(Path(command).resolve())


@pytest.fixture
def table(aws: Aws, name: str) -> str:
    created = aws(
        *("dynamodb", "create-table", "--table-name", name),
        *("--attribute-definitions", "AttributeName=pk,AttributeType=S"),
        *("AttributeName=sk,AttributeType=N",),
        *("--key-schema", "AttributeName=pk,KeyType=HASH", "AttributeName=sk,KeyType=RANGE"),
        *("--billing-mode", "PAY_PER_REQUEST"),
    )
    assert created["TableDescription"]["TableName"] == name
    aws("dynamodb", "wait", "table-exists", "--table-name", name)
    return name


def test_tables(aws: Aws, table: str) -> None:
    described = aws("dynamodb", "describe-table", "--table-name", table)["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert table in aws("dynamodb", "list-tables")["TableNames"]
    aws("dynamodb", "delete-table", "--table-name", table)
    aws("dynamodb", "wait", "table-not-exists", "--table-name", table)


def test_items_and_a_query(aws: Aws, table: str, tmp_path: Path) -> None:
    for number in range(3):
        item = {"pk": {"S": "a"}, "sk": {"N": str(number)}, "text": {"S": "Gr\u00fc\u00dfe"}}
        aws("dynamodb", "put-item", "--table-name", table, "--item", json.dumps(item))
    values = tmp_path / "values.json"
    values.write_text('{":p": {"S": "a"}, ":n": {"N": "0"}}')
    found = aws(
        *("dynamodb", "query", "--table-name", table, "--page-size", "1"),
        *("--key-condition-expression", "pk = :p AND sk > :n"),
        *("--expression-attribute-values", f"file://{values}"),
        "--no-scan-index-forward",
    )
    assert [item["sk"]["N"] for item in found["Items"]] == ["2", "1"]
    assert found["Count"] == 2
    updated = aws(
        *("dynamodb", "update-item", "--table-name", table),
        *("--key", '{"pk": {"S": "a"}, "sk": {"N": "1"}}'),
        *("--update-expression", "SET #t = :t", "--return-values", "ALL_NEW"),
        *("--expression-attribute-names", '{"#t": "text"}'),
        *("--expression-attribute-values", '{":t": {"S": "new"}}'),
    )
    assert updated["Attributes"]["text"] == {"S": "new"}
    scanned = aws("dynamodb", "scan", "--table-name", table, "--query", "Items[].sk.N")
    assert sorted(scanned) == ["0", "1", "2"]


def test_limited_output_has_a_token_to_go_on_with(aws: Aws, table: str) -> None:
    for number in range(5):
        item = json.dumps({"pk": {"S": "a"}, "sk": {"N": str(number)}})
        aws("dynamodb", "put-item", "--table-name", table, "--item", item)
    first = aws("dynamodb", "scan", "--table-name", table, "--max-items", "3")
    assert len(first["Items"]) == 3
    rest = aws(
        "dynamodb", "scan", "--table-name", table, "--starting-token", first["NextToken"]
    )
    assert [item["sk"]["N"] for item in rest["Items"]] == ["3", "4"]


def test_statements(aws: Aws, table: str) -> None:
    insert = f"INSERT INTO \"{table}\" VALUE {{'pk': 'a', 'sk': 1, 'n': ?}}"
    aws("dynamodb", "execute-statement", "--statement", insert, "--parameters", '[{"N": "5"}]')
    found = aws(
        "dynamodb", "execute-statement", "--statement", f'SELECT n FROM "{table}" WHERE pk=\'a\''
    )
    assert found["Items"] == [{"n": {"N": "5"}}]


def test_streams_and_transactions(aws: Aws, table: str) -> None:
    stream = "StreamEnabled=true,StreamViewType=NEW_IMAGE"
    updated = aws(
        "dynamodb", "update-table", "--table-name", table, "--stream-specification", stream
    )
    arn = updated["TableDescription"]["LatestStreamArn"]
    put = {"Put": {"TableName": table, "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}}}}
    aws("dynamodb", "transact-write-items", "--transact-items", json.dumps([put]))
    described = aws("dynamodbstreams", "describe-stream", "--stream-arn", arn)
    shard = described["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = aws(
        *("dynamodbstreams", "get-shard-iterator", "--stream-arn", arn, "--shard-id", shard),
        *("--shard-iterator-type", "TRIM_HORIZON"),
    )["ShardIterator"]
    records = aws("dynamodbstreams", "get-records", "--shard-iterator", iterator)["Records"]
    assert [record["eventName"] for record in records] == ["INSERT"]


def test_errors_are_told_in_the_clis_words(aws: Aws, table: str) -> None:
    with pytest.raises(CliError, match="ConditionalCheckFailedException") as caught:
        aws(
            *("dynamodb", "delete-item", "--table-name", table),
            *("--key", '{"pk": {"S": "a"}, "sk": {"N": "1"}}'),
            *("--condition-expression", "attribute_exists(pk)"),
        )
    assert caught.value.status in (254, 255)
    with pytest.raises(CliError, match="ResourceNotFoundException"):
        aws("dynamodb", "describe-table", "--table-name", table + "-none")
