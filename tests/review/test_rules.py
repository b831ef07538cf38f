"""What holds for every rule: its examples, its texts, its page."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path

import pytest

from tablewright.review import Rule, all_rules, rules
from tablewright.review.pages import contents, example, page
from tablewright.review.rule import FAMILIES

DOCS = Path(__file__).resolve().parents[2] / "docs" / "rules"
RULES = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


@RULES
def test_finds_what_is_wrong_in_its_bad_example(rule: Rule) -> None:
    assert list(rule.findings(example(rule.bad)))


@RULES
def test_is_silent_on_its_good_example(rule: Rule) -> None:
    assert [found.message for found in rule.findings(example(rule.good))] == []


@RULES
def test_says_what_why_and_how(rule: Rule) -> None:
    assert re.fullmatch(r"[A-Z]\d\d", rule.code)
    assert rule.code[0] in FAMILIES
    assert not rule.title.endswith(".")
    assert rule.why.rstrip(').`"').endswith((".", "?")) or rule.why.endswith((".", '"', ")"))
    assert rule.fix.endswith(".")
    for found in rule.findings(example(rule.bad)):
        assert found.message.endswith("."), found.message
        assert found.fix
        assert found.place.name


@RULES
def test_knows_none_of_the_documents(rule: Rule) -> None:
    text = f"{rule.title} {rule.why} {rule.fix} {rule.bad} {rule.good}".lower()
    for name in ("vibejudge", "kurukshetra", "osem", "ladders", "bedrock", "pricekeeper"):
        assert name not in text


@RULES
def test_page_is_the_rule(rule: Rule) -> None:
    written = (DOCS / f"{rule.code}.md").read_text()
    assert written == page(rule), "python -m tablewright.review.pages docs/rules writes it anew"


def test_the_list_of_pages_is_complete() -> None:
    assert (DOCS / "README.md").read_text() == contents()
    pages = {path.stem for path in DOCS.glob("*.md")} - {"README"}
    assert pages == {rule.code for rule in all_rules()}


def test_codes_are_unique_and_stand_in_the_names_of_their_modules() -> None:
    codes = [rule.code for rule in all_rules()]
    assert len(set(codes)) == len(codes)
    modules = [each.name for each in pkgutil.iter_modules(rules.__path__)]
    assert sorted(name[:3].upper() for name in modules) == sorted(codes)


def test_every_family_has_rules() -> None:
    assert {rule.family for rule in all_rules()} == set(FAMILIES.values())
