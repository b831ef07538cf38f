@@ project toolshed
@@ author mira Mira Oduya <mira@toolshed.example>
@@ author jonas Jonas Feldt <jonas@toolshed.example>
@@ author priya Priya Raman <priya@toolshed.example>

@@ commit 2026-09-18 17:41 mira
Start: what a tool and a loan are

Nothing is stored yet. The rules come first, because everybody
had another idea of when a tool is free.
@@ file .gitignore
__pycache__/
.venv/
*.db
.env
@@ file requirements.txt
fastapi==0.115.6
uvicorn==0.32.1
pydantic==2.10.3
@@ file toolshed/__init__.py
"""Neighbours lend each other tools."""
@@ file toolshed/loans.py
"""When a tool can be lent: pure rules, without a database."""

from dataclasses import dataclass
from datetime import date, timedelta

LONGEST = timedelta(days=14)


class LoanRefused(Exception):
    """A loan that cannot be made, for a reason that the borrower is told."""


@dataclass(frozen=True)
class Span:
    """Days, both included."""

    first: date
    last: date

    def overlaps(self, other: "Span") -> bool:
        return self.first <= other.last and other.first <= self.last


def check_span(span: Span, today: date) -> None:
    """A loan begins today or later, ends after it began, and is not for ever."""
    if span.first < today:
        raise LoanRefused("a loan cannot begin in the past")
    if span.last < span.first:
        raise LoanRefused("a loan ends on or after the day it begins")
    if span.last - span.first >= LONGEST:
        raise LoanRefused(f"a tool is lent for {LONGEST.days} days at most")


def check_free(span: Span, taken: list[Span]) -> None:
    """Nobody else has the tool on one of these days."""
    for other in taken:
        if span.overlaps(other):
            raise LoanRefused(f"the tool is away from {other.first} to {other.last}")
@@ file tests/test_loans.py
from datetime import date

import pytest

from toolshed.loans import LoanRefused, Span, check_free, check_span

TODAY = date(2026, 9, 18)


def test_a_loan_of_one_day_is_a_loan():
    check_span(Span(TODAY, TODAY), TODAY)


@pytest.mark.parametrize(
    "span",
    [
        Span(date(2026, 9, 17), TODAY),
        Span(date(2026, 9, 20), date(2026, 9, 19)),
        Span(TODAY, date(2026, 10, 2)),
    ],
)
def test_spans_that_are_refused(span):
    with pytest.raises(LoanRefused):
        check_span(span, TODAY)


def test_touching_days_overlap():
    monday, tuesday = date(2026, 9, 21), date(2026, 9, 22)
    with pytest.raises(LoanRefused, match="is away"):
        check_free(Span(tuesday, tuesday), [Span(monday, tuesday)])

@@ commit 2026-09-18 19:26 jonas
Keep tools and loans in SQLite, with migrations
@@ file toolshed/settings.py
"""What can be set from outside, and what it is otherwise."""

import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    database: Path = field(default_factory=lambda: Path(os.environ.get("TOOLSHED_DB", "tools.db")))
    radius_km: float = float(os.environ.get("TOOLSHED_RADIUS_KM", "3"))
