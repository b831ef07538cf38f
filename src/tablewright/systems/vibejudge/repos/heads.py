"""Which commit a repository is at, without fetching it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tablewright.service.outbound.addresses import Resolver, look_up
from tablewright.systems.vibejudge.repos.fetching import Access, remote_head
from tablewright.systems.vibejudge.repos.limits import MB, Limits
from tablewright.systems.vibejudge.repos.local import local_head

#: One question and one line for an answer: a host that takes longer does not answer.
HEAD_LIMITS = Limits(secs=30.0, listing_bytes=MB, repo_bytes=16 * MB)


@dataclass(frozen=True, slots=True)
class Head:
    sha: str
    #: Its name; None where nobody says it.
    branch: str | None


def head_of(
    url: str,
    access: Access | None = None,
    limits: Limits = HEAD_LIMITS,
    *,
    resolver: Resolver = look_up,
) -> Head:
    """The head of the default branch; RepoError says why there is none. It blocks."""
    access = access or Access()
    root = access.root_of(url)
    if root is not None:
        return Head(*local_head(Path(url), root=root))
    return Head(*remote_head(url, limits=limits, access=access, resolver=resolver))
