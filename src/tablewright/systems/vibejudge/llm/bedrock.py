"""Amazon Bedrock's Converse, by boto3: credentials and region from its own chain.

boto3 comes with the extra ``aws``. It has no calls that can be waited for, so each goes into a
thread of its own pool: the pool of the event loop is as small as the machine.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tablewright.systems.vibejudge.llm.calls import Reply, Request, StopReason, count
from tablewright.systems.vibejudge.llm.failures import (
    CallFailed,
    Faulty,
    Lost,
    Misconfigured,
    Refused,
    Throttled,
)
from tablewright.systems.vibejudge.rules.rates import TokenUsage

TIMEOUT_SECS, CONNECT_SECS = 120.0, 5.0
MOST_CALLS = 32

_THROTTLED = frozenset(
    {"ThrottlingException", "TooManyRequestsException", "ModelNotReadyException"}
)
_NOT_US = frozenset(
    {
        "UnrecognizedClientException",
        "InvalidSignatureException",
        "ExpiredTokenException",
        "InvalidClientTokenId",
        "IncompleteSignature",
        "MissingAuthenticationTokenException",
    }
)
_MOST_MESSAGE = 200
_FAULTY = frozenset(
    {
        "InternalServerException",
        "ModelErrorException",
        "ModelTimeoutException",
        "ServiceUnavailableException",
    }
)
_STOPS: Mapping[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "content_filtered": "filtered",
    "guardrail_intervened": "filtered",
}


class Bedrock:
    """Asks models of Bedrock; its client is made when first needed."""

    def __init__(
        self,
        region: str | None = None,
        *,
        endpoint_url: str | None = None,
        timeout: float = TIMEOUT_SECS,
        most_calls: int = MOST_CALLS,
    ) -> None:
        self._region = region
        self._endpoint_url = endpoint_url
        self._timeout = timeout
        self._most_calls = most_calls
        self._pool = ThreadPoolExecutor(most_calls, thread_name_prefix="bedrock")
        self._lock = threading.Lock()
        self._client: Any = None

    async def call(self, request: Request) -> Reply:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._called, request)

    async def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _called(self, request: Request) -> Reply:
        client = self._opened()
        began = time.perf_counter()
        try:
            answer = client.converse(**_arguments(request))
        except Exception as error:
            raise _failure(error) from error
        elapsed = round((time.perf_counter() - began) * 1000)
        return _reply(answer, request.model_id, elapsed)

    def _opened(self) -> Any:
        # Making a client is not safe in two threads; using one is.
        with self._lock:
            if self._client is None:
                self._client = self._made()
            return self._client

    def _made(self) -> Any:
        try:
            import boto3
            from botocore.config import Config
        except ImportError as error:
            reason = "Bedrock needs boto3: install tablewright[aws]"
            raise Misconfigured("no_boto3", reason) from error
        config = Config(
            connect_timeout=min(CONNECT_SECS, self._timeout),
            read_timeout=self._timeout,
            max_pool_connections=self._most_calls,
            # Tries are ours: each one that may be billed has money of its own.
            retries={"total_max_attempts": 1, "mode": "standard"},
        )
        try:
            return boto3.client(
                "bedrock-runtime",
                region_name=self._region,
                endpoint_url=self._endpoint_url,
                config=config,
            )
        except Exception as error:  # no region, an address that is none
            reason = f"Bedrock cannot be used: {error}. Check the setting bedrock_region."
            raise Misconfigured("bad_settings", reason) from error


def _arguments(request: Request) -> dict[str, Any]:
    said = [{"role": each.role, "content": [{"text": each.text}]} for each in request.messages]
    arguments: dict[str, Any] = {
        "modelId": request.model_id,
        "system": [{"text": request.system}],
        "messages": said,
        "inferenceConfig": {"maxTokens": request.max_tokens, "temperature": 0.0},
    }
    if request.service_tier == "flex":
        arguments["serviceTier"] = {"type": "flex"}
    return arguments


def _reply(answer: Mapping[str, Any], model_id: str, latency_ms: int) -> Reply:
    content = answer.get("output", {}).get("message", {}).get("content", [])
    usage = answer.get("usage")
    text = "".join(str(each["text"]) for each in content if "text" in each)
    return Reply(
        # JSON can spell halves of characters, which nobody could store.
        text=text.encode("utf-8", "replace").decode("utf-8"),
        usage=None if not usage else _usage(usage),
        model_id=model_id,
        latency_ms=latency_ms,
        stop_reason=_STOPS.get(str(answer.get("stopReason")), "other"),
    )


def _usage(told: Mapping[str, Any]) -> TokenUsage:
    """Here, the input is without what a cache has given or taken."""
    return TokenUsage(
        input=count(told.get("inputTokens")),
        output=count(told.get("outputTokens")),
        cache_read=count(told.get("cacheReadInputTokens")),
        cache_write=count(told.get("cacheWriteInputTokens")),
    )


def _failure(error: Exception) -> CallFailed:
    from botocore import exceptions as boto

    if isinstance(error, boto.ClientError):
        return _answered(error)
    if isinstance(error, boto.ConnectTimeoutError | boto.EndpointConnectionError):
        return Faulty("unreachable", "Bedrock cannot be reached")
    if isinstance(error, boto.HTTPClientError):
        return Lost("lost", f"no answer of Bedrock: {type(error).__name__}")
    if isinstance(error, boto.ResponseParserError):
        return Lost("lost", "the answer of Bedrock cannot be read")
    if isinstance(error, boto.NoCredentialsError | boto.PartialCredentialsError):
        reason = "There are no AWS credentials. Give the server some, or choose another provider."
        return Misconfigured("no_credentials", reason)
    if isinstance(error, boto.BotoCoreError):
        return Refused("bad_request", f"Bedrock was not asked: {type(error).__name__}")
    return Lost("lost", f"no answer of Bedrock: {type(error).__name__}")


def _answered(error: Any) -> CallFailed:
    code = str(error.response.get("Error", {}).get("Code", ""))[:80]
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _THROTTLED or status == 429:
        return Throttled(f"Bedrock: {code}")
    if code in _FAULTY or status >= 500:
        return Faulty("provider_error", f"Bedrock: {code or status}")
    said = " ".join(str(error.response.get("Error", {}).get("Message") or "").split()).rstrip(".")
    shown = f"{code or status}{': ' if said else ''}{said[:_MOST_MESSAGE]}"
    if code in _NOT_US:
        reason = f"Authentication at AWS failed ({shown}). Check the AWS credentials of the server."
        return Misconfigured("authentication", reason)
    if code == "AccessDeniedException":
        reason = (
            f"AWS gives no access to this model ({shown}). Check the permissions of the server's "
            "AWS credentials and the access to the model in Bedrock."
        )
        return Misconfigured("no_access", reason)
    if code == "ResourceNotFoundException" or "model identifier" in said:
        reason = f"Bedrock does not know this model ({shown}). Check the hackathon's models."
        return Misconfigured("unknown_model", reason)
    return Refused("refused", f"Bedrock refused the request ({shown}).")
