"""Names for what had none: classes by their keys, fields and functions by Python's rules."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from unicodedata import normalize

from pydantic import BaseModel

from tablewright import model
from tablewright.adopt.grouping import Group, words

#: What the module itself uses.
RESERVED = frozenset(model.__all__) | {"Annotated", "Any", "Decimal", "Literal", "date", "datetime"}
#: Python's words, and what a class of fields has itself.
_TAKEN = frozenset(keyword.kwlist) | frozenset(dir(BaseModel)) | {"_origin"}
#: A field of this name would hide the type from the fields after it.
_TYPES = ("str", "int", "bool", "bytes", "list", "dict", "set", "date", "datetime", "Any")
#: Words that say that an item is the main one of its partition.
_MAIN = frozenset({"profile", "metadata", "meta", "info", "details", "root", "self", "data", "a"})


def entity_name(text: str, taken: Iterable[str]) -> str:
    """A name for a class."""
    used = {*taken, *RESERVED}
    name = class_name(_titled(text))
    free, number = name, 2
    while free in used:
        free, number = f"{name}{number}", number + 1
    return free


def group_name(group: Group, table: str, taken: Iterable[str]) -> str:
    """A name by what tells a group of items apart, by what a file calls it, by keys or table."""
    named = group.type or group.known.name
    name = entity_name(named or _by_words(group) or table, ())
    if name in taken and not named and len(words(group.pair)) > 1:
        name = " ".join(dict.fromkeys(words(group.pair)))
    return entity_name(name, taken)


def _by_words(group: Group) -> str:
    first = [part for part in group.pair[0] or () if part]
    second = [part for part in group.pair[1] or () if part]
    own = [word for word in second if word.lower().strip("$@_~!#") not in _MAIN]
    if own:
        return own[0]
    return first[-1] if first else " ".join(words(group.pair))


def _titled(text: str) -> str:
    """``ORDER_ITEM`` is ``Order Item``; who writes ``orderItem`` keeps the capital inside."""
    parts = re.findall(r"[A-Za-z0-9]+", text)
    return " ".join(part.capitalize() if part.isupper() else part for part in parts)


def field_name(attribute: str, taken: Iterable[str]) -> str:
    """A name for the field that an attribute holds."""
    # Templates of keys know no other letters.
    plain = normalize("NFKD", attribute).encode("ascii", "ignore").decode()
    plain = plain.lower() if plain.isupper() else plain
    return identifier(plain, (*taken, *_TYPES))


def table_name(table: str, taken: Iterable[str]) -> str:
    """A name for the variable of a table."""
    name = snake(table)
    return function_name(name if name.endswith("table") else f"{name}_table", taken)


def function_name(text: str, taken: Iterable[str]) -> str:
    return identifier(text, (*taken, *RESERVED))


def key_name(index: str) -> str:
    """What the key on an index is called."""
    name = snake(index)
    return name if name != "primary" else "primary_index"


def plural(name: str) -> str:
    """``order`` is ``orders``, ``entry`` is ``entries``."""
    if re.search(r"[^aeiou]y$", name):
        return f"{name[:-1]}ies"
    return f"{name}es" if re.search(r"(?:s|x|z|ch|sh)$", name) else f"{name}s"


# --- words that Python accepts -------------------------------------------------------------------


def identifier(text: str, taken: Iterable[str] = ()) -> str:
    """A name that Python and Pydantic accept for a field or a function."""
    # Python reads names in this form, and takes fewer letters for one than `\w` does.
    plain = normalize("NFKC", text)
    plain = "".join(each if f"a{each}".isidentifier() else " " for each in plain)
    name = re.sub(r"\W+", "_", plain).strip("_") or "field"
    if name[0].isdigit():
        name = f"n{name}"
    if name in _TAKEN or name.startswith("model_"):
        name = f"{name}_"
    used = set(taken)
    free, number = name, 2
    while free in used:
        free, number = f"{name}_{number}", number + 1
    return free


def class_name(text: str, taken: Iterable[str] = ()) -> str:
    """A name for a class: ``order items`` is ``OrderItems``."""
    words = re.findall(r"[A-Za-z0-9]+", text)
    name = "".join(word[0].upper() + word[1:] for word in words) or "Thing"
    return identifier(name if not name[0].isdigit() else f"The{name}", taken)


def snake(text: str) -> str:
    """``OrderItem`` and ``Order Item`` are ``order_item``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    return identifier(re.sub(r"[^a-z0-9]+", "_", words.lower()))


__all__ = [
    "entity_name",
    "field_name",
    "function_name",
    "group_name",
    "key_name",
    "plural",
    "snake",
]
