"""`tablewright import`, from a database and from a file to a module that works."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.adopt.tables import GSI1, item, table
from tests.deploy.templates.samples import sample

from tablewright.cli.main import run
from tablewright.client import Db, Embedded
from tablewright.deploy.templates.workbench import export_model
from tablewright.engine import Engine
from tablewright.model import Table
from tablewright.model.definition import entity_of
from tablewright.values import Item

USERS = [item(PK=f"USER#{n}", SK="PROFILE", user_id=n, email=f"p{n}@example.com") for n in range(9)]
POSTS = [
    item(
        PK=f"USER#{n % 9}", SK=f"POST#{n}", user_id=n % 9, post_id=n, GSI1PK="POSTS", GSI1SK=f"{n}"
    )
    for n in range(40)
]
JUNK = [item(PK="?", SK="!", x=1)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stored(folder: Path, items: list[Item], *tables: Table) -> None:
    with Engine(folder / "data") as engine:
        Db(Embedded(engine)).create_tables(*tables)
        for each in items:
            engine.call("PutItem", {"TableName": tables[0].name, "Item": each})


def called(*words: str) -> int:
    try:
        run(["import", *words])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"adopted_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_table_becomes_a_module(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = table("Blog", indexes=[GSI1], ttl="ends")
    stored(folder, USERS + POSTS + JUNK, own)
    assert called("--table", "Blog", "--data", "data") == 0
    told = capsys.readouterr()
    assert "read 50 items (" in told.err
    assert "read units) of 1 tables at data" in told.err
    assert "User  9 of 9 exact (100 %)  USER#{user_id}  PROFILE" in told.out
    assert "Post  40 of 40 exact (100 %)  USER#{user_id}  POST#{post_id}" in told.out
    assert "1 items are not read back exactly:\n    ? / !: its key has the form" in told.out
    assert "wrote model.py: 1 tables, 2 entities" in told.out
    assert "Blog: " in told.out  # the review's last line
    assert "tablewright explore model:model --data data" in told.out
    module = imported(folder / "model.py")
    for each in USERS + POSTS:
        known = entity_of(module.model.tables["Blog"], each)
        assert known is not None
        assert known.encode(known.decode(each)) == each
    assert "example.com" not in (folder / "model.py").read_text()


def test_nothing_is_written_to_the_database(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(folder, USERS, table("Blog"))
    asked: set[str] = set()
    for name in ("call", "submit"):
        monkeypatch.setattr(Engine, name, noting(getattr(Engine, name), asked))
    assert called("--table", "Blog", "--data", "data", "--samples", "5") == 0
    assert asked == {
        "DescribeTable",
        "DescribeTimeToLive",
        "DescribeContinuousBackups",
        "ListTagsOfResource",
        "Scan",
    }


def noting(method: Any, asked: set[str]) -> Any:
    """The method, which now notes the operations that it is called for."""

    def noted(engine: Engine, operation: str, *args: Any, **options: Any) -> Any:
        asked.add(operation)
        return method(engine, operation, *args, **options)

    return noted


def test_no_more_is_read_than_was_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(folder, USERS + POSTS, table("Blog", indexes=[GSI1]))
    assert called("--table", "Blog", "--data", "data", "--samples", "20", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    (blog,) = told["tables"]
    assert 0 < blog["items_read"] <= 20
    assert blog["read_units"] > 0
    assert not blog["whole"]


def test_json_tells_everything(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(folder, USERS + POSTS + JUNK, table("Blog", indexes=[GSI1]))
    assert called("--table", "Blog", "--data", "data", "--json", "--stdout") == 0
    told = json.loads(capsys.readouterr().out)
    (blog,) = told["tables"]
    assert {each["entity"]: each["share"] for each in blog["entities"]} == {"User": 1, "Post": 1}
    assert blog["strays"] == [
        {
            "key": {"PK": {"S": "?"}, "SK": {"S": "!"}},
            "reason": "its key has the form of no entity",
        }
    ]
    assert told["review"]["findings"]
    assert "class Post(" in told["source"]
    assert list(folder.glob("*.py")) == []


def test_the_module_alone_on_standard_output(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(folder, USERS, table("Blog"))
    assert called("--table", "Blog", "--data", "data", "--stdout") == 0
    told = capsys.readouterr()
    compile(told.out, "module", "exec")
    assert "9 of 9 exact" in told.err


def test_an_empty_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(folder, [], table("Blog"))
    assert called("--table", "Blog", "--data", "data") == 0
    assert "Blog: no items (all there are)" in capsys.readouterr().out
    assert list(imported(folder / "model.py").model.entities) == ["Blog"]


def test_names_of_an_environment(folder: Path) -> None:
    stored(folder, USERS, table("osem-prod-Blog"))
    place = ("--data", "data", "--prefix", "osem", "--env", "prod")
    assert called("--table", "Blog", *place) == 0
    assert list(imported(folder / "model.py").model.tables) == ["Blog"]


@pytest.mark.parametrize("name", ["ecommerce", "ladders"])
def test_a_file_of_workbench(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = sample(name)
    document = export_model(given.model, given.items)
    Path("workbench.json").write_text(json.dumps(document))
    assert called("workbench.json", "--out", "from_file.py") == 0
    assert "tablewright explore from_file:model " in capsys.readouterr().out
    module = imported(folder / "from_file.py")
    assert list(module.model.tables) == list(given.model.tables)
    for said in document["DataModel"]:
        for each in said["TableData"]:
            known = entity_of(module.model.tables[said["TableName"]], each)
            assert known is not None
            assert known.encode(known.decode(each)) == each


def test_a_file_of_workbench_without_data(folder: Path) -> None:
    given = sample("github")
    Path("workbench.json").write_text(json.dumps(export_model(given.model)))
    assert called("workbench.json") == 0
    model = imported(folder / "model.py").model
    assert set(given.model.entities) <= set(model.entities)
    key = model.entities["Issue"].primary.key
    assert (key.pk, key.sk) == (
        given.model.entities["Issue"].primary.key.pk,
        given.model.entities["Issue"].primary.key.sk,
    )


# --- what is wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "it is not said what to read"),
        (("none.json",), "none.json cannot be read"),
        (("text.json",), "text.json: this is no JSON"),
        (("other.json",), "other.json: this is no model of NoSQL Workbench"),
        (("text.json", "--data", "data"), "a file and a database are given"),
        (("--table", "Blog"), "it is not said what to read"),
        (("--data", "nowhere", "--table", "Blog"), "There is no database in nowhere"),
        (("--data", "data"), "There are: Blog"),
        (("--data", "data", "--table", "Blok"), "there is no table Blok"),
        (("--data", "data", "--table", "x"), "cannot be the name of a table"),
        (("--data", "data", "--table", "Blog", "--out", "there.py"), "there.py is there already"),
        (("--data", "data", "--table", "Blog", "--out", "no/m.py"), "no/m.py cannot be written"),
    ],
)
def test_what_is_wrong_is_said(
    words: tuple[str, ...], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(folder, [], table("Blog"))
    Path("text.json").write_text("{")
    Path("other.json").write_text('{"a": 1}')
    Path("there.py").write_text("mine")
    assert called(*words) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert "Traceback" not in told.err
    assert Path("there.py").read_text() == "mine"


def test_force_writes_over(folder: Path) -> None:
    stored(folder, USERS, table("Blog"))
    Path("model.py").write_text("mine")
    assert called("--table", "Blog", "--data", "data", "--force") == 0
    assert "class User(" in Path("model.py").read_text()


# --- the module ----------------------------------------------------------------------------------


@pytest.fixture
def written(folder: Path) -> Path:
    """Modules of several kinds of tables."""
    stored(folder, USERS + POSTS + JUNK, table("Blog", indexes=[GSI1]))
    assert called("--table", "Blog", "--data", "data", "--out", "blog.py") == 0
    for name in ("ladders", "github"):
        given = sample(name)
        Path(f"{name}.json").write_text(json.dumps(export_model(given.model, given.items)))
        assert called(f"{name}.json", "--out", f"{name}_model.py") == 0
    return folder


def tool(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_ruff_would_not_change_it(written: Path) -> None:
    for options in ([], ["--line-length", "100"]):
        assert tool("ruff", "format", "--isolated", "--check", *options, str(written)) == ""
    rules = ["--select", "B,E,F,I,PIE,RUF,SIM,UP,W", "--ignore", "E501"]
    assert tool("ruff", "check", "--isolated", *rules, str(written)) == ""


@pytest.mark.slow
def test_so_it_is_for_every_system(folder: Path) -> None:
    for name in ("pricekeeper", "vibejudge", "sentiment", "kurukshetra", "kit", "corners"):
        given = sample(name)
        Path("it.json").write_text(json.dumps(export_model(given.model, given.items)))
        assert called("it.json", "--out", f"{name}_model.py") == 0
    test_ruff_would_not_change_it(folder)
    test_it_type_checks(folder)


@pytest.mark.slow
def test_it_type_checks(written: Path) -> None:
    files = [str(each) for each in written.glob("*.py")]
    assert tool("mypy", "--strict", "--config-file=", *files) == ""
