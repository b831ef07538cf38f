"""The default of a field as an entity has it that is made without the field."""

from __future__ import annotations

from functools import lru_cache

from pydantic import BaseModel


def default_of(model: type[BaseModel], name: str) -> object:
    """The default that was declared, validated where the model validates its defaults.

    ``Field(default="red")`` of an enum is its member then, as in every entity that is made. What
    cannot be validated without the other fields stays as it was declared. It is always the same
    object: copy it before others get it.
    """
    return _validated(model, name)


# Apart, because callers may know no more of the class than that it is one: type checkers take such
# a class for something that cannot be remembered.
@lru_cache(maxsize=1024)
def _validated(model: type[BaseModel], name: str) -> object:
    info = model.__pydantic_fields__[name]
    validates = model.model_config.get("validate_default")
    if not (validates if info.validate_default is None else info.validate_default):
        return info.default
    blank = model.__new__(model)
    put = object.__setattr__
    put(blank, "__dict__", {})
    put(blank, "__pydantic_fields_set__", set())
    put(blank, "__pydantic_extra__", None)
    put(blank, "__pydantic_private__", None)
    try:
        model.__pydantic_validator__.validate_assignment(blank, name, info.get_default())
    except Exception:
        return info.default
    return blank.__dict__.get(name, info.default)
