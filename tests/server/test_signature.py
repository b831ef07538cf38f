"""Signatures: botocore signs, the server verifies; and every way in which that fails."""

from __future__ import annotations

import datetime as dt
import gzip
import hashlib
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import boto3
import pytest
from botocore import auth
from botocore.awsrequest import AWSRequest
from botocore.client import Config
from botocore.credentials import Credentials as BotoCredentials
from botocore.exceptions import ClientError
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import many
from tests.server.standin import Client, StandIn, request

from tablewright.engine.errors import AwsError
from tablewright.server import Credentials, ServerThread
from tablewright.server.authorization import claim_of
from tablewright.server.signature import Verifier

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
HOST = "dynamodb.eu-west-1.amazonaws.com"
TARGET = "DynamoDB_20120810.ListTables"


class Signed:
    """A request as botocore signed it, in the form in which the server receives it."""

    def __init__(
        self,
        body: bytes = b"{}",
        headers: dict[str, str] | None = None,
        path: str = "/",
        token: str | None = None,
        secret: str = SECRET,
        key: str = KEY,
        region: str = "eu-west-1",
        service: str = "dynamodb",
        presign: int | None = None,
    ) -> None:
        fields = {"Host": HOST, "X-Amz-Target": TARGET, **(headers or {})}
        credentials = BotoCredentials(key, secret, token)
        signer: Any = auth.SigV4Auth(credentials, service, region)
        if presign is not None:
            signer = auth.SigV4QueryAuth(credentials, service, region, expires=presign)
            fields["X-Amz-Content-SHA256"] = hashlib.sha256(body).hexdigest()
        # The query signer would move a body into the URL: it is told the body's hash instead.
        data = body if presign is None else b""
        prepared = AWSRequest("POST", f"http://{HOST}{path}", headers=fields, data=data)
        signer.add_auth(prepared)
        url = urlsplit(prepared.url)
        self.path, self.query = url.path, url.query
        self.headers = {name.lower(): value for name, value in prepared.headers.items()}
        self.body = body

    def verify(self, verifier: Verifier) -> None:
        headers = {name.encode(): value.encode() for name, value in self.headers.items()}
        claim = claim_of(headers, self.query)
        verifier.verify(claim, "POST", self.path, self.query, headers, self.body)


def verifier(token: str | None = None, later: float = 0.0) -> Verifier:
    now = dt.datetime.now(dt.UTC).timestamp() + later
    return Verifier([Credentials(KEY, SECRET, token)], now=lambda: now)


def refusal(signed: Signed, by: Verifier) -> tuple[str, str]:
    with pytest.raises(AwsError) as caught:
        signed.verify(by)
    return caught.value.code, caught.value.message


# --- what botocore signs is accepted; the least change is not --------------------------

names = st.from_regex(r"x-[a-z0-9][a-z0-9-]{0,15}", fullmatch=True)
values = st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126), max_size=40)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
queries = st.lists(st.tuples(texts.filter(bool), texts), max_size=4)
paths = st.lists(st.one_of(st.sampled_from(["", ".", "..", "a b", "~é*'"]), texts), max_size=4)
tokens = st.none() | st.text(st.sampled_from("ABCabc012/+="), min_size=1, max_size=60)


def url_of(segments: list[str], query: list[tuple[str, str]]) -> str:
    path = "/" + "/".join(quote(segment, safe="") for segment in segments)
    if not query:
        return path
    encode: Callable[[str], str] = lambda text: quote(text, safe="-_.~")  # noqa: E731
    return path + "?" + "&".join(f"{encode(name)}={encode(value)}" for name, value in query)


@settings(max_examples=many(300), deadline=None)
@given(
    body=st.binary(max_size=200),
    headers=st.dictionaries(names, values, max_size=4),
    segments=paths,
    query=queries,
    token=tokens,
    region=st.from_regex(r"[a-z]{2}-[a-z]{4,9}-[0-9]", fullmatch=True),
)
def test_what_botocore_signs_is_accepted(
    body: bytes,
    headers: dict[str, str],
    segments: list[str],
    query: list[tuple[str, str]],
    token: str | None,
    region: str,
) -> None:
    signed = Signed(body, headers, url_of(segments, query), token, region=region)
    signed.verify(verifier(token))


