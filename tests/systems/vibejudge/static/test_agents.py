"""All four agents: the same every time, true evidence, hostile code, speed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from decimal import Decimal

import pytest
from tests.sampling import ALL
from tests.systems.vibejudge.static.support import commit, snapshot_of
from tests.timing import at_most

from tablewright.systems.vibejudge.repos.snapshot import Snapshot
from tablewright.systems.vibejudge.rules.scoring import WEIGHTS
from tablewright.systems.vibejudge.static import analyse, rules_version
from tablewright.systems.vibejudge.static.codebase import Codebase
from tablewright.systems.vibejudge.static.meta import repo_meta
from tablewright.systems.vibejudge.static.results import Finding, telling

BAD = """import requests, sqlite3, time

def load(ids):
    for i in ids:
        requests.get(f"/x/{i}")
        try:
            eval(i)
        except Exception:
            pass
    rows = sqlite3.connect("x").execute(f"SELECT a FROM t WHERE i = {ids}")
    f = open("x")
    return rows

async def wait():
    time.sleep(3)
"""
FILES: dict[str, str | None] = {
    "app/main.py": BAD,
    "app/other.js": "app.get('/x', (q, r) => { try { go() } catch (e) {} ; eval(q.body) })\n",
    "README.md": "# Thing\n\nIt does what it does, and does it rather well.\n",
    "requirements.txt": "requests\nstrange-library\n",
    ".env": "SECRET_KEY=k8Jx2mQ9vL4pZ7wR\n",
    "notes/a.ipynb": '{\n "cells": [\n  {\n   "cell_type": "code",\n   "source": [\n'
    '    "import os\\n",\n    "eval(os.name)\\n"\n   ]\n  }\n ]\n}\n',
    "picture.png": None,
}


def test_every_sub_score_has_its_place() -> None:
    found = analyse(snapshot_of(FILES))
    assert {agent: set(result.scores) for agent, result in found.items()} == {
        agent: set(weights) for agent, weights in WEIGHTS.items()
    }
    for result in found.values():
        for score in result.scores.values():
            assert score is None or 0 <= score <= 10
        assert 0 < len(result.summary) <= 2000
        assert len(result.evidence) == min(20, result.evidence_total)
        assert set(result.notes) >= {name for name, score in result.scores.items() if score is None}


def test_evidence_is_true() -> None:
    snapshot = snapshot_of(FILES)
    seen = [each for result in analyse(snapshot).values() for each in result.evidence]
    assert len(seen) > 10
    for each in seen:
        file = snapshot.file(each.file)
        assert file is not None
        assert file.text is not None
        line = file.text.split("\n")[each.line - 1]
        assert each.excerpt
        assert each.excerpt in line
        assert len(each.message) > 20
    places = {(each.file, each.line) for each in seen}
    assert {("app/main.py", 7), ("app/main.py", 10), ("notes/a.ipynb", 7), (".env", 1)} <= places


def test_the_same_in_every_process() -> None:
    """The order of sets differs between processes; nothing may depend on it."""
    program = (
        "from tests.systems.vibejudge.static.support import snapshot_of\n"
        "from tablewright.systems.vibejudge.static import analyse\n"
        f"print(analyse(snapshot_of({FILES!r})))"
    )
    # Other than the one of this process, which is left to chance or said from outside.
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(analyse(snapshot_of(FILES)))
    assert rules_version() == rules_version()


@pytest.mark.parametrize(
    "files",
    [
        {"README.md": "Only words.\n"},
        {"a.py": ""},
        {"a.py": "def broken(:\n"},
        {"a.py": "print 'two'\nexec 'x'\n"},
        {"pic.png": None},
        {"a.ipynb": "{"},
        {"a.js": "}}}}{{{{((((`"},
        {"a.rs": '\'\'\'"""r#"/*'},
        {"a.php": "<?php '"},
    ],
)
def test_half_finished_code(files: dict[str, str | None]) -> None:
    for result in analyse(snapshot_of(files)).values():
        assert result.summary


