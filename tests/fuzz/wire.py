"""Random bytes for the server's socket, and a strict reader of what comes back."""

from __future__ import annotations

import gzip
import json
import random
import socket
import zlib
from typing import NamedTuple

from tests.fuzz.requests import Requests
from tests.fuzz.words import Words

AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=AKID/20250101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=abc"
)
STATUSES = {200, 400, 404, 413, 417, 431}
#: AWS, too, answers a body that it cannot decompress with an internal error.
UNDECODABLE = "The request body cannot be decoded"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class Wire:
    """What to send, from one source of randomness."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.words = Words(self.random)
        self.odds = self.words.odds
        self.requests = Requests(seed)

    def next(self) -> bytes:
        """The bytes of one connection, from its opening to its end."""
        roll = self.random.random()
        if roll < 0.1:
            return self.noise()
        data = b"".join(self.request() for _ in range(self.random.choice([1, 1, 1, 2, 4])))
        return self.damaged(data) if roll < 0.35 else data

    def noise(self) -> bytes:
        data = self.random.randbytes(self.random.choice([1, 10, 100, 5000]))
        starts = [
            b"",
            b"POST / HTTP/1.1\r\n",
            b"GET ",
            b"\x16\x03\x01\x02\x00",
            b"PRI * HTTP/2.0\r\n",
        ]
        return self.random.choice(starts) + data

    def damaged(self, data: bytes) -> bytes:
        broken = bytearray(data)
        for _ in range(self.random.choice([1, 1, 2, 5])):
            # The head is where the server can still be confused; bodies are broken elsewhere.
            at = self.random.randrange(min(len(broken), 700) + 1)
            roll = self.random.randrange(5)
            if roll == 0:
                del broken[at : at + self.random.choice([1, 2, 20])]
            elif roll == 1:
                broken[at:at] = self.random.randbytes(self.random.choice([1, 2, 8]))
            elif roll == 2:
                broken[at:at] = self.random.choice(
                    [b"\r\n", b"\n", b"\r", b"\x00", b":", b" ", b"\r\n\r\n", b"0\r\n\r\n", b"\xff"]
                )
            elif roll == 3 and broken:
                broken[at % len(broken)] = self.random.randrange(256)
            else:
                del broken[self.random.randrange(len(broken) + 1) :]
        return bytes(broken)

    # --- requests --------------------------------------------------------------------

    def request(self) -> bytes:
        """A request; half of them have something unusual about their head."""
        operation, body = self.requests.next()
        line = "POST / HTTP/1.1"
        headers = {
            "Host": "localhost",
            "X-Amz-Date": "20250101T000000Z",
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": AUTHORIZATION,
            "X-Amz-Target": f"DynamoDB_20120810.{_ascii(operation)}",
            "Content-Length": str(len(body)),
        }
        if self.odds(0.5):
            line, body = self._unusual(line, headers, body)
        items = list(headers.items())
        if self.odds(0.1):
            self.random.shuffle(items)
        head = "\r\n".join([line, *(f"{name}: {value}" for name, value in items)])
        return head.encode("latin-1", "replace") + b"\r\n\r\n" + body

    def _unusual(self, line: str, headers: dict[str, str], body: bytes) -> tuple[str, bytes]:
        choice = self.random.choice
        roll = self.random.randrange(9)
        if roll == 0:
            del headers[choice(list(headers))]
        elif roll == 1:
            name = choice(list(headers))
            headers[name] = _ascii(self.words.maybe_damaged(headers[name], 0.9))
        elif roll == 2:
            headers["Content-Length"] = choice(
                ["0", "-1", "+5", "1e3", "99999999999999999999", "17000000", "5 5", "", "0x10", "3"]
            )
        elif roll == 3:
            body = self._chunked(headers, body)
        elif roll == 4:
            body = self._encoded(headers, body)
        elif roll == 5:
            method = choice(["GET", "PUT", "HEAD", "OPTIONS", "DELETE", "CONNECT", "post", "X-Y"])
            path = choice(
                ["/", "/healthz", "*", "http://h/", "//", "/%zz", "/?X-Amz-Expires=9", "x"]
            )
            line = f"{method} {path} HTTP/{choice(['1.1', '1.1', '1.0', '2.0', '0.9', '9.9'])}"
        elif roll == 6:
            name, value = choice(
                [
                    ("Connection", "close"),
                    ("Connection", "keep-alive, Upgrade"),
                    ("Upgrade", "h2c"),
                    ("Expect", "100-continue"),
                    ("Expect", "200-maybe"),
                    ("Origin", "http://elsewhere"),
                    ("Accept-Encoding", choice(["gzip", "gzip;q=0", "*", "br;q=x", ";;;"])),
                    ("X-Long", "x" * choice([1000, 20_000, 100_000])),
                    ("X-Amz-Security-Token", "token"),
                    ("Transfer-Encoding", choice(["gzip", "chunked, chunked", "identity"])),
                ]
            )
            headers[name] = value
        elif roll == 7:
            headers["Authorization"] = choice(
                [
                    "",
                    "AWS4-HMAC-SHA256",
                    "AWS4-HMAC-SHA256 Credential=, SignedHeaders=, Signature=",
                    "AWS4-HMAC-SHA256 Credential=a/b/c, SignedHeaders=host",
                    "Basic YTpi",
                    "AWS4-ECDSA-P256-SHA256 Credential=a/20250101/dynamodb/aws4_request",
                    AUTHORIZATION.replace("abc", "0" * 64),
                    AUTHORIZATION + ", " + AUTHORIZATION,
                    AUTHORIZATION.replace("AKID", "\u00e9" * 20),
                ]
            )
        else:
            headers.update({f"X-Many-{number}": "x" for number in range(choice([50, 400]))})
        return line, body

    def _chunked(self, headers: dict[str, str], body: bytes) -> bytes:
        del headers["Content-Length"]
        headers["Transfer-Encoding"] = "chunked"
        size = self.random.choice([1, 7, 1000])
        pieces = [body[at : at + size] for at in range(0, min(len(body), 3000), size)]
        data = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
        end = [b"0\r\n\r\n"] * 3 + [
            b"",
            b"zz\r\n",
            b"-1\r\n",
            b"0\r\nX: y\r\n\r\n",
            b"fffffffff\r\n",
        ]
        return data + self.random.choice(end)

    def _encoded(self, headers: dict[str, str], body: bytes) -> bytes:
        coding = self.random.choice(["gzip", "deflate", "identity", "br", "gzip, gzip", ""])
        headers["Content-Encoding"] = coding
        if self.odds(0.6):
            body = gzip.compress(body) if "gzip" in coding else zlib.compress(body)
        if self.odds(0.3):
            body = body[: len(body) // 2]
        headers["Content-Length"] = str(len(body))
        return body


def _ascii(text: str) -> str:
    """Something that can stand in one header line."""
    return text.encode("ascii", "replace").decode().replace("\r", "").replace("\n", "")[:2000]


# --- the other end -------------------------------------------------------------------------


def exchange(port: int, data: bytes, source: random.Random) -> bytes:
    """Send everything, say that there is no more, and read to the end."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        try:
            at = 0
            while at < len(data):
                size = source.choice([len(data), len(data), 1, 10, 500])
                connection.sendall(data[at : at + size])
                at += size
            connection.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
        received = bytearray()
        try:
            while chunk := connection.recv(65536):
                received += chunk
        except ConnectionResetError:
            pass  # it had said enough already and did not want to hear the rest
    return bytes(received)


