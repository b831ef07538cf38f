"""What people with bad intentions send: requests that no client of ours would make."""

from __future__ import annotations

import copy
import json
import re
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote, urlsplit

from tests.service.reading import Document


@dataclass(frozen=True)
class Route:
    """An operation, and where it is."""

    name: str
    method: str
    path: str
    operation: Mapping[str, Any]

    @property
    def names(self) -> list[str]:
        """What its address has in braces."""
        return re.findall(r"\{(\w+)\}", self.path)

    def address(self, **names: str) -> str:
        """The path with these in it."""
        quoted = {name: quote(value, safe="") for name, value in names.items()}
        return re.sub(r"\{(\w+)\}", lambda found: quoted[found[1]], self.path)

    def named_in(self, address: str) -> dict[str, str]:
        """What stands in an address in the place of each name."""
        shape = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path.replace(".", r"\."))
        found = re.search(f"{shape}$", address)
        assert found is not None, (self.path, address)
        return found.groupdict()


def routes_of(document: Document) -> list[Route]:
    """All of them, in the order of the document."""
    return [
        Route(operation["operationId"], method.upper(), path, operation)
        for path, found in document["paths"].items()
        for method, operation in found.items()
    ]


def as_it_is(
    url: str, path: str, headers: Mapping[str, str], method: str = "GET"
) -> tuple[int, str]:
    """The status and the code, for an address that nothing was cleaned up in."""
    place = urlsplit(url)
    line = HTTPConnection(place.hostname or "", place.port, timeout=10)
    try:
        line.request(method, path, headers=dict(headers))
        answer = line.getresponse()
        return answer.status, str(json.loads(answer.read())["code"])
    finally:
        line.close()


def half_sent(url: str, path: str, headers: Mapping[str, str]) -> socket.socket:
    """A POST whose body never comes to its end."""
    place = urlsplit(url)
    line = socket.create_connection((place.hostname, place.port), timeout=10)
    head = [
        f"POST {path} HTTP/1.1",
        f"Host: {place.netloc}",
        *(f"{name}: {each}" for name, each in headers.items()),
        "Content-Length: 1000",
    ]
    line.sendall("\r\n".join([*head, "", '{"name": ']).encode())
    return line


# --- bodies --------------------------------------------------------------------------------------


def texts_in(body: Any) -> Iterator[tuple[str | int, ...]]:
    """The places of all texts in a body; of lists the first member stands for all."""
    yield from (place for place, value in _members(body) if isinstance(value, str))


def numbers_in(body: Any) -> Iterator[tuple[str | int, ...]]:
    """The same for numbers."""
    for place, value in _members(body):
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield place


def _members(body: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[Any, Any]]:
    inside: Any = ()
    if isinstance(body, dict):
        inside = body.items()
    elif isinstance(body, list):
        inside = list(enumerate(body))[:1]
    for name, value in inside:
        yield (*place, name), value
        yield from _members(value, (*place, name))


def with_text(body: Any, place: tuple[str | int, ...], literal: str) -> bytes:
    """The body as JSON, with something else in one place: as it is, whether it is JSON or not."""
    mark = "\ue000"
    changed = copy.deepcopy(body)
    inner = changed
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = mark
    return json.dumps(changed, ensure_ascii=False).replace(f'"{mark}"', literal).encode()


#: Of which no terminal, no file and no page should ever get one: as JSON writes them.
CONTROLS = ("\\u0000", "\\u001b[2J", "\\u0007", "\\u009b31m", "\\u007f")
#: Literals in the place of a text: what no text may be, and what takes long to look at.
BAD_TEXTS: dict[str, str] = {
    "half a pair": '"\\ud800"',
    "a number": "7",
    "nested": '{"a": [{}]}',
    "long": f'"{"a" * 300_000}"',
    "blanks": f'"x{" " * 300_000}x"',
    "dots": f'"{"a." * 150_000}"',
    "ats": f'"{"a@" * 150_000}"',
    "slashes": f'"https://github.com/{"a/" * 150_000}"',
    "words": f'"{"a-_ " * 75_000}!"',
}
#: In the place of a number.
BAD_NUMBERS: dict[str, str] = {
    "not a number": "NaN",
    "endless": "1e999",
    "endless below": "-1e999",
    "wide": "1" * 400,
    "wider than is read": "1" * 5000,
    "of all digits": f'"{"9" * 5000}"',
    "fine": f"0.{'1' * 400}",
    "tiny": "1e-400",
    "negative": "-1",
    "a text": '"seven"',
    "true": "true",
}