@settings(max_examples=many(150), deadline=None)
@given(body=st.binary(max_size=50), token=tokens, seconds=st.integers(1, 604800), query=queries)
def test_what_botocore_presigns_is_accepted(
    body: bytes, token: str | None, seconds: int, query: list[tuple[str, str]]
) -> None:
    signed = Signed(body, None, url_of([], query), token, presign=seconds)
    signed.verify(verifier(token))
    assert "X-Amz-Signature=" in signed.query


@settings(max_examples=many(150), deadline=None)
@given(st.data())
def test_any_change_is_noticed(data: st.DataObject) -> None:
    presign = data.draw(st.sampled_from([None, 300]))
    signed = Signed(b'{"a":1}', {"x-extra": "one two"}, "/p?q=1", "TOKEN", presign=presign)
    what = data.draw(st.sampled_from(["body", "path", "query", "target", "extra", "host"]))
    if what == "body":
        at = data.draw(st.integers(0, len(signed.body) - 1))
        signed.body = signed.body[:at] + b"~" + signed.body[at + 1 :]
    elif what == "path":
        signed.path += "x"
    elif what == "query":
        signed.query += "&more=1"
    else:
        name = {"target": "x-amz-target", "extra": "x-extra", "host": "host"}[what]
        signed.headers[name] += "x"
    code, message = refusal(signed, verifier("TOKEN"))
    assert code == "InvalidSignatureException"
    assert message.startswith("The request signature we calculated does not match the signature")
    assert SECRET not in message


def test_canonical_forms_of_headers_are_equal() -> None:
    signed = Signed(headers={"x-animal": "hello world"})
    signed.headers["x-animal"] = "  hello \t  world "
    signed.verify(verifier())


# --- refusals, in AWS's words ----------------------------------------------------------


def test_the_message_shows_what_should_have_been_signed() -> None:
    signed = Signed(secret="wrong")
    _, message = refusal(signed, verifier())
    assert "The Canonical String for this request should have been\n'POST\n/\n\n" in message
    assert "The String-to-Sign should have been\n'AWS4-HMAC-SHA256\n" in message


def test_an_unknown_key() -> None:
    assert refusal(Signed(key="OTHER"), verifier()) == (
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
    )


@pytest.mark.parametrize(("sent", "known"), [(None, "TOKEN"), ("OTHER", "TOKEN"), ("TOKEN", None)])
def test_a_wrong_session_token(sent: str | None, known: str | None) -> None:
    for presign in (None, 300):
        code, _ = refusal(Signed(token=sent, presign=presign), verifier(known))
        assert code == "UnrecognizedClientException"


@pytest.mark.parametrize("minutes", [-14.9, 14.9])
def test_a_small_clock_difference_is_fine(minutes: float) -> None:
    Signed().verify(verifier(later=60 * minutes))


def test_a_large_clock_difference_is_not() -> None:
    code, message = refusal(Signed(), verifier(later=15.1 * 60))
    assert code == "InvalidSignatureException"
    assert message.startswith("Signature expired: ")
    assert message.endswith(" - 15 min.)")
    code, message = refusal(Signed(), verifier(later=-15.1 * 60))
    assert code == "InvalidSignatureException"
    assert message.startswith("Signature not yet current: ")
    assert message.endswith(" + 15 min.)")


def test_a_presigned_request_lives_as_long_as_it_says() -> None:
    Signed(presign=3600).verify(verifier(later=3500))
    code, message = refusal(Signed(presign=3600), verifier(later=3700))
    assert (code, message[:18]) == ("InvalidSignatureException", "Signature expired:")


@pytest.mark.parametrize(
    "expires", ["0", "-5", "604801", "9" * 30, "1" * 5000, "0" * 5000 + "1", "x", "٣"]
)
def test_a_presigned_request_with_a_senseless_life(expires: str) -> None:
    signed = Signed(presign=300)
    signed.query = signed.query.replace("X-Amz-Expires=300", f"X-Amz-Expires={quote(expires)}")
    assert refusal(signed, verifier())[0] == "IncompleteSignatureException"


def with_authorization(old: str, new: str, date: str | None = None) -> Signed:
    signed = Signed()
    signed.headers["authorization"] = signed.headers["authorization"].replace(old, new)
    if date is not None:
        signed.headers["x-amz-date"] = date
    return signed


