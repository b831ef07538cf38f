"""Generated requests that mean something: made from the OpenAPI document, with what there is in the
service put into them, and sent by somebody.

A system says who may do what, and sets a :class:`Stage` for each operation: what there is, by the
names that parameters and members have, and how callers prove who they are.
"""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisDeprecationWarning
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core import NOT_SET
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tablewright.service.problems import MEDIA_TYPE

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]
#: Values by the name of a parameter or of a member.
Pool: TypeAlias = Mapping[str, Sequence[Any]]

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]
#: Said before a request reaches what it is for.
_AT_THE_DOOR = frozenset(
    {
        "UNAUTHENTICATED",
        "FORBIDDEN",
        "INVALID",
        "MALFORMED",
        "UNSUPPORTED_MEDIA_TYPE",
        "TOO_LARGE",
        "BAD_CURSOR",
    }
)
#: Until one request has succeeded.
_TRIES = 3
_SECURITY = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
}


class Stage(Protocol):
    """Where the requests of one operation go to."""

    @property
    def pool(self) -> Pool:
        """What there is."""
        ...

    def headers(self, who: str) -> dict[str, str]:
        """How somebody proves who they are."""
        ...

    def seen_as(self, who: str, address: Mapping[str, Any]) -> str:
        """Who a caller is to what it asks for: generated addresses are not always its own."""
        ...

    def strategy(self, member: str) -> st.SearchStrategy[Any] | None:
        """What else a member of a body may be, that no list can hold."""
        ...


@dataclass(frozen=True)
class Service:
    """What is probed."""

    url: str
    document: Mapping[str, Any]
    #: Who may do what, by the name of the operation.
    may: Mapping[str, frozenset[str]]
    #: Everybody who can come.
    who: Sequence[str]
    stage: Callable[[str], Stage]
    #: Codes of its own that come before what a request is for.
    at_the_door: Collection[str] = ()


@dataclass
class Tally:
    """What was answered."""

    at_the_door: frozenset[str]
    by_operation: dict[str, Counter[str]] = field(default_factory=dict)
    #: Right requests of those who may.
    right: int = 0
    #: Of these, the ones that the use case has seen.
    reached: int = 0

    def add(self, operation: str, status: int, code: str, *, right: bool) -> None:
        known = self.by_operation.setdefault(operation, Counter())
        known[code or str(status)] += 1
        if right:
            self.right += 1
            self.reached += code not in self.at_the_door

    def succeeded(self) -> set[str]:
        """The operations that were done at least once."""
        return {
            name
            for name, codes in self.by_operation.items()
            if any(code.isdigit() and int(code) < 400 for code in codes)
        }

    def lines(self) -> Iterable[str]:
        """For people who look at what a run did."""
        for name, codes in sorted(self.by_operation.items()):
            yield f"{name}: {dict(codes.most_common())}"


