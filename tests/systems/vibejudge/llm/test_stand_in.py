"""The stand-in keeps to both contracts, whoever asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import httpx2
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tablewright.systems.vibejudge.stand_in import Manner, StandIn, serving

MODEL = "us.anthropic.claude-sonnet-4-20250514-v1:0"


@pytest.fixture
def stand_in() -> StandIn:
    return StandIn()


@pytest.fixture
def url(stand_in: StandIn) -> Iterator[str]:
    with serving(stand_in) as address:
        yield address


def converse(url: str, **more: Any) -> Any:
    client = boto3.client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=url,
        aws_access_key_id="nobody",
        aws_secret_access_key="nothing",
        config=Config(retries={"total_max_attempts": 1}),
    )
    said = [{"role": "user", "content": [{"text": "Judge this."}]}]
    return client.converse(modelId=MODEL, **({"messages": said} | more))


def complete(url: str, key: str = "stand-in", **more: Any) -> httpx2.Response:
    body = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Judge this."}]}
    headers = {"Authorization": f"Bearer {key}"}
    return httpx2.post(f"{url}/v1/chat/completions", json=body | more, headers=headers)


def test_boto3_reads_its_answers(stand_in: StandIn, url: str) -> None:
    answer = converse(url, inferenceConfig={"maxTokens": 50})
    assert answer["stopReason"] == "end_turn"
    assert answer["output"]["message"]["content"][0]["text"].startswith("{")
    assert answer["usage"]["inputTokens"] > 0
    assert (stand_in.asked[0].model_id, stand_in.asked[0].max_tokens) == (MODEL, 50)


@pytest.mark.parametrize(
    ("fault", "code", "status"),
    [
        ("throttled", "ThrottlingException", 429),
        ("server_error", "InternalServerException", 500),
        ("unavailable", "ServiceUnavailableException", 503),
        ("refused", "AccessDeniedException", 403),
    ],
)
def test_boto3_reads_its_errors(
    stand_in: StandIn, url: str, fault: Any, code: str, status: int
) -> None:
    stand_in.next = [Manner(fault=fault)]
    with pytest.raises(ClientError) as error:
        converse(url)
    assert error.value.response["Error"]["Code"] == code
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == status


def test_what_bedrock_refuses_it_refuses(url: str) -> None:
    for text, roles in (("  ", ["user"]), ("hello", ["user", "user"]), ("hello", ["assistant"])):
        said = [{"role": role, "content": [{"text": text}]} for role in roles]
        with pytest.raises(ClientError, match="ValidationException"):
            converse(url, messages=said)


def test_without_a_signature_nothing_is_said(stand_in: StandIn, url: str) -> None:
    refused = httpx2.post(f"{url}/model/{MODEL}/converse", json={})
    assert (refused.status_code, refused.headers["x-amzn-errortype"]) == (
        403,
        "AccessDeniedException",
    )
    assert stand_in.asked == []


def test_completions_have_their_members(stand_in: StandIn, url: str) -> None:
    answer = complete(url, max_tokens=70).json()
    assert answer["object"] == "chat.completion"
    assert answer["choices"][0]["finish_reason"] == "stop"
    usage = answer["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert stand_in.asked[0].max_tokens == 70


def test_errors_of_completions_have_theirs(stand_in: StandIn, url: str) -> None:
    assert complete(url, "wrong").json()["error"]["code"] == "invalid_api_key"
    stand_in.next = [Manner(fault="throttled", retry_after="3")]
    throttled = complete(url)
    assert (throttled.status_code, throttled.headers["retry-after"]) == (429, "3")
    assert throttled.json()["error"]["code"] == "rate_limit_exceeded"
    assert complete(url, messages="hello").status_code == 400


def test_cut_answers_say_so(stand_in: StandIn, url: str) -> None:
    stand_in.always = Manner(spoilt="truncated")
    assert complete(url).json()["choices"][0]["finish_reason"] == "length"
    assert converse(url)["stopReason"] == "max_tokens"


def test_what_is_somewhere_else_is_not_here(url: str) -> None:
    assert httpx2.post(f"{url}/model/x/invoke", json={}).status_code == 404
