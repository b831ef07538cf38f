"""What the tests of `tablewright pricekeeper` share: a command line, a place, rows of usage."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest

import tablewright.cli.main as main
from tablewright.client import Db, Embedded
from tablewright.deploy.naming import Naming
from tablewright.engine import Engine

SONNET, NOVA = "anthropic.claude-sonnet-4-5-20250929-v1:0", "amazon.nova-lite-v1:0"
#: What a million tokens cost in the table that ships with the program, in micro-USD.
NOVA_INPUT, NOVA_OUTPUT = 60_000, 240_000


class Said(NamedTuple):
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str


class Typed:
    """`tablewright pricekeeper ...` in this process, on one data folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def bare(self, *words: str) -> Said:
        """Any command, with nothing added."""
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main.run(words)
        shown = self._capsys.readouterr()
        return Said(int(ended.value.code or 0), shown.out, shown.err)

    def __call__(self, *words: str) -> Said:
        return self.bare("pricekeeper", *words, "--data", str(self.folder))

    def json(self, *words: str, code: int = 0) -> Any:
        """The document that the command gives, and its exit code."""
        said = self(*words, "--json")
        assert said.code == code, said
        return json.loads(said.out)

    def fails(self, *words: str) -> str:
        """What is said about a command that cannot be carried out."""
        said = self(*words)
        assert (said.code, said.out) == (2, ""), said
        assert "Traceback" not in said.err
        assert said.err.startswith("error: ")
        return said.err

    @contextmanager
    def database(self) -> Iterator[tuple[Engine, Db]]:
        """The same data without the command."""
        own = Naming(own={"kit": "pricekeeper-kit"})
        with Engine(self.folder) as engine:
            yield engine, Db(Embedded(engine), names=own)


def provision(typed: Typed, name: str, *, quota: str = "economy=none") -> str:
    """Labels, an organisation with an app ``web``; its id."""
    typed.json("label", "put", "premium", "--model", SONNET)
    typed.json("label", "put", "economy", "--model", NOVA)
    more = ("--ordering", "economy", "--quota", quota)
    org = typed.json("org", "put", "--name", name, "--timezone", "Europe/Oslo", *more)
    typed.json("app", "put", name, "web")
    return str(org["org_id"])


def usage(count: int, seed: int, **more: object) -> list[dict[str, Any]]:
    """Reports of the last minutes with ids of version 7; others for another seed."""
    chance = random.Random(seed)
    now = int(time.time()) - 120
    return [
        {
            "request_id": str(UUID(int=(now * 1000 + place) << 80 | 7 << 76 | 2 << 62 | noise)),
            "label": "economy",
            "timestamp": now,
            "input_tokens": chance.randrange(5000),
            "output_tokens": chance.randrange(500),
            **more,
        }
        for place in range(count)
        for noise in [chance.getrandbits(62)]
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def cost(rows: list[dict[str, Any]]) -> int:
    """What reports of Nova Lite cost, in picos."""
    return sum(
        row["input_tokens"] * NOVA_INPUT + row["output_tokens"] * NOVA_OUTPUT for row in rows
    )
