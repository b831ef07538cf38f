"""The review of a model, as pages show it: each finding beside the place that it concerns."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from tablewright.model.demo import Demo
from tablewright.model.model import Model
from tablewright.review import Finding, Place, Rule, Suppression, all_rules, review
from tablewright.review.beside import Fact, facts_beside, suppressions_beside
from tablewright.review.finding import SEVERITIES, Severity
from tablewright.review.from_model import design_of
from tablewright.review.rule import FAMILIES
from tablewright.service.system import System

_TONES: Mapping[Severity, str] = {"error": "danger", "warning": "warning", "note": "info"}
_ICONS: Mapping[Severity, str] = {
    "error": "alert-circle",
    "warning": "alert-triangle",
    "note": "info-circle",
}
#: Kinds of places, by the kind of page that tells of them.
_PAGES = {
    "table": "table",
    "index": "table",
    "entity": "entity",
    "attribute": "entity",
    "key": "entity",
    "sample": "entity",
    "item": "entity",
    "pattern": "pattern",
}
#: What a finding can be about, as far as the model says it.
KINDS = ("table", "index", "entity", "key", "attribute", "pattern", "sample")


@dataclass(frozen=True)
class Spot:
    """Where a finding is shown: on the page of a table, an entity or a pattern."""

    page: str = ""
    name: str = ""
    #: The index, key or attribute; "" is the thing itself.
    part: str = ""

    @property
    def path(self) -> str:
        """Below the model's own path; "" if no page of the model tells of it."""
        if self.page == "table":
            return f"#table-{self.name}"
        kinds = {"entity": "entities", "pattern": "patterns"}
        return f"/{kinds[self.page]}/{self.name}" if self.page in kinds else ""


def spot_of(place: Place) -> Spot:
    """Where a place of the design is on the pages."""
    page = _PAGES.get(place.kind, "")
    marks = {"index": "/", "attribute": ".", "key": "[", "item": " in "}
    mark = marks.get(place.kind)
    if not page or mark is None:
        return Spot(page, place.name) if page else Spot()
    name, _, part = place.name.partition(mark)
    return Spot(page, name, "" if place.kind == "item" else part.removesuffix("]"))


@dataclass(frozen=True)
class FindingView:
    """One finding."""

    code: str
    title: str
    severity: Severity
    #: What kind of place it is about: table, index, entity, key, attribute, pattern, ...
    kind: str
    place: str
    spot: Spot
    message: str
    why: str
    fix: str
    #: Why it was accepted; None is one that stands.
    accepted: str | None

    @property
    def family(self) -> str:
        return FAMILIES[self.code[0]]

    @property
    def tone(self) -> str:
        return _TONES[self.severity] if self.accepted is None else ""

    @property
    def icon(self) -> str:
        return _ICONS[self.severity] if self.accepted is None else "circle-check"


class Reviewed:
    """The review of one model."""

    def __init__(
        self,
        model: Model,
        demo: Demo | None = None,
        suppressions: Sequence[Suppression] = (),
        facts: Sequence[Fact] = (),
    ) -> None:
        self._report = review(design_of(model, demo, suppressions, facts))
        found = (*self._report.findings, *self._report.suppressed)
        self.findings = tuple(sorted(map(_view, found), key=_grave_first))
        #: Suppressions that met nothing.
        self.idle = self._report.idle

    @cached_property
    def standing(self) -> tuple[FindingView, ...]:
        return tuple(each for each in self.findings if each.accepted is None)

    @cached_property
    def accepted(self) -> tuple[FindingView, ...]:
        return tuple(each for each in self.findings if each.accepted is not None)

    @property
    def counts(self) -> Mapping[Severity, int]:
        return self._report.counts()

    def at(self, page: str, name: str) -> tuple[FindingView, ...]:
        """What is to be said on the page of a table, an entity or a pattern."""
        return self._by_page.get((page, name), ())

    def concerns(self, page: str, name: str) -> tuple[FindingView, ...]:
        """What of it stands."""
        return tuple(each for each in self.at(page, name) if each.accepted is None)

    @cached_property
    def _by_page(self) -> Mapping[tuple[str, str], tuple[FindingView, ...]]:
        pages: dict[tuple[str, str], tuple[FindingView, ...]] = {}
        for each in self.findings:
            place = (each.spot.page, each.spot.name)
            pages[place] = (*pages.get(place, ()), each)
        return pages


def suppressions_of(system: System) -> tuple[Suppression, ...]:
    """What the authors of a shipped system have accepted."""
    module = f"tablewright.systems.{system.name}.model"
    return suppressions_beside(module) if module in sys.modules else ()


def facts_of(system: System) -> tuple[Fact, ...]:
    """What the authors of a shipped system state beside its model."""
    module = f"tablewright.systems.{system.name}.model"
    return facts_beside(module) if module in sys.modules else ()


# --- the page of all findings ---------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """Which findings to show; "" is any."""

    severity: str = ""
    family: str = ""
    kind: str = ""

    def meets(self, finding: FindingView) -> bool:
        wanted = (self.severity, self.family, self.kind)
        own = (finding.severity, finding.family, finding.kind)
        return all(not each or each == has for each, has in zip(wanted, own, strict=True))


@dataclass(frozen=True)
class RuleView:
    """A rule with what it has found."""

    rule: Rule
    findings: tuple[FindingView, ...]


def by_rule(findings: Iterable[FindingView]) -> tuple[RuleView, ...]:
    """Findings under their rules, in the order in which they come."""
    several: dict[str, list[FindingView]] = {}
    for each in findings:
        several.setdefault(each.code, []).append(each)
    return tuple(RuleView(_rules()[code], tuple(found)) for code, found in several.items())


def rules_by_family() -> Mapping[str, tuple[Rule, ...]]:
    """What is looked for."""
    families: dict[str, tuple[Rule, ...]] = {}
    for rule in all_rules():
        families[rule.family] = (*families.get(rule.family, ()), rule)
    return families


@cache
def _rules() -> Mapping[str, Rule]:
    return {rule.code: rule for rule in all_rules()}


def _view(finding: Finding) -> FindingView:
    return FindingView(
        code=finding.code,
        title=_rules()[finding.code].title,
        severity=finding.severity,
        kind=finding.place.kind,
        place=finding.place.name,
        spot=spot_of(finding.place),
        message=finding.message,
        why=finding.why,
        fix=finding.fix,
        accepted=finding.suppressed,
    )


def _grave_first(finding: FindingView) -> tuple[bool, int]:
    return finding.accepted is not None, SEVERITIES.index(finding.severity)
