"""Compressed requests and answers."""

from __future__ import annotations

import gzip
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.server.standin import Client, Response, StandIn, request

from tablewright.server import ServerThread, encodings

MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("accept", "coding"),
    [
        ("identity", None),
        ("", None),
        ("br", None),
        ("x-gzip", None),
        ("gzip", "gzip"),
        ("deflate", "deflate"),
        ("gzip, deflate", "gzip"),
        ("br, identity, deflate, gzip", "deflate"),
        ("GZIP, identity", "gzip"),
        ("dog, gzip ,, cat", "gzip"),
        ("gzip;q=0.8, deflate;q=0.5", "gzip"),
        ("br, gzip;q=0, deflate; q = 0.5 , identity;q=0", "deflate"),
        ("*", "gzip"),
        ("*, deflate;q=0.5", "gzip"),
        ("*, deflate", "deflate"),
        ("*, identity", "gzip"),
        ("*, gzip;q=0.5", "deflate"),
        ("gzip ;q=0", None),
        ("identity;q=0", None),
        ("*;q=0", None),
        ("*;q=0.5,identity", "gzip"),
        ("gzip;q=0.5,identity;q=0.8", "gzip"),
        ("br;q=0.8,identity;q=0.5,*;q=0", None),
        ('"gzip"', None),
        ("gzip br", None),
        ("gzip:q=1", None),
        ("deflate;q=0.5, gzip;q=31", "gzip"),
        ("gzip;q=31,deflate;q=51", "gzip"),
        ("deflate;q=0.5, gzip;q=0.2", "deflate"),
        ("deflate;q=0.5, gzip;q=1;q=0.2", "gzip"),
        ("deflate;q=0.5,gzip;q=0.", "deflate"),
        ("deflate;q=0.5,gzip;q=0.x", "gzip"),
        ("deflate;q=0.5,gzip;q=0. x", "gzip"),
        ("deflate;q=-0.5,gzip;q=0.2", "gzip"),
        ("gzip;q= 0;q=1", None),
        ("gzip;q =0;q=1", "gzip"),
        ("gzip; q=0;q=1", None),
        ("gzip;nq=0;q=1", None),
        ("gzip;q=0, gzip;q=1, gzip;q=0", "gzip"),
        ("br,identity;q=0.5,gzip;q=0.0001", "gzip"),
    ],
)
def test_the_choice_is_that_of_aws(accept: str, coding: str | None) -> None:
    assert encodings.choose(accept.encode()) == (coding.encode() if coding else None)


@given(st.binary(max_size=60))
def test_any_header_gives_some_choice(accept: bytes) -> None:
    assert encodings.choose(accept) in (None, b"gzip", b"deflate")


@given(st.binary(max_size=5000), st.sampled_from([b"gzip", b"deflate"]))
def test_what_is_encoded_decodes(body: bytes, coding: bytes) -> None:
    assert encodings.decode(encodings.encode(body, coding), coding, len(body)) == body


@given(st.binary(min_size=2, max_size=5000), st.sampled_from([b"gzip", b"deflate"]))
def test_the_limit_is_exact(body: bytes, coding: bytes) -> None:
    with pytest.raises(encodings.TooLarge):
        encodings.decode(encodings.encode(body, coding), coding, len(body) - 1)


@given(st.binary(min_size=1, max_size=300), st.data())
def test_no_prefix_decodes(body: bytes, data: st.DataObject) -> None:
    coding = data.draw(st.sampled_from([b"gzip", b"deflate"]))
    whole = encodings.encode(body, coding)
    part = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with pytest.raises(encodings.BadEncoding):
        encodings.decode(part, coding, MIB)


# --- answers ---------------------------------------------------------------------------


def answer_of(size: int, accept: str | None, **headers: str) -> Response:
    engine = StandIn(lambda *_: b"x" * size)
    with ServerThread(engine) as server, Client(server.port) as client:
        return client.ask(request(accept_encoding=accept, **headers))