@@ file migrations/001_tools.sql
CREATE TABLE tools (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    latitude REAL NOT NULL,
    longitude REAL NOT NULL
);
CREATE INDEX tools_by_name ON tools (name);
@@ file migrations/002_loans.sql
CREATE TABLE loans (
    id INTEGER PRIMARY KEY,
    tool_id INTEGER NOT NULL REFERENCES tools (id),
    borrower TEXT NOT NULL,
    first_day TEXT NOT NULL,
    last_day TEXT NOT NULL
);
CREATE INDEX loans_by_tool ON loans (tool_id, first_day);
@@ file toolshed/store.py
"""Tools and loans in SQLite."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from toolshed.loans import Span, check_free

MIGRATIONS = Path(__file__).parent.parent / "migrations"


class Store:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._migrate()

    def add_tool(self, owner: str, name: str, place: tuple[float, float]) -> int:
        with self._connection() as db:
            made = db.execute(
                "INSERT INTO tools (owner, name, latitude, longitude) VALUES (?, ?, ?, ?)",
                (owner, name, *place),
            )
            return int(made.lastrowid or 0)

    def tools(self, limit: int = 100) -> list[sqlite3.Row]:
        with self._connection() as db:
            found = db.execute("SELECT * FROM tools ORDER BY name LIMIT ?", (limit,))
            return list(found)

    def lend(self, tool_id: int, borrower: str, span: Span) -> int:
        """Check and write in one transaction: two borrowers cannot both win."""
        with self._connection() as db:
            db.execute("BEGIN IMMEDIATE")
            check_free(span, self._taken(db, tool_id))
            made = db.execute(
                "INSERT INTO loans (tool_id, borrower, first_day, last_day) VALUES (?, ?, ?, ?)",
                (tool_id, borrower, span.first.isoformat(), span.last.isoformat()),
            )
            return int(made.lastrowid or 0)

    def _taken(self, db: sqlite3.Connection, tool_id: int) -> list[Span]:
        rows = db.execute(
            "SELECT first_day, last_day FROM loans WHERE tool_id = ? LIMIT 500", (tool_id,)
        )
        return [Span(date.fromisoformat(first), date.fromisoformat(last)) for first, last in rows]

    def _migrate(self) -> None:
        with self._connection() as db:
            (done,) = db.execute("PRAGMA user_version").fetchone()
            for number, file in enumerate(sorted(MIGRATIONS.glob("*.sql")), 1):
                if number > done:
                    db.executescript(file.read_text())
                    db.execute(f"PRAGMA user_version = {number}")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self._path, isolation_level=None)
        db.row_factory = sqlite3.Row
        try:
            yield db
            if db.in_transaction:
                db.execute("COMMIT")
        finally:
            db.close()

@@ commit 2026-09-18 21:07 priya
An API for it, version 1
@@ file toolshed/schemas.py
"""What comes in and what goes out."""

from datetime import date

from pydantic import BaseModel, Field


class ToolIn(BaseModel):
    owner: str = Field(min_length=1, max_length=80)
    name: str = Field(min_length=1, max_length=80)
    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)


class Tool(ToolIn):
    id: int
    km: float | None = None


class LoanIn(BaseModel):
    borrower: str = Field(min_length=1, max_length=80)
    first: date
    last: date


class Loan(LoanIn):
    id: int
    tool_id: int
@@ file toolshed/app.py
"""The HTTP side. Everything that decides is in loans and store."""

from datetime import date

from fastapi import FastAPI, HTTPException

from toolshed.loans import LoanRefused, Span, check_span
from toolshed.schemas import Loan, LoanIn, Tool, ToolIn
from toolshed.settings import Settings
from toolshed.store import Store


def create_app(settings: Settings | None = None) -> FastAPI:
    settings = settings or Settings()
    app = FastAPI(title="Toolshed")
    store = Store(settings.database)

    @app.post("/api/v1/tools", status_code=201)
    def add_tool(tool: ToolIn) -> Tool:
        made = store.add_tool(tool.owner, tool.name, (tool.latitude, tool.longitude))
        return Tool(id=made, **tool.model_dump())

    @app.get("/api/v1/tools")
    def list_tools() -> list[Tool]:
        return [Tool(**dict(row)) for row in store.tools()]

    @app.post("/api/v1/tools/{tool_id}/loans", status_code=201)
    def lend(tool_id: int, loan: LoanIn) -> Loan:
        span = Span(loan.first, loan.last)
        try:
            check_span(span, date.today())
            made = store.lend(tool_id, loan.borrower, span)
        except LoanRefused as refused:
            raise HTTPException(409, str(refused)) from refused
        return Loan(id=made, tool_id=tool_id, **loan.model_dump())

    return app
@@ file toolshed/__main__.py
"""``python -m toolshed``"""

import uvicorn

from toolshed.app import create_app

if __name__ == "__main__":
    uvicorn.run(create_app(), host="127.0.0.1", port=8000)

@@ commit 2026-09-19 09:48 mira
Find tools that are near: great circles, not city blocks
@@ file toolshed/places.py
"""Distances on the globe."""

from math import asin, cos, radians, sin, sqrt

EARTH_KM = 6371.0


def haversine(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Kilometres between two places, each a latitude and a longitude in degrees."""
    lat1, lon1, lat2, lon2 = map(radians, (*one, *other))
    inner = sin((lat2 - lat1) / 2) ** 2 + cos(lat1) * cos(lat2) * sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_KM * asin(sqrt(inner))
@@ file tests/test_places.py
import pytest

from toolshed.places import haversine

HARBOUR, LIGHTHOUSE = (54.3233, 10.1394), (54.4309, 10.2986)


def test_no_way_to_where_one_is():
    assert haversine(HARBOUR, HARBOUR) == 0


def test_the_lighthouse_is_sixteen_kilometres_away():
    assert haversine(HARBOUR, LIGHTHOUSE) == pytest.approx(15.8, abs=0.2)
    assert haversine(HARBOUR, LIGHTHOUSE) == haversine(LIGHTHOUSE, HARBOUR)
@@ edit toolshed/app.py
    @app.get("/api/v1/tools")
    def list_tools() -> list[Tool]:
        return [Tool(**dict(row)) for row in store.tools()]
