"""`tablewright explore`: a model of somebody's own in the browser, and what is said if it fails."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.cli.own_shop import DEMO, SHOP, write_shop
from tests.cli.up_support import COMMAND, PATIENCE, environment

from tablewright.cli.explore_place import live_tables
from tablewright.cli.explore_process import Options, run, settings_of, subject_of
from tablewright.cli.place_options import Place
from tablewright.cli.terminal import Failure
from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.server import ServerThread

HTML = {"Accept": "text/html"}
END = SHOP.count("\n")


@contextmanager
def exploring(*arguments: str, cwd: Path) -> Iterator[tuple[dict[str, Any], subprocess.Popen[str]]]:
    process = subprocess.Popen(
        [*COMMAND, "explore", "--json", *arguments],
        cwd=cwd,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line, process.communicate(timeout=PATIENCE)
        yield json.loads(line), process
    finally:
        process.kill()
        process.communicate()


def test_a_model_of_ones_own_on_practice_tables(tmp_path: Path) -> None:
    model = write_shop(tmp_path, "ownshop", demo=DEMO)
    with exploring(model, cwd=tmp_path) as (facts, process):
        url = facts["link"].partition("/enter")[0]
        with httpx2.Client(base_url=url, headers=HTML, timeout=PATIENCE) as browser:
            closed = browser.get("/console/my-shop/model", follow_redirects=True)
            assert (closed.status_code, "My shop" in closed.text) == (401, False)
            page = browser.get(facts["link"], follow_redirects=True)
            assert page.url.path == "/console/my-shop/model"
            assert "key=" not in str(page.url)
            assert "Thing" in page.text
            assert "spoon" in browser.get("/console/my-shop/model/items").text
            form = browser.get("/console/my-shop/model/patterns/thing").text
            assert "Live tables" not in form
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")
    made = {each.name for each in tmp_path.iterdir()} - {"ownshop.py", "__pycache__"}
    assert not made, "nothing is kept"


# --- the model -----------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, from which modules can be named; what is imported is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


def test_what_is_beside_a_model_comes_with_it(here: Path) -> None:
    bare = subject_of(write_shop(here, "bareshop"))
    assert (bare.demo, bare.accepted, bare.has_kit) == (None, (), False)
    assert bare.about == "A little shop."
    full = subject_of(write_shop(here, "fullshop", demo=DEMO))
    assert full.demo is not None
    assert [str(each.name) for each in full.demo.items] == ["spoon"]  # type: ignore[attr-defined]
    shipped = subject_of("pricekeeper")
    assert shipped.has_kit
    assert shipped.demo is not None


@pytest.mark.parametrize(
    ("name", "text", "told", "where"),
    [
        ("unreadable", "model = (", "SyntaxError", ""),
        (
            "failing",
            "price = 1 / 0",
            "ZeroDivisionError: division by zero",
            f"failing.py, line {END + 1}",
        ),
        (
            "demoless",
            "def demo():\n    return {}['x']",
            "demo of demoless",
            f"demoless.py, line {END + 2}",
        ),
        ("other", "model = 3", "is a int, not a tablewright.model.Model", ""),
    ],
)
def test_a_model_that_does_not_work_is_told_in_words(
    here: Path, name: str, text: str, told: str, where: str
) -> None:
    model = write_shop(here, name, demo=f"{text}\n")
    with pytest.raises(Failure, match=told) as failed:
        subject_of(model)
    assert failed.value.hint.endswith(where)
    assert bool(failed.value.hint) == bool(where)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"model": "nosuch"}, "give one of pricekeeper"),
        ({"model": "no.such:model"}, "there is no module"),
        ({"model": "pricekeeper", "place": Place(data=Path("x"), aws=True)}, "exclude each other"),
        ({"model": "pricekeeper", "memory": True, "place": Place(aws=True)}, "exclude each other"),
        ({"model": "pricekeeper", "place": Place(data=Path("x"))}, "no database in x"),
    ],
)
def test_what_cannot_work_is_refused_in_words(here: Path, given: dict[str, Any], told: str) -> None:
    with pytest.raises(Failure, match=told):
        run(Options(**given))
    assert list(here.iterdir()) == []


# --- live tables ---------------------------------------------------------------------------


def test_stored_items_are_shown_only_if_a_place_was_named() -> None:
    assert settings_of(Options(model="m")).explore_data is False
    assert settings_of(Options(model="m", memory=True)).explore_data is False
    assert settings_of(Options(model="m", place=Place(aws=True))).explore_data is True


def test_tables_that_are_not_there_are_told_with_what_makes_them(here: Path) -> None:
    model = write_shop(here, "emptyshop")
    with Engine.memory() as engine, ServerThread(engine) as server:
        place = Place(endpoint=server.url, region="us-east-1", env="dev")
        shop = subject_of(model).model
        with (
            pytest.raises(Failure, match="dev-Shop") as failed,
            live_tables(place, model, shop, ""),
        ):
            pass
        assert f"tables setup {model} --endpoint {server.url}" in failed.value.hint
        assert "--env dev" in failed.value.hint
        assert engine.call("ListTables", {})["TableNames"] == []


def test_the_tables_of_a_folder_are_read_whoever_owns_it(here: Path) -> None:
    model = write_shop(here, "keptshop")
    shop = subject_of(model).model
    with Engine("data") as engine, ServerThread(engine) as server:
        Db(Embedded(engine)).create_tables(shop)
        (here / "data" / "run.json").write_text(json.dumps({"url": server.url}))
        with live_tables(Place(data=Path("data")), model, shop, "") as joined:
            assert (joined.database.where, joined.remark) == (server.url, "")
    (here / "data" / "run.json").unlink()
    with live_tables(Place(data=Path("data")), model, shop, "http://here") as owned:
        assert owned.database.where == "data"
        told = json.loads((here / "data" / "run.json").read_text())
        assert told["console"] == "http://here"
    assert not (here / "data" / "run.json").exists()
