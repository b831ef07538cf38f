"""`sandbox`: a process of its own, with keys of its own."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import SecretStr
from tests.cli.up_support import COMMAND, PATIENCE, environment
from tests.systems.kurukshetra.cli.placed import Placed

from tablewright.systems.kurukshetra.gateway import Credentials, Razorpay

URL = "TABLEWRIGHT_KURUKSHETRA_SANDBOX_URL"


@contextmanager
def running(tmp_path: Path) -> Iterator[dict[str, str]]:
    words = ["kurukshetra", "sandbox", "--file", "books/sandbox.db", "--json"]
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
            text = ""
            while not text.rstrip().endswith("}"):
                line = process.stdout.readline()
                assert line, process.stderr and process.stderr.read()
                text += line
            yield json.loads(text)
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE)


def client(told: dict[str, str]) -> Razorpay:
    keys = Credentials(
        told["RAZORPAY_KEY_ID"],
        SecretStr(told["RAZORPAY_KEY_SECRET"]),
        SecretStr(told["RAZORPAY_WEBHOOK_SECRET"]),
    )
    return Razorpay(keys, base_url=told[URL])


def test_what_it_was_told_and_its_keys_outlive_it(tmp_path: Path) -> None:
    async def ordered(told: dict[str, str], *, new: bool) -> str:
        gateway = client(told)
        try:
            if new:
                return (await gateway.create_order(50000, "INR", "one")).id
            (found,) = await gateway.orders("one")
            return found.id
        finally:
            await gateway.close()

    with running(tmp_path) as first:
        made = asyncio.run(ordered(first, new=True))
    with running(tmp_path) as second:
        assert {**second, URL: ""} == {**first, URL: ""}
        assert asyncio.run(ordered(second, new=False)) == made
    keys = tmp_path / "books" / "sandbox.db.keys"
    assert keys.stat().st_mode & 0o777 == 0o600


def test_what_is_wrong_is_said(placed: Placed, tmp_path: Path) -> None:
    def fails(*words: str) -> str:
        said = placed.bare("kurukshetra", "sandbox", *words)
        assert (said.code, said.out) == (2, "")
        return said.err

    assert "say it as drop=0.2" in fails("--fault", "drop")
    assert "'explode' is none of delay" in fails("--fault", "explode=1")
    assert "drop is from 0 to 1" in fails("--fault", "drop=2")
    assert "https://" in fails("--webhook", "http://elsewhere.example.org/hook")
    (tmp_path / "x.db.keys").write_text("{")
    assert "cannot be read" in fails("--file", str(tmp_path / "x.db"))
