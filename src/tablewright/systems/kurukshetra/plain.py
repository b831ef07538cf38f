"""Texts that must not be stored as they are, and the mark on the fields that they belong to.

A sealed field holds one of two things: a text ``v1.<key id>.<data>``, which can be stored and says
nothing, or a :class:`Plain`, which says everything and cannot be stored: no codec takes it. So an
entity goes one way only::

    Participant(first_name=Plain("Asha"), ...)   -> vault.sealed(...) -> put
    read -> vault.opened(...)                    -> text_of(participant.first_name)

Who forgets to seal gets an error that names the field, and nothing is written; who forgets to open
gets an error, and no ciphertext on a page. This module knows the mark alone; the keys are with
:mod:`tablewright.systems.kurukshetra.privacy`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

_SEALED = re.compile(r"v1\.[A-Za-z0-9_-]{1,40}\.[A-Za-z0-9_=-]+\Z")


class StillSealed(Exception):
    """A sealed text was about to be shown or used as it is: open its entity first."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A text that is to be sealed, or was opened. Not a ``str``, so that nothing stores it."""

    text: str

    def __repr__(self) -> str:
        # Entities are shown in logs and errors; people are not.
        return "Plain(...)"

    __str__ = __repr__


@dataclass(frozen=True)
class Seals:
    """Marks a field that holds a sealed text, or a :class:`Plain` on its way from or to one."""

    #: Whether it may hold an ordinary text too, which is stored as it is.
    sometimes: bool = False

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(_plain_or, handler(source))


def _plain_or(value: object, check: core_schema.ValidatorFunctionWrapHandler) -> object:
    return value if isinstance(value, Plain) else check(value)


def is_sealed(text: str) -> bool:
    """Whether a text has the form of a sealed one."""
    return _SEALED.match(text) is not None


def text_of(value: str | Plain | None) -> str:
    """What an opened field says; nothing if it is empty."""
    if isinstance(value, Plain):
        return value.text
    if value is not None and is_sealed(value):
        raise StillSealed("a sealed text was read: open the entity with vault.opened() first")
    return value or ""


def given(text: str | None) -> Plain | None:
    """What somebody typed into a field that they may leave empty."""
    return Plain(text) if text else None


def answered(text: str, personal: bool) -> str | Plain:
    """An answer, as its entity takes it: sealed if the question asks for something personal.

    Whoever types a text in the form of a sealed one has it sealed too. So a stored answer in that
    form always is one of ours, and can be opened.
    """
    return Plain(text) if personal or is_sealed(text) else text
