"""The proposal: a draft is written, read and checked, until it gives back what is stored.

What an entity does not give back is conceded to the data, step by step: a key becomes a field
itself, an attribute is left undeclared. A few items in many that do not fit are no reason for
that: they are reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tablewright.adopt.checking import Verdict, check, load
from tablewright.adopt.drafting import bare_entity, draft_entity
from tablewright.adopt.drafts import Concessions, EntityDraft, Stray, TableDraft
from tablewright.adopt.grouping import Grouped, grouped, key_names
from tablewright.adopt.naming import entity_name, group_name
from tablewright.adopt.sampling import Sampled
from tablewright.adopt.source import source_of
from tablewright.adopt.templates import enough
from tablewright.model import Model
from tablewright.model.errors import ModelError

#: More steps than anything needs.
_ROUNDS = 8


@dataclass(frozen=True)
class Adopted:
    """A table of the proposal, and what its model makes of the samples."""

    sampled: Sampled
    draft: TableDraft
    #: How many items of each entity are given back exactly, by its name.
    exact: dict[str, int]
    #: Items that no entity gives back exactly.
    strays: tuple[Stray, ...]


@dataclass(frozen=True)
class Proposal:
    """The source of a model, and how sure it is."""

    name: str
    source: str
    model: Model
    tables: tuple[Adopted, ...]


def propose(name: str, tables: Sequence[Sampled]) -> Proposal:
    """A model of the tables; ModelError if their definitions make none."""
    proposing = _Proposing(name, tables)
    for _ in range(_ROUNDS):
        source, model = proposing.written()
        verdicts = {
            each.state.name: check(model.tables[each.state.name], each.items) for each in tables
        }
        if not proposing.concede(verdicts):
            break
    adopted = tuple(
        _adopted(sampled, draft, verdicts[draft.state.name])
        for sampled, draft in zip(tables, proposing.drafts, strict=True)
    )
    return Proposal(name, source, model, adopted)


class _Proposing:
    def __init__(self, name: str, tables: Sequence[Sampled]) -> None:
        self.name = name
        self.tables = tables
        self.found = [each.grouped or grouped(each.state, each.items) for each in tables]
        self.names = self._names()
        self.given_up = Concessions()
        self.drafts: list[TableDraft] = []

    def _names(self) -> list[list[str]]:
        taken: list[str] = []
        every = []
        for sampled, found in zip(self.tables, self.found, strict=True):
            own = []
            for group in found.groups:
                own.append(group_name(group, sampled.state.name, taken))
                taken.append(own[-1])
            if not found.groups:
                own.append(entity_name(sampled.state.name, taken))
                taken.append(own[-1])
            every.append(own)
        return every

    def written(self) -> tuple[str, Model]:
        """The source of the drafts as they are now, and its model."""
        self.drafts = [
            self._draft(sampled, found, names)
            for sampled, found, names in zip(self.tables, self.found, self.names, strict=True)
        ]
        source = source_of(self.name, self.drafts)
        try:
            return source, load(source)
        except ModelError:
            if not self._concede_all_keys():
                raise
            return self.written()

    def _draft(self, sampled: Sampled, found: Grouped, names: Sequence[str]) -> TableDraft:
        state = sampled.state
        entities = tuple(
            draft_entity(state, found, group, name, self.given_up)
            for group, name in zip(found.groups, names, strict=False)
        )
        if not entities:
            entities = (bare_entity(state, names[0]),)
        return TableDraft(
            state, found.delimiter, found.discriminator, entities, found.strays, found.said
        )

    def _concede_all_keys(self) -> bool:
        """Templates that the model refuses: keys as fields always work."""
        changed = False
        for draft in self.drafts:
            for entity in draft.entities:
                given_up = self.given_up.plain.setdefault(entity.name, set())
                changed |= not entity.templates.keys() <= given_up
                given_up.update(entity.templates)
        return changed

    def concede(self, verdicts: dict[str, list[Verdict]]) -> bool:
        """Give up what is wrong too often; False if there is nothing to give up any more."""
        changed = False
        for draft in self.drafts:
            keys = key_names(draft.state).keys()
            for entity in draft.entities:
                own = [each for each in verdicts[draft.state.name] if each.entity == entity.name]
                if not enough(sum(each.exact for each in own), len(own)):
                    wrong = {name for each in own for name in each.wrong}
                    changed |= self._give_up(entity, wrong, wrong & keys)
        return changed

    def _give_up(self, entity: EntityDraft, wrong: set[str], keys: set[str]) -> bool:
        plain = self.given_up.plain.setdefault(entity.name, set())
        left = self.given_up.undeclared.setdefault(entity.name, set())
        before = len(plain) + len(left)
        plain |= keys & entity.templates.keys()
        left |= wrong - keys - {slot for key in keys for slot in entity.slots(key)}
        return len(plain) + len(left) > before


def _adopted(sampled: Sampled, draft: TableDraft, verdicts: Sequence[Verdict]) -> Adopted:
    known = {id(each.item): each.reason for each in draft.strays}
    strays = tuple(
        Stray(each.item, known.get(id(each.item), each.reason))
        for each in verdicts
        if not each.exact
    )
    # Another entity whose keys have the same form may read an item first: the item counts for the
    # entity that was drafted from it.
    groups = {id(item): entity.name for entity in draft.entities for item in entity.items}
    counts = Counter(groups.get(id(each.item), each.entity) for each in verdicts if each.exact)
    exact = {entity.name: counts[entity.name] for entity in draft.entities}
    return Adopted(sampled, draft, exact, strays)
