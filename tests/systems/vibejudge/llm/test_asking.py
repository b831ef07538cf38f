"""Calls that go wrong: tried again, and every one that may have been billed is paid for."""

from __future__ import annotations

import asyncio
import builtins
import socket
import sys
from collections.abc import Mapping
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from pydantic import SecretStr
from tests.systems.vibejudge.llm.support import RUN, Desk, Waits, desk, material

from tablewright.service.settings import SettingsError
from tablewright.systems.vibejudge.llm.asking import LONGEST_PAUSE, RETRIES, Pauses
from tablewright.systems.vibejudge.llm.bedrock import Bedrock
from tablewright.systems.vibejudge.llm.calls import Message, ModelCaller, Request
from tablewright.systems.vibejudge.llm.failures import (
    AgentFailed,
    CallFailed,
    Faulty,
    Lost,
    Refused,
    Throttled,
)
from tablewright.systems.vibejudge.llm.openai import Dialect, OpenAiCompatible
from tablewright.systems.vibejudge.stand_in import Manner, StandIn, serving

NOTHING = Decimal(0)
ASKED = Request("gpt-4.1-mini", "Judge.", (Message("user", "This."),), 100, {"type": "object"})


# --- tried again ---------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["throttled", "server_error", "unavailable"])
def test_three_failures_are_survived_and_cost_nothing(either: Desk, fault: Any) -> None:
    either.stand_in.next = [Manner(fault=fault)] * RETRIES
    judged = either.judge()
    assert len(either.stand_in.asked) == RETRIES + 1
    # One call: what was set aside for it was never used up.
    assert [cost.id.call for cost in judged.costs] == [1]
    assert len(either.purse.reserved) == 1
    assert len(either.waits.waited) == RETRIES


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("throttled", "throttled"),
        ("server_error", "provider_error"),
        ("unavailable", "provider_error"),
    ],
)
def test_the_fourth_failure_fails_the_agent(either: Desk, fault: Any, code: str) -> None:
    either.stand_in.always = Manner(fault=fault)
    with pytest.raises(AgentFailed) as failed:
        either.judge()
    assert failed.value.code == code
    assert len(either.stand_in.asked) == RETRIES + 1
    assert [cost.total_usd for cost in failed.value.costs] == [NOTHING]
    assert either.purse.left == 5


def test_what_would_be_refused_again_is_not_asked_again(either: Desk) -> None:
    either.stand_in.always = Manner(fault="refused")
    with pytest.raises(AgentFailed) as failed:
        either.judge()
    # Bedrock says that the account has no access to the model; OpenAI only that it will not.
    assert failed.value.code in ("refused", "no_access")
    assert failed.value.misconfigured == (failed.value.code == "no_access")
    assert len(either.stand_in.asked) == 1
    assert either.purse.left == 5
    assert either.purse.steps[-1] == ("settle", "1-1")


def test_a_lost_connection_is_charged_as_estimated(either: Desk) -> None:
    either.stand_in.next = [Manner(fault="drop")]
    lost, answered = either.judge().costs
    assert (lost.estimated, answered.estimated) == (True, False)
    assert lost.total_usd == either.purse.reserved[0] > answered.total_usd
    assert (lost.id.call, answered.id.call) == (1, 2)


