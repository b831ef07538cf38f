"""The document: everything of the model is in it, it reads back, and it never changes by itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.deploy.templates import corners
from tests.deploy.templates.samples import ALL, sample

from tablewright.document import document, mermaid
from tablewright.document.capacity import capacity_section
from tablewright.document.expressions import condition_text, expression_text, value_text
from tablewright.document.markdown import anchor, code, table
from tablewright.document.mermaid import relations
from tablewright.document.patterns import rate_text
from tablewright.model import Rate, attr, param

ROOT = Path(__file__).resolve().parents[2]


def text_of(name: str) -> str:
    given = sample(name)
    return document(given.model, given.items, given.calls)


def rows(text: str) -> Iterator[list[str]]:
    """The cells of every line of every table."""
    for line in text.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


# --- completeness --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_everything_of_the_model_is_there(name: str) -> None:
    model, text = sample(name).model, text_of(name)
    firsts = {row[0] for row in rows(text)}
    headings = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    for each in model.tables.values():
        assert f"Table {each.name}" in headings
        assert all(code(index) in firsts for index in each.indexes)
    for entity in model.entities.values():
        section = _section(text, entity.cls.__name__)
        cells = [cell for row in rows(section) for cell in row]
        assert all(code(field.attribute) in cells for field in entity.fields.values())
        for key in entity.keys.values():
            assert all(code(part.template.text) in section for part in key.parts)
    for pattern in model.patterns.values():
        assert code(pattern.name) in firsts
        assert (pattern.name in headings) == pattern.writes


def _section(text: str, heading: str) -> str:
    found = re.search(rf"^### {heading}\n(.*?)(?=^##)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[1]


@pytest.mark.parametrize("name", ALL)
def test_tables_are_whole_and_links_lead_somewhere(name: str) -> None:
    text = text_of(name)
    width = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = len(re.split(r"(?<!\\)\|", line)) - 2
        width = width or cells
        assert cells == width, line
    anchors = {anchor(each) for each in re.findall(r"^#+ (.*)", text, re.MULTILINE)}
    links = re.findall(r"\]\(#([^)]+)\)", text)
    assert links
    assert set(links) <= anchors


@pytest.mark.parametrize("name", [name for name in ALL if name != "github"])
def test_samples_are_of_every_entity_that_the_demo_has(name: str) -> None:
    text = text_of(name)
    for kind in {type(each).__name__ for each in sample(name).items}:
        assert f"### Sample {kind}\n" in text


# --- what it says --------------------------------------------------------------------------------


def test_an_access_pattern() -> None:
    lines = {row[0]: row for row in rows(text_of("ecommerce"))}
    orders = lines["`orders_of_customer`"]
    assert orders[1:] == [
        "A customer's orders, the latest first.",
        "query",
        "`Shop`",
        "PK = `CUSTOMER#{user_name}`; SK = `ORDER#{order_id}` with `order_id < :before`; "
        "descending",
        "eventual",
        "about 10, pages of 10",
        "20/s",
    ]
    corner = {row[0]: row for row in rows(text_of("corners"))}
    assert corner["`new_names`"][3:5] == [
        "`Accounts`, index `GSI1`",
        "GSI1PK = `STATUS#{status}`; filter `status = :status_is`",
    ]
    assert corner["`new_accounts`"][3] == "`Accounts`, index `GSI1`, then the table"
    assert corner["`account`"][5] == "strong"


def test_a_write_path_shows_conditions_and_changes() -> None:
    text = text_of("ecommerce")
    (check, order, item) = list(rows(_section(text, "place_order")))[1:]
    assert check[:2] == ["check", "`Customer`"]
    assert check[-1] == "`attribute_exists(PK)`"
    assert order[1:3] == ["`Order`", "`CUSTOMER#ada`, `ORDER#01JD0000000000000000000002`"]
    assert item[-1] == "`attribute_not_exists(PK)`"
    move = _section(text, "move_order")
    assert 'status = "packed"' in move
    assert 'status IN ("accepted")' in move
    register = _section(text, "register")
    assert "lock `customer-email`" in register


def test_fields() -> None:
    text = text_of("corners")
    account = {row[0]: row for row in rows(_section(text, "Account"))}
    assert account["`status`"][3] == "`new`, `old`"
    assert account["`mail`"][4] == "Where letters go."
    assert account["`version`"][1] == "N, version"
    token = {row[0]: row for row in rows(_section(text, "Token"))}
    assert token["`ends_at`"][1] == "N, time, seconds since 1970"
    assert "`status` is `new`" in _section(text, "Index GSI1 of Accounts")
    assert "provisioned: 5 read and 4 write units" in text
    assert "on demand, at most 100 read units and 50 write units a second" in text


def test_rates() -> None:
    assert rate_text(Rate(200, peak=600)) == "200/s, peak 600/s"
    assert rate_text(Rate(0.5)) == "30/min"
    assert rate_text(Rate(0.001)) == "3.6/h"
    assert rate_text(Rate(1 / 86400)) == "1/day"
    assert rate_text(None) == ""


def test_conditions() -> None:
    account = corners.Account
    both = (attr(account.age) >= 18) & ~attr(account.name).begins_with("x")
    assert condition_text(both) == 'age >= 18 AND NOT begins_with(name, "x")'
    either = attr(account.status).is_in(["new"]) | (attr(account.age) == param("age"))
    assert condition_text(either & attr(account.mail).exists()) == (
        '(status IN ("new") OR age = :age) AND attribute_exists(mail)'
    )
    body = {
        "ExpressionAttributeNames": {"#n1": "a", "#n10": "b"},
        "ExpressionAttributeValues": {":v0": {"N": "100"}, ":v1": {"S": "x" * 50}},
    }
    shown = expression_text("#n10 > :v0 AND #n1 = :v1", body, now=100.0)
    assert shown == f'b > now AND a = "{"x" * 31}…"'
    assert value_text({"M": {"b": {"S": ""}, "a": {"S": ""}}}) == "{a, b}"


def test_capacity() -> None:
    cost = {"writes": 2.0, "reads": 1.0, "storage": 0.0, "pitr": 0.0, "backups": 0.0}
    cost |= {"streams": 0.0, "free": 0.5, "total": 2.5}
    place = {"table": "Shop", "index": None, "read": 0.5, "write": 0.0}
    month = {"read_units": 1314.0, "write_units": 0.0, "on_demand": 0.00016}
    plan = {
        "region": "us-east-1",
        "prices": {"dated": "2026-11-15"},
        "hours": 730,
        "patterns": [
            {"pattern": "a", "average": 0.001, "units": [place, place], "month": month},
            {"pattern": "b", "average": None, "units": [], "month": month},
        ],
        "bills": {"on demand": cost},
        "cheapest": cost,
    }
    lines = list(rows(capacity_section(plan)))
    nothing = ["$0.00"] * 4
    assert ["on demand", "$2.00", "$1.00", *nothing, "-$0.50", "$2.50"] in lines
    assert ["`a`", "1", "1,314", "$0.0002"] in lines
    assert "Without a rate: `b`." in capacity_section(plan)


def test_markdown() -> None:
    assert code("a`b") == "``a`b``"
    assert code("`a`") == "`` `a` ``"
    assert table(("A", "B", "C"), [("x|y", "", "z\nw")]) == (
        "| A | C |\n|---|---|\n| x\\|y | z w |"
    )
    assert anchor("Index GSI1 of events-2.log") == "index-gsi1-of-events-2log"


# --- diagrams ------------------------------------------------------------------------------------


def test_relations() -> None:
    found = {
        (parent.cls.__name__, child.cls.__name__)
        for parent, child, _ in relations(sample("ecommerce").model)
    }
    assert found == {("Customer", "Order"), ("Order", "OrderItem")}
    hosted = {
        (parent.cls.__name__, child.cls.__name__)
        for parent, child, _ in relations(sample("github").model)
    }
    assert ("Repo", "Issue") in hosted
    assert ("User", "Organization") not in hosted, "they take the same place"


@pytest.mark.parametrize("name", ALL)
def test_mermaid(name: str) -> None:
    lines = mermaid(sample(name).model).splitlines()
    assert lines[0] == "erDiagram"
    known = set()
    for line in lines[1:]:
        if match := re.fullmatch(r"    (\w+) \{", line):
            known.add(match[1])
        elif match := re.fullmatch(r'    (\w+) \|\|--o\{ (\w+) : "[\w, ]+"', line):
            assert {match[1], match[2]} <= known
        else:
            assert re.fullmatch(r"        \w+ [\w-]+( (PK|UK)(, UK)?)?|    \}", line), line
    assert known == set(sample(name).model.entities)


# --- it does not change by itself ----------------------------------------------------------------

PRINT = """
from tests.deploy.templates.samples import sample
from tablewright.document import document, svg
for name in ("corners", "ecommerce", "vibejudge"):
    given = sample(name)
    print(document(given.model, given.items, given.calls), svg(given.model))
"""


def test_the_same_in_every_process() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", PRINT],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert len(texts.pop()) > 10_000
