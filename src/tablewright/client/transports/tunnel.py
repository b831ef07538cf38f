"""The way through a proxy (CONNECT), on which TLS then runs from end to end."""

from __future__ import annotations

from tablewright.client.transports.endpoints import Endpoint

_LONGEST = 16 * 1024


def request_for(endpoint: Endpoint) -> bytes:
    """What asks a proxy for the way to the endpoint."""
    assert endpoint.proxy is not None
    name = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    there = f"{name}:{endpoint.port}"
    return f"CONNECT {there} HTTP/1.1\r\nHost: {there}\r\n{endpoint.proxy.header()}\r\n".encode()


def is_whole(head: bytes) -> bool:
    """Whether there is no more to read of the proxy's answer."""
    return head.endswith(b"\r\n\r\n") or len(head) >= _LONGEST


def check(head: bytes) -> None:
    """Raise OSError unless the proxy agrees."""
    status = head.partition(b"\r\n")[0]
    if status.split(b" ")[1:2] != [b"200"] or not head.endswith(b"\r\n\r\n"):
        said = status[:200].decode("latin-1") or "it closed the connection"
        raise OSError(f"the proxy refused: {said}")