@@ into
    @app.get("/api/v1/tools")
    def list_tools(latitude: float | None = None, longitude: float | None = None) -> list[Tool]:
        tools = [Tool(**dict(row)) for row in store.tools()]
        if latitude is None or longitude is None:
            return tools
        return near(tools, (latitude, longitude), settings.radius_km)
@@ edit toolshed/app.py
from toolshed.loans import LoanRefused, Span, check_span
@@ into
from toolshed.loans import LoanRefused, Span, check_span
from toolshed.nearby import near
@@ file toolshed/nearby.py
"""Which tools are near enough, the nearest first."""

from toolshed.places import haversine
from toolshed.schemas import Tool


def near(tools: list[Tool], place: tuple[float, float], radius_km: float) -> list[Tool]:
    for tool in tools:
        tool.km = round(haversine(place, (tool.latitude, tool.longitude)), 1)
    found = [tool for tool in tools if tool.km is not None and tool.km <= radius_km]
    return sorted(found, key=lambda tool: (tool.km, tool.id))

@@ commit 2026-09-19 11:15 jonas
A tool that does not exist is 404, not a loan to nobody
@@ edit toolshed/store.py
            db.execute("BEGIN IMMEDIATE")
            check_free(span, self._taken(db, tool_id))
@@ into
            db.execute("BEGIN IMMEDIATE")
            if db.execute("SELECT 1 FROM tools WHERE id = ?", (tool_id,)).fetchone() is None:
                raise NoSuchTool(tool_id)
            check_free(span, self._taken(db, tool_id))
@@ edit toolshed/store.py
class Store:
    def __init__
@@ into
class NoSuchTool(Exception):
    """Nobody has put this tool into the shed."""


class Store:
    def __init__
@@ edit toolshed/app.py
            raise HTTPException(409, str(refused)) from refused
@@ into
            raise HTTPException(409, str(refused)) from refused
        except NoSuchTool as missing:
            raise HTTPException(404, "there is no such tool") from missing
@@ edit toolshed/app.py
from toolshed.store import Store
@@ into
from toolshed.store import NoSuchTool, Store
@@ file tests/test_api.py
from datetime import date, timedelta

import pytest
from fastapi.testclient import TestClient

from toolshed.app import create_app
from toolshed.settings import Settings

SAW = {"owner": "Ada", "name": "Circular saw", "latitude": 54.32, "longitude": 10.14}


@pytest.fixture
def client(tmp_path):
    return TestClient(create_app(Settings(database=tmp_path / "tools.db")))


def days(first, last):
    today = date.today()
    return {
        "borrower": "Lin",
        "first": str(today + timedelta(days=first)),
        "last": str(today + timedelta(days=last)),
    }


def test_a_tool_is_lent_once(client):
    tool = client.post("/api/v1/tools", json=SAW).json()
    path = f"/api/v1/tools/{tool['id']}/loans"
    assert client.post(path, json=days(0, 2)).status_code == 201
    refused = client.post(path, json=days(2, 4))
    assert refused.status_code == 409
    assert "is away" in refused.json()["detail"]
    assert client.post(path, json=days(3, 4)).status_code == 201


def test_only_near_tools_are_found(client):
    client.post("/api/v1/tools", json=SAW)
    client.post("/api/v1/tools", json={**SAW, "name": "Ladder", "latitude": 55.0})
    found = client.get("/api/v1/tools", params={"latitude": 54.33, "longitude": 10.14}).json()
    assert [tool["name"] for tool in found] == ["Circular saw"]
    assert found[0]["km"] == pytest.approx(1.1, abs=0.1)


def test_nobody_lends_what_is_not_there(client):
    assert client.post("/api/v1/tools/77/loans", json=days(0, 1)).status_code == 404


@pytest.mark.parametrize("wrong", [{"latitude": 91}, {"name": ""}, {"owner": None}])
def test_what_is_wrong_is_said(client, wrong):
    assert client.post("/api/v1/tools", json={**SAW, **wrong}).status_code == 422

@@ commit 2026-09-19 14:32 priya
Run it in a container, and the tests with every push
@@ file Dockerfile
FROM python:3.12-slim
WORKDIR /app
COPY requirements.lock .
RUN pip install --no-cache-dir -r requirements.lock
COPY . .
ENV TOOLSHED_DB=/data/tools.db
VOLUME /data
CMD ["uvicorn", "toolshed.app:create_app", "--factory", "--host", "0.0.0.0"]
@@ file requirements.lock
annotated-types==0.7.0
anyio==4.7.0
click==8.1.7
fastapi==0.115.6
h11==0.14.0
idna==3.10
pydantic==2.10.3
pydantic-core==2.27.1
sniffio==1.3.1
starlette==0.41.3
typing-extensions==4.12.2
uvicorn==0.32.1
@@ file .github/workflows/test.yml
name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install -r requirements.lock pytest httpx
      - run: pytest -q