def test_malformed_dates() -> None:
    for date in ("201", "20250230T000000Z", "yesterday"):
        assert refusal(with_authorization("", "", date), verifier()) == (
            "IncompleteSignatureException",
            f"Date must be in ISO-8601 'basic format'. Got '{date}'."
            " See http://en.wikipedia.org/wiki/ISO_8601",
        )


def test_the_host_must_be_signed() -> None:
    assert refusal(with_authorization("=host;", "="), verifier()) == (
        "InvalidSignatureException",
        "'Host' must be a 'SignedHeader' in the AWS Authorization.",
    )


def test_other_algorithms() -> None:
    assert refusal(with_authorization("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA25"), verifier()) == (
        "IncompleteSignatureException",
        "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ",
    )


def test_malformed_scopes() -> None:
    code, message = refusal(with_authorization("/dynamodb/", "/"), verifier())
    assert code == "IncompleteSignatureException"
    assert message.startswith("Credential must have exactly 5 slash-delimited elements, e.g.")
    assert refusal(with_authorization("eu-west-1", "c_"), verifier()) == (
        "InvalidSignatureException",
        "Credential should be scoped to a valid region, not 'c_'. ",
    )
    today = dt.datetime.now(dt.UTC).strftime("%Y%m%d")
    signed = with_authorization(f"{today}/eu-west-1/dynamodb/aws4_request", "b/r/s3/e")
    code, message = refusal(signed, verifier())
    assert code == "InvalidSignatureException"
    assert message.startswith(
        "Credential should be scoped to correct service: 'dynamodb'. Credential should be scoped"
        " with a valid terminator: 'aws4_request', not 'e'. Date in Credential scope does not"
        f" match YYYYMMDD from ISO-8601 version of date from HTTP: 'b' != '{today}', from '"
    )


def test_the_http_date_header_serves_too() -> None:
    """Old signers send Date instead of X-Amz-Date."""
    signed = Signed()
    moment = dt.datetime.strptime(signed.headers["x-amz-date"], "%Y%m%dT%H%M%SZ")
    signed.headers["date"] = moment.strftime("%a, %d %b %Y %H:%M:%S GMT")
    del signed.headers["x-amz-date"]
    # The signature covers the other header, so it cannot match; but the date was understood.
    assert refusal(signed, verifier())[1].startswith("The request signature we calculated")


def test_credentials_from_text() -> None:
    assert Credentials.parse("a:b") == Credentials("a", "b")
    assert Credentials.parse(" a:b:c:d ") == Credentials("a", "b", "c:d")
    assert "b" not in repr(Credentials("a", "b", "c")).replace("Credentials", "")
    for bad in ("", "a", "a:", ":b"):
        with pytest.raises(ValueError, match="KEY:SECRET"):
            Credentials.parse(bad)


# --- over the wire ---------------------------------------------------------------------


@pytest.fixture
def engine() -> StandIn:
    return StandIn(lambda *_: b'{"TableNames":["t"]}')


@pytest.fixture
def server(engine: StandIn) -> Iterator[ServerThread]:
    keys = [Credentials(KEY, SECRET), Credentials("TEMP", "temp-secret", "temp-token")]
    with ServerThread(engine, credentials=keys) as running:
        yield running


def boto(
    server: ServerThread, key: str, secret: str, token: str | None = None, **options: Any
) -> Any:
    return boto3.client(
        "dynamodb",
        endpoint_url=server.url,
        region_name="eu-west-1",
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        aws_session_token=token,
        config=Config(retries={"max_attempts": 1}, **options),
    )


def test_boto3_with_the_right_and_the_wrong_keys(server: ServerThread, engine: StandIn) -> None:
    assert boto(server, KEY, SECRET).list_tables()["TableNames"] == ["t"]
    assert boto(server, "TEMP", "temp-secret", "temp-token").list_tables()["TableNames"] == ["t"]
    calls = len(engine.calls)
    for key, secret, token, code in (
        ("OTHER", SECRET, None, "UnrecognizedClientException"),
        (KEY, "wrong", None, "InvalidSignatureException"),
        (KEY, SECRET, "unknown", "UnrecognizedClientException"),
        ("TEMP", "temp-secret", None, "UnrecognizedClientException"),
    ):
        with pytest.raises(ClientError, match=code):
            boto(server, key, secret, token).list_tables()
    assert len(engine.calls) == calls


