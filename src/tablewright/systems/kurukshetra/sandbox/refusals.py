"""What the sandbox says to requests that it does not take, in the gateway's words."""

from __future__ import annotations

from typing import Any

BAD_REQUEST, GATEWAY, SERVER = "BAD_REQUEST_ERROR", "GATEWAY_ERROR", "SERVER_ERROR"


class Refusal(Exception):
    """Nothing was done; the document says why."""

    def __init__(
        self,
        description: str,
        *,
        status: int = 400,
        code: str = BAD_REQUEST,
        field: str | None = None,
        reason: str = "input_validation_failed",
    ) -> None:
        super().__init__(description)
        self.status = status
        self.document = error(description, code=code, field=field, reason=reason)


def error(
    description: str,
    *,
    code: str = BAD_REQUEST,
    field: str | None = None,
    source: str = "business",
    step: str = "payment_initiation",
    reason: str = "input_validation_failed",
    metadata: dict[str, str] | None = None,
) -> dict[str, object]:
    """The gateway's error document; ``field`` is only there if one is to blame."""
    told: dict[str, Any] = {
        "code": code,
        "description": description,
        "source": source,
        "step": step,
        "reason": reason,
        "metadata": metadata or {},
    }
    return {"error": told if field is None else {**told, "field": field}}


def no_such_id() -> Refusal:
    return Refusal("The id provided does not exist")


def no_such_url() -> Refusal:
    return Refusal("The requested URL was not found on the server.", status=404, reason="NA")


def not_authenticated() -> Refusal:
    return Refusal("Authentication failed", status=401, reason="NA")
