"""Patterns: what is checked when they are declared, and what they say about themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.client import world
from tests.client.world import Board, Doc, StatusLine, Task, Title

from tablewright.model import (
    Check,
    Get,
    Put,
    Range,
    Rate,
    Update,
    attr,
    batch,
    check,
    collect,
    count,
    get,
    param,
    put,
    query,
    scan,
    transaction,
    update,
    write,
)
from tablewright.model.errors import KeyValueError, ModelError, RequestError


def no_parameters() -> None:
    """Stub."""


def of_list(list_id: str) -> None:
    """Stub."""


def of_list_and_task(list_id: str, task_id: str) -> None:
    """Stub."""


def of_owner(owner: str) -> None:
    """Stub."""


def with_star(*list_id: str) -> None:
    """Stub."""


def with_range(list_id: str, since: str | None = None) -> None:
    """Stub."""


@pytest.mark.parametrize(
    ("decorator", "stub", "text"),
    [
        (get(Doc), no_parameters, r"needs \(doc_id\)"),
        (get(Doc), of_list, r"has the parameters \(list_id\)"),
        (query(Task), no_parameters, "needs the parameter list_id"),
        (query(Task), of_list_and_task, "no use for the parameter task_id"),
        (query(Task), with_star, r"\* and \*\* are not for it"),
        (query(Task), with_range, "no use for the parameter since"),
        (query(Task, range=Range("made_at", ge="from")), of_list, "its range uses from"),
        (query(Task, range=Range("made_at")), of_list, "its range uses nothing"),
        (query(Task, range=Range("task_id", ge="since")), with_range, "is made_at"),
        (query(Task, range=Range("made_at", ge="since", gt="since")), with_range, "one bound"),
        (
            query(Task, range=Range("made_at", ge="since", begins_with="since")),
            with_range,
            "stands alone",
        ),
        (query(Task, filter=attr(Task.text) == param("x")), of_list, "its filter uses x"),
        (query(Task, key="open", consistent=True), of_owner, "cannot be read consistently"),
        (query(Task, key="by_owner"), of_owner, "does not hold.*hydrate=True"),
        (
            query(Task, key="by_owner", into=StatusLine),
            of_owner,
            "does not hold status of StatusLine",
        ),
        (query(Task, into=Title), of_list, "projection of Board"),
        (scan(Task, admin=False), no_parameters, "admin=True"),
        (scan(Task, admin=True), of_list, "has the parameters"),
        (count(Task), no_parameters, "needs the parameter list_id"),
        (collect(world.BoardView), no_parameters, r"needs \(list_id\)"),
    ],
)
def test_what_cannot_be_declared(decorator: Any, stub: Any, text: str) -> None:
    with pytest.raises(ModelError, match=text):
        decorator(stub)


def test_keys_that_are_not_there() -> None:
    with pytest.raises(ModelError, match="no key 'by_color'; it has 'primary', 'open'"):
        query(Task, key="by_color")
    with pytest.raises(ModelError, match="not an entity"):
        get(Title)  # type: ignore[call-overload]


def test_a_rate_has_a_peak_above_its_average() -> None:
    assert Rate(5, peak=5).peak == 5
    for wrong in ((-1, None), (5, 4)):
        with pytest.raises(ModelError):
            Rate(*wrong)


def test_a_pattern_tells_everything_about_itself() -> None:
    @query(
        Task,
        key="open",
        descending=True,
        limit=7,
        rate=Rate(4, peak=9),
        expect=20,
        item_size=400,
        component="api",
        hottest=0.3,
    )
    def pattern(owner: str) -> None:
        """What it is for."""

    assert (pattern.name, pattern.doc, pattern.kind) == ("pattern", "What it is for.", "query")
    assert pattern.index is world.app.indexes["GSI1"]
    assert (pattern.rate, pattern.expect, pattern.item_size) == (Rate(4, 9), 20, 400)
    assert (pattern.component, pattern.hottest, pattern.limit) == ("api", 0.3, 7)
    assert (pattern.tables, pattern.result) == ((world.app,), Task)
    assert not pattern.writes
    assert list(pattern.parameters) == ["owner"]
    assert repr(pattern) == "<query pattern pattern(owner: str) -> None>"


def test_calls_are_python_calls() -> None:
    assert world.doc("1") == world.doc(doc_id="1")
    assert world.tasks("L").pattern == "tasks"
    with pytest.raises(TypeError, match=r"doc\(\)"):
        world.doc()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        world.tasks("L", world.NOON)  # type: ignore[misc]


def test_an_op_knows_what_its_pattern_was_called_with() -> None:
    op = world.doc("1")
    assert op.called_with == {"doc_id": "1"}
    assert op.named("other", None).called_with == {"doc_id": "1"}
    assert op == replace(op, called_with=None)
    assert "called_with" not in repr(op)


def test_values_that_cannot_stand_in_a_key() -> None:
    with pytest.raises(KeyValueError, match="doc_id"):
        world.doc("")
    with pytest.raises(RequestError, match="list_id"):
        world.tasks(None)  # type: ignore[arg-type]


# --- with a body ----------------------------------------------------------------------------------


def test_writes() -> None:
    @write(component="shop", rate=Rate(1))
    def rename(list_id: str, title: str) -> Update[Board]:
        """Another title."""
        return update(Board, list_id).do(attr(Board.title).set(title))

    assert (rename.kind, rename.writes, rename.result) == ("update", True, Board)
    op = rename("L", "x")
    assert (op.pattern, op.component) == ("rename", "shop")

    @write()
    def lying(list_id: str) -> Put[Board]:
        return update(Board, list_id).do(attr(Board.title).set("x"))  # type: ignore[return-value]

    with pytest.raises(ModelError, match=r"lying returned Update\[Board\]"):
        lying("L")


def test_annotations_that_say_nothing() -> None:
    for made in (write, transaction, batch):
        with pytest.raises(ModelError, match="annotate what it returns"):

            @made()  # type: ignore[operator, arg-type, untyped-decorator]
            def silent(list_id):  # type: ignore[no-untyped-def]
                return put(Board(list_id=list_id))

    with pytest.raises(ModelError, match="is not an op"):

        @transaction()
        def strange(list_id: str) -> tuple[int]:  # type: ignore[type-var]
            raise NotImplementedError

    with pytest.raises(ModelError, match="cannot be read"):

        @transaction()
        def unknown(list_id: str) -> tuple[Nowhere]:  # type: ignore[name-defined]  # noqa: F821
            raise NotImplementedError

    with pytest.raises(ModelError, match=r"Put\[\.\.\.\], Update"):

        @write()
        def checking(list_id: str) -> Check[Board]:  # type: ignore[type-var]
            return check(Board, list_id)


def test_members_of_transactions_and_batches() -> None:
    @transaction()
    def many(ids: list[str]) -> list[Put[Board] | Check[Doc]]:
        return [*(put(Board(list_id=each)) for each in ids), check(Doc, "1")]

    kinds = [
        (member.kind, member.entity and member.entity.name, member.many) for member in many.members
    ]
    assert kinds == [("put", "Board", True), ("check", "Doc", True)]
    assert many.writes

    @batch(component="api")
    def boards(ids: list[str]) -> Sequence[Get[Doc]]:
        return [world.doc(each) for each in ids]

    assert (boards.kind, boards.tables) == ("batch", (world.app,))
    assert not boards.writes
    op = boards(["1", "2"])
    assert (op.pattern, op.component) == ("boards", "api")
