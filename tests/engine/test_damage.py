"""Damage to a data folder: it is noticed, named, and never taken for an empty or shorter one."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.engine.samples import composite_table, index, simple_table, strings

from tablewright.engine import Engine, FolderError
from tablewright.engine.storage import store
from tablewright.engine.storage.checksums import checksum_vfs
from tablewright.engine.storage.log_mark import Mark
from tablewright.engine.storage.store import OWN_FILE, PAGE_SIZE
from tablewright.engine.verify import problems
from tablewright.testing import EngineProcess

pytestmark = pytest.mark.skipif(
    checksum_vfs(OWN_FILE) is None, reason="this build of apsw has no checksum VFS"
)

WRITER = """
import os, signal, sys
from tablewright.engine import Engine
from tests.engine.samples import simple_table, strings
engine = Engine(sys.argv[1])
if "Simple" not in engine.catalog.names():
    engine.call("CreateTable", simple_table())
for number in range(int(sys.argv[2])):
    engine.call("PutItem", {"TableName": "Simple", "Item": strings(pk=str(number), text="x" * 300)})
os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_after_writes(folder: Path, count: int) -> None:
    """Write items in a process of its own, which is killed when all are acknowledged."""
    done = subprocess.run([sys.executable, "-c", WRITER, str(folder), str(count)], timeout=60)
    assert done.returncode == -signal.SIGKILL


def fill(folder: Path, count: int = 200) -> None:
    with Engine(folder) as engine:
        engine.call("CreateTable", simple_table())
        for number in range(count):
            item = strings(pk=str(number), text="x" * 300)
            engine.call("PutItem", {"TableName": "Simple", "Item": item})


def count_items(engine: Engine) -> int:
    return int(engine.call("Scan", {"TableName": "Simple", "Select": "COUNT"})["Count"])


def check(folder: Path) -> list[str]:
    """Return what the check finds, also where the engine refuses to open the folder."""
    try:
        with Engine(folder) as engine:
            return problems(engine)
    except FolderError as refused:
        return [str(refused)]


def verify(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tablewright", "engine", "verify", "--data", str(folder), *more],
        capture_output=True,
        text=True,
        timeout=60,
    )


# --- single bits -----------------------------------------------------------------------------


def test_every_flipped_bit_is_found_by_the_check(tmp_path: Path) -> None:
    fill(tmp_path / "data")
    database = tmp_path / "data" / "engine" / "store.sqlite"
    sound = database.read_bytes()
    chance = random.Random(7)
    for _ in range(24):
        damaged = bytearray(sound)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        database.write_bytes(damaged)
        assert check(tmp_path / "data")
    database.write_bytes(sound)
    with Engine(tmp_path / "data") as engine:
        assert problems(engine) == []
        assert count_items(engine) == 200


def test_writer_refuses_to_change_a_damaged_page(tmp_path: Path) -> None:
    fill(tmp_path / "data", 1)
    database = tmp_path / "data" / "engine" / "store.sqlite"
    raw = database.read_bytes()
    database.write_bytes(raw.replace(b"x" * 300, b"x" * 299 + b"y"))
    with (
        Engine(tmp_path / "data") as engine,
        pytest.raises(Exception, match="The database is damaged"),
    ):
        engine.call("PutItem", {"TableName": "Simple", "Item": strings(pk="0", text="new")})


