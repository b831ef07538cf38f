"""The errors the engine answers with: AWS's own types, texts and status codes.

Everything a caller can see is an :class:`AwsError`; the few functions below name the ones that
are raised in many places, so that their texts stand in one place.
"""

from __future__ import annotations

from typing import Any

_CORAL = {
    "ValidationException": "com.amazon.coral.validate#",
    "SerializationException": "com.amazon.coral.service#",
    "UnknownOperationException": "com.amazon.coral.service#",
    "AccessDeniedException": "com.amazon.coral.service#",
    "MissingAuthenticationTokenException": "com.amazon.coral.service#",
    "IncompleteSignatureException": "com.amazon.coral.service#",
    "InvalidSignatureException": "com.amazon.coral.service#",
    "UnrecognizedClientException": "com.amazon.coral.service#",
    "ThrottlingException": "com.amazon.coral.availability#",
}
_SERVER_SIDE = frozenset({"InternalServerError", "InternalFailure", "ServiceUnavailableException"})
#: These answer with "Message"; all others with "message".
_CAPITAL = frozenset({"SerializationException", "TransactionCanceledException"})


class AwsError(Exception):
    """An error as the service would answer it."""

    def __init__(self, code: str, message: str, **extra: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.extra = extra

    @property
    def status(self) -> int:
        return 500 if self.code in _SERVER_SIDE else 400

    @property
    def type(self) -> str:
        return _CORAL.get(self.code, "com.amazonaws.dynamodb.v20120810#") + self.code

    def body(self) -> dict[str, Any]:
        """The JSON object AWS sends for this error."""
        key = "Message" if self.code in _CAPITAL else "message"
        return {"__type": self.type, key: self.message, **self.extra}

    def __repr__(self) -> str:
        return f"AwsError({self.code!r}, {self.message!r})"


class DropConnection(Exception):
    """An injected fault: the server closes the socket without an answer."""


def validation(message: str) -> AwsError:
    return AwsError("ValidationException", message)


def invalid(message: str) -> AwsError:
    """A validation error about parameter values, with AWS's usual opening words."""
    return validation("One or more parameter values were invalid: " + message)


def serialization(message: str) -> AwsError:
    return AwsError("SerializationException", message)


def not_found(message: str = "Requested resource not found") -> AwsError:
    return AwsError("ResourceNotFoundException", message)


def in_use(message: str) -> AwsError:
    return AwsError("ResourceInUseException", message)


def condition_failed(item: Any = None) -> AwsError:
    extra = {} if item is None else {"Item": item}
    return AwsError("ConditionalCheckFailedException", "The conditional request failed", **extra)


def internal(message: str) -> AwsError:
    return AwsError("InternalServerError", message)
