"""`tablewright review` as people and scripts call it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

import tablewright.cli.main as main

COMMAND = [sys.executable, "-m", "tablewright", "review"]
MODEL = """
from tablewright.model import Entity, Index, Key, Model, Put, Table, get, put, write

app = Table("Orders", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")])

class Order(Entity, table=app, keys={
    "primary": Key("ORDER#{order_id}"), "by_state": Key("STATE#{state}", on="GSI1"),
}):
    order_id: str
    state: str

@get(Order)
def order(order_id: str) -> None:
    \"\"\"One order.\"\"\"

@write()
def place(order: Order) -> Put[Order]:
    \"\"\"A new order.\"\"\"
    return put(order).new()

model = Model("orders", __name__)
"""


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command in this process, which is quicker; what it imports is forgotten again."""
    out, err = io.StringIO(), io.StringIO()
    modules, path = set(sys.modules), list(sys.path)
    try:
        with contextlib.chdir(cwd), redirect_stdout(out), redirect_stderr(err):
            with pytest.raises(SystemExit) as ended:
                main.run(["review", *arguments])
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and cwd in Path(file).parents:
                del sys.modules[name]
    code = int(ended.value.code or 0)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def run_apart(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command as people start it."""
    return subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(MODEL)
    return tmp_path


def test_a_report_for_people(shop: Path) -> None:
    done = run_apart("shop:model", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert "I01" in done.stdout
    assert "index Orders/GSI1" in done.stdout
    assert done.stdout.rstrip().endswith("orders: 1 warning")
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("never", 0)])
def test_the_exit_code_follows_fail_on(shop: Path, fail_on: str, code: int) -> None:
    assert run("shop:model", "--fail-on", fail_on, cwd=shop).returncode == code


def test_json(shop: Path) -> None:
    body = json.loads(run_apart("shop:model", "--json", cwd=shop).stdout)
    assert body["model"] == "orders"
    assert [each["code"] for each in body["findings"]] == ["I01"]


def test_sarif_names_the_file(shop: Path) -> None:
    body = json.loads(run("shop:model", "--sarif", cwd=shop).stdout)
    (result,) = body["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "shop.py"}


def test_a_finding_is_accepted_in_the_model_s_module(shop: Path) -> None:
    with (shop / "shop.py").open("a") as file:
        file.write(
            "\nfrom tablewright.review import Suppression\n"
            'suppressions = [Suppression("I01", "Orders/GSI1", "read by the exporter")]\n'
        )
    done = run("shop:model", "--fail-on", "note", cwd=shop)
    assert done.returncode == 0, done.stdout
    assert "read by the exporter" in done.stdout


def test_or_in_a_module_beside_it(shop: Path) -> None:
    (shop / "review.py").write_text(
        "from tablewright.review import Suppression\n"
        'suppressions = [Suppression("I01", "Orders/*", "read by the exporter")]\n'
    )
    done = run("shop:model", "--fail-on", "note", cwd=shop)
    assert done.returncode == 0, done.stdout
    assert "1 accepted" in done.stdout


def test_what_is_no_suppression_is_refused(shop: Path) -> None:
    (shop / "review.py").write_text('suppressions = ["I01"]\n')
    done = run_apart("shop:model", cwd=shop)
    assert done.returncode == 2
    assert "suppressions" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_design_that_nobody_has_built(tmp_path: Path) -> None:
    (tmp_path / "paper.py").write_text(
        "from tablewright.review import Design\n"
        "from tablewright.review.design import Entity, Key, Table\n"
        "design = Design.of('paper', Table('T', pk='PK', sk='SK'),\n"
        "                   Entity('A', 'T', keys=[Key('A#{id}', '')]))\n"
    )
    done = run("paper:design", cwd=tmp_path)
    assert done.returncode == 1
    assert "K05" in done.stdout


def test_the_rules_can_be_listed_and_explained(tmp_path: Path) -> None:
    listed = run("--rules", cwd=tmp_path).stdout
    assert "K01" in listed
    assert "Security" in listed
    assert json.loads(run("--rules", "--json", cwd=tmp_path).stdout)[0]["code"] == "K01"
    assert run("--explain", "k01", cwd=tmp_path).stdout.startswith("# K01")


@pytest.mark.parametrize("arguments", [(), ("nothing",), ("no.such:model",), ("--explain", "Z9")])
def test_mistakes_are_told_without_a_stack_trace(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error:")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_colours_on_a_terminal(shop: Path) -> None:
    import pty

    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "shop:model"],
        cwd=shop,
        stdout=follower,
        stderr=follower,
        env={key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        | {"TERM": "xterm"},
    ) as process:
        process.wait(timeout=60)
        os.close(follower)
        shown = os.read(leader, 65536).decode()
    os.close(leader)
    assert "\x1b[33mwarning" in shown