def test_large_answers_are_compressed_where_asked() -> None:
    zipped = answer_of(5000, "gzip")
    assert zipped.headers["content-encoding"] == "gzip"
    assert gzip.decompress(zipped.body) == b"x" * 5000
    assert len(zipped.body) < 200
    deflated = answer_of(5000, "deflate")
    assert deflated.headers["content-encoding"] == "deflate"
    assert zlib.decompress(deflated.body) == b"x" * 5000


def test_others_are_not() -> None:
    for answer in (answer_of(5000, None), answer_of(5000, "identity"), answer_of(4095, "gzip")):
        assert "content-encoding" not in answer.headers
        assert answer.body == b"x" * len(answer.body)


def test_compression_does_not_lose_other_headers() -> None:
    answer = answer_of(5000, "gzip", origin="x", connection="close")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["connection"] == "close"


# --- requests --------------------------------------------------------------------------

BODY = b'{"TableName":"t","Key":{"p":{"S":"x"}}}'


@pytest.mark.parametrize(
    ("coding", "sent"),
    [
        ("gzip", gzip.compress(BODY, mtime=0)),
        ("GZip", gzip.compress(BODY, mtime=0)),
        ("gzip", gzip.compress(BODY[:10], mtime=0) + gzip.compress(BODY[10:], mtime=0)),
        ("deflate", zlib.compress(BODY)),
        ("identity", BODY),
    ],
)
def test_compressed_requests(client: Client, coding: str, sent: bytes) -> None:
    answer = client.ask(request(body=sent, content_encoding=coding))
    assert (answer.status, answer.body) == (200, BODY)


@pytest.mark.parametrize(
    ("coding", "sent"),
    [
        ("garbage", BODY),
        ("gzip", BODY),
        ("gzip", b""),
        ("gzip", gzip.compress(BODY, mtime=0) + b"junk"),
        ("gzip", gzip.compress(BODY, mtime=0)[:-1]),
        ("deflate", BODY),
        ("deflate", b""),
        ("deflate", zlib.compress(BODY)[:-1]),
    ],
)
def test_broken_compression_is_an_internal_error_as_on_aws(
    client: Client, engine: StandIn, coding: str, sent: bytes
) -> None:
    answer = client.ask(request(body=sent, content_encoding=coding))
    assert (answer.status, answer.type) == (500, "InternalServerError")
    assert engine.calls == []
    assert client.ask(request()).status == 200


def test_a_bomb_is_refused(client: Client, engine: StandIn) -> None:
    for sent in (
        gzip.compress(b" " * (17 * MIB), mtime=0),
        gzip.compress(b" " * (9 * MIB), mtime=0) * 2,
    ):
        assert client.ask(request(body=sent, content_encoding="gzip")).status == 413
    deflated = zlib.compress(b" " * (200 * MIB))
    assert client.ask(request(body=deflated, content_encoding="deflate")).status == 413
    assert engine.calls == []


def test_many_empty_streams_are_refused_in_little_time(client: Client, engine: StandIn) -> None:
    body = gzip.compress(b"") * 800_000  # 16 MB; with a copy per stream it took minutes
    started = time.monotonic()
    answer = client.ask(request(body=body, content_encoding="gzip"))
    assert (answer.status, answer.type) == (500, "InternalServerError")
    assert time.monotonic() - started < 2
    assert engine.calls == []


def test_a_body_of_several_streams_is_inflated_up_to_the_cap() -> None:
    streams = encodings.MAX_MEMBERS
    one = gzip.compress(b"x" * 100)
    assert encodings.decode(one * streams, b"gzip", MIB) == b"x" * 100 * streams
    with pytest.raises(encodings.BadEncoding):
        encodings.decode(one * (streams + 1), b"gzip", MIB)


def test_the_limit_counts_all_streams_together() -> None:
    one = gzip.compress(b"x" * 1000)
    assert len(encodings.decode(one * 10, b"gzip", 10_000)) == 10_000
    with pytest.raises(encodings.TooLarge):
        encodings.decode(one * 10, b"gzip", 9_999)
