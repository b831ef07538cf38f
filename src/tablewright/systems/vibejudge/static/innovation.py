"""The agent that looks for what is new, and for how well it is shown."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from tablewright.systems.vibejudge.rules.scoring import clamped
from tablewright.systems.vibejudge.static.facts import Facts
from tablewright.systems.vibejudge.static.rarity import TOOL, UNLISTED, level_of, mean_rarity
from tablewright.systems.vibejudge.static.readme import demo_checks, readme_checks
from tablewright.systems.vibejudge.static.results import Finding, Scored
from tablewright.systems.vibejudge.static.techniques import techniques_of

_RARE_SHOWN = 3


def innovation(
    facts: Facts, architecture: Decimal | None, code_quality: Decimal | None
) -> dict[str, Scored]:
    return {
        "technical_novelty": technical_novelty(facts),
        "creative_problem_solving": creative_problem_solving(facts),
        "architecture_elegance": architecture_elegance(architecture, code_quality),
        "readme_quality": readme_quality(facts),
        "demo_potential": demo_potential(facts),
    }


def technical_novelty(facts: Facts) -> Scored:
    """10 x mean rarity of the direct dependencies that the product is built on.

    Tools of developers do not count, and an uncommon package counts only if code imports it.
    """
    counted = [
        each
        for each in facts.dependencies
        if (level := level_of(each.ecosystem, each.name)) != TOOL
        and (level != UNLISTED or facts.imports(each))
    ]
    mean = mean_rarity(counted)
    if mean is None:
        return Scored(None, said="Not assessed: the product declares no dependencies.")
    rare = [each for each in counted if level_of(each.ecosystem, each.name) == UNLISTED]
    said = (
        f"{len(rare)} of {len(counted)} "
        f"{'dependency is' if len(counted) == 1 else 'dependencies are'} uncommon."
    )
    found = tuple(
        facts.finding(
            "rare", each.file, each.line, "info", f"{each.name[:80]} is an uncommon choice"
        )
        for each in rare[:_RARE_SHOWN]
    )
    return Scored(clamped(10 * mean), found, said)


def creative_problem_solving(facts: Facts) -> Scored:
    """2 for each technique beyond the usual."""
    found = techniques_of(facts.base)
    names = ", ".join(each.message.partition(": ")[2] for each in found[:6])
    said = f"Techniques: {names}." if found else "No technique beyond the usual was found."
    return Scored(clamped(2 * Fraction(len(found))), tuple(found), said)


def architecture_elegance(architecture: Decimal | None, code_quality: Decimal | None) -> Scored:
    """The mean of architecture and code quality."""
    known = [Fraction(each) for each in (architecture, code_quality) if each is not None]
    if not known:
        return Scored(None, said="Not assessed: neither structure nor quality was.")
    return Scored(
        clamped(sum(known, Fraction(0)) / len(known)),
        said="The mean of structure and code quality.",
    )


def readme_quality(facts: Facts) -> Scored:
    """1.25 each for eight things that a README tells."""
    checks = readme_checks(facts.base)
    file = facts.base.readme
    if checks is None or file is None:
        return Scored(Decimal(0), said="There is no README.")
    found: tuple[Finding, ...] = ()
    if checks.absent:
        said = f"The README lacks {', '.join(checks.absent)}: add it"
        found = (facts.finding("readme", file.path, 1, "low", said),)
    return Scored(
        clamped(Fraction(5, 4) * checks.count),
        found,
        _lacks("The README", checks.absent) or "The README has all that readers look for.",
    )


def demo_potential(facts: Facts) -> Scored:
    """2 each for what lets somebody try it."""
    checks = demo_checks(facts.base)
    said = _lacks("A demo", checks.absent) or "A demo has all that visitors need to try it."
    return Scored(Decimal(2 * checks.count), said=said)


def _lacks(what: str, absent: list[str]) -> str:
    return f"{what} lacks {', '.join(absent)}." if absent else ""
