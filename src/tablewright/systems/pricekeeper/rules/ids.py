"""Ids that are made of others, and how they are taken apart again."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import NamedTuple

from tablewright.service.problems import Problem

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_is_uuid = re.compile(_UUID).fullmatch
_is_name = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}").fullmatch
_is_model = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+-]*").fullmatch
#: Characters of the longest id that Amazon Bedrock accepts, and of a partition key.
MAX_MODEL_ID = 2048
_MAX_IN_SUBJECT = 900
#: ``org-`` and a UUID; what follows in the id of an app's client.
_ORG, _APP = len("org-"), "-app-"
_END = _ORG + 36


class Client(NamedTuple):
    """Who a client is: an organisation, or one of its apps."""

    org_id: str
    app_id: str | None


def is_org_id(text: str) -> bool:
    """Whether it is a UUID in small letters."""
    return _is_uuid(text) is not None


def is_name(text: str) -> bool:
    """Whether it can be the id of an app, or a label."""
    return _is_name(text) is not None


def is_model_id(text: str) -> bool:
    """Whether it can be the id of a model, or of a profile."""
    return len(text) <= MAX_MODEL_ID and _is_model(text) is not None


def checked_org_id(text: str) -> str:
    """The id of an organisation as it is stored, or a problem."""
    found = text.lower()
    if not is_org_id(found):
        raise Problem(400, "BAD_ORG_ID", "An organisation's id is a UUID.")
    return found


def checked_app_id(text: str) -> str:
    """The id of an app, or a problem."""
    if not is_name(text):
        raise Problem(400, "BAD_APP_ID", f"An app's id is {_A_NAME}")
    return text


def checked_label(text: str) -> str:
    """A label, or a problem."""
    if not is_name(text):
        raise Problem(400, "BAD_LABEL", f"A label is {_A_NAME}")
    return text


def checked_model_id(text: str) -> str:
    """The id of a model, or a problem."""
    if not is_model_id(text):
        detail = f"A model's id is up to {MAX_MODEL_ID} letters, digits and . _ : / + -"
        raise Problem(400, "BAD_MODEL_ID", detail)
    return text


def price_subject(model_id: str) -> str:
    """Name the prices of a model in the audit log and in messages.

    A long id is cut, and has its hash behind it; the whole id stands in the details.
    """
    if len(model_id) > _MAX_IN_SUBJECT:
        digest = sha256(model_id.encode()).hexdigest()[:16]
        model_id = f"{model_id[:_MAX_IN_SUBJECT]}~{digest}"
    return f"price/{model_id}"


_A_NAME = "1 to 63 small letters, digits, - and _, and begins with a letter or digit."


def client_id(org_id: str, app_id: str | None = None) -> str:
    """``org-{uuid}``, or ``org-{uuid}-app-{app_id}``."""
    return f"org-{org_id}" if app_id is None else f"org-{org_id}{_APP}{app_id}"


def read_client_id(text: str) -> Client | None:
    """Whose id it is, by position: an app may be called ``x-app-y``. None if it is nobody's."""
    org_id, rest = text[_ORG:_END], text[_END:]
    if not text.startswith("org-") or not is_org_id(org_id):
        return None
    if not rest:
        return Client(org_id, None)
    app_id = rest.removeprefix(_APP)
    return Client(org_id, app_id) if rest.startswith(_APP) and is_name(app_id) else None


class ReservationKey(NamedTuple):
    """The whole key of a reservation but its slot, which follows from the organisation."""

    expires_epoch: int
    org_id: str
    app_id: str
    label: str
    reservation_uuid: str


def reservation_id(key: ReservationKey) -> str:
    """The id that is handed out: it says where the reservation lies.

    Dots part it, which no part can hold, so that it stands in a URL as it is.
    """
    return ".".join((str(key.expires_epoch), *key[1:]))


def read_reservation_id(text: str) -> ReservationKey | None:
    """The key that an id was made of; None if we never made it."""
    found = _is_reservation(text)
    return ReservationKey(int(found[1]), *found.groups()[1:]) if found else None


_NAMED = r"([a-z0-9][a-z0-9_-]{0,62})"
_is_reservation = re.compile(
    rf"([1-9][0-9]{{0,11}})\.({_UUID})\.{_NAMED}\.{_NAMED}\.({_UUID})"
).fullmatch
