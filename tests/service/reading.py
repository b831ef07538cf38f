"""How the OpenAPI document of a system reads: checks that are the same for all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Document = Mapping[str, Any]


def operations_of(document: Document) -> dict[str, dict[str, Any]]:
    """By their names, which no two share."""
    all_ = [each for path in document["paths"].values() for each in path.values()]
    named = {operation["operationId"]: operation for operation in all_}
    assert len(named) == len(all_)
    return named


def check_operations(document: Document) -> None:
    """Every operation says what it does, in words of its author, and no two say the same."""
    operations = operations_of(document)
    for name, operation in operations.items():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name)
        assert 5 <= len(operation["summary"]) <= 100, name
        assert operation["description"].startswith(operation["summary"].split(".")[0]), name
        assert operation["summary"] != name.replace("_", " ").title()
        assert len(operation["tags"]) == 1
    summaries = [operation["summary"] for operation in operations.values()]
    assert len(set(summaries)) == len(summaries)


def check_parameters(document: Document) -> None:
    """Every parameter says what it is."""
    for name, operation in operations_of(document).items():
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description"), (name, parameter["name"])


def check_answers(document: Document) -> None:
    """Every answer says when it comes; errors are problem documents."""
    for name, operation in operations_of(document).items():
        for status, answer in operation["responses"].items():
            if "$ref" in answer:
                component = answer["$ref"].rpartition("/")[2]
                answer = document["components"]["responses"][component]
            assert len(answer["description"]) >= 4, (name, status)
            assert answer["description"] != "Successful Response", (name, status)
            if status == "default" or int(status) >= 400:
                assert list(answer["content"]) == ["application/problem+json"], (name, status)


def check_bodies(document: Document) -> None:
    """Every schema explains itself."""
    for name, schema in document["components"]["schemas"].items():
        if not name.startswith("PageBody") and name != "JsonValue":
            assert schema.get("description"), name


def subjects_of(document: Document) -> list[str]:
    """In the order of the document; each is described, and used."""
    assert all(each["description"] for each in document["tags"])
    names = [each["name"] for each in document["tags"]]
    used = {tag for each in operations_of(document).values() for tag in each["tags"]}
    assert set(names) == used
    return names


def examples_of(document: Document, content: Mapping[str, Any]) -> list[Any]:
    """What a body is shown as; there is something."""
    schema = content["schema"]
    if "anyOf" in schema:  # a body that may be absent
        schema = schema["anyOf"][0]
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    found: list[Any] = schema["examples"]
    assert found
    return found
