"""Web addresses as people paste them."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urlsplit, urlunsplit

__all__ = ["UrlError", "clean_url", "strip_paste_marks"]

MOST_CHARACTERS = 2000
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?![0-9])")
_HOST = re.compile(r"[^\s/:@.]+(?:\.[^\s/:@.]+)+")


class UrlError(ValueError):
    """A text that is not a web address, for a reason that may be shown."""


def strip_paste_marks(text: str) -> str:
    """Remove what surrounds an address in mails and sentences: spaces, brackets, a full stop."""
    return text.strip().rstrip(".,;").strip("<>\"'\u201c\u201d\u200b\ufeff ").rstrip(".,;")


def clean_url(text: str, *, hosts: Collection[str] = (), most: int = MOST_CHARACTERS) -> str:
    """Return the web address in a text: ``www.example.org/a`` gives ``https://www.example.org/a``.

    Args:
        text: What was pasted; ``http://`` stays as it is.
        hosts: The hosts that are accepted, their subdomains included; empty for any.
        most: The most characters of the result.

    Raises:
        UrlError: Says what is wrong and gives an example.
    """
    pasted = strip_paste_marks(text)
    if not _SCHEME.match(pasted):
        pasted = f"https://{pasted.removeprefix('//')}"
    try:
        parts = urlsplit(pasted)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise UrlError("Enter a web address such as https://example.org/page.") from None
    if parts.scheme.lower() not in ("http", "https"):
        raise UrlError("Enter an address that begins with https://.")
    if parts.username is not None or parts.password is not None:
        raise UrlError("Remove the user name and password from the address.")
    if not _HOST.fullmatch(host) or not pasted.isprintable() or " " in pasted or "\\" in pasted:
        raise UrlError("Enter a web address such as https://example.org/page.")
    if hosts and not any(host == each or host.endswith(f".{each}") for each in hosts):
        raise UrlError(f"Enter an address at {' or '.join(sorted(hosts))}.")
    netloc = host if port is None else f"{host}:{port}"
    cleaned = urlunsplit((parts.scheme.lower(), netloc, parts.path, parts.query, parts.fragment))
    if len(cleaned) > most:
        raise UrlError(f"The address is longer than {most} characters.")
    return cleaned
