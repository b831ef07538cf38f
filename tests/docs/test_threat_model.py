"""Every threat of the threat model names tests that exist, and that run."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.docs.markdown import ROOT

PAGE = ROOT / "docs" / "threat-model.md"
#: `tests/folder/test_file.py::test_name`, or with a class between.
_TEST = re.compile(r"`(tests/[\w/]+\.py)::((?:\w+::)?test_\w+)`")


def threats(text: str) -> dict[str, list[tuple[str, str]]]:
    """The rows that tell of a threat, and the tests they name."""
    rows = re.findall(r"^\| (T\d+) \| (.+) \|$", text, re.MULTILINE)
    assert len({number for number, _ in rows}) == len(rows), "a number is there twice"
    return {number: _TEST.findall(row) for number, row in rows}


THREATS = threats(PAGE.read_text())


@cache
def functions(path: str) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """The tests of a file by their names, those of classes too."""
    found: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
    for node in ast.parse((ROOT / path).read_text()).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        before = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for each in inside:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                found[before + each.name] = each
    return found


def never_runs(test: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it is always skipped, or may fail."""
    marks = [ast.unparse(each) for each in test.decorator_list]
    if any(re.match(r"pytest\.mark\.(skip\b|xfail|skipif\(True)", mark) for mark in marks):
        return True
    first = [each for each in test.body if not _is_docstring(each)][:1]
    return bool(first) and ast.unparse(first[0]).startswith(("pytest.skip(", "pass", "..."))


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def test_there_are_threats_and_their_numbers_have_no_gap() -> None:
    assert list(THREATS) == [f"T{number}" for number in range(1, len(THREATS) + 1)]
    assert len(THREATS) > 40
    # Whatever looks like the name of a test is read as one.
    assert PAGE.read_text().count("::test_") == sum(map(len, THREATS.values()))


@pytest.mark.parametrize("number", THREATS)
def test_a_threat_names_tests_that_run(number: str) -> None:
    assert THREATS[number], "no test shows that it is withstood"
    for path, name in THREATS[number]:
        assert (ROOT / path).is_file(), path
        test = functions(path).get(name)
        assert test is not None, f"{path} has no {name}"
        assert not never_runs(test), f"{name} of {path} never runs"


def test_each_threat_is_tried_by_an_ordinary_run() -> None:
    """At least one of its tests is not among the slow ones."""
    late = [
        number
        for number, tests in THREATS.items()
        if all(_is_slow(functions(path)[name]) for path, name in tests)
    ]
    assert late == []


def _is_slow(test: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(each) == "pytest.mark.slow" for each in test.decorator_list)


@pytest.mark.parametrize(
    "source",
    [
        "@pytest.mark.skip\ndef test_a(): assert True",
        "@pytest.mark.skip(reason='x')\ndef test_a(): assert True",
        "@pytest.mark.xfail\ndef test_a(): assert True",
        "@pytest.mark.skipif(True, reason='x')\ndef test_a(): assert True",
        "def test_a():\n    '''Nothing.'''\n    pytest.skip('later')",
        "def test_a():\n    pass",
        "def test_a(): ...",
    ],
)
def test_a_test_that_never_runs_is_found(source: str) -> None:
    (test,) = ast.parse(source).body
    assert isinstance(test, ast.FunctionDef)
    assert never_runs(test)


def test_a_threat_without_a_test_is_found() -> None:
    assert threats("| T1 | something | a wall | we are sure |\n") == {"T1": []}


@pytest.mark.slow
def test_pytest_collects_them() -> None:
    nodes = sorted({f"{path}::{name}" for tests in THREATS.values() for path, name in tests})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", *nodes]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    listed = {line.partition("[")[0] for line in done.stdout.splitlines() if "::" in line}
    assert set(nodes) <= listed


def test_the_page_is_where_readers_look() -> None:
    assert "docs/threat-model.md" in (ROOT / "README.md").read_text()
    assert Path(PAGE).read_text().startswith("# Threat model")
