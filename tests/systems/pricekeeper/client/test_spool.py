"""The spool: what was taken is on disk, and is found again by whoever comes next."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest

from tablewright.systems.pricekeeper.client.errors import SpoolFull
from tablewright.systems.pricekeeper.client.ids import new_request_id
from tablewright.systems.pricekeeper.client.spool import Spool, folder_of_app


def add(spool: Spool, *numbers: int) -> None:
    async def all_at_once() -> None:
        await asyncio.gather(*(spool.add({"n": number}) for number in numbers))

    asyncio.run(all_at_once())


def waiting(spool: Spool) -> list[object]:
    spool.seal()
    return [record["n"] for segment in spool.waiting() for record in segment.records]


def test_records_come_back_in_order_and_go_when_answered(tmp_path: Path) -> None:
    with Spool(tmp_path, segment_records=2) as spool:
        add(spool, 1, 2, 3)
        assert waiting(spool) == [1, 2, 3]
        first, second = spool.waiting()
        assert [len(each.records) for each in (first, second)] == [2, 1]
        spool.answered(first)
        assert waiting(spool) == [3]
        assert not first.path.exists()
        spool.answered(second)
        assert (spool.bytes_waiting, spool.records_waiting) == (0, 0)
    assert list(tmp_path.iterdir()) == []


def test_what_is_left_is_sent_by_the_next_process(tmp_path: Path) -> None:
    with Spool(tmp_path) as spool:
        add(spool, 1, 2)
    with Spool(tmp_path) as later:
        assert waiting(later) == [1, 2]
        for segment in later.waiting():
            later.answered(segment)
    assert list(tmp_path.iterdir()) == []


def test_two_processes_do_not_take_each_others_records(tmp_path: Path) -> None:
    with Spool(tmp_path) as one, Spool(tmp_path) as other:
        add(one, 1)
        add(other, 2)
        assert (waiting(one), waiting(other)) == ([1], [2])
        with Spool(tmp_path) as third:
            assert waiting(third) == []


def test_apps_that_share_a_folder_do_not_take_each_others_records(tmp_path: Path) -> None:
    with Spool(folder_of_app(tmp_path, "org", "web")) as web:
        add(web, 1)
    for org, app in (("org", "batch"), ("other", "web")):
        with Spool(folder_of_app(tmp_path, org, app)) as another:
            assert waiting(another) == []
    with Spool(folder_of_app(tmp_path, "org", "web")) as later:
        assert waiting(later) == [1]


def test_records_that_name_no_app_are_sent_by_the_only_one(tmp_path: Path) -> None:
    with Spool(tmp_path) as before, Spool(tmp_path) as alive:
        add(before, 1)
        add(alive, 2)
        before.close()
        with Spool(folder_of_app(tmp_path, "org", "web")) as later:
            assert waiting(later) == [1]
    with Spool(folder_of_app(tmp_path, "org", "web")) as last:
        assert sorted(map(str, waiting(last))) == ["1", "2"]
    assert [each.name for each in tmp_path.iterdir()] == ["org"]


def test_records_that_name_no_app_wait_if_there_are_several(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder_of_app(tmp_path, "org", "batch")
    with Spool(tmp_path) as before:
        add(before, 1)
        before.seal()
        (left,) = before.waiting()
    with Spool(folder_of_app(tmp_path, "org", "web")) as later:
        assert waiting(later) == []
    assert left.path.exists()
    assert str(left.path.parent) in caplog.text


def test_a_full_spool_takes_nothing_and_says_so(tmp_path: Path) -> None:
    with Spool(tmp_path, max_bytes=30) as spool:
        add(spool, 1, 2, 3)
        with pytest.raises(SpoolFull, match="wait in"):
            add(spool, 4)
        assert waiting(spool) == [1, 2, 3]
        spool.answered(spool.waiting()[0])
        add(spool, 5)
        assert waiting(spool) == [5]


def test_a_line_cut_by_a_crash_is_left_out(tmp_path: Path) -> None:
    with Spool(tmp_path) as spool:
        add(spool, 1)
        spool.seal()
        path = spool.waiting()[0].path
    with path.open("ab") as file:
        file.write(b'{"n": 2')
    with Spool(tmp_path) as later:
        assert waiting(later) == [1]


def test_refused_records_are_kept_with_the_reason(tmp_path: Path) -> None:
    with Spool(tmp_path) as spool:
        spool.reject({"n": 1}, {"code": "UNKNOWN_LABEL"})
        spool.reject({"n": 2}, {"code": "OUTSIDE_WINDOW"})
        lines = spool.dead_letters.read_text().splitlines()
    assert [json.loads(line)["problem"]["code"] for line in lines] == [
        "UNKNOWN_LABEL",
        "OUTSIDE_WINDOW",
    ]


WRITER = """
import asyncio, sys
from pathlib import Path
from tablewright.systems.pricekeeper.client.spool import Spool

async def main():
    spool = Spool(Path(sys.argv[1]), segment_records=7)
    number = 0
    while True:
        await asyncio.gather(*(spool.add({"n": number + each}) for each in range(3)))
        number += 3
        print(number, flush=True)

asyncio.run(main())
"""


def test_everything_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    acknowledged = 0
    for line in writer.stdout:
        acknowledged = int(line)
        if acknowledged >= 90:
            break
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged = max([acknowledged, *map(int, writer.stdout.read().split())])
    writer.wait()
    with Spool(tmp_path) as later:
        assert waiting(later)[:acknowledged] == list(range(acknowledged))


def test_request_ids_sort_by_time() -> None:
    ids = [new_request_id(1_700_000_000 + step / 1000) for step in range(50)]
    assert ids == sorted(ids)
    assert {UUID(each).version for each in ids} == {7}
    assert {UUID(each).variant for each in ids} == {"specified in RFC 4122"}
    assert len(set(ids)) == 50
