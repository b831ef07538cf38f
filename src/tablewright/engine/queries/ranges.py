"""From key conditions to byte ranges.

A query asks for one partition and a range of its sort key. Because sort keys are stored as bytes
in value order, every condition DynamoDB allows is one half-open range of bytes. Indexes with
several sort-key attributes store them joined, so that equality on the leading ones is a prefix.
"""

from __future__ import annotations

from typing import NamedTuple

from tablewright.engine.errors import invalid, validation
from tablewright.engine.schema import KeyPart, partition_bytes
from tablewright.expressions import KeyTerm
from tablewright.values import AttributeValue, joined_key_bytes, key_bytes

NOT_SUPPORTED = "Query key condition not supported"
MISSED = "Query condition missed key schema element: "
#: For indexes with several key attributes.
ALL_HASH = f"{NOT_SUPPORTED}: every HASH key attribute needs an equality condition"
LEADING_RANGE = (
    "RANGE key attributes {} must have equality conditions specified in the query because a "
    "condition is present on key attribute {}"
)


class Range(NamedTuple):
    """One partition, and the sort keys from ``low`` up to but not including ``high``."""

    pk: bytes
    low: bytes
    high: bytes | None

    def holds(self, sk: bytes) -> bool:
        return self.low <= sk and (self.high is None or sk < self.high)


def key_range(terms: list[KeyTerm], hash_: list[KeyPart], range_: list[KeyPart]) -> Range:
    """The range that ``terms`` select in a table or index with these key attributes."""
    if len(terms) == len(hash_) == 1 and len(range_) <= 1:
        # Most queries ask for a whole partition.
        (name, kind), term = hash_[0], terms[0]
        value = term.values[0].get(kind) if term.operator == "=" else None
        if value and term.name == name:
            return Range(partition_bytes(key_bytes(kind, value)), b"", None)
    by_name = {term.name: term for term in terms}
    _check(by_name, hash_, range_)
    codes = [(part.kind, by_name[part.name].values[0][part.kind]) for part in hash_]
    code = key_bytes(*codes[0]) if len(codes) == 1 else joined_key_bytes(codes)
    if len(range_) <= 1:
        low, high = _single(by_name.get(range_[0].name) if range_ else None)
    else:
        low, high = _joined(by_name, range_)
    return Range(partition_bytes(code), low, high)


def _check(terms: dict[str, KeyTerm], hash_: list[KeyPart], range_: list[KeyPart]) -> None:
    if len(hash_) > 1 or len(range_) > 1:
        _check_several(terms, hash_, range_)
        return
    if len(terms) > 2:
        raise validation(
            f"The number of query conditions ({len(terms)}) exceeds the number of key attributes "
            f"defined in the schema ({len(hash_) + len(range_)})"
        )
    if not range_ and len(terms) > 1:
        raise validation(NOT_SUPPORTED)
    is_hash = True
    for part in (*hash_, *range_):
        term = terms.get(part.name)
        if term is None:
            if is_hash or len(terms) > 1:
                raise validation(MISSED + part.name)
            continue
        _check_term(term, part)
        if is_hash and term.operator != "=":
            raise validation(NOT_SUPPORTED)
        is_hash = False


def _check_several(terms: dict[str, KeyTerm], hash_: list[KeyPart], range_: list[KeyPart]) -> None:
    left = dict(terms)
    for part in hash_:
        term = left.pop(part.name, None)
        if term is None:
            raise validation(ALL_HASH)
        _check_term(term, part)
        if term.operator != "=":
            raise validation(ALL_HASH)
    open_: list[str] = []  # range attributes so far without an equality condition
    for part in range_:
        term = left.pop(part.name, None)
        if term is not None:
            if open_:
                raise validation(LEADING_RANGE.format(", ".join(open_), part.name))
            _check_term(term, part)
        if term is None or term.operator != "=":
            open_.append(part.name)
    if left:
        raise validation(NOT_SUPPORTED)


def _check_term(term: KeyTerm, part: KeyPart) -> None:
    if term.operator == "other":
        raise validation("Attempted conditional constraint is not an indexable operation")
    for value in term.values:
        if part.kind not in value:
            raise invalid("Condition parameter type does not match schema type")
        if not value[part.kind]:
            word = "string" if part.kind == "S" else "binary"
            raise validation(
                "One or more parameter values are not valid. The AttributeValue for a key "
                f"attribute cannot contain an empty {word} value. Key: {part.name}"
            )


def _single(term: KeyTerm | None) -> tuple[bytes, bytes | None]:
    if term is None:
        return b"", None
    codes = [_code(value) for value in term.values]
    first = codes[0]
    if term.operator == "=":
        return first, first + b"\x00"
    if term.operator == "<":
        return b"", first
    if term.operator == "<=":
        return b"", first + b"\x00"
    if term.operator == ">":
        return first + b"\x00", None
    if term.operator == ">=":
        return first, None
    if term.operator == "BETWEEN":
        return first, codes[1] + b"\x00"
    return first, successor(first)


def _joined(terms: dict[str, KeyTerm], parts: list[KeyPart]) -> tuple[bytes, bytes | None]:
    prefix = b""
    for part in parts:
        term = terms.get(part.name)
        if term is None:
            break
        if term.operator != "=":
            return _joined_range(prefix, term)
        prefix += _closed(term.values[0])
    return prefix, successor(prefix)


def _joined_range(prefix: bytes, term: KeyTerm) -> tuple[bytes, bytes | None]:
    end = successor(prefix)
    first = prefix + _closed(term.values[0])
    if term.operator == "<":
        return prefix, first
    if term.operator == "<=":
        return prefix, successor(first)
    if term.operator == ">":
        return successor(first) or first, end
    if term.operator == ">=":
        return first, end
    if term.operator == "BETWEEN":
        return first, successor(prefix + _closed(term.values[1]))
    opened = first[:-2]  # without the closing bytes, so that longer values follow
    return opened, successor(opened)


def _code(value: AttributeValue) -> bytes:
    ((kind, content),) = value.items()
    return key_bytes(kind, content)


def _closed(value: AttributeValue) -> bytes:
    return joined_key_bytes(value.items())


def successor(prefix: bytes) -> bytes | None:
    """The first byte string after all that start with ``prefix``; None if there is none."""
    stripped = prefix.rstrip(b"\xff")
    if not stripped:
        return None
    return stripped[:-1] + bytes((stripped[-1] + 1,))


def segment(number: int, total: int) -> tuple[bytes, bytes | None]:
    """The partitions of one segment of a parallel scan, as a range of their hash prefix."""
    size = 1 << 64
    low = (size * number // total).to_bytes(8, "big") if number else b""
    if number + 1 == total:
        return low, None
    return low, (size * (number + 1) // total).to_bytes(8, "big")