@pytest.mark.parametrize("ending", ["py", "js", "go", "rb", "php"])
def test_code_that_wants_to_take_forever(ending: str) -> None:
    """Long runs of what patterns begin with; a short run tries some of them."""
    rows = [
        "(" * 2000,
        "{ " * 20_000,
        "for (" * 5_000,
        '"' * 30_001,
        "/*" * 10_000,
        "catch (e) {" + " " * 20_000,
        "import " + "a, " * 10_000,
        "SELECT " + "x " * 20_000,
        "\\" * 30_000,
        "a.b" * 10_000 + "(",
        "if err != nil" * 2_000,
        "password = " * 4_000,
        "x = [" * 3_000,
    ]
    for row in rows if ALL else random.sample(rows, 5):
        with at_most(3, row[:20]):
            analyse(snapshot_of({f"a.{ending}": f"{row}\n", f"b.{ending}": row.replace(" ", "\n")}))


def made(lines: int) -> Snapshot:
    """A repository of about so many lines, in four languages."""
    chance = random.Random(7)
    files: dict[str, str | None] = {"README.md": "# Made\n"}
    shapes = {
        "py": "def f_{n}(a, b):\n    if a > {m}:\n        return b + {m}\n    for x in a:\n"
        "        b += x\n    return b\n\n\n",
        "js": "export function f{n}(a, b) {{\n  if (a > {m}) {{\n    return b + {m};\n  }}\n"
        "  return a.map((x) => x + b);\n}}\n\n\n",
        "go": "func F{n}(a int, b int) int {{\n\tif a > {m} {{\n\t\treturn b + {m}\n\t}}\n"
        "\treturn a\n}}\n\n\n",
        "java": "  int f{n}(int a, int b) {{\n    if (a > {m}) {{\n      return b + {m};\n    }}\n"
        "    return a;\n  }}\n\n",
    }
    for number in range(lines // 100):
        ending = chance.choice(sorted(shapes))
        body = "".join(
            shapes[ending].format(n=f"{number}_{at}", m=chance.randrange(10**6)) for at in range(12)
        )
        files[f"src/m{number}.{ending}"] = body
    return snapshot_of(files, [commit(n, {f"src/m{n}.py": 90}) for n in range(60)])


def test_five_thousand_lines_take_less_than_two_seconds() -> None:
    snapshot = made(5000)
    analyse(snapshot_of(FILES))
    with at_most(2):
        analyse(snapshot)


@pytest.mark.slow
def test_fifty_thousand_lines_within_bounds() -> None:
    import tracemalloc

    snapshot = made(50_000)
    tracemalloc.start()
    analyse(snapshot)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 300 * 1024 * 1024


def test_few_commits_are_not_believed() -> None:
    enough = {**FILES, "app/more.py": "".join(f"value_{n} = {n}\n" for n in range(200))}
    few = analyse(snapshot_of(enough))
    assert few["ai_detection"].confidence == Decimal("0.49")
    # Without dates .3 of the weights are not assessed, without enough files another .2.
    many = analyse(snapshot_of(enough, [commit(n, {"app/main.py": 9}) for n in range(5)]))
    assert many["ai_detection"].confidence == Decimal("0.68")
    # With 24 lines of code, much less is known.
    small = analyse(snapshot_of(FILES, [commit(n, {"app/main.py": 9}) for n in range(5)]))
    assert small["ai_detection"].confidence < Decimal("0.4")


def test_of_one_kind_some_before_more_of_the_same() -> None:
    many = [Finding("same", "a.py", n, "medium", "Do something about it") for n in range(1, 40)]
    other = [Finding("other", "b.py", 1, "low", "Do something else about it")]
    grave = [Finding("grave", "c.py", 1, "critical", "Do something at once")]
    chosen = telling([*many, *other, *grave])
    assert len(chosen) == 20
    assert chosen[0].file == "c.py"
    assert [each.file for each in chosen].count("b.py") == 1
    assert telling(reversed([*many, *other, *grave])) == chosen


def test_meta() -> None:
    snapshot = snapshot_of(
        {**FILES, "Dockerfile": "FROM x\n", ".github/workflows/ci.yml": "on: push\n"},
        [commit(1), commit(31, who="author-2")],
    )
    found = repo_meta(Codebase(snapshot))
    assert (found.commit_count, found.contributor_count) == (2, 2)
    assert found.primary_language == "Python"
    assert (found.has_readme, found.has_ci, found.has_dockerfile) == (True, True, True)
    assert found.has_tests is False
    assert found.development_duration_hours == 30
    assert sum(found.languages.values()) in (99, 100, 101)
