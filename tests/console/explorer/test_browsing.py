"""The table browser and PartiQL, over HTTP."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pytest
from tests.console import gallery
from tests.console.explorer.workbench import MODEL, run, said, workbench
from tests.console.support import Browser, signed_in
from tests.service.support import Running

from tablewright.console.assets import Assets
from tablewright.console.explorer.browsing import Asked, item_view, key_value, look
from tablewright.console.explorer.stored import Side
from tablewright.model.requests import selection_request
from tablewright.model.table import KeyAttribute
from tablewright.service.problems import Problem

SIDE = Side(gallery.walls)


@pytest.fixture(scope="module")
def service(assets: Assets) -> Iterator[Running]:
    with workbench(assets) as running:
        yield running


@pytest.fixture
def admin(service: Running) -> Iterator[Browser]:
    with signed_in(service, "demo-admin") as browser:
        browser.post(f"{MODEL}/practice", {})
        yield browser


@pytest.fixture
def visitor(service: Running) -> Iterator[Browser]:
    with signed_in(service, "demo-visitor") as browser:
        yield browser


def browse(browser: Browser, **asked: str) -> str:
    answer = browser.get(f"{MODEL}/browse", params={"ground": "live", **asked})
    assert answer.status_code == 200, answer.text
    return answer.text


# --- looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "expression"),
    [
        (Asked(("a",)), "#n0 = :v0"),
        (Asked(("a",), "=", "b"), "#n0 = :v0 AND #n1 = :v1"),
        (Asked(("a",), "begins_with", "b"), "#n0 = :v0 AND begins_with(#n1, :v1)"),
        (Asked(("a",), ">=", "b"), "#n0 = :v0 AND #n1 >= :v1"),
        (Asked(("a",), "between", "b", "c"), "#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2"),
    ],
)
def test_what_is_asked_becomes_a_query(asked: Asked, expression: str) -> None:
    operation, body = selection_request(look(SIDE, asked).selection)
    assert (operation, body["KeyConditionExpression"]) == ("Query", expression)


def test_without_a_partition_everything_is_scanned() -> None:
    assert selection_request(look(SIDE, Asked(("",))).selection)[0] == "Scan"


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (Asked(("a",), "like", "b"), "operator"),
        (Asked(("a",), "=", ""), "sort"),
        (Asked(("a",), "between", "b", ""), "upper"),
    ],
)
def test_what_cannot_be_asked_is_named(asked: Asked, field: str) -> None:
    with pytest.raises(Problem) as raised:
        look(SIDE, asked)
    assert [each.field for each in raised.value.errors] == [field]


def test_values_of_keys_have_their_type() -> None:
    assert key_value(KeyAttribute("n", "N"), " 010 ") == {"N": "10"}
    assert key_value(KeyAttribute("b", "B"), "AP8=") == {"B": "AP8="}
    for kind, text in (("N", "ten"), ("B", "???"), ("S", "")):
        with pytest.raises(ValueError, match=r"number|base64|needed"):
            key_value(KeyAttribute("k", kind), text)  # type: ignore[arg-type]


def test_items_that_are_nobodys_are_shown_as_they_are() -> None:
    known = item_view(
        SIDE, gallery.Painting.__tablewright__.encode(gallery.Painting(wall="a", name="b")), 0
    )  # type: ignore[attr-defined]
    assert (known.kind, known.undecoded) == ("Painting", "")
    stranger = item_view(SIDE, {"PK": {"S": "x"}, "SK": {"S": "y"}}, 0)
    assert (stranger.kind, stranger.size, stranger.decoded) == ("unknown", 6, "")
    broken = item_view(
        SIDE, {"PK": {"S": "x"}, "SK": {"S": "y"}, "entity_type": {"S": "Painting"}}, 0
    )
    assert broken.undecoded == "It is not what Painting says that it is."


# --- pages ---------------------------------------------------------------------------------


def test_an_admin_looks_through_a_table_page_by_page(admin: Browser) -> None:
    first = browse(admin)
    assert "25 items and more" in said(first)
    assert "A scan of Gallery on the live tables" in said(first)
    more = re.search(r'href="([^"]+cursor=[^"]+)" rel="next"', first)
    assert more is not None
    path = html.unescape(more[1])
    assert "5 items" in said(admin.get(path).text)
    forged = admin.get(path[:-4] + "AAAA")
    assert "the cursor was changed" in forged.text


def test_a_query_by_partition_and_sort_key(admin: Browser) -> None:
    page = browse(admin, p0="WALL#north", operator="begins_with", sort="PAINTING#number1")
    assert "10 items" in said(page)
    assert "A query of Gallery" in said(page)
    last = browse(admin, p0="WALL#north", backwards="1")
    assert last.index("number29") < last.index("number28")


def test_the_kit_table_is_there_when_live(admin: Browser) -> None:
    assert "A scan of kit on the live tables" in said(browse(admin, place="kit"))
    answer = admin.get(f"{MODEL}/browse", params={"ground": "practice", "place": "kit"})
    assert answer.status_code == 404


def test_what_cannot_be_asked_stands_at_its_field(admin: Browser) -> None:
    asked = {"ground": "live", "p0": "WALL#north", "operator": "between", "sort": "a"}
    answer = admin.get(f"{MODEL}/browse", params=asked)
    assert answer.status_code == 422
    assert answer.text.count('aria-invalid="true"') == 1
    assert 'value="WALL#north"' in answer.text


def test_a_visitor_looks_at_the_practice_tables_only(visitor: Browser) -> None:
    assert visitor.get(f"{MODEL}/browse").status_code == 200
    assert visitor.get(f"{MODEL}/browse", params={"ground": "live"}).status_code == 403
    denied = visitor.post(f"{MODEL}/partiql", {"ground": "live", "statement": "SELECT * FROM kit"})
    assert denied.status_code == 403


# --- PartiQL -------------------------------------------------------------------------------


def partiql(browser: Browser, statement: str, ground: str = "practice", status: int = 200) -> str:
    answer = browser.post(f"{MODEL}/partiql", {"ground": ground, "statement": statement})
    assert answer.status_code == status, answer.text
    return said(answer.text)


def test_statements_of_every_kind_on_the_practice_tables(visitor: Browser) -> None:
    run(visitor, "hang", painting='{"wall": "south", "name": "one"}')
    key = "PK = 'WALL#south' AND SK = 'PAINTING#one'"
    assert "1 row " in partiql(visitor, f'SELECT * FROM "Gallery" WHERE {key}')
    assert "Gallery – 1" in partiql(visitor, f'UPDATE "Gallery" SET price = 9 WHERE {key}')
    assert " 9 " in partiql(visitor, f'SELECT price FROM "Gallery" WHERE {key}')
    partiql(visitor, f'DELETE FROM "Gallery" WHERE {key}')
    assert "No rows" in partiql(visitor, f'SELECT * FROM "Gallery" WHERE {key}')


def test_on_the_live_tables_only_what_reads_this_system(admin: Browser) -> None:
    assert "30 rows" in partiql(admin, 'SELECT * FROM "Gallery"', "live")
    assert "Gallery 0.5 –" in partiql(admin, 'SELECT * FROM "Gallery"', "live")
    partiql(admin, 'SELECT * FROM "kit"', "live")
    refused = partiql(admin, "DELETE FROM Gallery WHERE PK = 'a' AND SK = 'b'", "live", 422)
    assert "only SELECT can be run" in refused
    assert "There is no table Others" in partiql(admin, "SELECT * FROM Others", "live", 422)


def test_what_the_database_says_against_a_statement(visitor: Browser) -> None:
    assert "Expected FROM after SELECT list" in partiql(visitor, "SELECT * FRM Gallery")
    missing = partiql(visitor, "SELECT * FROM Others")
    assert "ResourceNotFoundException" in missing
    assert "There are: Gallery." in missing
    assert "is not closed" in partiql(visitor, "SELECT 'x", status=422)
    assert "Write a statement" in partiql(visitor, " ", status=422)
