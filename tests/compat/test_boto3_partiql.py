"""PartiQL through boto3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

MakeTable = Callable[..., str]


@pytest.fixture
def table(make_table: MakeTable) -> str:
    return make_table("S", "N")


def test_insert_select_update_delete(client: Any, table: str) -> None:
    run = client.execute_statement
    run(Statement=f"INSERT INTO \"{table}\" VALUE {{'pk': 'a', 'sk': 1, 'tags': <<'x'>>}}")
    run(
        Statement=f'UPDATE "{table}" SET n = ? WHERE pk = ? AND sk = ?',
        Parameters=[{"N": "5"}, {"S": "a"}, {"N": "1"}],
    )
    found = run(
        Statement=f'SELECT * FROM "{table}" WHERE pk = ?',
        Parameters=[{"S": "a"}],
        ConsistentRead=True,
    )
    assert found["Items"] == [
        {"pk": {"S": "a"}, "sk": {"N": "1"}, "tags": {"SS": ["x"]}, "n": {"N": "5"}}
    ]
    run(Statement=f"DELETE FROM \"{table}\" WHERE pk = 'a' AND sk = 1")
    assert run(Statement=f'SELECT * FROM "{table}"')["Items"] == []


def test_pages(client: Any, table: str) -> None:
    for number in range(10):
        client.put_item(TableName=table, Item={"pk": {"S": "a"}, "sk": {"N": str(number)}})
    seen: list[str] = []
    more: dict[str, Any] = {}
    while True:
        page = client.execute_statement(
            Statement=f"SELECT sk FROM \"{table}\" WHERE pk = 'a'", Limit=3, **more
        )
        seen += [item["sk"]["N"] for item in page["Items"]]
        if "NextToken" not in page:
            break
        more = {"NextToken": page["NextToken"]}
    assert seen == [str(number) for number in range(10)]


def test_batches_and_transactions(client: Any, table: str) -> None:
    insert = f"INSERT INTO \"{table}\" VALUE {{'pk': 'a', 'sk': ?}}"
    done = client.batch_execute_statement(
        Statements=[{"Statement": insert, "Parameters": [{"N": str(n)}]} for n in range(3)]
    )
    assert [answer.get("Error") for answer in done["Responses"]] == [None] * 3
    done = client.batch_execute_statement(
        Statements=[{"Statement": insert, "Parameters": [{"N": "1"}]}]
    )
    assert done["Responses"][0]["Error"]["Code"] == "DuplicateItem"
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.execute_transaction(
            TransactStatements=[
                {"Statement": insert, "Parameters": [{"N": "7"}]},
                {"Statement": insert, "Parameters": [{"N": "2"}]},
            ]
        )
    reasons = [each["Code"] for each in caught.value.response["CancellationReasons"]]
    assert reasons == ["None", "DuplicateItem"]
    assert client.scan(TableName=table)["Count"] == 3


def test_errors(client: Any, table: str) -> None:
    client.put_item(TableName=table, Item={"pk": {"S": "a"}, "sk": {"N": "1"}})
    with pytest.raises(client.exceptions.DuplicateItemException):
        client.execute_statement(Statement=f"INSERT INTO \"{table}\" VALUE {{'pk': 'a', 'sk': 1}}")
    with pytest.raises(client.exceptions.ClientError, match="ValidationException"):
        client.execute_statement(Statement="SELECT FROM WHERE")
