"""PartiQL statements: what may be sent to the live tables, and under which names."""

from __future__ import annotations

import pytest

from tablewright.console.explorer.statements import StatementError, is_select, sendable

TABLES = ("Orders", "kit")
NAMES = {"Orders": "prod-Orders", "kit": "prod-shop-kit"}


def sent(text: str, *, live: bool = True) -> str:
    return sendable(text, TABLES, NAMES.__getitem__, reads_only=live)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM Orders", 'SELECT * FROM "prod-Orders"'),
        ('select * from "kit";', 'select * from "prod-shop-kit";'),
        ('SELECT * FROM "prod-Orders"', 'SELECT * FROM "prod-Orders"'),
        (
            "SELECT id FROM Orders.GSI1 WHERE id = 'FROM Users' ORDER BY id",
            "SELECT id FROM \"prod-Orders\".GSI1 WHERE id = 'FROM Users' ORDER BY id",
        ),
        ('SELECT "from" FROM Orders', 'SELECT "from" FROM "prod-Orders"'),
    ],
)
def test_tables_have_the_names_of_the_database(text: str, expected: str) -> None:
    assert sent(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Write a statement"),
        ("DELETE FROM Orders WHERE id = 'a'", "only SELECT"),
        ("-- SELECT\nDELETE FROM Orders WHERE id = 'a'", "only SELECT"),
        ("EXISTS(SELECT * FROM Orders WHERE id = 'a')", "only SELECT"),
        ("SELECT * FROM Users", "There is no table Users (line 1, column 15)"),
        ('SELECT *\nFROM "Users"', "line 2, column 6"),
        ("SELECT * FROM Orders, Users", "one FROM"),
        ("SELECT * FROM Orders JOIN Users", "one FROM"),
        ("SELECT * FROM Orders WHERE id IN (SELECT id FROM Users)", "one FROM"),
        ("SELECT * FROM 'Users'", "one FROM"),
        ("SELECT * FROM (Users)", "one FROM"),
        ("SELECT 1", "one FROM"),
        ("SELECT * FROM /* Orders */ Users", "Comments"),
        ("SELECT * FROM Orders WHERE a = `1`", "Ion"),
        ("SELECT * FROM Orders WHERE id = 'a", "The quote ' that opens in line 1, column 33"),
        ("SELECT * FROM Orders WHERE id = \N{SNOWMAN}", "has no meaning"),
        ("SELECT * FROM Orders WHERE id = '" + "x" * 9000 + "'", "8,192"),
    ],
)
def test_what_may_not_be_sent_to_the_live_tables(text: str, said: str) -> None:
    with pytest.raises(StatementError) as raised:
        sent(text)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "UPDATE Orders SET a = 1 WHERE id = 'a'",
            "UPDATE \"prod-Orders\" SET a = 1 WHERE id = 'a'",
        ),
        ("INSERT INTO Orders VALUE {'id': 'a'}", "INSERT INTO \"prod-Orders\" VALUE {'id': 'a'}"),
        ("DELETE FROM Users WHERE id = 'a'", "DELETE FROM Users WHERE id = 'a'"),
    ],
)
def test_anything_may_be_sent_to_the_practice_tables(text: str, expected: str) -> None:
    assert sent(text, live=False) == expected


def test_a_comment_does_not_hide_what_a_statement_is() -> None:
    assert is_select("-- DELETE\nSELECT * FROM Orders")
    assert not is_select("/* SELECT */ DELETE FROM Orders")
    assert not is_select("")