@@ file samples/tools.csv
owner,name,latitude,longitude
Ada,Circular saw,54.3215,10.1362
Ben,Extension ladder,54.3291,10.1417
Chi,Tile cutter,54.3188,10.1250
Dov,Pressure washer,54.3402,10.1299
Eli,Wheelbarrow,54.3377,10.1183

@@ commit 2026-09-19 16:58 mira
Fill a new shed from a file
@@ file toolshed/importing.py
"""Tools from a CSV file: ``python -m toolshed.importing samples/tools.csv``."""

import csv
import logging
import sys
from pathlib import Path

from pydantic import ValidationError

from toolshed.schemas import ToolIn
from toolshed.settings import Settings
from toolshed.store import Store

log = logging.getLogger("toolshed.importing")


def read_tools(path: Path) -> list[ToolIn]:
    """All rows that are tools; the others are told and left out."""
    tools = []
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            try:
                tools.append(ToolIn.model_validate(row))
            except ValidationError as error:
                log.warning("line %d is no tool: %s", number, error)
    return tools


def main(path: Path) -> None:
    store = Store(Settings().database)
    for tool in read_tools(path):
        store.add_tool(tool.owner, tool.name, (tool.latitude, tool.longitude))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
@@ file tests/test_importing.py
from pathlib import Path

from toolshed.importing import read_tools

SAMPLE = Path(__file__).parent.parent / "samples" / "tools.csv"


def test_the_sample_is_whole():
    assert len(read_tools(SAMPLE)) == 5


def test_bad_lines_are_left_out(tmp_path, caplog):
    file = tmp_path / "tools.csv"
    file.write_text("owner,name,latitude,longitude\nAda,Saw,x,10\nBen,Ladder,54,10\n")
    assert [tool.name for tool in read_tools(file)] == ["Ladder"]
    assert "line 2 is no tool" in caplog.text

@@ commit 2026-09-20 10:21 priya
Say what it is and how to try it
@@ file LICENSE
MIT License

Copyright (c) 2026 The Toolshed team

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software, to deal in the software without restriction, provided that
this notice is kept. The software is provided "as is", without warranty.
@@ file README.md
# Toolshed

Most drills are used for a few minutes in their whole life. Toolshed is a small
service that lets neighbours lend each other tools: it knows who has what, how
far away that is, and on which days it is free.

![Who lends what to whom](docs/flow.svg)

## Install

```
pip install -r requirements.txt
python -m toolshed.importing samples/tools.csv
python -m toolshed
```

or `docker run -p 8000:8000 toolshed`. A demo is at https://toolshed.fly.dev.

## Usage

`GET /api/v1/tools?latitude=54.32&longitude=10.14` lists what is near.
`POST /api/v1/tools/3/loans` borrows tool 3. All routes are described at `/docs`.

## Design

- `loans.py` has the rules and knows no database.
- `store.py` writes a loan and its check in one transaction.
- `places.py` measures along great circles; a radius is a setting.

Licence: MIT.
@@ file docs/flow.svg
<svg xmlns="http://www.w3.org/2000/svg" width="360" height="80">
  <rect x="10" y="20" width="90" height="40" fill="#cde"/>
  <text x="35" y="45">owner</text>
  <rect x="135" y="20" width="90" height="40" fill="#edc"/>
  <text x="165" y="45">shed</text>
  <rect x="260" y="20" width="90" height="40" fill="#dec"/>
  <text x="275" y="45">borrower</text>
</svg>

@@ commit 2026-09-20 13:44 jonas
Loans that are over do not count; a shorter list of days to check
@@ edit toolshed/store.py
            "SELECT first_day, last_day FROM loans WHERE tool_id = ? LIMIT 500", (tool_id,)
        )
@@ into
            "SELECT first_day, last_day FROM loans WHERE tool_id = ? AND last_day >= ? LIMIT 500",
            (tool_id, date.today().isoformat()),
        )
@@ edit tests/test_loans.py
def test_touching_days_overlap():
@@ into
def test_a_gap_of_one_night_is_enough():
    taken = [Span(date(2026, 9, 21), date(2026, 9, 22))]
    check_free(Span(date(2026, 9, 23), date(2026, 9, 24)), taken)


def test_touching_days_overlap():
@@ edit toolshed/loans.py
    """Nobody else has the tool on one of these days."""
    for other in taken:
@@ into
    """Nobody else has the tool on one of these days; the first who does is told of."""
    for other in sorted(taken, key=lambda each: each.first):
