"""Every example in the documentation runs.

The Python blocks of a page are one program, run in order in an empty folder; where they name the
default address of `tablewright engine`, a server with the demo table stands there, and at that of
`tablewright up`, all systems, with their data in ``data``. Blocks that begin with a comment such as
``# shop.py`` are not part of the program: together they are a file beside it, which it can import.
Where a page makes a project with `tablewright new`, the program runs in it, and blocks that begin
with a comment such as ``# shop/model.py`` are what stands there. Blocks that define tests are given
to pytest, each by itself, with the page's files, the plugin and no other.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.__main__ import command_line
from benchmarks.suites import SUITES
from tests.cli.up_support import started
from tests.docs.markdown import PAGES, ROOT, Block, all_blocks, blocks, typed

from tablewright.cli.demo import ensure_demo
from tablewright.cli.main import COMMANDS, build
from tablewright.cli.new import make_project
from tablewright.cli.shortcut import options_of
from tablewright.engine import Engine, Realism
from tablewright.server import ServerThread

if TYPE_CHECKING:
    from tests.remembering import Remembering

pytest_plugins = ["pytester", "tests.remembering"]

ADDRESS = "http://127.0.0.1:8000"
SERVICE = "http://127.0.0.1:8080"


def holds_tests(block: Block) -> bool:
    return re.search(r"^def test_", block.text, re.MULTILINE) is not None


def file_of(block: Block) -> str | None:
    """The name of the module that a block is a part of."""
    found = re.match(r"# (\w+)\.py\n", block.text)
    return found[1] if found else None


def files_of(page: Path) -> dict[str, str]:
    """The modules of a page."""
    found: dict[str, str] = {}
    for block in blocks(page, "python"):
        if name := file_of(block):
            found[name] = found.get(name, "") + block.text
    return found


def excerpt_of(block: Block) -> str | None:
    """The file of a project that a block shows a part of."""
    found = re.match(r"# (\w+/\w+\.py)\n", block.text)
    return found[1] if found else None


def projects_of(page: Path) -> list[str]:
    """The projects that a page makes."""
    lines = (line.split() for block in blocks(page, "console") for line in typed(block))
    return [words[2] for words in lines if words[:2] == ["tablewright", "new"]]


PROGRAMS = [page for page in PAGES if any(not holds_tests(each) for each in blocks(page, "python"))]
TESTS = [block for block in all_blocks("python") if holds_tests(block)]


@pytest.fixture
def address() -> Iterator[str]:
    """A server as `tablewright engine --demo` starts it, on another port."""
    with Engine.memory() as engine:
        ensure_demo(engine)
        with ServerThread(engine) as server:
            yield server.url


@contextmanager
def services(page: Path, folder: Path) -> Iterator[str]:
    """The address of a service in the folder, if a program of the page wants one."""
    if not any(SERVICE in block.text for block in blocks(page, "python")):
        yield SERVICE
        return
    with started("--data", "data", cwd=folder) as up:
        yield up.url


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No configuration of this machine's user makes an example work."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)


def forget(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Afterwards, too: the next page has a file of that name."""
    monkeypatch.setitem(sys.modules, module, sys)
    del sys.modules[module]


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: page.stem)
def test_the_programs_of_a_page(
    page: Path, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for module, text in files_of(page).items():
        (tmp_path / f"{module}.py").write_text(text)
        forget(module, monkeypatch)
    for project in projects_of(page):
        make_project(project, tmp_path / project)
        monkeypatch.syspath_prepend(tmp_path / project)
        for module in (project, f"{project}.model", f"{project}.demo"):
            forget(module, monkeypatch)
    names: dict[str, object] = {"__name__": "example"}
    with services(page, tmp_path) as service:
        for block in blocks(page, "python"):
            if not holds_tests(block) and file_of(block) is None and excerpt_of(block) is None:
                # Empty lines in front, so that a traceback points into the page.
                text = block.text.replace(ADDRESS, address).replace(SERVICE, service)
                whole = "\n" * (block.line - 1) + text
                exec(compile(whole, str(page), "exec", dont_inherit=True), names)


def test_what_is_shown_of_a_project_stands_in_it(tmp_path: Path) -> None:
    shown = [block for block in all_blocks("python") if excerpt_of(block)]
    assert len(shown) >= 3
    for block in shown:
        (project,) = projects_of(block.page)
        if not (tmp_path / project).exists():
            make_project(project, tmp_path / project)
        text = (tmp_path / project / (excerpt_of(block) or "")).read_text()
        assert block.text.partition("\n")[2] in text, block


@pytest.mark.parametrize("block", TESTS, ids=str)
def test_the_tests_of_a_page(
    block: Block,
    address: str,
    remembering: Remembering,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("DYNAMODB_URL", address)
    for project in projects_of(block.page):
        make_project(project, tmp_path / project)
        pytester.syspathinsert(tmp_path / project)
    pytester.makepyfile(block.text, **files_of(block.page))
    inside = pytester.inline_run("-p", "tablewright.testing.plugin", plugins=[remembering])
    passed, skipped, failed = inside.listoutcomes()
    assert (skipped, failed) == ([], [])
    # One test may run on several backends.
    ran = {each.nodeid.rpartition("::")[2].partition("[")[0] for each in passed}
    assert ran == set(re.findall(r"^ *def (test_\w+)", block.text, re.MULTILINE))


def test_there_is_something_to_run() -> None:
    assert {page.stem for page in PROGRAMS} >= {"README", "engine", "server", "testing"}
    assert len(TESTS) >= 4


# --- what is typed into a terminal -------------------------------------------------------


def commands(program: str) -> list[tuple[str, list[str]]]:
    """Where a program is called in the console blocks, and with which words."""
    return [
        (f"{block}: {line}", words[1:])
        for block in all_blocks("console")
        for line in typed(block)
        if (words := shlex.split(line.replace("\\\n", " "), comments=True)) and words[0] == program
    ]


def test_the_commands_exist() -> None:
    called = commands("tablewright")
    assert called
    known = {command.name for command in COMMANDS}
    for place, (name, *options) in called:
        assert name in known, place
        if name == "engine" and options[:1] != ["verify"]:
            understood = options == ["--help"] or options_of([name, *options]) is not None
            assert understood, place
        elif options != ["--help"]:
            build().parse_args([name, *options], exit_on_error=False, print_error=False)


def test_the_make_targets_exist() -> None:
    called = commands("make")
    assert called
    makefile = (ROOT / "Makefile").read_text()
    for place, words in called:
        targets = [word for word in words if "=" not in word]
        assert targets, place
        for target in targets:
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), place


#: Options of `make bench` that are not handed on to the suites.
OF_THE_RUN = ("--quick", "--resume")


def test_the_benchmarks_are_reported_by_these_commands() -> None:
    called = [words for _, words in commands("python") if words[:2] == ["-m", "benchmarks"]]
    assert called
    for words in called:
        command_line().parse_args(words[2:])


def test_the_benchmarks_have_these_options() -> None:
    called = [
        (place, [name], rest)
        for place, words in commands("python")
        for name, rest in [(words[1].removeprefix("benchmarks."), words[2:])]
        if words[0] == "-m" and words[1] == f"benchmarks.{name}"
    ]
    for place, words in commands("make"):
        given = dict(word.split("=", 1) for word in words if "=" in word)
        if words[0] == "bench":
            suites = given.get("SUITES", "engine client").split()
            own = [word for word in given.get("ARGS", "").split() if word not in OF_THE_RUN]
            called.append((place, suites, own))
    assert {name for _, suites, _ in called for name in suites} == set(SUITES)
    for place, suites, words in called:
        for name in suites:
            source = (ROOT / "benchmarks" / name / "__main__.py").read_text()
            if "benchmarks.suite" in source:
                source += (ROOT / "benchmarks" / "suite.py").read_text()
            for option in (word for word in words if word.startswith("--")):
                assert f'"{option}"' in source, place


# --- JSON --------------------------------------------------------------------------------


@pytest.mark.parametrize("block", all_blocks("json"), ids=str)
def test_json_is_json(block: Block) -> None:
    given = json.loads(block.text)
    if "faults" in given:
        assert Realism.parse(block.text).faults
