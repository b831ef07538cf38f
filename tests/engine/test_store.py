"""The store: group commit, failure of one work, folder ownership, a full disk."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import apsw
import pytest
from tests.engine.samples import simple_table, strings

from tablewright.clock import SystemClock
from tablewright.engine import AwsError, Engine, FolderError, FolderInUse
from tablewright.engine.errors import validation
from tablewright.engine.storage import commits
from tablewright.engine.storage.folder import Folder
from tablewright.engine.storage.store import PAGE_SIZE, Store
from tablewright.engine.storage.transaction import Transaction
from tablewright.engine.verify import problems


@pytest.fixture
def store(tmp_path: Path) -> Any:
    folder = Folder(tmp_path / "data")
    store = Store(folder, "full", SystemClock(), "CREATE TABLE IF NOT EXISTS log (n INTEGER);")
    yield store
    store.close()
    folder.release()


def insert(number: int) -> Any:
    def work(transaction: Transaction) -> int:
        transaction.changes += 1
        transaction.execute("INSERT INTO log VALUES (?)", (number,))
        return number

    return work


def logged(store: Store) -> list[int]:
    return [n for (n,) in store.rows("SELECT n FROM log ORDER BY n", ())]


def test_results_come_after_the_commit(store: Store) -> None:
    pending = store.submit(insert(1))
    assert pending.result(timeout=10) == 1
    assert logged(store) == [1]


def test_a_thread_and_a_loop_never_wait_for_each_other(store: Store) -> None:
    """A loop has begun a group for the committing thread to end, which is just being asked to lead
    the works of somebody without a loop: it must not wait for the lock that the group holds."""
    commits = store._commits
    between, go_on = threading.Event(), threading.Event()

    class Tasks(SimpleQueue[Any]):
        def get(self, block: bool = True, timeout: float | None = None) -> Any:
            if logged(store):
                between.set()
                go_on.wait(10)
            return super().get(block, timeout)

    commits._tasks = Tasks()
    store.submit(insert(1))
    assert between.wait(10)  # the committing thread is between two tasks
    pending = [store.submit(insert(2))]

    async def on_a_loop() -> None:
        pending.append(store.submit(insert(3)))
        await asyncio.sleep(0.01)  # the loop's turn ends: its group is begun

    asyncio.run(on_a_loop())
    go_on.set()
    assert [each.result(timeout=10) for each in pending] == [2, 3]
    assert store.submit(insert(4)).result(timeout=10) == 4


async def done_on_loop(store: Store, work: Any) -> Any:
    """Submit on a loop, and wait without keeping the loop from its turns."""
    done = asyncio.Event()
    loop = asyncio.get_running_loop()
    pending = store.submit(work)
    pending.add_done_callback(lambda _: loop.call_soon_threadsafe(done.set))
    await asyncio.wait_for(done.wait(), 10)
    return pending.result()


def test_a_loop_commits_itself_only_if_the_disk_is_quick(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []

    def where(transaction: Transaction) -> None:
        transaction.after_commit(lambda: threads.append(threading.current_thread().name))

    async def several() -> None:
        for limit in (0.0, 0.0, 60.0):
            monkeypatch.setattr(commits, "QUICK_SECS", limit)
            await done_on_loop(store, where)

    asyncio.run(several())
    own = threading.current_thread().name
    assert threads == ["tablewright-commit", "tablewright-commit", own]


@pytest.mark.parametrize("limit", [0.0, 60.0])
def test_loops_of_two_threads_share_a_store(
    store: Store, monkeypatch: pytest.MonkeyPatch, limit: float
) -> None:
    monkeypatch.setattr(commits, "QUICK_SECS", limit)

    async def several(first: int) -> None:
        for number in range(first, first + 300, 3):
            together = (done_on_loop(store, insert(each)) for each in range(number, number + 3))
            assert await asyncio.gather(*together) == [number, number + 1, number + 2]

    threads = [threading.Thread(target=asyncio.run, args=(several(n),)) for n in (0, 300, 600)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert logged(store) == list(range(900))


@pytest.mark.parametrize("limit", [0.0, 60.0])
def test_a_long_log_is_begun_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: float
) -> None:
    monkeypatch.setattr(commits, "QUICK_SECS", limit)
    monkeypatch.setattr(commits, "LONG_LOG_PAGES", 20)

    async def several() -> None:
        for number in range(200):
            await done_on_loop(store, insert(number))

    asyncio.run(several())
    assert logged(store) == list(range(200))
    # Every commit logs a page or more, and the file stays as long as the log has once been.
    assert next((tmp_path / "data").rglob("*-wal")).stat().st_size < 40 * PAGE_SIZE


def test_many_threads_share_commits(store: Store) -> None:
    def write(start: int) -> None:
        for n in range(start, start + 50):
            assert store.run(insert(n)) == n

    threads = [threading.Thread(target=write, args=(50 * k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert logged(store) == list(range(400))


def test_a_refusal_leaves_its_neighbours_alone(store: Store) -> None:
    def refuse(transaction: Transaction) -> None:
        raise validation("no")

    with store._commits.writing:  # so that all three wait for the same turn
        first, refused, last = (
            store.submit(insert(1)),
            store.submit(refuse),
            store.submit(insert(2)),
        )
    assert first.result(10) == 1
    assert last.result(10) == 2
    with pytest.raises(AwsError, match="no"):
        refused.result(10)
    assert logged(store) == [1, 2]


def test_a_defect_is_rolled_back_alone(store: Store) -> None:
    def break_off(transaction: Transaction) -> None:
        transaction.changes += 1
        transaction.execute("INSERT INTO log VALUES (99)")
        raise RuntimeError("defect")

    with store._commits.writing:
        first, broken, last = (
            store.submit(insert(1)),
            store.submit(break_off),
            store.submit(insert(2)),
        )
    assert first.result(10) == 1
    assert last.result(10) == 2
    with pytest.raises(RuntimeError):
        broken.result(10)
    assert logged(store) == [1, 2]


def test_a_full_disk_is_said_and_survived(tmp_path: Path) -> None:
    with Engine(tmp_path / "data") as engine:
        engine.call("CreateTable", simple_table())
        pages = engine.store._writer.execute("PRAGMA page_count").fetchall()[0][0]
        engine.store._writer.execute(f"PRAGMA max_page_count={pages + 2}")
        written: list[str] = []

        def fill() -> None:
            for n in range(100):
                item = strings(pk=f"{n}", x="y" * 9000)
                engine.call("PutItem", {"TableName": "Simple", "Item": item})
                written.append(f"{n}")

        with pytest.raises(AwsError, match="disk is full") as caught:
            fill()
        assert caught.value.code == "InternalServerError"
        found = engine.call("Scan", {"TableName": "Simple"})["Items"]
        assert sorted(item["pk"]["S"] for item in found) == sorted(written)
        engine.store._writer.execute("PRAGMA max_page_count=1000000")
        engine.call("PutItem", {"TableName": "Simple", "Item": strings(pk="again")})


def test_data_survives_closing(tmp_path: Path) -> None:
    with Engine(tmp_path / "data") as engine:
        engine.call("CreateTable", simple_table())
        engine.call("PutItem", {"TableName": "Simple", "Item": strings(pk="a", x="1")})
    with Engine(tmp_path / "data") as engine:
        answer = engine.call("GetItem", {"TableName": "Simple", "Key": strings(pk="a")})
        assert answer["Item"] == strings(pk="a", x="1")
        described = engine.call("DescribeTable", {"TableName": "Simple"})["Table"]
        assert described["ItemCount"] == 1


def test_a_second_process_is_told_the_owner(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    program = (
        "import sys; from tablewright.engine import Engine; "
        f"engine = Engine({str(folder)!r}); print('ready', flush=True); sys.stdin.read()"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert owner.stdout is not None
        assert owner.stdout.readline().strip() == "ready"
        with pytest.raises(FolderInUse, match=f"pid {owner.pid}"):
            Engine(folder)
    finally:
        owner.kill()
        owner.wait()
    Engine(folder).close()


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(FolderError, match="cannot be used"):
        Engine(tmp_path / "file")
    newer = tmp_path / "newer"
    newer.mkdir()
    (newer / "format").write_text("999\n")
    with pytest.raises(FolderError, match="Upgrade tablewright"):
        Engine(newer)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_new_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        Engine(tmp_path / "deep" / "data").close()
        assert stat.S_IMODE((tmp_path / "deep" / "data").stat().st_mode) == 0o700
        # What somebody has opened to others stays so.
        (tmp_path / "deep" / "data").chmod(0o750)
        Engine(tmp_path / "deep" / "data").close()
        assert stat.S_IMODE((tmp_path / "deep" / "data").stat().st_mode) == 0o750
    finally:
        os.umask(before)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "data" / "engine").mkdir(parents=True)
    (tmp_path / "data" / "engine" / "store.sqlite").write_text("something else " * 1000)
    with pytest.raises(FolderError, match="cannot be opened"):
        Engine(tmp_path / "data")


def test_full_durability_syncs(tmp_path: Path) -> None:
    with Engine(tmp_path / "data") as engine:
        assert engine.store._writer.execute("PRAGMA synchronous").fetchall() == [(2,)]
    with Engine(tmp_path / "data", durability="relaxed") as engine:
        assert engine.store._writer.execute("PRAGMA synchronous").fetchall() == [(0,)]
    assert apsw.sqlite_lib_version() >= "3.51.3"


@pytest.fixture
def twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An engine in whose jobs every work runs twice, the first time in a group that fails."""
    for module in ("expiry.sweep", "tables.backfill", "backups.restores"):
        monkeypatch.setattr(f"tablewright.engine.{module}.SLICE_SECONDS", 0.0)
    with Engine(tmp_path / "data", durability="relaxed") as engine:
        run = engine.store.run

        def run_twice(work: Any) -> Any:
            def fail(transaction: Transaction) -> None:
                work(transaction)
                raise RuntimeError("a neighbour's defect")

            with pytest.raises(RuntimeError):
                run(fail)
            return run(work)

        engine.call("CreateTable", simple_table())
        for n in range(20):
            item = {**strings(pk=f"{n}", g=f"{n % 3}"), "expires": {"N": f"{9_000_000_000 + n}"}}
            engine.call("PutItem", {"TableName": "Simple", "Item": item})
        monkeypatch.setattr(engine.store, "run", run_twice)
        yield engine


