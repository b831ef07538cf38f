"""`tablewright vibejudge demo`: what it prints, and that it can be had again."""

from __future__ import annotations

import asyncio
import io
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.pricekeeping import Said
from tests.cli.pricekeeping import Typed as Typing
from tests.cli.up_support import COMMAND, PATIENCE, environment
from tests.systems.vibejudge.support import ADMIN, START, courtroom_on, refused

from tablewright.clock import ManualClock
from tablewright.service.commands import Desk
from tablewright.systems.vibejudge.cli.demo import demo
from tablewright.systems.vibejudge.live_demo import cast, filling, going_on
from tablewright.systems.vibejudge.live_demo.cast import DRAFT, OPEN, RELEASED, TEAMS
from tablewright.testing.backends import Backend


class Typed(Typing):
    """`tablewright vibejudge ...` in this process, on one data folder."""

    def __call__(self, *words: str) -> Said:
        return self.bare("vibejudge", *words, "--data", str(self.folder))


@pytest.fixture
def typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Typed:
    """With a smaller demo: one repository is judged."""
    plans = (replace(RELEASED, projects=("snackchain",)), DRAFT, OPEN)
    for module in (cast, filling, going_on):
        monkeypatch.setattr(module, "PLANS", plans)
    return Typed(tmp_path / "data", capsys)


def test_it_is_filled_and_judged_and_can_be_had_again(typed: Typed) -> None:
    told = typed.json("demo")
    assert {each["name"]: each["state"] for each in told["hackathons"]} == {
        RELEASED.name: "released",
        DRAFT.name: "draft",
        OPEN.name: "configured",
    }
    (first,) = told["leaderboard"]
    assert (first["rank"], first["team_name"]) == (1, TEAMS["snackchain"])
    again = typed("demo", "--fill-only")
    assert (again.code, again.err) == (0, "")
    assert "tablewright up" in again.out
    assert f"{TEAMS['snackchain']}  {first['score']:.2f}" in again.out
    assert typed.json("demo") == told


def test_it_needs_a_folder_for_its_repositories(tablewright_backend: Backend) -> None:
    """With tables elsewhere, a folder that ends with the command would leave none of them."""
    desk = Desk(by=ADMIN, tick=lambda _: None, stdin=io.BytesIO(), stdout=io.BytesIO())

    async def scenario() -> None:
        async with courtroom_on(tablewright_backend, ManualClock(START)) as courtroom:
            problem = await refused(demo(courtroom, desk))
            assert problem.code == "NO_DATA_FOLDER"
            assert not list(await courtroom.hackathons.public())

    asyncio.run(scenario())


@pytest.mark.slow
def test_it_runs_until_it_is_stopped(tmp_path: Path) -> None:
    words = ["vibejudge", "demo", "--port", "0", "--data", "data"]
    with subprocess.Popen(
        [*COMMAND, *words],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            while "is running at" not in (line := process.stdout.readline()):
                assert line, "it ended"
        finally:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, 130), err
    assert "Traceback" not in out + err
