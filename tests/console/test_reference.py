"""The REST API's pages, from an OpenAPI document."""

from __future__ import annotations

import json
from typing import Any

from tablewright.console.reference import example, fields, groups, type_text

DOCUMENT: dict[str, Any] = {
    "servers": [{"url": "/shop"}],
    "paths": {
        "/orders/{id}": {
            "get": {
                "operationId": "one",
                "summary": "One",
                "description": "One order.\n\nWith all its lines.",
                "tags": ["orders"],
                "security": [{"bearer": []}],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"$ref": "#/components/parameters/Limit"},
                ],
                "responses": {
                    "200": {
                        "description": "It.",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                        },
                    },
                    "default": {
                        "description": "A problem.",
                        "content": {"application/problem+json": {"schema": {"type": "object"}}},
                    },
                },
            },
            "put": {
                "summary": "Change",
                "tags": ["orders"],
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                    }
                },
                "responses": {},
            },
        },
        "/health": {"get": {"summary": "Health", "responses": {}}},
    },
    "components": {
        "parameters": {
            "Limit": {
                "name": "limit",
                "in": "query",
                "schema": {"type": "integer", "minimum": 1, "maximum": 100},
            }
        },
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["id", "lines", "kind"],
                "properties": {
                    "id": {"type": "string", "format": "uuid", "description": "Its name."},
                    "lines": {"type": "array", "items": {"$ref": "#/components/schemas/Line"}},
                    "kind": {"enum": ["a", "b"]},
                    "above": {"anyOf": [{"$ref": "#/components/schemas/Order"}, {"type": "null"}]},
                    "prices": {
                        "type": "object",
                        "additionalProperties": {"type": "integer", "maximum": 9},
                    },
                },
            },
            "Line": {
                "type": "object",
                "required": ["count"],
                "properties": {"count": {"type": "integer", "minimum": 1}},
            },
        },
    },
}


def test_operations_are_grouped_by_what_they_are_about() -> None:
    found = groups(DOCUMENT, "http://here")
    assert [group.name for group in found] == ["orders", "other"]
    assert [each.method for each in found[0].operations] == ["GET", "PUT"]
    assert found[0].operations[0].path == "/shop/orders/{id}"
    assert found[0].operations[0].title == "One order."
    assert found[1].operations[0].title == "Health"


def test_groups_come_as_the_document_has_its_tags() -> None:
    tags = [{"name": "other"}, {"name": "nothing"}, {"name": "orders"}]
    found = groups({**DOCUMENT, "tags": tags}, "http://here")
    assert [group.name for group in found] == ["other", "orders"]


def test_parameters_are_looked_up() -> None:
    one = groups(DOCUMENT, "")[0].operations[0]
    assert [(each.name, each.place, each.type) for each in one.parameters] == [
        ("id", "path", "string"),
        ("limit", "query", "integer 1 to 100"),
    ]


def test_members_of_members_are_rows_and_circles_end() -> None:
    order = {"$ref": "#/components/schemas/Order"}
    rows = {each.name: each for each in fields(DOCUMENT, order)}
    assert rows["id"].required
    assert rows["id"].about == "Its name."
    assert rows["id"].type == "string (uuid)"
    assert rows["lines[].count"].type == "integer from 1"
    assert rows["kind"].type == '"a" | "b"'
    assert rows["prices"].type == "map to integer up to 9"
    assert "above.above.id" in rows
    assert max(name.count("above") for name in rows) <= 4


def test_a_problem_is_told_of_without_its_members() -> None:
    one = groups(DOCUMENT, "")[0].operations[0]
    assert [(each.status, len(each.bodies)) for each in one.responses] == [
        ("200", 1),
        ("default", 0),
    ]


def test_examples_fit_their_schema() -> None:
    made = example(DOCUMENT, {"$ref": "#/components/schemas/Order"})
    assert isinstance(made, dict)
    assert set(made) == {"id", "lines", "kind"}
    assert made["lines"] == [{"count": 1}]
    assert made["kind"] == "a"
    assert example(DOCUMENT, {"type": "string", "default": "x"}) == "x"
    assert example(DOCUMENT, {"anyOf": [{"type": "null"}, {"type": "integer"}]}) is None


def test_the_command_to_copy_sends_the_example() -> None:
    one, change = groups(DOCUMENT, "http://here")[0].operations
    assert one.curl.startswith("curl \\\n  'http://here/shop/orders/{id}'")
    assert "$TOKEN" in one.curl
    assert "curl -X PUT" in change.curl
    body = change.curl.rpartition("-d '")[2].rstrip("'")
    assert json.loads(body)["kind"] == "a"


def test_types_in_words() -> None:
    assert type_text(DOCUMENT, {}) == "any"
    assert type_text(DOCUMENT, {"const": "x"}) == '"x"'
    nullable = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert type_text(DOCUMENT, nullable) == "integer or null"


def test_an_empty_document_has_no_groups() -> None:
    assert groups({"openapi": "3.1.0"}, "") == []