def answers(data: bytes) -> list[Answer]:
    """The responses in ``data``; raises unless it is made of nothing but whole responses."""
    found = []
    while data:
        head, mark, data = data.partition(b"\r\n\r\n")
        assert mark, f"half a response: {head[:200]!r}"
        first, *lines = head.decode("latin-1").split("\r\n")
        version, status, _reason = first.split(" ", 2)
        assert version == "HTTP/1.1"
        if status == "100":
            continue
        headers = {}
        for line in lines:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
        size = int(headers["content-length"])
        assert len(data) >= size, "a response is cut off"
        body, data = data[:size], data[size:]
        assert headers["x-amz-crc32"] == str(zlib.crc32(body))
        assert len(headers["x-amzn-requestid"]) == 52
        found.append(Answer(int(status), headers, body))
    return found


def check(answer: Answer) -> str:
    """That it is a success or a well-formed error; what it was."""
    body = answer.body
    if answer.headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    if answer.status == 500:
        assert json.loads(body)["message"] == UNDECODABLE, body
        return "undecodable"
    assert answer.status in STATUSES, (answer.status, body)
    if answer.status == 404:
        return "404"
    if answer.status == 200:
        return "200"
    if body:  # HEAD has none
        error = json.loads(body)["__type"].rpartition("#")[2]
        assert error
    return str(answer.status)
