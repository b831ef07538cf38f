"""The end of an engine: closing it under load, using it afterwards, opening and closing many."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.engine.samples import simple_table, strings

from tablewright.engine import AwsError, Engine, EngineClosed, Fault, FolderError, Realism
from tablewright.engine import FolderInUse as InUse
from tablewright.engine.backups import bucket
from tablewright.engine.errors import internal
from tablewright.engine.storage.transaction import Transaction

PATIENCE = 20.0


def put(pk: str) -> dict[str, Any]:
    return {"TableName": "Simple", "Item": strings(pk=pk)}


def get(pk: str) -> dict[str, Any]:
    return {"TableName": "Simple", "Key": strings(pk=pk)}


def in_thread(action: Callable[[], Any]) -> Any:
    """What ``action`` returns; fails, instead of hanging, if it does not return."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(action())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "hangs"
    return found[0]


# --- use after the end -------------------------------------------------------------------


@pytest.fixture(params=["memory", "full", "relaxed"])
def closed(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    kind: Any = request.param
    engine = Engine.memory() if kind == "memory" else Engine(tmp_path / "data", durability=kind)
    with engine:
        engine.call("CreateTable", simple_table())
        engine.submit("PutItem", put("a")).result(PATIENCE)
        engine.call("GetItem", get("a"))
    return engine


@pytest.mark.parametrize(
    ("operation", "body"), [("GetItem", get("a")), ("PutItem", put("b")), ("ListTables", {})]
)
def test_a_closed_engine_says_so(closed: Engine, operation: str, body: dict[str, Any]) -> None:
    for way in (
        lambda: closed.call(operation, body),
        lambda: closed.submit(operation, body).result(),
        lambda: closed.call_json(operation, b"{}"),
    ):
        assert isinstance(in_thread(way), EngineClosed)


def test_a_closed_store_takes_no_work_and_opens_no_file(closed: Engine) -> None:
    store = closed.store
    assert isinstance(in_thread(lambda: store.rows("SELECT 1", ())), EngineClosed)
    assert isinstance(in_thread(lambda: store.run(lambda _: 1)), EngineClosed)
    assert isinstance(in_thread(lambda: store.submit(lambda _: 1).result()), EngineClosed)


def test_a_reader_that_is_out_at_the_end_is_closed_when_it_comes_back(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "data")
    reader = engine.store.take_reader()
    engine.close()
    engine.store.return_reader(reader)
    with pytest.raises(apsw.ConnectionClosedError):
        reader.execute("SELECT 1")


def test_closing_twice_and_at_once(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "data")
    threads = [threading.Thread(target=engine.close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)
    engine.close()
    Engine(tmp_path / "data").close()


# --- the end under load ------------------------------------------------------------------


def test_closing_while_an_event_loop_writes(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "data")
    engine.call("CreateTable", simple_table())
    acknowledged: list[str] = []
    writing = threading.Event()

    async def write() -> None:
        for number in range(1_000_000):
            name = str(number)
            try:
                pending = engine.submit("PutItem", put(name))
            except EngineClosed:
                return
            pending.add_done_callback(
                lambda done, name=name: done.exception() or acknowledged.append(name)  # type: ignore[misc]
            )
            if len(acknowledged) > 20:
                writing.set()
            await asyncio.sleep(0)

    loop = threading.Thread(target=lambda: asyncio.run(write()), daemon=True)
    loop.start()
    assert writing.wait(PATIENCE)
    assert in_thread(engine.close) is None
    loop.join(PATIENCE)
    assert not loop.is_alive()
    with Engine(tmp_path / "data") as again:
        for name in acknowledged:
            assert again.call("GetItem", get(name))["Item"] == strings(pk=name)


def test_closing_on_the_loop_finishes_what_was_submitted(tmp_path: Path) -> None:
    async def write_and_close() -> Any:
        engine = Engine(tmp_path / "data")
        engine.call("CreateTable", simple_table())
        pending = engine.submit("PutItem", put("a"))
        engine.close()
        return pending.result(0)

    assert in_thread(lambda: asyncio.run(write_and_close())) == {}
    with Engine(tmp_path / "data") as again:
        assert again.call("GetItem", get("a"))["Item"] == strings(pk="a")


def test_works_of_a_loop_that_ended_are_done_by_the_next(tmp_path: Path) -> None:
    with Engine(tmp_path / "data") as engine:
        engine.call("CreateTable", simple_table())
        ended = asyncio.new_event_loop()

        async def submit() -> Any:
            return engine.submit("PutItem", put("a"))

        async def forget() -> Any:
            pending = await submit()
            ended.stop()  # before it comes to what was scheduled
            return pending

        task = ended.create_task(forget())
        ended.run_forever()
        first = task.result()
        ended.close()

        async def go_on() -> Any:
            second = await submit()
            while not second.done():
                await asyncio.sleep(0.001)
            return second.result()

        assert in_thread(lambda: asyncio.run(go_on())) == {}
        assert first.done()


# --- waiting on the loop's own thread ----------------------------------------------------


@pytest.mark.parametrize("faults", [(), (Fault("PutItem", latency=0.01, after=True),)])
def test_waiting_for_a_write_on_a_loop_does_not_hang(tmp_path: Path, faults: Any) -> None:
    realism = Realism(faults=faults) if faults else None
    with Engine(tmp_path / "data", realism=realism) as engine:
        engine.call("CreateTable", simple_table())

        async def write() -> Any:
            body = b'{"TableName": "Simple", "Item": {"pk": {"S": "a"}}}'
            return [
                engine.call_json("PutItem", body),
                engine.call("PutItem", put("b")),
                engine.submit("PutItem", put("c")).result(PATIENCE),
            ]

        assert in_thread(lambda: asyncio.run(write())) == [b"{}", {}, {}]


# --- what goes wrong inside --------------------------------------------------------------


def test_a_callback_that_fails_harms_nobody(tmp_path: Path, caplog: Any) -> None:
    with Engine(tmp_path / "data") as engine:
        engine.call("CreateTable", simple_table())
        with engine.store._commits.writing:
            pending = engine.submit("PutItem", put("a"))
            pending.add_done_callback(lambda _: 1 / 0)
        assert pending.result(PATIENCE) == {}
        assert in_thread(lambda: engine.call("PutItem", put("b"))) == {}
    assert "callback" in caplog.text


def test_what_fails_after_a_commit_harms_nobody(tmp_path: Path, caplog: Any) -> None:
    def work(transaction: Transaction) -> str:
        transaction.after_commit(lambda: 1 / 0)
        return "done"

    with Engine(tmp_path / "data") as engine:
        assert engine.store.submit(work).result(PATIENCE) == "done"
        engine.call("CreateTable", simple_table())
        assert in_thread(lambda: engine.call("PutItem", put("b"))) == {}
    assert "follows a commit" in caplog.text


def test_an_interrupted_leader_does_not_take_the_others_along(tmp_path: Path) -> None:
    def interrupt(_: Transaction) -> None:
        raise KeyboardInterrupt

    with Engine(tmp_path / "data") as engine:
        engine.call("CreateTable", simple_table())
        commits = engine.store._commits
        with commits.writing:
            other = engine.submit("PutItem", put("a"))
            commits._queue.append((interrupt, type(other)()))
            with pytest.raises(KeyboardInterrupt):
                commits._lead()
            assert commits._queue.pop()[0] is interrupt
        assert other.result(PATIENCE) == {}
        assert engine.call("GetItem", get("a"))["Item"] == strings(pk="a")


def test_a_lost_work_is_told_instead_of_awaited_for_good(tmp_path: Path) -> None:
    with Engine(tmp_path / "data") as engine:
        commits = engine.store._commits
        kept, commits._queue = commits._queue, deque(maxlen=0)
        error = in_thread(lambda: engine.store.run(lambda _: 1))
        commits._queue = kept
        assert isinstance(error, AwsError)
        assert "interrupted" in error.message


def test_a_job_that_could_not_write_is_taken_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    monkeypatch.setattr("tablewright.engine.jobs.RETRY_SECONDS", 0.01)
    attempts: list[str] = []
    done = threading.Event()

    def job() -> Iterator[object]:
        yield None
        attempts.append("tried")
        if len(attempts) < 3:
            raise internal("The disk is full")
        done.set()

    with Engine.memory() as engine:
        engine.jobs.add("filling something", job)
        assert done.wait(PATIENCE)
    assert attempts == ["tried"] * 3
    assert "filling something is tried again" in caplog.text


# --- opening -----------------------------------------------------------------------------


def test_one_engine_a_folder_in_one_process_too(tmp_path: Path) -> None:
    with (
        Engine(tmp_path / "data"),
        pytest.raises(InUse, match=f"pid {os.getpid()}"),
    ):
        Engine(tmp_path / "data")
    Engine(tmp_path / "data").close()


def test_an_engine_that_does_not_open_gives_everything_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Engine) -> None:
        raise apsw.FullError("no space")

    threads = threading.active_count()
    with monkeypatch.context() as patched:
        patched.setattr("tablewright.engine.engine.start_background", fail)
        with pytest.raises(FolderError, match="no space"):
            Engine(tmp_path / "data")
    assert threading.active_count() == threads
    Engine(tmp_path / "data").close()


def test_a_format_that_cannot_be_written_is_a_folder_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, text: str) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", fail)
        with pytest.raises(FolderError, match="No space left"):
            Engine(tmp_path / "data")
    Engine(tmp_path / "data").close()


