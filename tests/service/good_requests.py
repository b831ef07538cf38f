"""Requests that a test has ready to be sent, by somebody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2


@dataclass(frozen=True)
class Request:
    """What to send: ``body`` as JSON, or ``content`` as it is."""

    method: str
    path: str
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None


def send(http: httpx2.Client, request: Request, credentials: Mapping[str, str]) -> httpx2.Response:
    """The answer to a request of somebody."""
    sent = {"json": request.body} if request.content is None else {"content": request.content}
    return http.request(
        request.method,
        request.path,
        headers={**request.headers, **credentials},
        params=dict(request.parameters),
        **sent,
    )


def told(answer: httpx2.Response) -> tuple[int, str]:
    """The status and the code of a problem."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    assert "Traceback" not in answer.text
    return answer.status_code, answer.json()["code"]


JSON = "application/json"
#: Bodies that nobody can read as what they are said to be: what is sent, and its type.
UNREADABLE: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", JSON),
    "no JSON": (b"{", JSON),
    "no UTF-8": (b'{"\xff": 1}', JSON),
    "a mark": (b"\xef\xbb\xbf{}", JSON),
    "a lone half of a pair": (b'{"label": "\\ud800"}', JSON),
    "not a number": (b'{"input_tokens": NaN}', JSON),
    "beyond all numbers": (b'{"input_tokens": 1e999}', JSON),
    "very deep": (b"[" * 100_000, JSON),
    "packed": (b"\x1f\x8b\x08\x00", JSON),
    "a list": (b"[]", JSON),
    "a text": (b'"x"', JSON),
    "null": (b"null", JSON),
    "another kind": (b"<a/>", "application/xml"),
    "JSON under another name": (b"{}", "text/plain"),
    "a form": (b"a=1", "multipart/form-data; boundary=x"),
}
