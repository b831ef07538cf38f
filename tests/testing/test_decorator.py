"""``@mock_dynamodb`` on functions, coroutines, fixtures and classes."""

from __future__ import annotations

import asyncio
import inspect
import unittest
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from tests.testing.test_sdk import TABLE, nothing_configured

from tablewright.testing import mock_dynamodb

__all__ = ["nothing_configured"]


def names() -> list[str]:
    found: list[str] = boto3.client("dynamodb").list_tables()["TableNames"]
    return found


def test_each_call_of_a_function_has_an_engine_of_its_own() -> None:
    @mock_dynamodb
    def first(number: int, *, more: int = 0) -> int:
        assert names() == []
        boto3.client("dynamodb").create_table(**TABLE)
        return number + more

    assert first(1, more=2) == 3
    assert first(1) == 1
    assert list(inspect.signature(first).parameters) == ["number", "more"]


def test_with_parentheses_and_as_a_block() -> None:
    @mock_dynamodb()
    def first() -> list[str]:
        return names()

    assert first() == []
    with mock_dynamodb() as engine:
        boto3.client("dynamodb").create_table(**TABLE)
        assert engine.call("ListTables", {})["TableNames"] == ["Music"]


def test_a_coroutine_function() -> None:
    @mock_dynamodb
    async def first() -> list[str]:
        await asyncio.sleep(0)
        return names()

    assert asyncio.run(first()) == []


@pytest.fixture
@mock_dynamodb
def music() -> Iterator[str]:
    boto3.client("dynamodb").create_table(**TABLE)
    yield "Music"  # noqa: PT022 - a generator is what is tested


def test_a_fixture(music: str) -> None:
    assert names() == [music]


@mock_dynamodb
class TestMethods:
    def test_one(self) -> None:
        assert names() == []
        boto3.client("dynamodb").create_table(**TABLE)

    def test_two(self) -> None:
        assert names() == []
        boto3.client("dynamodb").create_table(**TABLE)


@mock_dynamodb
class TestWithSetUp:
    def setup_method(self) -> None:
        boto3.client("dynamodb").create_table(**TABLE)

    def test_one(self) -> None:
        assert names() == ["Music"]

    def test_two(self) -> None:
        assert names() == ["Music"]


def test_a_test_case_with_set_up_and_with_a_set_up_that_fails() -> None:
    seen: list[Any] = []

    @mock_dynamodb
    class Case(unittest.TestCase):
        def setUp(self) -> None:
            boto3.client("dynamodb").create_table(**TABLE)
            if self.id().endswith("broken"):
                raise ValueError("no")

        def test_one(self) -> None:
            seen.append(names())

        def test_two(self) -> None:
            seen.append(names())

        def test_broken(self) -> None:
            raise AssertionError("never reached")

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert seen == [["Music"], ["Music"]]
    assert len(result.errors) == 1
    with pytest.raises(Exception, match=r"network|region"):
        boto3.client("dynamodb", endpoint_url="http://127.0.0.1:1").list_tables()
