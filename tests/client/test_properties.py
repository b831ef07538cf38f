"""Whatever is done in whatever order: index keys, locks and versions are what they should be.

A plain Python dictionary of entities is the truth. After every step each stored item must have the
key attributes that the entity would be given if it were written anew, and the locks must be those
of the unique values, no more and no fewer.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.client import raw, world
from tests.client.world import Guest, Person, Task

from tablewright.client import Db, Embedded
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import Entity, Op, attr, definition, delete, put, update
from tablewright.model.errors import Refused, TransactionCancelled, UniqueViolation

ids = st.sampled_from(["a", "b", "c"])
emails = st.sampled_from(["x", "y", "z", "w#1"])
some_text = st.none() | st.sampled_from(["h", "i"])
seats = st.none() | st.integers(1, 2)
statuses = st.sampled_from(["new", "doing", "done", "lost"])
owners = st.none() | st.sampled_from(["ann", "bob"])
ends = st.none() | st.sampled_from([10, 100])


class World(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.engine = Engine.memory()
        self.clock = ManualClock(1_800_000_000)
        self.db = Db(Embedded(self.engine), clock=self.clock)
        self.db.create_tables(world.app)
        self.persons: dict[str, Person] = {}
        self.guests: dict[str, Guest] = {}
        self.tasks: dict[str, Task] = {}

    def teardown(self) -> None:
        self.engine.close()

    def end(self, seconds: int | None) -> datetime | None:
        return None if seconds is None else datetime.fromtimestamp(self.clock.now() + seconds, UTC)

    # --- persons: a version, three constraints, a time to live -----------------------------------

    def attempt(self, op: Op[Any], wanted: Person | Guest, done: Callable[[Any], object]) -> None:
        """Run it; it is refused exactly if somebody else has one of the values."""
        taken = bool(values_of(wanted) & set(self.locks(but=wanted)))
        try:
            result = self.db.run(op)
        except UniqueViolation:
            assert taken
        else:
            assert not taken
            done(result)

    @rule(id=ids, email=emails, handle=some_text, room=some_text, seat=seats, seconds=ends)
    def put_person(
        self,
        id: str,
        email: str,
        handle: str | None,
        room: str | None,
        seat: int | None,
        seconds: int | None,
    ) -> None:
        changes = {"email": email, "handle": handle, "room": room, "seat": seat}
        changes["ends"] = self.end(seconds)  # type: ignore[assignment]
        old = self.persons.get(id)
        given = Person.model_validate(
            {"person_id": id, "version": old.version if old else 0, **changes}
        )
        # Every other time with what was read in hand, so that nothing has to be read again.
        entity = old.model_copy(update=changes) if old and seat else given

        def done(result: Person) -> None:
            assert result.version == given.version + 1
            self.persons[id] = result

        self.attempt(put(entity), given, done)

    @rule(id=ids, email=st.none() | emails, handle=some_text, in_hand=st.booleans())
    def update_person(self, id: str, email: str | None, handle: str | None, in_hand: bool) -> None:
        old = self.persons.get(id)
        if old is None:
            return
        wanted = old.model_copy(update={"handle": handle, "email": email or old.email})
        op = (update(old) if in_hand else update(Person, id)).do(
            attr(Person.handle).set(handle), attr(Person.score).add(1)
        )
        if email is not None:
            op = op.do(attr(Person.email).set(email))

        def done(result: Person) -> None:
            assert (result.version, result.score) == (old.version + 1, old.score + 1)
            self.persons[id] = result

        self.attempt(op, wanted, done)

    @rule(id=ids, by_key=st.booleans())
    def delete_person(self, id: str, by_key: bool) -> None:
        old = self.persons.pop(id, None)
        if old is not None:
            assert self.db.run(delete(Person, id) if by_key else delete(old)) == old

    @rule(id=ids)
    def stale_writes_are_refused(self, id: str) -> None:
        old = self.persons.get(id)
        if old is None:
            return
        stale = old.model_copy(update={"version": old.version + 7, "email": "stale"})
        for op in (put(stale), update(stale).do(attr(Person.email).set("s")), delete(stale)):
            try:
                self.db.run(op)  # type: ignore[call-overload]
            except Refused:
                continue
            raise AssertionError(f"{op} should have been refused")

    @rule(one=ids, two=ids)
    def swap_emails(self, one: str, two: str) -> None:
        first, second = self.persons.get(one), self.persons.get(two)
        if first is None or second is None or one == two:
            return
        self.db.transact(
            update(first).do(attr(Person.email).set(second.email)),
            update(Person, two).do(attr(Person.email).set(first.email)),
        )
        for name in (one, two):
            found = self.db.run(world.person(name))
            assert found is not None
            self.persons[name] = found

    @rule(id=ids, to=ids)
    def move_person(self, id: str, to: str) -> None:
        old = self.persons.get(id)
        if old is None or id == to:
            return
        moved = old.model_copy(update={"person_id": to, "version": 0})
        try:
            _, made = self.db.transact(delete(old), put(moved))
        except TransactionCancelled:
            assert to in self.persons
        else:
            assert to not in self.persons
            del self.persons[id]
            self.persons[to] = made

    # --- guests: no version ----------------------------------------------------------------------

    @rule(id=ids, badge=some_text, note=st.sampled_from(["", "n"]))
    def put_guest(self, id: str, badge: str | None, note: str) -> None:
        given = Guest(guest_id=id, badge=badge, note=note)
        self.attempt(put(given), given, lambda result: self.guests.update({id: result}))

    @rule(id=ids, badge=some_text, seconds=ends)
    def upsert_guest(self, id: str, badge: str | None, seconds: int | None) -> None:
        old = self.guests.get(id, Guest(guest_id=id))
        end = self.end(seconds)
        wanted = old.model_copy(update={"badge": badge, "ends": end})
        op = update(Guest, id).do(attr(Guest.badge).set(badge), attr(Guest.ends).set(end)).upsert()
        self.attempt(op, wanted, lambda result: self.guests.update({id: result}))

    @rule(id=ids)
    def delete_guest(self, id: str) -> None:
        assert self.db.run(delete(Guest, id)) == self.guests.pop(id, None)

    # --- tasks: sparse and composed index keys ---------------------------------------------------

    @rule(id=ids, status=statuses, owner=owners, priority=st.integers(0, 3))
    def put_task(self, id: str, status: str, owner: str | None, priority: int) -> None:
        given = Task(list_id="L", task_id=id, status=status, owner=owner, priority=priority)
        self.tasks[id] = self.db.run(put(given))

    @rule(id=ids, status=st.none() | statuses, owner=owners, priority=st.none() | st.integers(0, 3))
    def update_task(
        self, id: str, status: str | None, owner: str | None, priority: int | None
    ) -> None:
        old = self.tasks.get(id)
        if old is None:
            return
        op = update(old).do(attr(Task.owner).set(owner))
        if status is not None:
            op = op.do(attr(Task.status).set(status))
        if priority is not None:
            op = op.do(attr(Task.priority).set(priority))
        self.tasks[id] = self.db.run(op)

    @rule(id=ids, status=statuses)
    def update_task_by_key(self, id: str, status: str) -> None:
        old = self.tasks.get(id)
        if old is None:
            return
        op = update(Task, "L", world.NOON, id).do(attr(Task.status).set(status))
        self.tasks[id] = self.db.run(op.given(owner=old.owner))

    @rule(id=ids, status=statuses, owner=owners, priority=st.integers(0, 3))
    def upsert_task(self, id: str, status: str, owner: str | None, priority: int) -> None:
        op = update(Task, "L", world.NOON, id).do(
            attr(Task.status).set(status),
            attr(Task.owner).set(owner),
            attr(Task.priority).set(priority),
        )
        self.tasks[id] = self.db.run(op.upsert())

    @rule(id=ids)
    def delete_task(self, id: str) -> None:
        self.tasks.pop(id, None)
        self.db.run(delete(Task, "L", world.NOON, id))

    # --- what always holds -----------------------------------------------------------------------

    def locks(self, but: Entity | None = None) -> dict[str, dict[str, Any] | None]:
        """The locks there should be, with their ends."""
        found: dict[str, dict[str, Any] | None] = {}
        for entity in (*self.persons.values(), *self.guests.values()):
            known = definition(entity)
            if but is None or known is not definition(but) or key(entity) != key(but):
                end = known.encode(entity).get("ends")
                found.update(dict.fromkeys(values_of(entity), end))
        return found

    @invariant()
    def everything_is_as_if_written_anew(self) -> None:
        entities = [*self.persons.values(), *self.guests.values(), *self.tasks.values()]
        stored = {
            (item["PK"]["S"], item["SK"]["S"]): item for item in raw.items(self.db, world.app)
        }
        for entity in entities:
            known = definition(entity)
            fresh = known.encode(entity)
            item = stored.pop((fresh["PK"]["S"], fresh["SK"]["S"]))
            assert known.decode(item) == entity
            assert {n: item.get(n) for n in known.composed} == {
                n: fresh.get(n) for n in known.composed
            }
        left = {pk: item.get("ends") for (pk, _), item in stored.items()}
        assert left == self.locks()

    @invariant()
    def indexes_give_what_they_should(self) -> None:
        for owner in ("ann", "bob"):
            wanted = sorted(
                (each for each in self.tasks.values() if each.owner == owner),
                key=lambda each: each.task_id,
            )
            opened = [each for each in wanted if each.status in ("new", "doing")]
            assert list(self.db.run(world.open_tasks(owner))) == opened
            found = sorted(each.task_id for each in self.db.run(world.owned_lines(owner)))
            assert found == [each.task_id for each in wanted]


def key(entity: Entity) -> object:
    return definition(entity).key_of(entity)


def values_of(entity: Person | Guest) -> set[str]:
    """The keys of the locks of an entity."""
    found = (each.lock_key(entity.__dict__) for each in definition(entity).uniques)
    return {each["PK"]["S"] for each in found if each is not None}


TestWorld = World.TestCase
TestWorld.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
