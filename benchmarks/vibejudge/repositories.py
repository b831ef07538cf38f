"""Repositories to analyse: made once, by a program, and the same on every machine.

Each is a small web service with a page in front of it: modules of Python and TypeScript that import
each other, tests, a manifest with a lock file, a schema and a README, written in forty commits of
three people over a weekend. Names and bodies differ from one repository to the next, so that they
do not resemble each other more than projects of the same kind do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import mkdtemp

#: When the hackathon began, before all commits.
START = datetime(2026, 11, 6, 18, tzinfo=UTC)
COMMITS = 40
#: To be changed with what is made: another version is made anew.
_VERSION = 2
_AUTHORS = ("Ada", "Bo", "Cleo")
# fmt: off
_NOUNS = (
    "order", "route", "ticket", "sensor", "player", "recipe", "parcel", "invoice", "session",
    "signal", "voucher", "garden", "letter", "booking", "reading", "station", "bicycle", "lesson",
    "meeting", "patient", "shelter", "harvest", "archive", "journey",
)
_VERBS = (
    "load", "merge", "rank", "split", "score", "match", "clean", "pack", "count", "trace", "group",
    "sort", "move", "filter",
)
_FIELDS = (
    "name", "owner", "size", "weight", "state", "price", "level", "place", "color", "score",
    "until", "since", "kind", "note",
)
# fmt: on


def cache_folder() -> Path:
    """Where benchmarks keep what is made once."""
    chosen = os.environ.get("TABLEWRIGHT_BENCH_CACHE")
    return (Path(chosen) if chosen else Path.home() / ".cache" / "tablewright-bench").resolve()


def repositories(count: int, lines: int) -> list[Path]:
    """So many, each of about so many lines; those that are there already are left alone."""
    folder = cache_folder() / f"vibejudge-{_VERSION}-{lines}"
    folder.mkdir(parents=True, exist_ok=True)
    return [_made(folder, number, lines) for number in range(count)]


def _made(folder: Path, number: int, lines: int) -> Path:
    place = folder / f"project-{number:03}.git"
    if place.exists():
        return place
    fresh = Path(mkdtemp(prefix=".making-", dir=folder))
    try:
        _git(fresh, "init", "--quiet", "--bare", "--template=", ".")
        _git(fresh, "fast-import", "--quiet", "--date-format=raw", given=stream(number, lines))
        _git(fresh, "symbolic-ref", "HEAD", "refs/heads/main")
        fresh.rename(place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return place


def _git(folder: Path, *words: str, given: bytes = b"") -> None:
    environ = {"PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *words], cwd=folder, env=environ, input=given, check=True)


# --- history -------------------------------------------------------------------------------------


def stream(number: int, lines: int) -> bytes:
    """A repository as ``git fast-import`` reads it."""
    chance = Random(f"repository {number}")
    files = _files(chance, lines)
    return b"".join(_commits(chance, files))


def _commits(chance: Random, files: Sequence[File]) -> Iterator[bytes]:
    """Files come one after the other, most of them in two steps: half of it, then all."""
    steps: list[list[tuple[str, str]]] = [[] for _ in range(COMMITS)]
    for place, file in enumerate(files):
        at = place * (COMMITS - 4) // len(files)
        if len(file.blocks) > 2 and chance.random() < 0.8:
            steps[at].append((file.path, file.text(len(file.blocks) // 2)))
            steps[at + 1 + chance.randrange(3)].append((file.path, file.text()))
        else:
            steps[at].append((file.path, file.text()))
    for place, changes in enumerate(steps):
        moment = START + timedelta(minutes=20 + 65 * place + chance.randrange(40))
        name = _AUTHORS[chance.randrange(3)]
        who = f"{name} <{name.lower()}@people.test> {int(moment.timestamp())} +0000"
        yield f"commit refs/heads/main\nauthor {who}\ncommitter {who}\n".encode()
        yield _data(f"{chance.choice(_VERBS).capitalize()} the {chance.choice(_NOUNS)} first\n")
        for path, text in changes:
            yield f"M 100644 inline {path}\n".encode() + _data(text)
        yield b"\n"


def _data(text: str) -> bytes:
    said = text.encode()
    return b"data %d\n%s\n" % (len(said), said)


# --- files ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class File:
    """A file, in blocks that are added one after the other."""

    path: str
    blocks: tuple[str, ...]

    def text(self, blocks: int | None = None) -> str:
        return "\n\n".join(self.blocks[:blocks])

    @property
    def lines(self) -> int:
        return self.text().count("\n")


def _files(chance: Random, lines: int) -> list[File]:
    found = [_readme(chance), *_manifests(chance), _schema(chance)]
    modules: list[str] = []
    have = sum(each.lines for each in found)
    while have < lines:
        name = _module_name(chance, modules)
        made = (_python if chance.random() < 0.65 else _typescript)(chance, name, modules)
        modules.append(name)
        found += made
        have += sum(each.lines for each in made)
    return found


def _module_name(chance: Random, known: Sequence[str]) -> str:
    name = f"{chance.choice(_NOUNS)}_{chance.choice(_VERBS)}"
    return name if name not in known else f"{name}_{len(known)}"


def _python(chance: Random, name: str, modules: Sequence[str]) -> list[File]:
    """A module that uses one or two others, and mostly a test of it."""
    uses = chance.sample(list(modules), min(len(modules), 2))
    head = [f'"""What is done with a {name.split("_")[0]}."""', ""]
    head += ["import json", "import logging", "from dataclasses import dataclass", ""]
    head += [f"from app.{each} import {_class(each)}" for each in uses]
    head += ["", 'log = logging.getLogger("app")', ""]
    blocks = ["\n".join(head), _python_class(chance, name)]
    functions = [f"{chance.choice(_VERBS)}_{chance.choice(_NOUNS)}_{n}" for n in range(5)]
    blocks += [_python_function(chance, each) for each in functions]
    found = [File(f"app/{name}.py", tuple(blocks))]
    if chance.random() < 0.7:
        found.append(_python_test(chance, name, functions))
    return found


def _class(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _python_class(chance: Random, name: str) -> str:
    fields = chance.sample(_FIELDS, 5)
    lines = ["@dataclass", f"class {_class(name)}:", f'    """One {name.split("_")[0]}."""', ""]
    lines += [f"    {each}: {chance.choice(('int', 'str', 'float'))}" for each in fields]
    for each in fields[:3]:
        limit = chance.randrange(2, 900)
        lines += [
            "",
            f"    def with_{each}(self, value):",
            f"        if value is None or len(str(value)) > {limit}:",
            f'            raise ValueError("{each} is not right")',
            f"        self.{each} = value",
            "        return self",
        ]
    return "\n".join(lines) + "\n"


def _python_function(chance: Random, name: str) -> str:
    a, b, c = chance.sample(_FIELDS, 3)
    most = chance.randrange(3, 99)
    lines = [f"def {name}(items, {a}=None, {b}={most}):", f'    """The {c} of all items."""']
    lines += ["    found = []", "    for item in items:"]
    for _ in range(chance.randrange(1, 4)):
        field, value = chance.choice(_FIELDS), chance.randrange(1000)
        lines += [
            f'        if item.get("{field}", 0) > {value} and {b} is not None:',
            f'            found.append((item["{field}"], {chance.randrange(100)}))',
        ]
    if chance.random() < 0.4:
        lines += [
            "        try:",
            f'            found.append((json.loads(item["{c}"]), {most}))',
            f"        except {chance.choice(('ValueError', 'KeyError', 'Exception'))}:",
            f'            log.warning("no {c} in %s", item)' if most % 3 else "            pass",
        ]
    if chance.random() < 0.01:
        query = f"SELECT {a}, {b} FROM {chance.choice(_NOUNS)}"
        lines += [f"    rows = connection.execute(f\"{query} WHERE {c} = '{{{a}}}'\")"]
    lines += [f"    return sorted(found, key=lambda pair: pair[{most % 2}])"]
    return "\n".join(lines) + "\n"


def _python_test(chance: Random, name: str, functions: Sequence[str]) -> File:
    blocks = [f"from app.{name} import {', '.join(functions)}\n"]
    for each in functions:
        field, value = chance.choice(_FIELDS), chance.randrange(2000)
        lines = [f"def test_{each}():", f'    items = [{{"{field}": {value}}}, {{"{field}": 1}}]']
        lines += [f"    found = {each}(items)", f"    assert len(found) <= {value + 2}"]
        blocks.append("\n".join(lines) + "\n")
    return File(f"tests/test_{name}.py", tuple(blocks))


def _typescript(chance: Random, name: str, modules: Sequence[str]) -> list[File]:
    """A part of the page."""
    title = _class(name)
    head = ['import { useEffect, useState } from "react";', 'import { fetchJson } from "./api";']
    fields = chance.sample(_FIELDS, 4)
    kinds = [f"  {each}: {chance.choice(('string', 'number'))};" for each in fields]
    blocks = ["\n".join([*head, "", f"export interface {title} {{", *kinds, "}"]) + "\n"]
    for number in range(4):
        a, b = chance.sample(fields, 2)
        limit = chance.randrange(5, 500)
        blocks.append(
            "\n".join(
                [
                    f"export async function {chance.choice(_VERBS)}{title}{number}(id: string) {{",
                    f"  const found = await fetchJson(`/api/v1/{name}/${{id}}?limit={limit}`);",
                    f"  return found.items.filter((item: {title}) => item.{a} !== undefined)",
                    f"    .map((item: {title}) => ({{ ...item, {b}: String(item.{b}) }}))",
                    f"    .slice(0, {limit});",
                    "}",
                ]
            )
            + "\n"
        )
    rows = [f"      <td>{{item.{each}}}</td>" for each in fields]
    blocks.append(
        "\n".join(
            [
                f"export function {title}Table({{ id }}: {{ id: string }}) {{",
                f"  const [items, setItems] = useState<{title}[]>([]);",
                "  useEffect(() => {",
                f"    fetchJson(`/api/v1/{name}/${{id}}`).then(setItems).catch(console.error);",
                "  }, [id]);",
                "  return <table>{items.map((item, row) => (",
                "    <tr key={row}>",
                *rows,
                "    </tr>",
                "  ))}</table>;",
                "}",
            ]
        )
        + "\n"
    )
    return [File(f"web/src/{name}.tsx", tuple(blocks))]


def _readme(chance: Random) -> File:
    noun = chance.choice(_NOUNS)
    about = f"Finds the right {noun} for everybody who has looked for one all day. " * 4
    return File(
        "README.md",
        (
            f"# The {noun} finder\n\n{about}\n",
            "## Install\n\n    pip install -r requirements.txt\n    npm ci\n",
            "## Usage\n\n    uvicorn app.main:app\n\nThen open the page.\n",
            "## Design\n\nA service in Python answers the page, which is made of TypeScript.\n",
            "## Licence\n\nMIT\n",
        ),
    )


def _manifests(chance: Random) -> list[File]:
    pinned = [f"{name}=={chance.randrange(9)}.{chance.randrange(20)}" for name in _REQUIRED]
    web = '{"name": "web", "dependencies": {"react": "18.3.1", "react-dom": "18.3.1"}}\n'
    return [
        File("requirements.txt", ("\n".join(pinned) + "\n",)),
        File("package.json", (web,)),
        File("package-lock.json", ('{"lockfileVersion": 3, "packages": {}}\n',)),
        File("Dockerfile", ("FROM python:3.12\nCOPY . /app\nCMD uvicorn app.main:app\n",)),
        File(".github/workflows/ci.yml", ("on: push\njobs:\n  test:\n    steps: []\n",)),
    ]


_REQUIRED = ("fastapi", "uvicorn", "httpx", "sqlalchemy", "pydantic", "rapidfuzz")


def _schema(chance: Random) -> File:
    tables = []
    for noun in chance.sample(_NOUNS, 5):
        fields = [f"  {each} TEXT NOT NULL," for each in chance.sample(_FIELDS, 5)]
        tables.append(
            "\n".join([f"CREATE TABLE {noun} (", *fields, "  id INTEGER PRIMARY KEY", ");"])
            + f"\nCREATE INDEX {noun}_by_id ON {noun} (id);\n"
        )
    return File("migrations/001_first.sql", tuple(tables))