def test_check_goes_on_behind_a_table_that_cannot_be_read(tmp_path: Path) -> None:
    with Engine(tmp_path / "data") as engine:
        for name in ("First", "Second"):
            engine.call("CreateTable", {**simple_table(), "TableName": name})
            for number in range(300):
                item = strings(pk=str(number), text="x" * 300)
                engine.call("PutItem", {"TableName": name, "Item": item})
        first, second = (engine.catalog.table(name).number for name in ("First", "Second"))
        engine.store.run(
            lambda transaction: transaction.execute(
                f"UPDATE t{second} SET size=size+1 WHERE pk=(SELECT min(pk) FROM t{second})"
            ).fetchall()
        )
    database = tmp_path / "data" / "engine" / "store.sqlite"
    with apsw.Connection(str(database)) as connection:
        ((root,),) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name=?", (f"t{first}",)
        )
    with database.open("r+b") as file:
        file.seek((root - 1) * PAGE_SIZE)
        file.write(bytes(PAGE_SIZE))
    with Engine(tmp_path / "data") as engine:
        found = problems(engine)
    assert any(text.startswith("database:") and f"page {root}:" in text for text in found)
    assert any(text.startswith("First: cannot be read to the end") for text in found)
    assert any(text.startswith("Second: item") and "its row says" in text for text in found)


# --- the log ---------------------------------------------------------------------------------


def test_folder_of_a_killed_process_opens_with_every_acknowledged_write(tmp_path: Path) -> None:
    for round_number in range(1, 4):
        kill_after_writes(tmp_path / "data", 40 * round_number)
        with Engine(tmp_path / "data") as engine:
            assert count_items(engine) == 40 * round_number
            assert problems(engine) == []


@pytest.mark.parametrize("damage", ["deleted", "truncated", "emptied", "flipped", "zeroed"])
def test_folder_with_a_damaged_log_is_refused_until_the_loss_is_accepted(
    tmp_path: Path, damage: str
) -> None:
    fill(tmp_path / "data", 1)
    kill_after_writes(tmp_path / "data", 60)
    log = tmp_path / "data" / "engine" / "store.sqlite-wal"
    raw = log.read_bytes()
    middle = len(raw) // 2
    if damage == "deleted":
        log.unlink()
    else:
        log.write_bytes(
            {
                "truncated": raw[:middle],
                "emptied": b"",
                "flipped": raw[:middle] + bytes([raw[middle] ^ 1]) + raw[middle + 1 :],
                "zeroed": raw[:middle] + bytes(len(raw) - middle),
            }[damage]
        )
    for _ in range(2):  # a refusal changes nothing: the next one is the same
        with pytest.raises(FolderError, match="has lost acknowledged writes"):
            Engine(tmp_path / "data")
    seen = verify(tmp_path / "data")
    assert seen.returncode == 1
    assert "--accept-loss" in seen.stdout
    accepted = verify(tmp_path / "data", "--accept-loss")
    assert accepted.returncode == 0, accepted.stdout
    with Engine(tmp_path / "data") as engine:
        assert problems(engine) == []


def test_log_that_was_started_again_since_the_note_is_not_a_loss() -> None:
    mark = Mark((7, 123), 40)
    assert mark.lost((7, 123), 40) == 0
    assert mark.lost((7, 123), 41) == 0
    assert mark.lost((7, 123), 39) == 1
    assert mark.lost((8, 999), 0) == 0
    assert Mark((2**32 - 1, 5), 40).lost((0, 6), 1) == 0
    assert mark.lost((6, 1), 100) == 40
    assert mark.lost(None, 0) == 40


def test_long_log_that_starts_again_is_noted_and_survives_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = WRITER.replace(
        "from tablewright.engine import Engine",
        "from tablewright.engine.storage import commits\n"
        "commits.LONG_LOG_PAGES = 20\n"
        "from tablewright.engine import Engine",
    )
    environment = {**os.environ, "TABLEWRIGHT_PURE": "1"}
    for count in (50, 77, 91):
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "data"), str(count)],
            timeout=60,
            env=environment,
        )
        assert done.returncode == -signal.SIGKILL
        with Engine(tmp_path / "data") as engine:
            assert count_items(engine) >= count
            assert problems(engine) == []


