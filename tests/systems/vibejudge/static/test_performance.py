"""Structure, databases, interfaces, load and waste."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tests.systems.vibejudge.static.support import facts_of

from tablewright.systems.vibejudge.static import performance

LINES = "".join(f"value_{n} = {n}\n" for n in range(20))


def architecture(files: dict[str, str | None]) -> tuple[Decimal | None, str]:
    found = performance.architecture(facts_of(files))
    return found.score, found.said


def test_a_sound_structure() -> None:
    files: dict[str, str | None] = {
        "main.py": f"import store\n{LINES}",
        "store.py": LINES,
        "views.py": LINES,
        "settings.py": LINES,
    }
    score, said = architecture(files)
    assert score == 10
    assert said.startswith("4 modules")


def test_only_checks_that_apply_are_rated() -> None:
    """A single file has nothing that it could import in a circle."""
    score, said = architecture({"thing.py": LINES})
    assert score == 0
    for each in ("one file", "fewer than three", "not kept apart", "no entry point"):
        assert each in said
    more = {"thing.py": f"import b\n{LINES * 3}", "b.py": LINES, "c.py": LINES}
    found = performance.architecture(facts_of(dict(more)))
    assert found.score == 4
    assert [(each.file, each.kind) for each in found.findings] == [("thing.py", "large-file")]
    assert performance.architecture(facts_of({"README.md": "x"})).score is None


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"a.py": "import b\n", "b.py": "from a import x\n"}, ("a.py", 1)),
        ({"p/a.py": "\nfrom . import b\n", "p/b.py": "from p.a import x\n"}, ("p/a.py", 2)),
        ({"a.js": "import x from './b'\n", "b.js": "const a = require('./a')\n"}, ("a.js", 1)),
        (
            {"a.ts": "export * from './c'\n", "c/index.ts": "import { a } from '../a'\n"},
            ("a.ts", 1),
        ),
        ({"a.h": '#include "b.h"\n', "b.h": '#include "a.h"\n'}, ("a.h", 1)),
        ({"a.rb": "require_relative 'b'\n", "b.rb": "require_relative './a'\n"}, ("a.rb", 1)),
        (
            {"a.php": "<?php\nrequire 'b.php';\n", "b.php": "<?php\ninclude('a.php');\n"},
            ("a.php", 2),
        ),
    ],
)
def test_imports_in_a_circle(files: dict[str, str], place: tuple[str, int]) -> None:
    found = performance.architecture(facts_of(dict(files)))
    circle = [each for each in found.findings if each.kind == "import-circle"]
    assert [(each.file, each.line) for each in circle] == [place]


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "import b\n", "b.py": "def f():\n    import a\n"},
        {"a.py": "import b\n", "b.py": "if TYPE_CHECKING:\n    import a\n"},
        {"p/__init__.py": "from .a import x\n", "p/a.py": "from . import b\n", "p/b.py": "y = 1\n"},
        {"p/__init__.py": "", "p/a.py": "import secrets\n", "p/secrets.py": "from p import a\n"},
        {"a.ts": "import type { B } from './b'\n", "b.ts": "import { a } from './a'\n"},
        {"a.js": "// import x from './b'\n", "b.js": "import a from './a'\n"},
    ],
)
def test_no_circle(files: dict[str, str]) -> None:
    assert facts_of(dict(files)).circle is None


def test_long_chains_of_imports() -> None:
    files: dict[str, str | None] = {f"m{n}.py": f"import m{n + 1}\n" for n in range(3000)}
    assert facts_of(files).circle is None
    assert facts_of({**files, "m3000.py": "import m0\n"}).circle is not None


@pytest.mark.parametrize(
    ("files", "score"),
    [
        ({"a.py": LINES}, None),
        ({"a.py": "import sqlite3\n"}, "2.5"),
        ({"a.py": "import sqlite3\ndb.execute(f'SELECT a FROM t WHERE i = {i}')\n"}, "0"),
        (
            {
                "a.py": "import sqlite3\n",
                "schema.sql": "CREATE TABLE t (a INT);\nCREATE INDEX i ON t (a);\n",
                "migrations/0001_first.sql": "ALTER TABLE t ADD b INT;\n",
            },
            "10",
        ),
        ({"models.py": "from django.db import models\nclass A(models.Model):\n    pass\n"}, "5"),
        (
            {"a.js": "const m = require('mongoose')\nnew mongoose.Schema({a: {unique: true}})\n"},
            "10",
        ),
        ({"a.py": "import boto3\ntable = boto3.resource('dynamodb').Table('t')\n"}, "3.33"),
        (
            {
                "a.py": "import boto3\nt = boto3.resource('dynamodb').Table('t')\n"
                "t.query(IndexName='by_team', KeyConditionExpression=key)\n",
                "template.yaml": "Type: AWS::DynamoDB::Table\n",
            },
            "10",
        ),
        ({"a.py": "t = boto3.resource('dynamodb').Table('t')\nrows = t.scan()\n"}, "0"),
        (
            {
                "a.ts": "import { getFirestore } from 'firebase/firestore';\n",
                "firestore.rules": "service cloud.firestore {}\n",
            },
            "6.67",
        ),
        (
            {
                "a.go": 'import "go.mongodb.org/mongo-driver/mongo"\n'
                'type T struct { A string `bson:"a"` }\n'
                "c.Indexes().CreateOne(ctx, mongo.IndexModel{})\n"
            },
            "10",
        ),
        ({"a.go": 'import "go.mongodb.org/mongo-driver/bson"\n'}, None),
        ({"tests/test_a.py": "import sqlite3\n", "a.py": LINES}, None),
    ],
)
def test_database_design(files: dict[str, str], score: str | None) -> None:
    found = performance.database_design(facts_of(dict(files)).database)
    assert found.score == (None if score is None else Decimal(score))


@pytest.mark.parametrize(
    ("files", "score"),
    [
        ({"a.py": LINES}, None),
        ({"a.js": "app.get('/things', list)\n"}, "0"),
        ({"a.js": "app.get('/api/v1/things', (q, r) => r.status(404).end())\n"}, "5"),
        (
            {
                "a.py": "from fastapi import FastAPI, HTTPException\n"
                "from pydantic import BaseModel\n"
                "app = FastAPI()\n@app.get('/v1/things')\ndef things():\n"
                "    raise HTTPException(404)\n"
            },
            "10",
        ),
        ({"A.java": '@GetMapping("/a")\npublic X a(@Valid B b) { }\n'}, "2.5"),
        ({"a.go": 'r.GET("/a", h)\n', "openapi.yaml": "x"}, "2.5"),
        ({"a.js": "// app.get('/things', list)\n"}, None),
    ],
)
def test_api_design(files: dict[str, str], score: str | None) -> None:
    found = performance.api_design(facts_of(dict(files)).api)
    assert found.score == (None if score is None else Decimal(score))


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.py", "for i in ids:\n    requests.get(f'/x/{i}')\n", 2),
        ("a.py", "for i in ids:\n    if i:\n        cursor.execute(q, (i,))\n", 3),
        ("a.py", "x = Thing.objects.all()\n", 1),
        ("a.py", "rows = db.execute('SELECT * FROM things')\n", 1),
        ("a.py", "import time\nasync def f():\n    time.sleep(1)\n", 3),
        ("a.py", "import time\n@app.route('/')\ndef f():\n    time.sleep(1)\n", 4),
        ("a.js", "for (const i of ids) {\n  const x = await fetch(`/x/${i}`);\n}\n", 2),
        ("a.js", "ids.forEach(async (i) => {\n  await Thing.findOne({i});\n});\n", 2),
        ("a.ts", "const all = await Thing.find({});\n", 1),
        ("A.java", "for (Long i : ids) {\n  x.add(thingRepository.findById(i));\n}\n", 2),
        ("a.go", 'for _, i := range ids {\n\trows, err := db.Query("SELECT a", i)\n}\n', 2),
        ("a.php", "<?php foreach ($ids as $i) {\n  mysqli_query($c, $q);\n}\n", 2),
        ("a.rb", "ids.each do |i|\n  Thing.find(i)\nend\n", 2),
    ],
)
def test_what_gets_slow(name: str, text: str, line: int) -> None:
    found = performance.scalability(facts_of({name: text}))
    assert found.score == 5
    assert [(each.file, each.line) for each in found.findings] == [(name, line)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "for row in cursor.execute(q):\n    use(row)\n"),
        ("a.py", "for attempt in range(3):\n    requests.get(u)\n"),
        ("a.py", "while True:\n    requests.get(u)\n"),
        ("a.py", "for i in ids:\n    cache.get(i)\n"),
        ("a.py", "import time\ndef f():\n    time.sleep(1)\n"),
        ("a.js", "const x = await fetch('/x');\nfor (const i of x) { use(i); }\n"),
        ("a.js", "for (let attempt = 0; attempt < 3; attempt++) {\n  await fetch(u);\n}\n"),
        ("a.js", "for (const i of ids) { log('fetch(x)'); }\n"),
        ("a.ts", "const some = await Thing.find({}).limit(10);\n"),
        ("a.go", 'for _, i := range ids {\n\tuse(i)\n}\ndb.Query("SELECT a")\n'),
    ],
)
def test_what_does_not(name: str, text: str) -> None:
    assert performance.scalability(facts_of({name: text})).findings == ()


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.py", "f = open('x')\nuse(f)\n", 1),
        ("a.go", 'f, err := os.Open("x")\n', 1),
        ("a.c", 'FILE *f = fopen("x", "r");\n', 1),
    ],
)
def test_what_is_wasted(name: str, text: str, line: int) -> None:
    found = performance.resource_efficiency(facts_of({name: text}))
    assert found.score == 8
    assert [(each.file, each.line) for each in found.findings] == [(name, line)]


@pytest.mark.parametrize(
    ("name", "text", "score"),
    [
        ("a.py", "for a in x:\n  for b in y:\n    for c in z:\n      use(a)\n", None),
        ("a.js", "for (;;) {\n for (;;) {\n  for (const c of z) { use(c); }\n }\n}\n", None),
        ("a.py", "with open('x') as f:\n    use(f)\n", 10),
        ("a.go", 'f, err := os.Open("x")\ndefer f.Close()\n', 10),
    ],
)
def test_what_is_not(name: str, text: str, score: int | None) -> None:
    """Nested loops alone are no waste; without files there is nothing to assess."""
    assert performance.resource_efficiency(facts_of({name: text})).score == score


def test_scalability_is_assessed_only_where_there_is_load() -> None:
    assert performance.scalability(facts_of({"a.py": LINES})).score is None
    served = "@app.get('/things')\ndef things():\n    return db.page(limit=20)\n"
    found = performance.scalability(facts_of({"a.py": served}))
    # Nothing slow was found, and one measure: that is good, and not the best there is.
    assert (found.score, found.findings) == (8, ())


def test_query_and_its_fetch_count_once() -> None:
    text = "for i in ids:\n    cursor.execute(q, (i,))\n    row = cursor.fetchone()\n"
    found = performance.scalability(facts_of({"a.py": text}))
    assert [each.line for each in found.findings] == [2]


def test_large_assets() -> None:
    files = {"a.py": LINES, "film.mp4": None, "small.png": None}
    facts = facts_of(files, sizes={"film.mp4": 2_000_000, "small.png": 1000})
    found = performance.resource_efficiency(facts)
    assert found.score == 8
    assert "film.mp4" in found.said