@pytest.mark.parametrize("provider", ["bedrock", "openai"])
def test_no_answer_in_time_is_charged_as_estimated(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with desk(provider, monkeypatch, timeout=0.3) as made:
        made.stand_in.next = [Manner(slow=1.0), Manner(slow=1.0)]
        judged = made.judge()
        assert [cost.estimated for cost in judged.costs] == [True, True, False]
        assert len(made.waits.waited) == 2


def test_whoever_does_not_tell_is_charged_as_estimated(either: Desk) -> None:
    either.stand_in.always = Manner(usage=False)
    (cost,) = either.judge().costs
    assert cost.estimated
    assert cost.total_usd == either.purse.reserved[0]


@pytest.mark.parametrize("provider", ["bedrock", "openai"])
def test_nobody_there_costs_nothing(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    callers: Mapping[str, ModelCaller] = {
        "bedrock": Bedrock("us-east-1", endpoint_url=url),
        "openai": OpenAiCompatible(url),
    }
    with desk(provider, monkeypatch) as made:
        object.__setattr__(made.agents, "caller", callers[provider])
        with pytest.raises(AgentFailed) as failed:
            made.judge()
    assert failed.value.code == "unreachable"
    assert made.purse.left == 5


def test_a_cancelled_call_stays_set_aside_for_the_sweeper(either: Desk) -> None:
    either.stand_in.always = Manner(slow=0.6)

    async def cancelled() -> None:
        asking = either.agents.judge("bug_hunter", material(), {}, RUN, either.purse)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asking, 0.3)

    either.run(cancelled())
    assert either.purse.steps == [("reserve", "1-1"), ("started", "1-1")]


# --- pauses --------------------------------------------------------------------------------------


def test_pauses_get_longer_and_differ() -> None:
    waits = Waits()
    pauses = Pauses(waits.sleep, Random(7))

    async def all_of_them() -> None:
        for retry in range(1, 9):
            await pauses.before(retry, Faulty("provider_error", "503"))

    asyncio.run(all_of_them())
    longest = [min(LONGEST_PAUSE, 2.0**at) for at in range(8)]
    assert all(most / 2 <= each <= most for each, most in zip(waits.waited, longest, strict=True))
    assert len(set(waits.waited)) == 8


def test_what_the_provider_asks_for_is_waited(openai: Desk) -> None:
    openai.stand_in.next = [Manner(fault="throttled", retry_after="7")]
    openai.judge()
    assert openai.waits.waited == [7.0]


def test_nobody_is_waited_for_forever(openai: Desk) -> None:
    openai.stand_in.next = [Manner(fault="throttled", retry_after="86400")]
    openai.judge()
    assert openai.waits.waited == [LONGEST_PAUSE]


# --- the two contracts ---------------------------------------------------------------------------


def asked(caller: ModelCaller, request: Request = ASKED) -> Any:
    async def once() -> Any:
        try:
            return await caller.call(request)
        finally:
            await caller.close()

    return asyncio.run(once())


def test_a_server_without_schemas_is_asked_without(openai: Desk) -> None:
    openai.stand_in.always = Manner(knows_schema=False)
    assert len(openai.judge().costs) == 1
    assert len(openai.judge().costs) == 1
    assert len(openai.stand_in.asked) == 2


def test_a_server_of_the_newer_kind_is_told_the_limit_by_its_name(openai: Desk) -> None:
    openai.stand_in.always = Manner(new_limit=True, knows_schema=False)
    openai.judge()
    assert openai.stand_in.asked[0].max_tokens == 2048


def test_a_complaint_about_something_else_is_none() -> None:
    assert Dialect().without("the prompt is too long") is None
    assert Dialect(schema=False).without("response_format") is None
    assert Dialect().without("max_tokens is too large: 3000") is None
    assert Dialect().without("temperature must be 1") == Dialect(temperature=False)


def test_a_wrong_key_is_refused_and_never_told() -> None:
    with serving(StandIn()) as url:
        with pytest.raises(Refused) as refused:
            asked(OpenAiCompatible(f"{url}/v1", SecretStr("very-secret")))
    assert "very-secret" not in f"{refused.value!r} {refused.value.__cause__!r}"


@pytest.mark.parametrize(
    "url", ["http://models.example/v1", "ftp://127.0.0.1", "models", "https://"]
)
def test_an_address_has_to_be_safe(url: str) -> None:
    with pytest.raises(SettingsError, match="https"):
        OpenAiCompatible(url)


def test_a_model_that_nobody_has_heard_of_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    strange = Request("unheard-of", "Judge.", (Message("user", "This."),), 100)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    stand_in = StandIn()
    with serving(stand_in) as url:
        for caller in (
            Bedrock("us-east-1", endpoint_url=url),
            OpenAiCompatible(f"{url}/v1", SecretStr(stand_in.key)),
        ):
            with pytest.raises(Refused):
                asked(caller, strange)


def test_bedrock_without_boto3_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any, **named: Any) -> Any:
        if name == "boto3":
            raise ImportError(name)
        return real(name, *more, **named)

    monkeypatch.delitem(sys.modules, "boto3", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(Refused, match=r"tablewright\[aws\]"):
        asked(Bedrock("us-east-1"))


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", Lost),
        (b"[]", Lost),
        (b'{"choices": []}', Lost),
        (b'{"choices": [{"message": "hello"}]}', Lost),
    ],
)
def test_an_answer_that_is_none_may_have_been_billed(
    body: bytes, kind: type[CallFailed], monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = OpenAiCompatible("http://127.0.0.1:1")

    async def answered(_: bytes) -> tuple[int, dict[str, str], bytes]:
        return 200, {}, body

    monkeypatch.setattr(caller, "_asked", answered)
    with pytest.raises(kind):
        asked(caller)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, b'{"error": {"code": "insufficient_quota"}}', Refused),
        (429, b'{"error": {"code": "rate_limit_exceeded"}}', Throttled),
        (408, b"", Faulty),
        (502, b"<html>", Faulty),
        (404, b'{"error": "no such model"}', Refused),
        (302, b"", Refused),
        (400, b'{"error": {"message": "context too long"}}', Refused),
    ],
)
def test_statuses_of_openai(
    status: int, body: bytes, kind: type[CallFailed], monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = OpenAiCompatible("http://127.0.0.1:1")

    async def answered(_: bytes) -> tuple[int, dict[str, str], bytes]:
        return status, {}, body

    monkeypatch.setattr(caller, "_asked", answered)
    with pytest.raises(kind):
        asked(caller)
