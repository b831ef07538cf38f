"""The fields of a model as the data layer sees them: name, attribute, type, storage.

Pydantic keeps what a class declares; :func:`field_defs` reads it once per class and adds how each
field is stored. Keys, conditions and codecs all start from these definitions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import BaseModel

from tablewright.model.errors import ModelError
from tablewright.model.storage import Storage, storage_of
from tablewright.model.storage.annotations import Core, core_of
from tablewright.model.types import Attribute


@dataclass(frozen=True)
class FieldDef:
    """One field of one model."""

    name: str
    #: The name of the attribute that holds it in an item.
    attribute: str
    #: The type itself, without ``Annotated`` and without ``None``.
    annotation: object
    #: Everything that ``Annotated`` and ``Field()`` said, markers and Pydantic's constraints alike.
    metadata: tuple[object, ...]
    #: It may be None, which is stored as no attribute at all.
    optional: bool
    has_default: bool
    storage: Storage


def field_defs(
    model: type[BaseModel], naming: Callable[[str], str] | None = None
) -> dict[str, FieldDef]:
    """The fields of ``model`` in the order of their declaration.

    ``naming`` makes attribute names from field names; an :class:`Attribute` marker wins over it.
    """
    if model.model_config.get("use_enum_values"):
        raise ModelError(
            f"{model.__name__}: use_enum_values hides which enum a value is of; leave it out, "
            f"members are stored by their values anyway"
        )
    return _defs(
        model.__name__,
        naming,
        (
            (name, core_of(info.annotation, info.metadata), not info.is_required())
            for name, info in model.__pydantic_fields__.items()
        ),
    )


def dataclass_defs(cls: type[Any]) -> dict[str, FieldDef]:
    """The same for a dataclass, for the fields that its constructor takes."""
    hints = get_type_hints(cls, include_extras=True)
    return _defs(
        cls.__name__,
        None,
        (
            (
                field.name,
                core_of(hints[field.name]),
                field.default is not dataclasses.MISSING
                or field.default_factory is not dataclasses.MISSING,
            )
            for field in dataclasses.fields(cls)
            if field.init
        ),
    )


def _defs(
    owner: str,
    naming: Callable[[str], str] | None,
    declared: Iterable[tuple[str, Core, bool]],
) -> dict[str, FieldDef]:
    defs: dict[str, FieldDef] = {}
    holders: dict[str, str] = {}
    for name, core, has_default in declared:
        where = f"{owner}.{name}"
        attribute = attribute_name(name, core, naming)
        if not attribute:
            raise ModelError(f"{where}: its attribute name is empty")
        if (other := holders.setdefault(attribute, name)) != name:
            raise ModelError(
                f"{where}: attribute {attribute!r} already holds {other}; "
                f"give one of them another name with Attribute(...)"
            )
        defs[name] = FieldDef(
            name=name,
            attribute=attribute,
            annotation=core.annotation,
            metadata=core.metadata,
            optional=core.optional,
            has_default=has_default,
            storage=storage_of(core.annotation, core.metadata, where),
        )
    return defs


def attribute_name(name: str, core: Core, naming: Callable[[str], str] | None = None) -> str:
    """The name of the attribute that holds field ``name``."""
    for mark in core.metadata:
        if isinstance(mark, Attribute):
            return mark.name
    return name if naming is None else naming(name)
