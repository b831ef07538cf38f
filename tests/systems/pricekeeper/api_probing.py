"""Generated requests that mean something: made from the OpenAPI document, with what there is in the
service put into them, and sent by somebody."""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias
from uuid import uuid4

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
from tests.systems.pricekeeper.api_requests import DESTRUCTIVE, MAY
from tests.systems.pricekeeper.api_world import (
    API,
    LABELS,
    MOBILE,
    MODELS,
    OUTSIDE,
    WEB,
    WHO,
    Tenant,
    World,
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
        "INVALID_TOKEN",
        "INVALID_CLIENT",
        "FORBIDDEN",
        "INVALID",
        "INVALID_REQUEST",
        "INVALID_VALUE",
        "MALFORMED",
        "UNSUPPORTED_MEDIA_TYPE",
        "TOO_LARGE",
        "BAD_ORG_ID",
        "BAD_APP_ID",
        "BAD_LABEL",
        "BAD_MODEL_ID",
        "BAD_DATE",
        "BAD_CURSOR",
    }
)
#: Clients, and which app they are.
_CLIENTS = {
    "org": None,
    "app": WEB,
    "other app": MOBILE,
    "foreign org": None,
    "foreign app": WEB,
}
_KEY = {"name": "spare", "roles": ["auditor"]}
_SECURITY = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
}


@dataclass
class Tally:
    """What was answered."""

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
            self.reached += code not in _AT_THE_DOOR

    def succeeded(self) -> set[str]:
        """The operations that were done at least once."""
        return {
            name
            for name, codes in self.by_operation.items()
            if any(code.isdigit() and int(code) < 400 for code in codes)
        }