def test_the_buckets_of_an_engine_in_memory_go_with_it() -> None:
    with Engine.memory() as engine:
        folder = bucket.root(engine)
        assert folder.is_dir()
        assert bucket.root(engine) == folder
    assert not folder.exists()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files in /proc")
def test_many_engines_leave_nothing_behind(tmp_path: Path) -> None:
    def use(engine: Engine) -> None:
        with engine:
            if not engine.call("ListTables", {})["TableNames"]:
                engine.call("CreateTable", simple_table())
            engine.submit("PutItem", put("a")).result(PATIENCE)
            engine.call("Scan", {"TableName": "Simple"})

    use(Engine(tmp_path / "data"))
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        use(Engine(tmp_path / "data"))
        use(Engine.memory())
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/fd")) <= files


# --- what a group leaves behind ----------------------------------------------------------


@pytest.mark.parametrize("count", [3, 700])
def test_works_behind_a_group_are_done_without_another_push(tmp_path: Path, count: int) -> None:
    """A table's creation ends its group, and a group has a size: the rest must not be forgotten."""

    async def submit_all(engine: Engine) -> list[Any]:
        loop = asyncio.get_running_loop()
        outcomes = [loop.create_future() for _ in range(count + 1)]
        requests = [("CreateTable", simple_table())]
        requests += [
            ("PutItem", {"TableName": "Other", "Item": strings(pk=str(n))}) for n in range(count)
        ]
        for outcome, (operation, request) in zip(outcomes, requests, strict=True):
            engine.submit(operation, request).add_done_callback(
                lambda done, outcome=outcome: loop.call_soon_threadsafe(
                    outcome.set_result, done.exception()
                )
            )
        return await asyncio.wait_for(asyncio.gather(*outcomes), 20)

    with Engine(tmp_path / "data") as engine:
        engine.call("CreateTable", simple_table("Other"))
        assert asyncio.run(submit_all(engine)) == [None] * (count + 1)
        assert engine.call("DescribeTable", {"TableName": "Other"})["Table"]["ItemCount"] == count
