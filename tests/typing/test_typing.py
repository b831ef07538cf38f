"""The types of the public API, checked by the type checkers themselves.

Every ``*_ok.py`` in this folder has to pass. In a ``*_bad.py`` each line that ends in
``# E: fragment`` has to be reported with that fragment in the message, and no other line may be.
``# E: a | b`` takes either fragment, as the checkers word things differently; ``# E[mypy]: a``
is for one of them alone.

All files go through one process of each checker, in its strictest mode.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FILES = sorted([*HERE.glob("*_ok.py"), *HERE.glob("*_bad.py")])

#: By file name and line, what was reported there.
Reports: TypeAlias = Mapping[str, Mapping[int, list[str]]]

_MYPY_LINE = re.compile(r"(?P<file>.+?\.py):(?P<line>\d+): (?:error|note): (?P<text>.*)")
_MARKER = re.compile(r"# E(?:\[(?P<checker>\w+)\])?: (?P<fragments>.+)$")


@pytest.fixture(scope="module")
def mypy(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    cache = tmp_path_factory.mktemp("mypy")
    # Silent imports: the package itself is checked elsewhere.
    options = ("--strict", "--follow-imports=silent", "--no-error-summary", "--no-pretty")
    command = (sys.executable, "-m", "mypy", *options, "--cache-dir", str(cache))
    done = run(*command, *map(str, FILES))
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found: defaultdict[str, defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for line in done.stdout.splitlines():
        report = _MYPY_LINE.match(line)
        assert report, f"mypy said: {line}"
        found[Path(report["file"]).name][int(report["line"])].append(report["text"])
    return found


@pytest.fixture(scope="module")
def pyright(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    # The package on its own is a launcher: it fetches the checker, if the network lets it.
    if run(sys.executable, "-m", "pyright", "--version").returncode:
        pytest.skip("pyright is not installed, or could not fetch what it runs on")
    folder = tmp_path_factory.mktemp("pyright")
    settings = {
        # Only relative paths are taken.
        "include": [os.path.relpath(path, folder) for path in FILES],
        # The folder itself: the files share a model.
        "extraPaths": [os.path.relpath(each, folder) for each in (ROOT / "src", HERE)],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    options = ("--project", str(folder), "--pythonpath", sys.executable, "--outputjson")
    done = run(sys.executable, "-m", "pyright", *options)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert answer["summary"]["filesAnalyzed"] == len(FILES)
    found: defaultdict[str, defaultdict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for report in answer["generalDiagnostics"]:
        line = report["range"]["start"]["line"] + 1
        found[Path(report["file"]).name][line].append(report["message"])
    return found


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


def expected(path: Path, checker: str) -> dict[int, list[str]]:
    """The marked lines of a file, each with the fragments of which one has to be reported."""
    found = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        marker = _MARKER.search(line)
        if marker and marker["checker"] in (None, checker):
            found[number] = [each.strip() for each in marker["fragments"].split(" | ")]
    return found


# One test for all files: the processes of a parallel run would each start a checker of their own.
@pytest.mark.parametrize("checker", ["mypy", pytest.param("pyright", marks=pytest.mark.slow)])
def test_reported_is_what_is_marked(checker: str, request: pytest.FixtureRequest) -> None:
    assert len(FILES) > 5
    reports: Reports = request.getfixturevalue(checker)
    wrong = [
        f"{path.name}, {each}"
        for path in FILES
        for each in differences(path, checker, reports.get(path.name, {}))
    ]
    assert not wrong, "\n".join(wrong)


def differences(path: Path, checker: str, reports: Mapping[int, list[str]]) -> Iterator[str]:
    marked = expected(path, checker)
    if bool(marked) != path.stem.endswith("_bad"):
        yield "only a *_bad.py has marked lines"
    for line, texts in reports.items():
        if line not in marked:
            yield f"line {line}: {'; '.join(texts)}"
    for line, fragments in marked.items():
        said = "\n".join(reports.get(line, ()))
        if not any(fragment in said for fragment in fragments):
            yield f"line {line}: expected {' or '.join(fragments)}, but: {said or 'nothing'}"