class Prober:
    """Sends requests to every operation of a service."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tally = Tally()
        self._shared = world.tenant()
        document = world.http.get("/pricekeeper/openapi.json").json()
        self.base_url = f"{world.service.url}/pricekeeper"
        self._schema = schemathesis.openapi.from_dict(explicit(document))

    def operations(self) -> dict[str, Any]:
        """All of them, by their names."""
        found = (each.ok() for each in self._schema.get_all_operations())
        return {each.definition.raw["operationId"]: each for each in found}

    def probe(self, name: str, operation: Any, examples: int, *, seed: bool = True) -> None:
        """Send some requests, right ones and wrong ones; ``seed``: the same ones each time."""
        tenant = self.world.tenant() if name in DESTRUCTIVE else self._shared
        pool = pool_of(self.world, tenant, name)

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
        @given(requests(operation, pool), callers(name))
        def send(case: Any, who: str) -> None:
            self._send(name, case, who, tenant)

        with warnings.catch_warnings():
            # The generators of the two libraries do not quite agree; nobody here can change that.
            warnings.simplefilter("ignore", HypothesisDeprecationWarning)
            send()

    def _send(self, name: str, case: Any, who: str, tenant: Tenant) -> None:
        credentials = self.world.headers(who, tenant)
        answer = case.call(base_url=self.base_url, headers=credentials)
        code = "" if answer.status_code < 400 else _checked_problem(answer)
        may = self._seen_as(who, case.path_parameters or {}, tenant) in MAY[name]
        self.tally.add(name, answer.status_code, code, right=may and not _wrong_parts(case))
        assert answer.status_code >= 400 or may, f"{who} may not: {case.as_curl_command()}"
        for header, value in _SECURITY.items():
            assert answer.headers[header] == [value]
        case.validate_response(answer, checks=CHECKS)
        # Of a batch each part is answered by itself.
        if case.meta.phase.data.mutations and answer.status_code != 207:
            case.validate_response(answer, checks=[negative_data_rejection])

    def _seen_as(self, who: str, address: Mapping[str, Any], tenant: Tenant) -> str:
        """Who a client is to what it asks for: generated addresses are not always its own."""
        if who not in _CLIENTS:
            return who
        home = self.world.foreign if who.startswith("foreign") else tenant
        if str(address.get("org_id", home.org_id)).lower() != home.org_id:
            return "foreign org"
        own = _CLIENTS[who]
        if own is None:
            return "org"
        return "app" if address.get("app_id", own) == own else "other app"


def _checked_problem(answer: Any) -> str:
    """The code of a problem; every error is one."""
    assert answer.headers["content-type"] == [MEDIA_TYPE], answer.text
    told = answer.json()
    assert told["status"] == answer.status_code
    assert [told["request_id"]] == answer.headers["x-request-id"]
    assert "Traceback" not in answer.text
    return str(told["code"])


def explicit(document: dict[str, Any]) -> dict[str, Any]:
    """The document without its answer for everything else: what comes has to be declared."""
    made = copy.deepcopy(document)
    for operations in made["paths"].values():
        for operation in operations.values():
            del operation["responses"]["default"]
    return made


# --- requests ------------------------------------------------------------------------------------


def callers(name: str) -> st.SearchStrategy[str]:
    """Mostly those who may."""
    may = sorted(MAY[name])
    return st.sampled_from([*may * (40 // len(may)), *WHO])


@st.composite
def requests(draw: Draw, operation: Any, pool: Pool) -> Any:
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
            _graft_parameters(draw, part, pool)
    if case.body is not NOT_SET and ParameterLocation.BODY not in wrong_parts:
        case.body = _grafted(draw, case.body, pool)
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


def _grafted(draw: Draw, value: Any, pool: Pool) -> Any:
    """The same body with what there is in it."""
    if isinstance(value, list):
        return [_grafted(draw, each, pool) for each in value[:20]]
    if not isinstance(value, dict):
        return value
    return {name: _member(draw, name, each, pool) for name, each in value.items()}


def _member(draw: Draw, name: str, value: Any, pool: Pool) -> Any:
    if value is not None and name in pool and draw(_mostly()):
        return draw(st.sampled_from(pool[name]))
    if name in ("model_ordering", "exhaust", "restore") and value and draw(_mostly()):
        return draw(st.lists(st.sampled_from(LABELS), min_size=1, unique=True))
    if name.startswith("quotas") and value is not None and draw(_mostly()):
        limits = st.one_of(st.none(), st.integers(0, 10**15))
        return draw(st.fixed_dictionaries(dict.fromkeys((*LABELS, "_all"), limits)))
    return _grafted(draw, value, pool)


def _mostly() -> st.SearchStrategy[bool]:
    return st.sampled_from((True, True, True, True, False))


def pool_of(world: World, tenant: Tenant, operation: str) -> Pool:
    """What there is, by the names that parameters and members have."""
    now = datetime.now(UTC).replace(microsecond=0)
    days = [(now.date() - timedelta(days=each)).isoformat() for each in (0, 0, 1, 40)]
    moments = [(now - timedelta(hours=hours)).isoformat() for hours in (0, 0, 1, 20, 47, 60)]
    tokens = _tokens(world, tenant, operation)
    model_ids = [*MODELS.values(), "anthropic.claude-sonnet-4-5-20250929-v1:0"]
    waiting = model_ids[0]
    world.pending_price(waiting)
    keys = [world.done("POST", f"{API}/api-keys", _KEY)["key_id"] for _ in range(2)]
    found = {
        "org_id": [*[tenant.org_id] * 8, world.foreign.org_id],
        "app_id": [WEB, WEB, WEB, MOBILE],
        "label": [*LABELS, OUTSIDE],
        "model_id": model_ids,
        "bedrock_model_id": [waiting, *model_ids],
        "region_class": ["region", "region", "global"],
        "service_tier": ["standard", "standard", "batch"],
        "request_id": tenant.records,
        "correction_id": [*tenant.corrections, *_uuids(20)],
        "reservation_id": tenant.reservation_ids,
        "timestamp": moments,
        "effective_from": [*moments, (now + timedelta(days=2)).isoformat()],
        "late_window_hours": [24, 48, 720],
        "ledger_retention_days": [35, 400],
        "reason": ["tests"],
        "timezone": ["UTC", "Europe/Oslo", "Pacific/Apia", "Africa/Cairo"],
        "period": [*days, now.strftime("%Y-%m"), now.strftime("%G-W%V")],
        "from": days,
        "to": days,
        "date": days,
        "day": days,
        "cursor": [_cursor(world, path) for path in ("labels", "orgs", "audit")],
        "action": ["org.create", "label.put"],
        "If-Match": ["*", '"1"'],
        "If-None-Match": ["*", '"1"'],
        "Idempotency-Key": _uuids(3),
        "client_id": [tenant.client_id(WEB), tenant.client_id("org")],
        "client_secret": [tenant.secrets[WEB], tenant.secrets["org"]],
        "refresh_token": tokens,
        "token": tokens,
        "roles": [["auditor"], ["admin", "operator"]],
        "key_id": keys,
        "handle": [world.dead_message() for _ in range(2)],
    }
    if operation.startswith("record_"):
        del found["request_id"]  # what is new has a new one
    if operation == "correct_record":
        found["input_tokens"] = [-1, 7]
    return found


def _uuids(count: int) -> list[str]:
    return [str(uuid4()) for _ in range(count)]


def _tokens(world: World, tenant: Tenant, operation: str) -> list[str]:
    """Such as the operation is for."""
    if operation == "fetch_secret":
        paths = [f"{tenant.path}/apps/spare-{each[:8]}" for each in _uuids(3)]
        return [world.done("PUT", path, {"app_name": "Spare"})["retrieval_token"] for path in paths]
    if operation in ("refresh_token", "revoke_token"):
        logins = [world.login(tenant.client_id(WEB), tenant.secrets[WEB]) for _ in range(3)]
        return [login[kind] for login in logins for kind in ("refresh_token", "access_token")]
    return [tenant.tokens[WEB]]


def _cursor(world: World, path: str) -> str:
    found = world.done("GET", f"{API}/{path}?limit=1")["next_cursor"]
    return str(found)


def all_statuses(tally: Tally) -> Iterable[str]:
    """For people who look at what a run did."""
    for name, codes in sorted(tally.by_operation.items()):
        yield f"{name}: {dict(codes.most_common())}"
