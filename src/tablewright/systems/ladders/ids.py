"""Ids that follow from what they name, so that nothing can be there twice.

A plan is the plan of a team in a season; whoever makes it gets the same id, and the second one
finds it taken.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from typing import Final, Literal

_NAMESPACE = uuid.UUID("6f1c2d7e-3b0a-5c4d-9e8f-7a6b5c4d3e2f")
#: Somebody as they see themselves, and as the manager does.
ASSESSMENT_KINDS: Final[tuple[Literal["self", "manager"], ...]] = ("self", "manager")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _id(*parts: str) -> str:
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return str(uuid.uuid5(_NAMESPACE, text))


def is_uuid(text: str) -> bool:
    """Whether a text can be an id at all; a lock or a link beside the users never is one."""
    return _UUID.fullmatch(text) is not None


def user_id(issuer: str, subject: str) -> str:
    """The subject itself if it is a UUID, as it is with most issuers."""
    try:
        return str(uuid.UUID(subject))
    except ValueError:
        return _id("user", issuer, subject)


def plan_id(team_id: str, season: str) -> str:
    return _id("plan", team_id, season)


def assessment_id(plan: str, member: str, kind: Literal["self", "manager"]) -> str:
    return _id("assessment", plan, member, kind)


def report_id(plan: str, member: str) -> str:
    return _id("report", plan, member)


def config_id(version: str) -> str:
    return _id("config", version)


def subject_hash(issuer: str, subject: str) -> str:
    """What a sign-in is found by."""
    text = json.dumps([issuer, subject], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def operator_id(principal_id: str) -> str:
    """What stands for somebody who administers without being a user."""
    return _id("operator", principal_id)
