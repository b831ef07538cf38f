"""Repositories that a person would have a clear opinion of, made with real git."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from tests.systems.vibejudge.repos.support import START, Repo

README = """# Tide

Tide tells small harbours when boats can leave, from the tables that every harbour has already.

![The page of a harbour](docs/shot.png)

## Install

    pip install -r requirements.txt

## Usage

    python -m tide.main

## Architecture

A parser reads tables, a store keeps them, and an API answers. Try it: https://tide.vercel.app

## License

MIT
""" + ("It was built for harbours that nobody else builds for. " * 10)

#: All words that rules look for, and nothing that works.
STUFFED = {
    "README.md": README,
    "Dockerfile": "FROM python:3.12\n",
    "requirements.txt": "quantum-leap==1.0\nneuro-weave==2.0\nflux-matrix==3.1\n",
    "requirements.lock": "quantum-leap==1.0\n",
    "data/sample.csv": "a,b\n",
    "migrations/0001_first.sql": "CREATE TABLE t (a INT); CREATE INDEX i ON t (a);\n",
    "tests/test_all.py": "def test_all():\n    assert True\n" * 15,
    "main.py": (
        "import asyncio, sqlite3, quantum_leap, neuro_weave, flux_matrix\n"
        "from fastapi import FastAPI, HTTPException\n"
        "from pydantic import BaseModel\n"
        "import store, settings\n"
        "app = FastAPI()\n"
        "@app.get('/api/v1/things')\n"
        "async def things(limit=10):\n"
        "    try:\n"
        "        await asyncio.gather()\n"
        "    except ValueError as error:\n"
        "        raise HTTPException(404) from error\n"
        "if __name__ == '__main__':\n"
        "    asyncio.run(things())\n"
    ),
    "store.py": (
        "from functools import lru_cache\n"
        "from cryptography.fernet import Fernet\n"
        "@lru_cache\n"
        "def dijkstra(): return Fernet('k')\n"
        "@lru_cache\n"
        "def minimax(): return 1\n"
        "def monte_carlo(): return 2\n"
        "class Lexer: pass\n"
        "class Parser: pass\n"
        "def cosine_similarity(): return 3\n"
        "socket = lambda: new_websocket()\n"
        "model = lambda: from_pretrained('x')\n"
    ),
    "settings.py": "import os\n" + "".join(f"VALUE_{n} = os.environ['V{n}']\n" for n in range(11)),
}


def _module(number: int) -> str:
    """Plain code with some errors met, different in every module."""
    names = ("harbour", "table", "tide", "boat", "pier", "depth", "chart", "berth")
    name = names[number % len(names)]
    parts = [f'"""What is known of a {name}."""\n\nfrom tide.errors import Unknown\n\n']
    for at in range(6):
        parts.append(
            f"\ndef {name}_{at}(rows: list[dict[str, int]], least: int) -> dict[str, int]:\n"
            f'    """Sum up column {at} of a {name}, above a least value."""\n'
            f"    found: dict[str, int] = {{}}\n"
            f"    for row in rows:\n"
            f"        value = row.get('{name}_{at}')\n"
            f"        if value is None:\n"
            f"            continue\n"
            f"        if value > least + {at * number}:\n"
            f"            found[str(row['id_{at}'])] = value - {number}\n"
            f"    return found\n\n"
            f"\ndef check_{name}_{at}(text_{at}: str) -> int:\n"
            f"    try:\n"
            f"        return int(text_{at}) % {number + at + 2}\n"
            f"    except ValueError as error:\n"
            f"        raise Unknown('{name}', text_{at}) from error\n\n"
        )
    return "".join(parts)


def _test_of(number: int) -> str:
    return "import pytest\n\n" + "".join(
        f"\ndef test_case_{number}_{at}() -> None:\n"
        f"    rows = [{{'x_{at}': {at}, 'id_{at}': {number}}}]\n"
        f"    assert len(rows) == 1\n"
        f"    assert rows[0]['id_{at}'] == {number}\n"
        for at in range(8)
    )


BUILT = {
    "README.md": README,
    "LICENSE": "MIT\n",
    "Dockerfile": "FROM python:3.12\n",
    "requirements.txt": "fastapi==0.115.0\nsqlalchemy==2.0.30\nshapely==2.0.4\n",
    "requirements.lock": "fastapi==0.115.0\n",
    "data/sample.csv": "harbour,depth\n",
    "docs/shot.png": "x",
    "migrations/0001_first.sql": "CREATE TABLE tides (id INT, at INT);\n"
    "CREATE INDEX by_time ON tides (at);\n",
    "tide/__init__.py": "",
    "tide/errors.py": "class Unknown(Exception):\n    def __init__(self, what: str, text: str):\n"
    "        super().__init__(f'{text} is no {what}')\n        self.what = what\n"
    "        self.text = text\n",
    "tide/settings.py": "import os\n\nDATABASE = os.environ['TIDE_DATABASE']\nDEBUG = False\n"
    "LIMIT = 50\nNAME = 'tide'\n",
    "tide/main.py": "from functools import lru_cache\n\n"
    "from fastapi import FastAPI, HTTPException\nfrom pydantic import BaseModel\n"
    "from sqlalchemy import create_engine, text\n\n"
    "from tide import settings\nfrom tide.m0 import check_harbour_0\n\napp = FastAPI()\n"
    "engine = create_engine(settings.DATABASE)\n\n\nclass Query(BaseModel):\n    harbour: str\n\n\n"
    "@lru_cache\ndef _statement():\n"
    "    return text('SELECT at FROM tides WHERE id = :id LIMIT 50')\n"
    "\n\n@app.post('/api/v1/tides')\ndef tides(query: Query):\n    try:\n"
    "        number = check_harbour_0(query.harbour)\n    except ValueError as error:\n"
    "        raise HTTPException(404) from error\n    with engine.connect() as connection:\n"
    "        return connection.execute(_statement(), {'id': number}).all()\n",
    **{f"tide/m{n}.py": _module(n) for n in range(6)},
    **{f"tests/test_m{n}.py": _test_of(n) for n in range(6)},
}


def repository(folder: Path, files: Mapping[str, str], *, commits: int = 1) -> Path:
    """Commit these files, some each hour; later commits go over earlier files again."""
    repo = Repo(folder)
    names = sorted(files)
    for at in range(commits):
        some = {name: files[name] for name in names[at::commits]}
        again = {name: f"{files[name]}\n" for name in names[at - 1 :: commits] if at}
        repo.commit({**again, **some}, f"Step {at}", at=START + timedelta(hours=at))
    repo.commit(dict(files), "Tidy up", at=START + timedelta(hours=commits))
    return folder