# --- the folder ------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["missing", "empty", "without tables"])
def test_folder_without_its_database_does_not_start_as_an_empty_one(
    tmp_path: Path, damage: str
) -> None:
    fill(tmp_path / "data")
    database = tmp_path / "data" / "engine" / "store.sqlite"
    database.unlink()
    if damage == "empty":
        database.touch()
    if damage == "without tables":
        with apsw.Connection(str(database)) as connection:
            connection.execute("CREATE TABLE other (n)")
    with pytest.raises(FolderError, match=r"has lost its da.*Restore the folder from a backup"):
        Engine(tmp_path / "data")


def test_kill_before_the_format_is_written_leaves_a_folder_that_opens(tmp_path: Path) -> None:
    fill(tmp_path / "data", 3)
    (tmp_path / "data" / "format").unlink()
    with Engine(tmp_path / "data") as engine:
        assert count_items(engine) == 3


@pytest.mark.parametrize("text", [b"\xff\xfe2", b"zwei", b"", "²".encode()])
def test_format_that_is_no_number_is_refused_in_words(tmp_path: Path, text: bytes) -> None:
    fill(tmp_path / "data", 1)
    (tmp_path / "data" / "format").write_bytes(text)
    with pytest.raises(FolderError, match="instead of a format number"):
        Engine(tmp_path / "data")


def test_folder_of_the_format_without_checksums_gets_them_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(store, "checksum_vfs", lambda base: None)
        fill(tmp_path / "data")
    database = tmp_path / "data" / "engine" / "store.sqlite"
    (tmp_path / "data" / "format").write_text("1\n")
    assert database.read_bytes()[20] == 0
    with Engine(tmp_path / "data") as engine:
        assert count_items(engine) == 200
        assert problems(engine) == []
    assert database.read_bytes()[20] == 8
    assert (tmp_path / "data" / "format").read_text() == "2\n"


def test_folder_with_checksums_is_refused_where_they_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "data", 1)
    monkeypatch.setattr(store, "checksum_vfs", lambda base: None)
    with pytest.raises(FolderError, match="Install apsw from one of its wheels"):
        Engine(tmp_path / "data")


# --- while it is used --------------------------------------------------------------------------


def test_check_during_an_index_build_finds_nothing_wrong(tmp_path: Path) -> None:
    """An index that becomes active while the check runs is checked as it was when it began."""
    with Engine(tmp_path / "data") as engine:
        engine.call("CreateTable", composite_table())
        for number in range(500):
            item = strings(pk=str(number), sk="s", g=f"g{number % 7}")
            engine.call("PutItem", {"TableName": "Composite", "Item": item})
        found: list[str] = []
        ended = threading.Event()

        def check() -> None:
            while not ended.is_set():
                found.extend(problems(engine))

        checking = threading.Thread(target=check)
        checking.start()
        try:
            for round_number in range(5):
                add_and_remove_index(engine, f"ByG{round_number}")
        finally:
            ended.set()
            checking.join()
    assert found == []


def add_and_remove_index(engine: Engine, name: str) -> None:
    body: dict[str, Any] = {
        "TableName": "Composite",
        "AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": index(name, "g")}],
    }
    engine.call("UpdateTable", body)
    engine.jobs.wait()
    engine.call(
        "UpdateTable",
        {
            "TableName": "Composite",
            "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}],
        },
    )
    engine.jobs.wait()


def test_running_engine_checks_itself_beside_requests(tmp_path: Path) -> None:
    fill(tmp_path / "data")
    with EngineProcess(tmp_path / "data") as process:
        seen = subprocess.run(
            [
                *(sys.executable, "-m", "tablewright", "engine", "verify"),
                *("--endpoint", process.url, "--json"),
            ],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y"},
        )
        assert seen.returncode == 0, seen.stderr
        assert json.loads(seen.stdout) == {"place": process.url, "problems": []}
        in_use = verify(tmp_path / "data")
        assert in_use.returncode == 2
        assert "--endpoint" in in_use.stderr
    offline = verify(tmp_path / "data")
    assert (offline.returncode, offline.stdout.strip()[-16:]) == (0, "no damage found.")
