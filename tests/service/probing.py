"""An API against its own OpenAPI document: whatever is sent, what comes back is documented."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisDeprecationWarning
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

_CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
]


def probe(
    url: str, system: str, *, headers: Mapping[str, str] | None = None, examples: int = 8
) -> int:
    """Send right and wrong requests to every operation; how many operations there are."""
    schema = schemathesis.openapi.from_url(f"{url}/{system}/openapi.json")
    operations = [each.ok() for each in schema.get_all_operations()]
    with warnings.catch_warnings():
        # The generators of the two libraries do not quite agree; nobody here can change that.
        warnings.simplefilter("ignore", HypothesisDeprecationWarning)
        for operation in operations:
            _probe(operation, dict(headers or {}), examples)
    return len(operations)


def _probe(operation: Any, headers: dict[str, str], examples: int) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in GenerationMode)))
    def send(case: Any) -> None:
        answer = case.call(headers=headers)
        case.validate_response(answer, checks=_CHECKS)

    send()
