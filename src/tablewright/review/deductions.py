"""Facts that a typed model does not state but that follow from the rest of it.

A model does not say "this put rests on an earlier read" or "this look-up decides whether a name
is free". Its patterns show it: an entity that is read, changed elsewhere and then put whole,
without a version; a look-up by an index that expects one result. What is deduced is marked as such,
so that rules word it with care.
"""

from __future__ import annotations

from dataclasses import replace

from tablewright.review.design import Attribute, Design, Entity, Key, Pattern, Table
from tablewright.review.reading import all_writes, condition_attributes, written
from tablewright.review.templates import TIMES, fields

#: Names that mean a credential, without case, hyphens and underscores.
_SECRETS = frozenset(
    (
        "password",
        "passwd",
        "pwd",
        "passphrase",
        "secret",
        "clientsecret",
        "secretkey",
        "privatekey",
        "apikey",
        "apitoken",
        "accesstoken",
        "refreshtoken",
        "authtoken",
    )
)
#: Forms whose order means something: the first result is the oldest, or the least.
_ORDERED = frozenset((*TIMES, "ulid"))
#: An item with fewer attributes beside its key is set as a whole: there is nothing to undo.
_SEVERAL = 3


def deduce(design: Design) -> Design:
    """Return the design with what follows from names and from the patterns together."""
    entities = tuple(_with_attributes(design, each) for each in design.entities)
    tables = tuple(_with_durability(design, each) for each in design.tables)
    known = replace(design, entities=entities, tables=tables)
    return replace(known, patterns=tuple(_with_reads(known, each) for each in known.patterns))


def _with_durability(design: Design, table: Table) -> Table:
    """Mark a table with a ledger in it: what must never be overwritten must not be lost either."""
    if table.durable is not None or not any(e.append_only for e in design.entities_of(table.name)):
        return table
    return replace(table, durable=True)


# --- attributes ----------------------------------------------------------------------------------


def _with_attributes(design: Design, entity: Entity) -> Entity:
    return replace(
        entity,
        attributes=tuple(_with_copy(design, entity, _with_secret(a)) for a in entity.attributes),
    )


def _with_secret(known: Attribute) -> Attribute:
    if known.secret or known.type != "S" or known.values or _plain(known.name) not in _SECRETS:
        return known
    return replace(known, secret="clear", deduced=True)


def _with_copy(design: Design, entity: Entity, known: Attribute) -> Attribute:
    """Mark ``customer_name`` of an order as a copy of ``Customer.name``, if that can change."""
    if known.copy_of is not None or known.refers is not None:
        return known
    for other in design.entities:
        for original in other.attributes if other.name != entity.name else ():
            if (
                _plain(other.name) + _plain(original.name) == _plain(known.name)
                and (original.type, known.type) == ("S", "S")
                # The status of one thing is not the status of another.
                and not original.values
                and not known.values
                and original.required
                and known.required
                and original.name not in _components(other.primary)
                and _updates(design, other.name, original.name)
            ):
                return replace(known, copy_of=f"{other.name}.{original.name}", deduced=True)
    return known


def _updates(design: Design, entity: str, name: str) -> bool:
    return any(
        write.entity == entity
        and name in written(write)
        and (write.kind == "update" or write.whole)
        for _, write in all_writes(design)
    )


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


# --- patterns ------------------------------------------------------------------------------------


def _with_reads(design: Design, pattern: Pattern) -> Pattern:
    """Mark the writes of a pattern that rest on what was read before."""
    if pattern.kind in ("transaction", "batch_write"):
        members = tuple(_with_look(design, pattern, each) for each in pattern.members)
        return replace(pattern, members=members)
    return _with_look(design, pattern, _with_read(design, pattern))


