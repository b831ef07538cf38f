"""Addresses of repositories: which are accepted, and how they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from tablewright.service.web_urls import strip_paste_marks

#: Who is asked for repositories.
HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
MOST_CHARS = 500
#: Of an owner or a repository: what the four hosts allow.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
#: Hosts where owners are nested: groups of groups.
_NESTED = frozenset({"gitlab.com"})
_MOST_NESTED = 6
#: Pages of a GitLab project, in addresses from before these stood behind ``/-/``.
_INSIDE = frozenset({"blob", "commit", "commits", "issues", "merge_requests", "raw", "tree"})
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(//|:)")
#: ``git@github.com:team/app.git``
_SCP = re.compile(r"git@(?P<host>[A-Za-z0-9.-]+):(?P<path>(?![0-9]+/).+)")
_EXAMPLE = "such as https://github.com/team/app"


class BadRepoUrl(ValueError):
    """An address that is not accepted, for a reason that may be shown."""


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
    """Return the repository that an address names, in any form in which people paste it.

    ``github.com/team/app``, ``git@github.com:team/app.git`` and the address of a branch, a file
    or an issue all name ``https://github.com/team/app``.

    Raises:
        BadRepoUrl: Says what is wrong and how to mend it.
    """
    text = strip_paste_marks(url)
    if not text or len(text) > MOST_CHARS or not text.isascii() or not text.isprintable():
        raise BadRepoUrl(f"enter an address of 1 to {MOST_CHARS} plain characters, {_EXAMPLE}")
    try:
        parts = urlsplit(_as_https(text))
        port = parts.port
    except ValueError:
        raise BadRepoUrl(f"this is not an address; enter one {_EXAMPLE}") from None
    if "@" in parts.netloc:
        raise BadRepoUrl("remove the user name and password from the address")
    if port is not None or parts.netloc.endswith(":"):
        raise BadRepoUrl("remove the port from the address")
    host = (parts.hostname or "").lower().removeprefix("www.")
    if parts.scheme.lower() != "https" or host not in hosts:
        raise BadRepoUrl(f"enter the https address of a repository at {_listed(hosts)}")
    return _named(host, parts.path)


def _listed(hosts: frozenset[str]) -> str:
    *others, last = sorted(hosts)
    return f"{', '.join(others)} or {last}" if others else last


def _as_https(text: str) -> str:
    """Rewrite the forms that git and people use for the same repository."""
    text = text.removeprefix("git+")
    if match := _SCP.fullmatch(text):
        return f"https://{match['host']}/{match['path'].lstrip('/')}"
    for scheme in ("ssh://git@", "ssh://", "git://", "http://"):
        if text.lower().startswith(scheme):
            return f"https://{text[len(scheme) :]}"
    return text if _SCHEME.match(text) else f"https://{text}"


def _named(host: str, path: str) -> RepoUrl:
    if "\\" in path:
        raise BadRepoUrl(f"the address has a backslash in it; enter one {_EXAMPLE}")
    names = _repository_path(host, path.strip("/").split("/"))
    if len(names) < 2:
        raise BadRepoUrl(f"the address names no repository; enter one {_EXAMPLE}")
    if len(names) > _MOST_NESTED:
        raise BadRepoUrl(f"the address has more than {_MOST_NESTED} parts")
    names[-1] = names[-1].removesuffix(".git")
    if any(not _NAME.fullmatch(each) or ".." in each for each in names):
        raise BadRepoUrl("an owner or a name has a character that no repository has")
    owner = "/".join(names[:-1])
    if len(owner) > 100:
        raise BadRepoUrl("the owner is longer than 100 characters")
    return RepoUrl(host, owner, names[-1])


def _repository_path(host: str, names: list[str]) -> list[str]:
    """Drop what leads to a page inside of a repository: a branch, a file, an issue."""
    if host not in _NESTED:
        return names[:2]
    for position, name in enumerate(names):
        if name == "-" or (
            position > 1 and (name in _INSIDE or names[position - 1].endswith(".git"))
        ):
            return names[:position]
    return names
