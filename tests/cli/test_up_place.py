"""The database beside a process: for programs of this machine, and for no web page."""

from __future__ import annotations

import urllib.request
from urllib.error import HTTPError

import boto3
import pytest

from tablewright.cli.up_place import opened

_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def asked(url: str, **headers: str) -> urllib.request.Request:
    """What a script in a page, or a program, sends."""
    signed = "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, "
    head = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": "DynamoDB_20120810.ListTables",
        "X-Amz-Date": "20260101T000000Z",
        "Authorization": f"{signed}SignedHeaders=host, Signature=b",
    }
    return urllib.request.Request(url, b"{}", {**head, **headers})


@pytest.mark.parametrize("origin", ["http://somewhere.example", "null", "http://localhost:8080"])
def test_a_web_page_does_not_reach_it(origin: str) -> None:
    with opened(None, embedded=True) as place:
        with pytest.raises(HTTPError) as refused:
            _open(asked(place.wire, Origin=origin), timeout=10)
        with refused.value as answer:
            assert answer.code == 403
            assert "access-control-allow-origin" not in answer.headers
        with _open(asked(place.wire), timeout=10) as answer:
            assert answer.read() == b'{"TableNames":[]}'


def test_it_listens_on_this_machine_alone() -> None:
    with opened(None, embedded=True) as place:
        assert place.wire.startswith("http://127.0.0.1:")
        client = boto3.client(
            "dynamodb",
            endpoint_url=place.wire,
            region_name="us-east-1",
            aws_access_key_id="a",
            aws_secret_access_key="b",
        )
        assert client.list_tables()["TableNames"] == []
