"""Rules: a code that never changes its meaning, a check, and everything its page says."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from tablewright.review.design import Design
from tablewright.review.finding import Finding, Found, Place, Severity

FAMILIES = {
    "K": "keys",
    "I": "indexes",
    "P": "patterns",
    "W": "writes",
    "C": "constraints",
    "T": "ttl",
    "S": "samples",
    "H": "heat",
    "U": "capacity",
    "X": "security",
}


@dataclass(frozen=True)
class Rule:
    """One rule. ``bad`` and ``good`` are declarations for its page, which the tests run."""

    code: str
    severity: Severity
    title: str
    #: The rule or limit of the service behind it, with its numbers.
    why: str
    fix: str
    #: Parts of a design, as Python; the check finds something in the first, nothing in the second.
    bad: str
    good: str
    check: Callable[[Design], Iterable[Found]]

    @property
    def family(self) -> str:
        """What its code begins with, as a word."""
        return FAMILIES[self.code[0]]

    @property
    def docs(self) -> str:
        """Its page."""
        return f"docs/rules/{self.code}.md"

    def findings(self, design: Design) -> Iterator[Finding]:
        """What the rule says about a design, each thing once."""
        same: dict[tuple[Place, str], list[Found]] = {}
        for found in self.check(design):
            same.setdefault((found.place, found.message), []).append(found)
        for (place, message), several in same.items():
            first = several[0]
            yield Finding(
                self.code,
                first.severity or self.severity,
                place,
                message + _where(several),
                self.why,
                first.fix or self.fix,
                self.docs,
            )


def _where(several: list[Found]) -> str:
    """The first of the items that it was found in, and how many they are."""
    if not several[0].item:
        return ""
    more = f", and {len(several) - 1} more" if len(several) > 1 else ""
    return f" (Item {several[0].item}{more}.)"


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, in the order of the families and codes: one in each module of ``rules``."""
    from tablewright.review import rules

    modules = (
        importlib.import_module(f"{rules.__name__}.{each.name}")
        for each in pkgutil.iter_modules(rules.__path__)
    )
    found: list[Rule] = [module.RULE for module in modules]
    order = list(FAMILIES)
    return tuple(sorted(found, key=lambda rule: (order.index(rule.code[0]), rule.code)))
