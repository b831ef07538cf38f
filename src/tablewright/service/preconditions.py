"""``If-Match`` and ``If-None-Match``: a change is made to what its author has seen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tablewright.service.problems import Problem, stale


def etag(version: int) -> str:
    """A version as headers have it."""
    return f'"{version}"'


class Precondition(NamedTuple):
    """What a request says about the state that it changes."""

    if_match: str | None = None
    if_none_match: str | None = None

    @classmethod
    def seen(cls, version: int) -> Precondition:
        """The author has seen this version."""
        return cls(if_match=etag(version))

    def check_absent(self) -> None:
        """It is to be created: nobody can have seen it."""
        if self.if_match is not None:
            raise stale()

    def check(self, version: int) -> None:
        """It is to be changed: its author has to have seen this version."""
        if _names(self.if_none_match, version):
            detail = "There is one already, and If-None-Match says that there must not be."
            raise Problem(412, "ALREADY_EXISTS", detail)
        if self.if_match is None:
            detail = (
                "There is one already. Say with If-Match which version you have seen: its ETag."
            )
            raise Problem(428, "PRECONDITION_REQUIRED", detail)
        if not _names(self.if_match, version):
            raise stale()

    def check_if_given(self, version: int) -> None:
        """It is to go: if its author says what they have seen, it has to be this version."""
        if self.if_match is not None and not _names(self.if_match, version):
            raise stale()


#: A request that says nothing of it.
UNSAID = Precondition()


def _names(header: str | None, version: int) -> bool:
    if header is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return "*" in tags or etag(version) in tags


@contextmanager
def stale_as(code: str) -> Iterator[None]:
    """What is stale is told under the name that a system has for it."""
    try:
        yield
    except Problem as problem:
        raise (stale(code) if problem.code == "STALE_VERSION" else problem) from None
