"""What a check found: how much it looked at, and what was not as it must be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import wraps


@dataclass
class Finding:
    """One invariant."""

    what: str
    checked: int = 0
    violations: list[str] = field(default_factory=list)

    def expect(self, fine: bool, otherwise: str) -> None:
        """Looked at one more thing."""
        self.checked += 1
        if not fine:
            self.violations.append(otherwise)

    def add(self, other: Finding) -> None:
        self.checked += other.checked
        self.violations += other.violations


def gathered(findings: Iterable[Finding]) -> list[Finding]:
    """Those of the same invariant together, in the order they came."""
    found: dict[str, Finding] = {}
    for each in findings:
        found.setdefault(each.what, Finding(each.what)).add(each)
    return list(found.values())


def invariant(what: str) -> Callable[..., Callable[..., Finding]]:
    """A check as a generator: of each thing that it looked at, None or what is wrong with it."""

    def made(check: Callable[..., Iterator[str | None]]) -> Callable[..., Finding]:
        @wraps(check)
        def checked(*given: object, **more: object) -> Finding:
            finding = Finding(what)
            for wrong in check(*given, **more):
                finding.expect(wrong is None, wrong or "")
            return finding

        return checked

    return made


def unless(fine: bool, wrong: str) -> str | None:
    """For a check: nothing, or what is wrong."""
    return None if fine else wrong
