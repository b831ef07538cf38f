"""Addresses of repositories: which are taken, and how they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

#: Who is asked for repositories.
HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
MOST_CHARS = 500
#: Of an owner or a repository: what the four hosts allow.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
#: Hosts where owners are nested: groups of groups.
_NESTED = frozenset({"gitlab.com"})
_MOST_NESTED = 6


class BadRepoUrl(ValueError):
    """An address that is not taken, for a reason that may be shown."""


@dataclass(frozen=True, slots=True)
class RepoUrl:
    """A repository at one of the hosts."""

    host: str
    owner: str
    name: str

    @property
    def url(self) -> str:
        """Where git finds it; without redirects, as GitLab would answer with one otherwise."""
        return f"https://{self.host}/{self.owner}/{self.name}.git"

    @property
    def page(self) -> str:
        """Where people find it."""
        return f"https://{self.host}/{self.owner}/{self.name}"

    @property
    def key(self) -> str:
        """The same for every way to write it; hosts tell no capitals from small letters."""
        return f"{self.host}/{self.owner}/{self.name}".lower()


def parse(url: str, hosts: frozenset[str] = HOSTS) -> RepoUrl:
    """The repository that an address names; :class:`BadRepoUrl` says what is wrong with it."""
    text = url.strip()
    if not text or len(text) > MOST_CHARS or not text.isascii() or not text.isprintable():
        raise BadRepoUrl(f"an address has 1 to {MOST_CHARS} plain characters")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise BadRepoUrl("this is not an address") from None
    if parts.scheme != "https" or not text.lower().startswith("https://"):
        raise BadRepoUrl("the address must begin with https://")
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise BadRepoUrl("the address must have no user and no password in it")
    if port is not None or parts.netloc.endswith(":"):
        raise BadRepoUrl("the address must have no port")
    if parts.query or parts.fragment or "?" in text or "#" in text:
        raise BadRepoUrl("the address must have no ? and no # in it")
    host = (parts.hostname or "").lower().removeprefix("www.")
    if host not in hosts:
        raise BadRepoUrl(f"repositories are taken from {', '.join(sorted(hosts))}")
    return _named(host, parts.path)


def _named(host: str, path: str) -> RepoUrl:
    if "%" in path or unquote(path) != path or "\\" in path or "//" in path:
        raise BadRepoUrl("the path must be plain: /owner/name")
    names = path.strip("/").split("/")
    most = _MOST_NESTED if host in _NESTED else 2
    if not 2 <= len(names) <= most:
        raise BadRepoUrl("the path must be /owner/name, without a branch or a file")
    names[-1] = names[-1].removesuffix(".git")
    if any(not _NAME.fullmatch(each) or ".." in each for each in names):
        raise BadRepoUrl("an owner or a name has a character that no repository has")
    owner = "/".join(names[:-1])
    if len(owner) > 100:
        raise BadRepoUrl("the owner is longer than 100 characters")
    return RepoUrl(host, owner, names[-1])
