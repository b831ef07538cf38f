"""What answers mean: checksums, errors, clocks."""

from __future__ import annotations

import gzip
import zlib
from email.utils import formatdate
from typing import Any

import orjson
import pytest

from tablewright.client.transports import Credentials, Failure, Request, Unreachable
from tablewright.client.transports.endpoints import Endpoint, Proxy
from tablewright.client.transports.exchange import Exchange
from tablewright.client.transports.reading import Answer
from tablewright.model.errors import RequestError

KEYS = Credentials("AK", "SK")
NOW = 1_700_000_000.0


def exchange(now: float = NOW) -> Exchange:
    return Exchange(Endpoint("h", 8000, secure=False), "us-east-1", now=lambda: now)


def failure(status: int, body: Any, by: Exchange | None = None, **headers: str) -> Failure:
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    lines = {name.replace("_", "-").encode(): text.encode() for name, text in headers.items()}
    with pytest.raises(Failure) as caught:
        (by or exchange()).response(Answer(status, lines, raw), 2)
    return caught.value


def test_a_success() -> None:
    body = b'{"Item":{"pk":{"S":"\xc3\xa9"}}}'
    checked = {b"x-amz-crc32": str(zlib.crc32(body)).encode()}
    response = exchange().response(Answer(200, checked, body), 17)
    assert response.body == {"Item": {"pk": {"S": "é"}}}
    assert (response.sent, response.received) == (17, len(body))
    assert exchange().response(Answer(200, {}, b""), 0).body == {}  # TagResource


def test_targets_and_bodies() -> None:
    message, sent = exchange().message(Request("GetItem", {"a": "é"}), KEYS)
    assert b"\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\n" in message
    assert message.endswith('\r\n\r\n{"a":"é"}'.encode())
    assert sent == 10
    message, _ = exchange().message(Request("GetRecords", {}), KEYS)
    assert b"\r\nX-Amz-Target: DynamoDBStreams_20120810.GetRecords\r\n" in message


@pytest.mark.parametrize(
    "request_",
    [Request("Get\r\nItem", {}), Request("GetItem", {"a": {1}}), Request("X", {"a": "\ud800"})],
)
def test_what_cannot_be_sent(request_: Request) -> None:
    with pytest.raises(RequestError):
        exchange().message(request_, KEYS)


def test_damaged_answers() -> None:
    for status in (200, 400):
        with pytest.raises(Unreachable) as caught:
            exchange().response(Answer(status, {b"x-amz-crc32": b"1"}, b"{}"), 0)
        assert caught.value.sent
    for body in (b"<html>welcome to the guest network</html>", b"[]", b'{"a'):
        with pytest.raises(Unreachable, match="did not answer as DynamoDB"):
            exchange().response(Answer(200, {}, body), 0)


def test_compressed_answers() -> None:
    packed = gzip.compress(b'{"a":1}')
    headers = {b"content-encoding": b"gzip", b"x-amz-crc32": str(zlib.crc32(packed)).encode()}
    assert exchange().response(Answer(200, headers, packed), 0).body == {"a": 1}
    for coding, body in ((b"gzip", b'{"a":1}'), (b"gzip", packed[:-9]), (b"br", packed)):
        with pytest.raises(Unreachable):
            exchange().response(Answer(200, {b"content-encoding": coding}, body), 0)


def test_errors_of_the_service() -> None:
    found = failure(
        400,
        {
            "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "Message": "cancelled",
            "CancellationReasons": [{"Code": "None"}],
        },
    )
    assert (found.code, found.message, found.status) == (
        "TransactionCanceledException",
        "cancelled",
        400,
    )
    assert found.body["CancellationReasons"] == [{"Code": "None"}]
    assert found.retry_after is None
    header = failure(400, b"", x_amzn_errortype="ThrottlingException:http://internal.amazon.com/")
    assert header.code == "ThrottlingException"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (500, "InternalServerError"),
        (502, "ServiceUnavailable"),
        (503, "ServiceUnavailable"),
        (429, "ThrottlingException"),
        (403, "Http403"),
        (301, "Http301"),
    ],
)
def test_errors_of_gateways(status: int, code: str) -> None:
    found = failure(status, b"<html>\n  <h1>Oops</h1>" + b"x" * 1000)
    assert (found.code, found.status) == (code, status)
    assert "<h1>Oops</h1>" in found.message
    assert len(found.message) < 300
    assert failure(status, {"message": "Forbidden"}).message == "Forbidden"
    assert failure(status, b"[1]").code == code


def test_how_long_to_wait() -> None:
    assert failure(503, b"", retry_after="7").retry_after == 7.0
    assert failure(503, b"", x_amz_retry_after="1500").retry_after == 1.5
    assert failure(503, b"", retry_after="Wed, 21 Oct 2015 07:28:00 GMT").retry_after is None


def date_of(message: bytes) -> bytes:
    return message.partition(b"X-Amz-Date: ")[2][:16]


@pytest.mark.parametrize("code", ["RequestTimeTooSkewed", "InvalidSignatureException"])
@pytest.mark.parametrize("skew", [-86400.0, -600.0, 600.0, 86400.0])
def test_a_wrong_clock_is_put_right(code: str, skew: float) -> None:
    ours = exchange(NOW + skew)
    found = failure(400, {"__type": code}, ours, date=formatdate(NOW, usegmt=True))
    assert found.corrected
    right, _ = exchange(NOW).message(Request("GetItem", {}), KEYS)
    corrected, _ = ours.message(Request("GetItem", {}), KEYS)
    assert corrected == right
    # Should it fail again, it is not for the clock.
    assert not failure(400, {"__type": code}, ours, date=formatdate(NOW, usegmt=True)).corrected


def test_a_clock_that_is_right_stays() -> None:
    signed = {"__type": "InvalidSignatureException"}
    ours = exchange()
    assert not failure(400, signed, ours, date=formatdate(NOW + 60, usegmt=True)).corrected
    assert not failure(400, signed, ours).corrected
    assert not failure(400, signed, ours, date="tomorrow").corrected
    other = failure(400, {"__type": "X"}, ours, date=formatdate(NOW + 9999, usegmt=True))
    assert not other.corrected
    message, _ = ours.message(Request("GetItem", {}), KEYS)
    assert date_of(message) == b"20231114T221320Z"


def test_a_request_through_a_proxy_names_the_place() -> None:
    endpoint = Endpoint("db.example", 8000, secure=False, proxy=Proxy("p", 3128, "Basic eDp5"))
    message, _ = Exchange(endpoint, "us-east-1").message(Request("GetItem", {}), KEYS)
    lines = message.split(b"\r\n")
    assert lines[0] == b"POST http://db.example:8000/ HTTP/1.1"
    assert b"Proxy-Authorization: Basic eDp5" in lines
    secure = Endpoint("db.example", 443, secure=True, proxy=Proxy("p", 3128, "Basic eDp5"))
    message, _ = Exchange(secure, "us-east-1").message(Request("GetItem", {}), KEYS)
    assert message.startswith(b"POST / HTTP/1.1\r\n")
    assert b"Proxy-" not in message  # that is for the tunnel, not for the service
