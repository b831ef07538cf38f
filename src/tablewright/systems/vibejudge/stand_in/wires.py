"""The documents of the two contracts: what is read from a question, what an answer looks like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from tablewright.systems.vibejudge.stand_in.contract import (
    UNHEARD,
    Answered,
    Asked,
    Manner,
    StandIn,
)

#: AWS's names and statuses of what may go wrong, by ours.
_AWS = {
    "throttled": (
        429,
        "ThrottlingException",
        "Too many requests, please wait.",
    ),
    "server_error": (500, "InternalServerException", "The system encountered an error."),
    "unavailable": (503, "ServiceUnavailableException", "Bedrock is unable to process."),
    "refused": (403, "AccessDeniedException", "You don't have access to the model."),
}
#: OpenAI's: status, type, code.
_OPENAI = {
    "throttled": (429, "requests", "rate_limit_exceeded"),
    "server_error": (500, "server_error", None),
    "unavailable": (503, "server_error", "overloaded"),
    "refused": (403, "invalid_request_error", "model_not_allowed"),
}


@dataclass(frozen=True)
class Written:
    """A response, and how it is sent."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    slow: float = 0.0
    drop: bool = False


# --- Bedrock -------------------------------------------------------------------------------------


def converse(stand_in: StandIn, model_id: str, authorization: str, body: bytes) -> Written:
    """``POST /model/{modelId}/converse``."""
    if not authorization.startswith("AWS4-HMAC-SHA256 ") or "Signature=" not in authorization:
        return _aws(403, "AccessDeniedException", "Missing Authentication Token")
    try:
        asked = _converse_asked(model_id, orjson.loads(body))
    except (ValueError, KeyError, TypeError) as error:
        return _aws(400, "ValidationException", f"Malformed input request: {error}")
    if UNHEARD in model_id:
        return _aws(400, "ValidationException", "The provided model identifier is invalid.")
    manner = stand_in.manner()
    answered = stand_in.answered(asked, manner)
    if manner.fault in _AWS:
        return _timed(_aws(*_AWS[manner.fault]), manner)
    document = _converse_document(answered, manner)
    return _timed(Written(200, orjson.dumps(document)), manner)


def _converse_asked(model_id: str, body: dict[str, Any]) -> Asked:
    said = tuple(
        (each["role"], "".join(part["text"] for part in each["content"]))
        for each in body["messages"]
    )
    if any(not text.strip() for _, text in said):
        raise ValueError("The text field in the ContentBlock object is blank.")
    if [role for role, _ in said] != ["user", "assistant"] * (len(said) // 2) + ["user"]:
        raise ValueError("roles must alternate, and begin and end with user")
    return Asked(
        model_id=model_id,
        system="".join(part["text"] for part in body.get("system", [])),
        messages=said,
        max_tokens=body.get("inferenceConfig", {}).get("maxTokens", 4096),
        tier=body.get("serviceTier", {}).get("type", "default"),
    )


def _converse_document(answered: Answered, manner: Manner) -> dict[str, Any]:
    tokens = answered.tokens
    usage = {
        "inputTokens": tokens.input,
        "outputTokens": tokens.output,
        "totalTokens": tokens.input + tokens.output + tokens.cache_read + tokens.cache_write,
        "cacheReadInputTokens": tokens.cache_read,
        "cacheWriteInputTokens": tokens.cache_write,
    }
    content = [{"text": answered.text}] if answered.text else []
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "max_tokens" if answered.truncated else "end_turn",
        "metrics": {"latencyMs": 1},
        **({"usage": usage} if manner.usage else {}),
    }


def _aws(status: int, name: str, text: str) -> Written:
    return Written(status, orjson.dumps({"message": text}), {"x-amzn-ErrorType": name})


# --- OpenAI --------------------------------------------------------------------------------------


def completions(stand_in: StandIn, authorization: str, body: bytes) -> Written:
    """``POST /v1/chat/completions``."""
    if authorization != f"Bearer {stand_in.key}":
        return _openai(401, "invalid_request_error", "invalid_api_key", "Incorrect API key.")
    try:
        document = orjson.loads(body)
        asked = _completions_asked(document)
    except (ValueError, KeyError, TypeError) as error:
        return _openai(400, "invalid_request_error", None, f"Malformed: {error}")
    if UNHEARD in asked.model_id:
        return _openai(404, "invalid_request_error", "model_not_found", "There is no such model.")
    if (complaint := _complaint(document, stand_in.always)) is not None:
        return complaint
    manner = stand_in.manner()
    answered = stand_in.answered(asked, manner)
    if manner.fault in _OPENAI:
        return _timed(_openai(*_OPENAI[manner.fault], "As was asked for."), manner)
    return _timed(Written(200, orjson.dumps(_completion(asked, answered, manner))), manner)


def _completions_asked(body: dict[str, Any]) -> Asked:
    said = [(each["role"], each["content"]) for each in body["messages"]]
    return Asked(
        model_id=body["model"],
        system="".join(text for role, text in said if role == "system"),
        messages=tuple(each for each in said if each[0] != "system"),
        max_tokens=body.get("max_completion_tokens") or body.get("max_tokens") or 4096,
        tier=body.get("service_tier", "default"),
    )


def _complaint(body: dict[str, Any], manner: Manner) -> Written | None:
    """A part of the question that servers of this kind do not take."""
    kind = "invalid_request_error"
    if manner.new_limit and "max_tokens" in body:
        told = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        return _openai(400, kind, "unsupported_parameter", told)
    if not manner.knows_schema and "response_format" in body:
        return _openai(400, kind, None, "response_format is not supported by this server")
    return None


def _completion(asked: Asked, answered: Answered, manner: Manner) -> dict[str, Any]:
    tokens = answered.tokens
    prompt = tokens.input + tokens.cache_read + tokens.cache_write
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": tokens.output,
        "total_tokens": prompt + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cache_read},
    }
    message = {"role": "assistant", "content": answered.text}
    reason = "length" if answered.truncated else "stop"
    return {
        "id": "chatcmpl-stand-in",
        "object": "chat.completion",
        "created": 0,
        "model": asked.model_id,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        **({"usage": usage} if manner.usage else {}),
    }


def _openai(status: int, kind: str, code: str | None, text: str) -> Written:
    error = {"message": text, "type": kind, "param": None, "code": code}
    return Written(status, orjson.dumps({"error": error}))


def _timed(written: Written, manner: Manner) -> Written:
    headers = dict(written.headers)
    if manner.retry_after is not None:
        headers["Retry-After"] = manner.retry_after
    drop = manner.fault == "drop"
    return Written(written.status, written.body, headers, manner.slow, drop)