@pytest.mark.parametrize(
    "sent", [gzip.compress(b"{}", mtime=0), b"not gzip at all"], ids=["gzip", "other"]
)
def test_a_compressed_body_is_not_inflated_before_its_signature_is_verified(
    server: ServerThread, engine: StandIn, sent: bytes
) -> None:
    with Client(server.port) as client:
        for unauthorised, refusal_type in (
            (request(body=sent, content_encoding="gzip"), "InvalidSignatureException"),
            (
                request(body=sent, content_encoding="gzip", authorization=None),
                "MissingAuthenticationTokenException",
            ),
            (
                request("NoSuch", body=sent, content_encoding="gzip", authorization=None),
                "UnknownOperationException",
            ),
        ):
            answer = client.ask(unauthorised)
            assert (answer.status, answer.type) == (400, refusal_type)
    assert engine.calls == []


def test_a_signed_compressed_body_is_inflated(server: ServerThread, engine: StandIn) -> None:
    body = gzip.compress(b'{"Limit": 1}')
    fields = {"Host": f"127.0.0.1:{server.port}", "X-Amz-Target": TARGET}
    prepared = AWSRequest("POST", server.url + "/", headers=fields, data=body)
    auth.SigV4Auth(BotoCredentials(KEY, SECRET), "dynamodb", "eu-west-1").add_auth(prepared)
    data = request(
        "ListTables",
        body=body,
        host=fields["Host"],
        content_encoding="gzip",
        x_amz_date=prepared.headers["X-Amz-Date"],
        authorization=prepared.headers["Authorization"],
    )
    with Client(server.port) as client:
        assert client.ask(data).status == 200
    assert engine.calls == [("ListTables", b'{"Limit": 1}')]


def test_a_large_unsigned_body_is_not_parsed(server: ServerThread) -> None:
    broken = b"[" + b"0," * 100_000
    with Client(server.port) as client:
        small = client.ask(request(body=broken[:1000], authorization=None))
        assert small.type == "SerializationException"
        large = client.ask(request(body=broken, authorization=None))
        assert large.type == "MissingAuthenticationTokenException"
        unknown = client.ask(request("NoSuch", body=broken, authorization=None))
        assert unknown.type == "UnknownOperationException"


def test_a_presigned_url_over_the_wire(server: ServerThread) -> None:
    digest = hashlib.sha256(b"{}").hexdigest()
    headers = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Content-SHA256": digest,
        "X-Amz-Target": TARGET,
    }
    prepared = AWSRequest("POST", server.url + "/", headers=headers)
    signer = auth.SigV4QueryAuth(BotoCredentials(KEY, SECRET), "dynamodb", "eu-west-1")
    signer.add_auth(prepared)
    url = urlsplit(prepared.url)
    data = request(
        "ListTables",
        host=url.netloc,
        path=f"/?{url.query}",
        authorization=None,
        x_amz_date=None,
        x_amz_content_sha256=digest,
    )
    with Client(server.port) as client:
        assert client.ask(data).json() == {"TableNames": ["t"]}
        changed = data.replace(b"X-Amz-Expires=3600", b"X-Amz-Expires=3601")
        assert client.ask(changed).type == "InvalidSignatureException"


def test_repeated_headers_are_signed_joined(server: ServerThread) -> None:
    host = f"127.0.0.1:{server.port}"
    fields = {"Host": host, "X-Amz-Target": TARGET, "X-Twice": "one,two"}
    prepared = AWSRequest("POST", server.url + "/", headers=fields, data=b"{}")
    auth.SigV4Auth(BotoCredentials(KEY, SECRET), "dynamodb", "eu-west-1").add_auth(prepared)
    data = request(
        "ListTables",
        host=host,
        x_amz_date=prepared.headers["X-Amz-Date"],
        authorization=prepared.headers["Authorization"],
        x_twice="one\r\nX-TWICE: two",
    )
    with Client(server.port) as client:
        assert client.ask(data).status == 200
        assert client.ask(data.replace(b": two", b": too")).status == 400


def test_unsigned_requests_are_refused_but_health_is_not(server: ServerThread) -> None:
    with Client(server.port) as client:
        assert client.ask(request(authorization=None)).type == (
            "MissingAuthenticationTokenException"
        )
        assert client.ask(request()).type == "InvalidSignatureException"  # of last year
        assert client.ask(request(None, b"", method="GET")).status == 200
