"""Why a repository was not read."""

from __future__ import annotations

from typing import Literal, TypeAlias

Code: TypeAlias = Literal[
    "REPO_REFUSED",  # an address or a path that is not asked
    "REPO_NOT_FOUND",  # absent, or not public
    "REPO_MOVED",  # the host answers with a redirect
    "REPO_UNREACHABLE",
    "REPO_TIMEOUT",
    "REPO_TOO_LARGE",
    "REPO_EMPTY",
    "REPO_BROKEN",
    "COMMIT_UNAVAILABLE",
    "GIT_UNUSABLE",  # not installed, or too old to be run safely
]


class RepoError(Exception):
    """A repository that cannot be read, for a reason that may be shown."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code: Code = code
        self.reason = reason

    def __reduce__(self) -> tuple[type[RepoError], tuple[Code, str]]:
        return RepoError, (self.code, self.reason)