class Prober:
    """Sends requests to every operation of a service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.tally = Tally(_AT_THE_DOOR | frozenset(service.at_the_door))
        self._schema = schemathesis.openapi.from_dict(explicit(service.document))

    def operations(self) -> dict[str, Any]:
        """All of them, by their names."""
        found = (each.ok() for each in self._schema.get_all_operations())
        return {each.definition.raw["operationId"]: each for each in found}

    def probe_deeply(self, name: str, examples: int) -> None:
        """Send many requests, each time others. Chance may leave out those that succeed: if it
        does, it gets another try."""
        operation = self.operations()[name]
        for _ in range(_TRIES):
            self.probe(name, operation, examples, seed=False)
            if name in self.tally.succeeded():
                return

    def probe(self, name: str, operation: Any, examples: int, *, seed: bool = True) -> None:
        """Send some requests, right ones and wrong ones; ``seed``: the same ones each time."""
        stage = self._service.stage(name)

        @settings(
            max_examples=examples,
            deadline=None,
            derandomize=seed,
            database=None,
            # A request that fails is told as it was sent; making it small takes minutes.
            phases=[Phase.generate],
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        )
        @given(requests(operation, stage), self._callers(name))
        def send(case: Any, who: str) -> None:
            self._send(name, case, who, stage)

        with warnings.catch_warnings():
            # The generators of the two libraries do not quite agree; nobody here can change that.
            warnings.simplefilter("ignore", HypothesisDeprecationWarning)
            send()

    def _callers(self, name: str) -> st.SearchStrategy[str]:
        """Mostly those who may."""
        may = sorted(self._service.may[name])
        return st.sampled_from([*may * (40 // len(may)), *self._service.who])

    def _send(self, name: str, case: Any, who: str, stage: Stage) -> None:
        answer = case.call(base_url=self._service.url, headers=stage.headers(who))
        code = "" if answer.status_code < 400 else _checked_problem(answer)
        may = stage.seen_as(who, case.path_parameters or {}) in self._service.may[name]
        self.tally.add(name, answer.status_code, code, right=may and not _wrong_parts(case))
        assert answer.status_code >= 400 or may, f"{who} may not: {case.as_curl_command()}"
        for header, value in _SECURITY.items():
            assert answer.headers[header] == [value]
        case.validate_response(answer, checks=CHECKS)
        # Of a batch each part is answered by itself, of a repeated parameter the last one counts.
        taken = answer.status_code < 400 and answer.status_code != 207
        if taken and case.meta.phase.data.mutations and not _repeated(case):
            case.validate_response(answer, checks=[negative_data_rejection])


def _repeated(case: Any) -> bool:
    # Of an object its names are sent, one after the other.
    return any(isinstance(each, (list, dict)) for each in (case.query or {}).values())


def _checked_problem(answer: Any) -> str:
    """The code of a problem; every error is one."""
    assert answer.headers["content-type"] == [MEDIA_TYPE], answer.text
    told = answer.json()
    assert told["status"] == answer.status_code
    assert [told["request_id"]] == answer.headers["x-request-id"]
    assert "Traceback" not in answer.text
    return str(told["code"])


def explicit(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without its answer for everything else: what comes has to be declared."""
    made: dict[str, Any] = copy.deepcopy(dict(document))
    for operations in made["paths"].values():
        for operation in operations.values():
            del operation["responses"]["default"]
    return made


# --- requests ------------------------------------------------------------------------------------


@st.composite
def requests(draw: Draw, operation: Any, stage: Stage) -> Any:
    """A request with what there is in it; what was made wrong on purpose stays so."""
    right, wrong = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
    mode = draw(st.sampled_from((right, right, right, wrong)))
    case = draw(operation.as_strategy(generation_mode=mode))
    wrong_parts = _wrong_parts(case)
    for part, location in (
        (case.path_parameters, ParameterLocation.PATH),
        (case.query, ParameterLocation.QUERY),
        (case.headers, ParameterLocation.HEADER),
    ):
        if part and location not in wrong_parts:
            _graft_parameters(draw, part, stage.pool)
    if case.body is not NOT_SET and ParameterLocation.BODY not in wrong_parts:
        case.body = _grafted(draw, case.body, stage)
    if operation.method == "put" and not wrong_parts and draw(_mostly()):
        case.headers["If-Match"] = "*"
    for header in ("Authorization", "X-API-Key"):
        case.headers.pop(header, None)
    case.cookies = {}
    return case


def _wrong_parts(case: Any) -> set[ParameterLocation]:
    return {
        location
        for location, info in case.meta.components.items()
        if info.mode is GenerationMode.NEGATIVE
    }


def _graft_parameters(draw: Draw, part: Any, pool: Pool) -> None:
    for name in list(part):
        if name in pool and draw(_mostly()):
            part[name] = str(draw(st.sampled_from(pool[name])))


def _grafted(draw: Draw, value: Any, stage: Stage) -> Any:
    """The same body with what there is in it."""
    if isinstance(value, list):
        return [_grafted(draw, each, stage) for each in value[:20]]
    if not isinstance(value, dict):
        return value
    return {name: _member(draw, name, each, stage) for name, each in value.items()}


def _member(draw: Draw, name: str, value: Any, stage: Stage) -> Any:
    if value is not None and name in stage.pool and draw(_mostly()):
        return draw(st.sampled_from(stage.pool[name]))
    strategy = stage.strategy(name)
    if strategy is not None and value is not None and draw(_mostly()):
        return draw(strategy)
    return _grafted(draw, value, stage)


def _mostly() -> st.SearchStrategy[bool]:
    return st.sampled_from((True, True, True, True, False))
