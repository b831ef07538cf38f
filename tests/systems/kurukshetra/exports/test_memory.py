"""An export of any size needs little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest
from tests.systems.kurukshetra.exports.test_exports import asked
from tests.systems.kurukshetra.support import EVENT, START, event_made, festival_on, registered, run

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.server import ServerThread
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.plain import Plain
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend, in_process

MOST_BYTES = 64 * 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize(
    "people",
    [
        pytest.param(500, id="reduced"),
        pytest.param(20_000, id="full", marks=pytest.mark.slow),
    ],
)
def test_an_export_needs_little_memory(tmp_path: Path, people: int) -> None:
    """20,000 rows within 64 MB: streamed, eight shards, in batches."""
    clock, data = ManualClock(START), tmp_path / "data"
    with (
        Engine(tmp_path / "store", clock=clock, durability="relaxed") as engine,
        ServerThread(engine) as server,
        in_process(engine) as backend,
    ):
        run(filled(backend, data, people))
        command = [sys.executable, "-m", "tests.systems.kurukshetra.exports.measured"]
        done = subprocess.run(
            [*command, server.url, str(data)],
            stdout=subprocess.PIPE,
            text=True,
            timeout=600,
            check=True,
        )
    told = json.loads(done.stdout)
    print(told)
    assert told["rows"] == people
    assert told["grown"] < MOST_BYTES


async def filled(backend: Backend, data: Path, people: int) -> None:
    async with festival_on(backend, ManualClock(START), data=data) as festival:
        await event_made(festival)
        await asked(festival)
        who = await registered(festival, EVENT, "asha", answers={"diet": "Rice " * 100})
        page = await festival.db.run(m.participant_page(EVENT, who.participant()))
        for start in range(1, people, 30):
            await copied(festival, page, range(start, min(start + 30, people)))


async def copied(festival: Festival, page: m.ParticipantPage, numbers: range) -> None:
    """The same person again, as others: sealed for their own places, and listed."""
    made: list[m.Participant | m.Answer | m.PeopleLink] = []
    for number in numbers:
        own = {"participant_id": str(UUID(int=number, version=4)), "version": 0}
        vault = festival.privacy.vault
        person = vault.opened(page.participant).model_copy(
            update={**own, "email_hash": f"{number:032x}", "first_name": Plain(f"Number {number}")}
        )
        answers = [vault.opened(each).model_copy(update=own) for each in page.answers]
        made += [vault.sealed(person), *(vault.sealed(each) for each in answers)]
        link = {"participant_id": own["participant_id"], "created_at": person.created_at}
        made.append(m.PeopleLink.model_validate({"event_id": EVENT, **link}))
    await festival.db.transact(*(put(each) for each in made))
