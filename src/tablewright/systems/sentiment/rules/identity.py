"""Which article something is: the SHA-256 of its address, or else of its title and time.

Of an address, what does not choose the article does not count: the scheme, a ``www.``, ``m.``,
``mobile.`` or ``amp.`` before the host, a path for AMP, the host's case, a default port, whoever
signs in, a slash at the end, the fragment, the order of the query's parameters, those that only
track readers, and how characters are escaped.
"""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import sha256
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit

from tablewright.systems.sentiment.rules.moments import moment_text

#: Parameters that say where a reader came from.
_TRACKING = frozenset(
    {
        "_ga",
        "amp",
        "cmp",
        "ito",
        "outputtype",
        "partner",
        "ref",
        "ref_src",
        "ref_url",
        "rss",
        "smid",
        "smtyp",
        "source_medium",
        "xtor",
        "_gl",
        "_hsenc",
        "_hsmi",
        "at_campaign",
        "at_medium",
        "cmpid",
        "dclid",
        "fbclid",
        "gbraid",
        "gclid",
        "gclsrc",
        "igshid",
        "mc_cid",
        "mc_eid",
        "mkt_tok",
        "msclkid",
        "ncid",
        "ocid",
        "s_cid",
        "srsltid",
        "ttclid",
        "twclid",
        "wbraid",
        "wt_mc",
        "yclid",
    }
)
_TRACKING_PREFIXES = ("utm_", "pk_", "piwik_", "mtm_", "vero_", "hsa_", "at_", "ns_", "wt.")
_FOR_PHONES = frozenset({"m", "mobile", "amp"})
_AMP_PATH = re.compile(r"(?:/amp|\.amp)$|^/amp(?=/)", re.I)
_PORTS = frozenset({None, 80, 443})
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def canonical_url(url: str) -> str | None:
    """``news.example/story?id=7``; None if it is no address of the web."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not (host := _host(parts)):
        return None
    place = host if port in _PORTS else f"{host}:{port}"
    path = _AMP_PATH.sub("", _escaped(parts.path).rstrip("/"))
    query = _query(parts.query)
    return f"{place}{path}?{query}" if query else f"{place}{path}"


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    if ":" in host:
        return f"[{host}]"
    try:
        host = host.encode("idna").decode().lower()
    except UnicodeError:
        host = quote(host, safe="")
    host = host.removeprefix("www.") or host
    # Not of m.example itself, which is no page for phones.
    first, _, rest = host.partition(".")
    return rest if first in _FOR_PHONES and "." in rest else host


def _escaped(text: str) -> str:
    """One way of escaping: whatever needs none has none."""
    quoted = quote(text, safe="/%!$&'()*+,;=:@~", errors="replace")
    return _ESCAPED.sub(_plain, quoted)


def _plain(found: re.Match[str]) -> str:
    char = chr(int(found[1], 16))
    return char if char in _UNRESERVED else found[0].upper()


def _query(text: str) -> str:
    given = parse_qsl(text, keep_blank_values=True, errors="replace")
    return urlencode(sorted((name, value) for name, value in given if not _tracks(name)))


def _tracks(name: str) -> bool:
    folded = name.lower()
    return folded in _TRACKING or folded.startswith(_TRACKING_PREFIXES)


def hash_of(
    title: str, url: str | None, published_at: datetime | None, guid: str | None = None
) -> str | None:
    """The hash that an article is known by; None if nothing tells it from others.

    A ``guid`` comes first: it is given only where the address does not tell articles apart.
    """
    if guid:
        return sha256(f"|guid|{guid}".encode()).hexdigest()
    canonical = None if url is None else canonical_url(url)
    if canonical is None and (not title or published_at is None):
        return None
    # An address has no bar that is not escaped, so neither is taken for the other.
    text = canonical or f"{title}|{published_at and moment_text(published_at)}"
    return sha256(text.encode()).hexdigest()


def source_id_for(source_type: str, sha256: str) -> str:
    """``rss#0123456789abcdef``"""
    return f"{source_type}#{sha256[:16]}"
