"""Which repository an address names: at a host, or where an operator allows it, of this machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from tablewright.service.repo_urls import MOST_CHARS, BadRepoUrl, parse
from tablewright.service.web_urls import strip_paste_marks
from tablewright.systems.vibejudge.entities import repo_key
from tablewright.systems.vibejudge.repos.fetching import Access

_PLAIN = re.compile(r"(?:/[A-Za-z0-9_][A-Za-z0-9._-]*)+/?")
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Address:
    """A repository, written in the one way that is stored."""

    url: str
    owner: str
    name: str
    #: The same for every way to write it: what its lock is called.
    key: str


def address_of(url: str, access: Access) -> Address:
    """The repository; :class:`BadRepoUrl` says what is wrong with its address."""
    text = strip_paste_marks(url)
    if not text.isprintable() or len(text) > MOST_CHARS:
        raise BadRepoUrl(f"enter an address of 1 to {MOST_CHARS} plain characters")
    root = access.root_of(text)
    if root is not None:
        return _folder(text, root)
    if access.loopback and text.startswith("http://"):
        return _server(text)
    found = parse(text, access.hosts)
    return Address(found.page, found.owner, found.name, found.key)


def _folder(text: str, root: Path) -> Address:
    path = Path(text).resolve()
    # Whether there is one is not told: whoever reads it finds out.
    if not path.is_relative_to(root.resolve()) or path == root.resolve():
        raise BadRepoUrl("the path is not below the folder that is allowed")
    return _named(str(path), path.parent.name, path.name)


def _server(text: str) -> Address:
    try:
        parts = urlsplit(text)
        # A port that is none is found out here.
        known = parts.port is None or parts.port > 0
    except ValueError:
        known = False
    if not known or not _is_loopback(parts.hostname or "") or "@" in parts.netloc:
        raise BadRepoUrl("by http, only servers of this machine are asked")
    if parts.query or parts.fragment or not _PLAIN.fullmatch(parts.path) or ".." in parts.path:
        raise BadRepoUrl("the path must be plain: /owner/name")
    *before, name = parts.path.strip("/").split("/")
    return _named(text.rstrip("/"), "/".join(before), name)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _named(url: str, owner: str, name: str) -> Address:
    short = name.removesuffix(".git") or name
    return Address(url, (owner or "local")[:_LONGEST_NAME], short[:_LONGEST_NAME], repo_key(url))
