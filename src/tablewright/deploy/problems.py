"""What went wrong, for people and for programs: a stable code, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tablewright.model.errors import (
    CredentialsError,
    OutcomeUnknown,
    ServiceError,
    TablewrightError,
    Unavailable,
)

CREDENTIALS = "AWS_CREDENTIALS_INVALID"
PERMISSIONS = "AWS_PERMISSIONS_DENIED"
REGION = "AWS_REGION_MISMATCH"
NOT_FOUND = "TABLE_NOT_FOUND"
SCHEMA = "SCHEMA_VALIDATION_FAILED"
LIMIT = "TABLE_LIMIT_EXCEEDED"
NETWORK = "NETWORK_ERROR"
UNKNOWN = "UNKNOWN_ERROR"

REMEDIES: dict[str, tuple[str, ...]] = {
    CREDENTIALS: (
        "Check who you are: aws sts get-caller-identity, with the same --profile.",
        "Log in again (aws sso login), or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        "Temporary keys need AWS_SESSION_TOKEN too, and end after some hours.",
    ),
    PERMISSIONS: (
        "Let this user or role do what the message names on these tables.",
        "Check that --profile and --region are the account and region that you mean.",
        "Look for a service control policy or a permissions boundary that forbids it.",
    ),
    REGION: (
        "Give the region of the tables with --region, or set AWS_REGION.",
        "Check that --endpoint is the endpoint of that region.",
    ),
    NOT_FOUND: (
        "Create the tables: tablewright tables setup MODEL",
        "Check --region, --env and --prefix: tables of another environment have other names.",
    ),
    SCHEMA: (
        "See what differs: tablewright tables diff MODEL",
        "See what would be done about it: tablewright tables migrate MODEL --dry-run",
        "Or change the model to what is deployed.",
    ),
    LIMIT: (
        "Wait for other tables and indexes to be finished, then run the same command again.",
        "Delete tables that nobody needs, or ask AWS for a higher quota (Service Quotas).",
    ),
    NETWORK: (
        "Check that the endpoint, or AWS in this region, can be reached from this machine.",
        "Check HTTPS_PROXY and NO_PROXY if there is a proxy.",
        "Run the same command again: it goes on where it ended.",
    ),
    UNKNOWN: (
        "Run the same command with --verbose.",
        "Run it again: what is done already is not done twice.",
    ),
}

_CODES = {
    "UnrecognizedClientException": CREDENTIALS,
    "InvalidSignatureException": CREDENTIALS,
    "IncompleteSignatureException": CREDENTIALS,
    "IncompleteSignature": CREDENTIALS,
    "MissingAuthenticationTokenException": CREDENTIALS,
    "MissingAuthenticationToken": CREDENTIALS,
    "InvalidClientTokenId": CREDENTIALS,
    "ExpiredTokenException": CREDENTIALS,
    "ExpiredToken": CREDENTIALS,
    "AccessDeniedException": PERMISSIONS,
    "AccessDenied": PERMISSIONS,
    "ResourceNotFoundException": NOT_FOUND,
    "TableNotFoundException": NOT_FOUND,
    "LimitExceededException": LIMIT,
    "TableLimitExceededException": LIMIT,
}


@dataclass(frozen=True)
class Problem:
    """A code, what it means here, and numbered steps out of it."""

    code: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    #: Instead of the usual ones.
    remedies: tuple[str, ...] = ()

    @property
    def remediation(self) -> list[str]:
        steps = self.remedies or REMEDIES[self.code]
        return [f"{number}. {step}" for number, step in enumerate(steps, 1)]

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "message": self.message,
            "remediation": self.remediation,
            "details": dict(self.details),
        }


class DeployError(TablewrightError):
    """A command that cannot be carried out, with its problem."""

    code = "DEPLOY"

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def problem_of(error: Exception) -> Problem:
    """The problem behind whatever was raised."""
    if isinstance(error, DeployError):
        return error.problem
    if isinstance(error, ServiceError):
        return _of_service(error)
    if isinstance(error, CredentialsError):
        return Problem(REGION if "region" in str(error).split(".")[0] else CREDENTIALS, str(error))
    if isinstance(error, Unavailable | OutcomeUnknown):
        return Problem(NETWORK, str(error))
    return Problem(UNKNOWN, str(error) or type(error).__name__)


def _of_service(error: ServiceError) -> Problem:
    code = _CODES.get(error.aws_code, UNKNOWN)
    # A signature for another region is a wrong region, not a wrong key.
    if code == CREDENTIALS and "region" in error.message.lower():
        code = REGION
    return Problem(code, str(error), {"aws_code": error.aws_code, "status": error.status})
