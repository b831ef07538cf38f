"""How IAM decides, as far as our policies go; anything else in them is an error of the test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Asked:
    """One permission that a request needs."""

    action: str
    resource: str
    context: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def allowed(policy: Mapping[str, Any], asked: Asked) -> bool:
    assert policy["Version"] == "2012-10-17"
    effects = {each["Effect"] for each in policy["Statement"] if _applies(each, asked)}
    return "Allow" in effects and "Deny" not in effects


def _applies(statement: Mapping[str, Any], asked: Asked) -> bool:
    known = {"Sid", "Effect", "Action", "Resource", "Condition"}
    assert statement.keys() <= known, statement.keys() - known
    return (
        any(_like(each, f"dynamodb:{asked.action}") for each in _listed(statement["Action"]))
        and any(_like(each, asked.resource) for each in _listed(statement["Resource"]))
        and all(
            _holds(operator, key, _listed(values), asked.context.get(key, ()))
            for operator, terms in statement.get("Condition", {}).items()
            for key, values in terms.items()
        )
    )


def _holds(operator: str, key: str, wanted: list[str], given: tuple[str, ...]) -> bool:
    assert key.startswith("dynamodb:"), key
    if operator == "ForAllValues:StringLike":
        return all(any(_like(text, each) for text in wanted) for each in given)
    if operator == "ForAllValues:StringEquals":
        return all(each in wanted for each in given)
    if operator == "StringEquals":
        return bool(given) and all(each in wanted for each in given)
    if operator == "StringEqualsIfExists":
        return not given or all(each in wanted for each in given)
    if operator == "Null":
        assert wanted in (["true"], ["false"])
        return (not given) == (wanted == ["true"])
    raise AssertionError(f"the evaluator does not know {operator}")


def _like(wanted: str, text: str) -> bool:
    """IAM's wildcards: * and ?; ${*} and the like are the signs themselves."""
    pattern = ""
    for token in re.findall(r"\$\{[*?$]\}|.", wanted, re.DOTALL):
        if len(token) > 1:
            pattern += re.escape(token[2])
        else:
            pattern += {"*": ".*", "?": "."}.get(token, re.escape(token))
    return re.fullmatch(pattern, text, re.DOTALL) is not None


def _listed(value: str | Iterable[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
