"""Signatures equal botocore's, and our own server accepts them."""

from __future__ import annotations

import datetime as dt
from unittest import mock

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import many

from tablewright.client.transports import Credentials, Failure, HttpTransport, Request
from tablewright.client.transports.endpoints import parse
from tablewright.client.transports.sigv4 import Signer, signing_key
from tablewright.engine import Engine
from tablewright.engine.errors import AwsError
from tablewright.server import Credentials as Known
from tablewright.server import ServerThread
from tablewright.server.authorization import claim_of
from tablewright.server.signature import Verifier

key_text = st.text(st.characters(codec="ascii", min_codepoint=33, max_codepoint=126), min_size=1)
access_keys = st.text(st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"), min_size=1)
secrets = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50)
tokens = st.none() | st.text(st.sampled_from("ABCabc012/+=%-_.~&?#;:,*'\"()"), min_size=1)
regions = st.from_regex(r"[a-z]{2}(-gov|-iso)?-[a-z]{4,9}-[0-9]", fullmatch=True)
hosts = st.sampled_from(
    ["127.0.0.1", "localhost", "dynamodb.eu-west-1.amazonaws.com", "DB.Example.COM", "[::1]"]
)
ports = st.sampled_from(["", ":80", ":443", ":8000", ":65535"])
operations = st.sampled_from(["GetItem", "PutItem", "TransactWriteItems", "ExecuteStatement"])
midnight = dt.datetime(2024, 2, 29, tzinfo=dt.UTC).timestamp()
moments = st.one_of(
    st.integers(-3, 3).map(lambda n: midnight + n / 2),
    st.floats(0, 4_000_000_000, allow_nan=False),
)


def fields(head: bytes) -> dict[str, str]:
    lines = head.decode().split("\r\n")
    assert lines[-2:] == ["", ""]
    return dict(line.split(": ", 1) for line in lines[1:-2])


@settings(max_examples=many(400), deadline=None)
@given(
    body=st.binary(max_size=200)
    | st.text(st.characters(exclude_categories=["Cs"])).map(str.encode),
    access_key=access_keys,
    secret=secrets,
    token=tokens,
    region=regions,
    scheme=st.sampled_from(["http", "https"]),
    host=hosts,
    port=ports,
    operation=operations,
    now=moments,
)
def test_signatures_are_botocores(
    body: bytes,
    access_key: str,
    secret: str,
    token: str | None,
    region: str,
    scheme: str,
    host: str,
    port: str,
    operation: str,
    now: float,
) -> None:
    url = f"{scheme}://{host}{port}"
    target = f"DynamoDB_20120810.{operation}"
    head = Signer(parse(url).authority, region).head(
        Credentials(access_key, secret, token), target.encode(), body, now
    )
    ours = fields(head)
    theirs = AWSRequest(
        "POST",
        url + "/",
        headers={"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": target},
        data=body,
    )
    moment = dt.datetime.fromtimestamp(int(now), dt.UTC)
    with mock.patch("botocore.auth.get_current_datetime", return_value=moment):
        SigV4Auth(BotoCredentials(access_key, secret, token), "dynamodb", region).add_auth(theirs)
    assert ours["Authorization"] == theirs.headers["Authorization"]
    assert ours["X-Amz-Date"] == theirs.headers["X-Amz-Date"]
    assert ours.get("X-Amz-Security-Token") == theirs.headers.get("X-Amz-Security-Token")
    assert ours["Content-Length"] == str(len(body))


def verify(head: bytes, body: bytes, now: float, known: Known) -> None:
    headers = {name.lower().encode(): value.encode() for name, value in fields(head).items()}
    claim = claim_of(headers, "")
    Verifier([known], now=lambda: now).verify(claim, "POST", "/", "", headers, body)


@settings(max_examples=many(150), deadline=None)
@given(secret=secrets, token=tokens, region=regions, body=st.binary(max_size=99), now=moments)
def test_our_verifier_accepts_them_and_nothing_else(
    secret: str, token: str | None, region: str, body: bytes, now: float
) -> None:
    head = Signer("127.0.0.1:8000", region).head(
        Credentials("AK", secret, token), b"DynamoDB_20120810.GetItem", body, now
    )
    verify(head, body, now, Known("AK", secret, token))
    for known, changed in (
        (Known("AK", secret + "x", token), body),
        (Known("AK", secret, (token or "") + "x"), body),
        (Known("AK", secret, token), body + b" "),
    ):
        with pytest.raises(AwsError):
            verify(head, changed, now, known)


def test_one_signer_serves_many_credentials_and_seconds() -> None:
    signer = Signer("h", "us-east-1")
    one, other = Credentials("AK", "one"), Credentials("AK", "other", "token")
    for now in (midnight - 1, midnight, midnight - 1):
        for credentials in (one, other, one):
            head = signer.head(credentials, b"DynamoDB_20120810.GetItem", b"{}", now)
            fresh = Signer("h", "us-east-1").head(
                credentials, b"DynamoDB_20120810.GetItem", b"{}", now
            )
            assert head == fresh


def test_the_days_key_is_derived_once() -> None:
    signing_key.cache_clear()
    signer = Signer("h", "us-east-1")
    for second in range(10):
        signer.head(Credentials("AK", "SK"), b"X.Y", b"{}", midnight + second)
    assert signing_key.cache_info().misses == 1


@pytest.mark.parametrize("token", [None, "FwoGZXIvYXdzE/+=="])
def test_a_verifying_server(token: str | None) -> None:
    known = Known("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCY", token)
    request = Request("ListTables", {"Limit": 3})
    with Engine.memory() as engine, ServerThread(engine, credentials=[known]) as server:
        right = Credentials(known.access_key, known.secret_key, token)
        with HttpTransport(server.url, credentials=right) as transport:
            assert transport.send(request).body == {"TableNames": []}
        for wrong, code in (
            (Credentials(known.access_key, "wrong", token), "InvalidSignatureException"),
            (Credentials("AKIDOTHER", known.secret_key, token), "UnrecognizedClientException"),
            (Credentials(known.access_key, known.secret_key, "x"), "UnrecognizedClientException"),
        ):
            with HttpTransport(server.url, credentials=wrong) as transport:
                with pytest.raises(Failure) as caught:
                    transport.send(request)
                assert caught.value.code == code
                assert not caught.value.corrected
