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
COLLECTION_FULL = "Collection size exceeded."
#: All others answer with 400.
_STATUS = {
    "InternalServerError": 500,
    "InternalFailure": 500,
    "ServiceUnavailable": 503,
    "ServiceUnavailableException": 503,
}
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
        """The status of the answer over HTTP."""
        return _STATUS.get(self.code, 400)

    @property
    def type(self) -> str:
        """The full name, as it is on the wire."""
        return _CORAL.get(self.code, "com.amazonaws.dynamodb.v20120810#") + self.code

    def body(self) -> dict[str, object]:
        """The JSON object AWS sends for this error."""
        key = "Message" if self.code in _CAPITAL else "message"
        return {"__type": self.type, key: self.message, **self.extra}

    def __repr__(self) -> str:
        return f"AwsError({self.code!r}, {self.message!r})"


class EngineClosed(Exception):
    """The engine was used after it had been closed."""

    def __init__(self) -> None:
        super().__init__("The engine has been closed; open another one to go on.")


class DropConnection(Exception):
    """An injected fault: the server closes the socket without an answer."""


def validation(message: str) -> AwsError:
    return AwsError("ValidationException", message)


def as_aws_error(error: BaseException) -> AwsError:
    """An error that is an answer, of whichever layer, as AWS would send it."""
    return error if isinstance(error, AwsError) else validation(str(error))


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


def collection_full() -> AwsError:
    return AwsError("ItemCollectionSizeLimitExceededException", COLLECTION_FULL)


def internal(message: str) -> AwsError:
    return AwsError("InternalServerError", message)
