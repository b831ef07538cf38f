"""Where a request of a browser comes from: rules without I/O.

A browser says itself whether a page of ours or of somebody else sends a request: ``Origin`` with
everything that is not a plain read, ``Sec-Fetch-Site`` with everything. Programs say neither; what
protects them is that nobody else holds their cookies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from tablewright.service.settings import Settings, is_loopback

#: Of characters that a URL may have. Browsers take ``//`` and backslashes for another host.
_PATH = re.compile(r"/(?!/)[!-\[\]-~]*\Z")
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL, as a browser writes them."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    port = "" if parts.port in (None, usual) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


def is_ours(headers: Mapping[str, str], settings: Settings) -> bool:
    """Whether a request comes from a page of ours, or from no page at all."""
    origin = headers.get("origin")
    if origin is not None:
        return origin in _own_origins(headers, settings)
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


def is_our_host(headers: Mapping[str, str], settings: Settings) -> bool:
    """Whether a request was sent to this machine by one of its own names.

    A page of the web can have a name that leads here; then its browser sends that name.
    """
    return not settings.local or is_loopback(_host_name(headers))


def safe_path(target: str | None) -> str:
    """Where to go after signing in: a path of ours, whatever was asked for."""
    return target if target and _PATH.match(target) else "/"


def _own_origins(headers: Mapping[str, str], settings: Settings) -> set[str]:
    own = {origin_of(settings.url)}
    if settings.local and is_loopback(_host_name(headers)):
        # localhost and 127.0.0.1 are the same place, and the port may have been chosen late.
        own.add(origin_of(f"http://{headers.get('host', '')}"))
    return own


def _host_name(headers: Mapping[str, str]) -> str:
    try:
        return urlsplit(f"//{headers.get('host', '')}").hostname or ""
    except ValueError:
        return ""