def _with_read(design: Design, pattern: Pattern) -> Pattern:
    """Mark a put of the whole item in the caller's hand that other patterns change too.

    It undoes what they wrote since the caller read it. A put that composes a new item is left
    alone, and so are the members of a transaction, which guard one another.
    """
    entity = design.entity(pattern.entity)
    if entity is None or pattern.kind != "put" or not pattern.whole or not pattern.in_hand:
        return pattern
    read = any(
        entity.name in (each.entity, *each.also) and each.reads in (None, "*")
        for each in design.patterns
        if each.reading
    )
    changed = any(
        other.entity == entity.name and (other.kind == "update" or other.new)
        for each, other in all_writes(design)
        if each.name != pattern.name
    )
    guarded = not condition_attributes(pattern) <= _key_names(design, entity)
    key = _components(entity.primary)
    own = [a for a in entity.attributes if a.name not in key and a.name != entity.ttl]
    if entity.version is not None or not read or not changed or guarded or len(own) < _SEVERAL:
        return pattern
    return replace(pattern, after_read=True, deduced=True)


def _key_names(design: Design, entity: Entity) -> frozenset[str]:
    """The key attributes: a condition on nothing else only says that there is an item."""
    table = design.table(entity.table)
    return frozenset(
        each.name for each in (() if table is None else (*table.partition, *table.sort))
    )


def _makes_a_version(write: Pattern) -> bool:
    """Whether a write leaves a state of the item that a later put could overwrite."""
    return write.kind == "update" or (write.kind == "put" and not write.opaque)


def _with_look(design: Design, pattern: Pattern, write: Pattern) -> Pattern:
    """Mark the creation of an item that is looked up by what nothing keeps unique."""
    entity = design.entity(write.entity)
    if entity is None or write.kind != "put" or write.opaque or write.checked_by is not None:
        return write
    if not write.new and not write.whole:
        return write
    for reader in design.patterns:
        names = _expected_unique(design, entity, reader)
        if names and not _kept_unique(design, entity, names, pattern):
            return replace(write, checked_by=reader.name, unique=names, deduced=True)
    return write


def _expected_unique(design: Design, entity: Entity, reader: Pattern) -> tuple[str, ...]:
    """The components by which a pattern looks up the one item that has them; () if it does not."""
    table = design.table(entity.table)
    index = None if table is None or reader.index is None else table.index(reader.index)
    key = entity.key_on(reader.index)
    if index is None or key is None or reader.entity != entity.name or reader.also:
        return ()
    if reader.kind != "query" or reader.expect != 1 or reader.descending or reader.filter:
        return ()
    given: set[str] = set()
    for term in reader.key.values():
        if not isinstance(term, str) and not hasattr(term, "text"):
            return ()
        given |= set(fields(term if isinstance(term, str) else term.text))
    rest = _components(key) - given
    if any(_has_order(entity.attribute(name)) for name in rest):
        return ()
    if all(_has_few_values(entity.attribute(name)) for name in given):
        return ()
    # What is looked up by its own identity is one item anyway.
    identity = _components(entity.primary)
    return () if identity and identity <= given else tuple(sorted(given))


def _has_order(known: Attribute | None) -> bool:
    return known is None or known.type == "N" or known.format in _ORDERED


def _has_few_values(known: Attribute | None) -> bool:
    return known is not None and (bool(known.values) or known.type == "BOOL")


def _kept_unique(design: Design, entity: Entity, names: tuple[str, ...], pattern: Pattern) -> bool:
    """Whether a constraint, or another item of the same transaction, keeps the values unique."""
    wanted = set(names)
    # The identity of the item made of nothing else: the key itself is unique.
    if _components(entity.primary) <= wanted:
        return True
    if any(each.lock is not None and set(each.names) <= wanted for each in entity.unique):
        return True
    others = (design.entity(each.entity) for each in pattern.members if each.kind != "get")
    return any(
        other is not None and other.name != entity.name and _locks(other) for other in others
    )


def _locks(entity: Entity) -> bool:
    """Whether an entity of a transaction may stand for a value that must be unique."""
    return bool(_components(entity.primary))


def _components(key: Key | None) -> frozenset[str]:
    return frozenset(
        name for template in (key.templates if key else ()) for name in fields(template)
    )
