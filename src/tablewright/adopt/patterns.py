"""The access patterns that keys and indexes allow, and the usual writes, as Python source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablewright.adopt.drafts import EntityDraft, FieldDraft, TableDraft
from tablewright.adopt.layout import call, quoted
from tablewright.adopt.naming import function_name, key_name, plural, snake
from tablewright.model.table import KeyAttribute


def patterns_of(table: TableDraft, entity: EntityDraft, taken: set[str]) -> Iterator[list[str]]:
    """All patterns of an entity; their names are added to ``taken``."""
    patterns = _Patterns(table, entity, taken)
    yield from patterns.reads()
    yield from patterns.writes()


class _Patterns:
    def __init__(self, table: TableDraft, entity: EntityDraft, taken: set[str]) -> None:
        self.state = table.state
        self.entity = entity
        self.taken = taken
        self.own = snake(entity.name)

    # --- reads ---------------------------------------------------------------------------

    def reads(self) -> Iterator[list[str]]:
        pk, sk = self.state.key[:1], self.state.key[1:]
        whole = self._fields((*pk, *sk))
        yield self._stub("get", [], self.own, whole, [], f"One {self.entity.name} by its key.")
        if len(whole) > len(self._fields(pk)):
            yield self._query(plural(self.own), pk, sk, [])
        for name in self.entity.indexes:
            index = self.state.indexes[name]
            options = [f"key={quoted(key_name(name))}"]
            if index.projection != "ALL":
                options.append("hydrate=True")
            of_index = f"{plural(self.own)}_by_{key_name(name)}"
            yield self._query(of_index, index.partition, index.sort, options)

    def _query(
        self,
        name: str,
        partition: Sequence[KeyAttribute],
        sort: Sequence[KeyAttribute],
        options: list[str],
    ) -> list[str]:
        given = self._fields(partition)
        bounds, more = self._range(sort, given)
        where = f"of one {' and '.join(field.name for field in given)}" if given else "there is"
        doc = f"Every {self.entity.name} {where}."
        return self._stub("query", [*options, *bounds], name, given, more, doc)

    def _range(
        self, sort: Sequence[KeyAttribute], given: Sequence[FieldDraft]
    ) -> tuple[list[str], list[str]]:
        """Bounds on the first sort field: a time, or the beginning of a text that is a key."""
        free = [field for field in self._fields(sort) if field not in given]
        if not free:
            return [], []
        first, name = free[0], quoted(free[0].name)
        if first.kind.is_time:
            kind = "date" if first.kind.annotation == "date" else "datetime"
            bounds = [f'range=Range({name}, ge="since", lt="until")']
            return bounds, [f"since: {kind} | None = None", f"until: {kind} | None = None"]
        if first.kind.annotation != "str" or sort[0].name != first.attribute:
            return [], []
        begins = self.entity.beginnings.get(first.attribute)
        default = quoted(begins) if begins else "None"
        bounds = [f'range=Range({name}, begins_with="beginning")']
        return bounds, [f"beginning: str | None = {default}"]

    def _stub(
        self,
        kind: str,
        options: Sequence[str],
        name: str,
        given: Sequence[FieldDraft],
        more: Sequence[str],
        doc: str,
    ) -> list[str]:
        parameters = [f"{field.name}: {field.annotation}" for field in given]
        parameters += ["*", *more] if more else []
        return [
            *call(f"@{kind}(", [self.entity.name, *options]),
            *_head(self._free(name), parameters, "None"),
            f'    """{doc}"""',
        ]

    def _fields(self, attributes: Sequence[KeyAttribute]) -> list[FieldDraft]:
        """The fields that key attributes are made of."""
        slots = (slot for each in attributes for slot in self.entity.slots(each.name))
        return [self.entity.field(name) for name in dict.fromkeys(slots)]

    # --- writes --------------------------------------------------------------------------

    def writes(self) -> Iterator[list[str]]:
        own = function_name(self.own, ())
        yield self._write("create", own, "Put", f"put({own}).new()", "A new")
        yield self._write("replace", own, "Put", f"put({own}).replace()", "Replace a")
        changed = (field for field in self.entity.fields if field.kind.members)
        for field in [each for each in changed if not each.optional][:1]:
            yield self._change(own, field)
        yield self._write("delete", own, "Delete", f"delete({own}).existing()", "Delete a")

    def _write(self, verb: str, own: str, op: str, body: str, doc: str) -> list[str]:
        entity = self.entity.name
        return [
            "@write()",
            *_head(self._free(f"{verb}_{self.own}"), [f"{own}: {entity}"], f"{op}[{entity}]"),
            f'    """{doc} {entity}."""',
            f"    return {body}",
        ]

    def _change(self, own: str, field: FieldDraft) -> list[str]:
        entity = self.entity.name
        name = self._free(f"set_{field.name}_of_{self.own}")
        value = function_name("value", (own,))
        parameters = [f"{own}: {entity}", f"{value}: {field.annotation}"]
        return [
            "@write()",
            *_head(name, parameters, f"Update[{entity}]"),
            f'    """Change the {field.name} of a {entity}."""',
            f"    change = attr({entity}.{field.name}).set({value})",
            f"    return update({own}).do(change)",
        ]

    def _free(self, name: str) -> str:
        free = function_name(name, self.taken)
        self.taken.add(free)
        return free


def _head(name: str, parameters: Sequence[str], result: str) -> Iterator[str]:
    yield from call(f"def {name}(", parameters, "", f" -> {result}:")