def switch_ttl(engine: Engine, enabled: bool) -> None:
    wanted = {"Enabled": enabled, "AttributeName": "expires"}
    engine.submit(
        "UpdateTimeToLive", {"TableName": "Simple", "TimeToLiveSpecification": wanted}
    ).result(10)
    engine.jobs.wait()


def test_jobs_survive_the_failure_of_a_group(twice: Engine) -> None:
    switch_ttl(twice, True)
    created = {
        "Create": {
            "IndexName": "by_g",
            "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    }
    definition = [{"AttributeName": "g", "AttributeType": "S"}]
    change = {"AttributeDefinitions": definition, "GlobalSecondaryIndexUpdates": [created]}
    twice.submit("UpdateTable", {"TableName": "Simple", **change}).result(10)
    twice.jobs.wait()
    backup = twice.submit("CreateBackup", {"TableName": "Simple", "BackupName": "one"}).result(10)
    twice.jobs.wait()
    arn = backup["BackupDetails"]["BackupArn"]
    target = {"TargetTableName": "Restored", "BackupArn": arn}
    twice.submit("RestoreTableFromBackup", target).result(10)
    twice.jobs.wait()
    assert problems(twice) == []
    for name in ("Simple", "Restored"):
        table = twice.call("DescribeTable", {"TableName": name})["Table"]
        assert (table["TableStatus"], table["ItemCount"]) == ("ACTIVE", 20)
        assert table["GlobalSecondaryIndexes"][0]["ItemCount"] == 20
    switch_ttl(twice, False)
    described = twice.call("DescribeTimeToLive", {"TableName": "Simple"})
    assert described["TimeToLiveDescription"] == {"TimeToLiveStatus": "DISABLED"}
    assert problems(twice) == []
