"""A bare client of the wire protocol: no retries, so that a test knows what was acknowledged."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

_AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=0"
)


class Refused(Exception):
    """The server answered with an error; ``code`` is its AWS type."""

    def __init__(self, code: str, body: Any) -> None:
        super().__init__(f"{code}: {body}")
        self.code = code


class Wire:
    """One keep-alive connection."""

    def __init__(self, url: str, timeout: float = 30.0) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=timeout)

    def call(self, operation: str, **request: Any) -> Any:
        """The answer; raises :class:`Refused`, or OSError / HTTPException if none came."""
        self._connection.request(
            "POST",
            "/",
            json.dumps(request),
            {
                "Content-Type": "application/x-amz-json-1.0",
                "X-Amz-Target": f"DynamoDB_20120810.{operation}",
                "Authorization": _AUTHORIZATION,
                "X-Amz-Date": "20260101T000000Z",
            },
        )
        response = self._connection.getresponse()
        body = json.loads(response.read() or b"{}")
        if response.status != 200:
            raise Refused(body["__type"].rpartition("#")[2], body)
        return body

    def close(self) -> None:
        self._connection.close()
