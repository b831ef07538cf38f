"""dynamodb-admin, the web interface people put beside a local DynamoDB."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.compat.node import packages

pytestmark = pytest.mark.node

MakeTable = Callable[..., str]

# What `urlopen` would take from the environment is of no use on loopback.
_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


class Admin:
    """The running program, as a browser sees it."""

    def __init__(self, url: str) -> None:
        self.url = url

    def fetch(self, path: str, method: str = "GET", body: object = None) -> tuple[int, str]:
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with _open(request, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()


@pytest.fixture(scope="module")
def admin(endpoint: str, environment: dict[str, str]) -> Iterator[Admin]:
    program = packages() / "node_modules" / "dynamodb-admin" / "dist" / "dynamodb-admin.js"
    node = shutil.which("node")
    assert node is not None
    process = subprocess.Popen(
        [node, str(program), "--host", "127.0.0.1", "--port", "0"],
        env={**environment, "DYNAMO_ENDPOINT": endpoint},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield Admin(_address(process))
    finally:
        process.kill()
        process.communicate()


def _address(process: subprocess.Popen[str]) -> str:
    """Where it says that it listens."""
    said: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            said.put(line)
        said.put(None)

    threading.Thread(target=read, daemon=True).start()
    lines = []
    while (line := said.get(timeout=30)) is not None:
        lines.append(line)
        if "listening on " in line:
            return line.split("listening on ")[1].split()[0]
    raise AssertionError("dynamodb-admin did not start: " + "".join(lines))


def key_path(*parts: str) -> str:
    return ",".join(urllib.parse.quote(part) for part in parts)


def test_the_list_of_tables(admin: Admin, make_table: MakeTable) -> None:
    table = make_table()
    status, page = admin.fetch("/")
    assert status == 200
    assert table in page
    listed = json.loads(admin.fetch("/api/tables")[1])
    assert table in [each["TableName"] for each in listed]


def test_the_pages_of_a_table(admin: Admin, make_table: MakeTable, client: Any) -> None:
    table = make_table("S", "N")
    client.put_item(TableName=table, Item={"pk": {"S": "a"}, "sk": {"N": "1"}})
    for page in ("", "/meta", "/ttl", "/get", "/add-item"):
        status, text = admin.fetch(f"/tables/{table}{page}")
        assert status == 200, text
        assert table in text


def test_items_are_listed_queried_and_paged(
    admin: Admin, make_table: MakeTable, client: Any
) -> None:
    table = make_table("S", "N")
    for number in range(30):
        client.put_item(
            TableName=table,
            Item={"pk": {"S": "a" if number < 20 else "b"}, "sk": {"N": str(number)}},
        )
    found = json.loads(admin.fetch(f"/tables/{table}/items")[1])
    assert len(found["Items"]) == 25
    assert found["nextKey"]
    rest = json.loads(admin.fetch(f"/tables/{table}/items?startKey={found['nextKey']}")[1])
    assert len(rest["Items"]) == 5
    filters = {
        "pk": {"type": "S", "operator": "=", "value": "a"},
        "sk": {"type": "N", "operator": ">=", "value": "15"},
    }
    for operation in ("query", "scan"):
        arguments = urllib.parse.urlencode(
            {"operationType": operation, "filters": json.dumps(filters)}
        )
        found = json.loads(admin.fetch(f"/tables/{table}/items?{arguments}")[1])
        assert sorted(item["sk"] for item in found["Items"]) == [15, 16, 17, 18, 19]


def test_an_item_is_created_changed_and_deleted(
    admin: Admin, make_table: MakeTable, client: Any
) -> None:
    table = make_table("S", "N")
    item = {"pk": "a b", "sk": 1, "map": {"list": [1, None, "x"]}}
    status, text = admin.fetch(f"/tables/{table}/add-item", "PUT", item)
    assert (status, json.loads(text)) == (200, {"pk": "a b", "sk": 1})
    path = f"/tables/{table}/items/{key_path('a b', '1')}"
    assert admin.fetch(path)[0] == 200
    status, text = admin.fetch(path, "PUT", {**item, "map": "changed"})
    assert (status, json.loads(text)["map"]) == (200, "changed")
    stored = client.get_item(TableName=table, Key={"pk": {"S": "a b"}, "sk": {"N": "1"}})
    assert stored["Item"]["map"] == {"S": "changed"}
    assert admin.fetch(path, "DELETE")[0] == 204
    assert admin.fetch(path)[0] == 404
    assert client.scan(TableName=table)["Count"] == 0


def test_a_table_is_created_emptied_and_deleted(admin: Admin, name: str, client: Any) -> None:
    wanted = {
        "TableDefinition": {
            "TableName": name,
            "HashAttributeName": "id",
            "HashAttributeType": "S",
            "ReadCapacityUnits": 3,
            "WriteCapacityUnits": 3,
        },
        "SecondaryIndexes": [
            {
                "IndexName": "by-other",
                "IndexType": "global",
                "HashAttributeName": "other",
                "HashAttributeType": "N",
                "ReadCapacityUnits": 3,
                "WriteCapacityUnits": 3,
            }
        ],
    }
    status, text = admin.fetch("/create-table", "POST", wanted)
    assert status < 300, text
    for number in range(30):
        client.put_item(TableName=name, Item={"id": {"S": str(number)}})
    assert admin.fetch(f"/tables/{name}/all", "DELETE")[0] == 200
    assert client.scan(TableName=name)["Count"] == 0
    assert admin.fetch(f"/tables/{name}", "DELETE")[0] == 204
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName=name)
