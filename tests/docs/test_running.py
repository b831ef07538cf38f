"""What the pages about running systems have one type, typed.

The console blocks of a page are one session of a shell, in an empty folder; where they name the
address of `tablewright up`, one runs there, with its data in ``data``: of the system that the page
is about, or of all. Behind a console block may stand a JSON block: what its last command answers.
Texts with digits in them (ids, moments, tokens) are other ones each time, and so are a few numbers;
everything else has to be the same.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.up_support import environment, started
from tests.docs.markdown import PAGES, Block, blocks, typed

SERVICE = "http://127.0.0.1:8080"
#: What starts the service, which runs already; what needs an account, or a checkout.
LEFT_OUT = re.compile(
    r"tablewright up|make run|tablewright .* --aws|.* analyze-repo \.$", re.DOTALL
)
#: What is said to the service before it starts.
EXPORTED = re.compile(r"^\$ export (TABLEWRIGHT_.*)$", re.MULTILINE)
#: Members that depend on when something is asked.
MOMENTARY = {"as_of", "lag_ms", "time_left_secs", "cache_duration_secs"}
SYSTEMS = {"pricekeeper", "sentiment", "vibejudge", "kurukshetra", "ladders"}
MARK = "\x1e"
#: Where the commands of this environment are.
BIN = Path(sys.executable).parent

SESSIONS = [
    page
    for page in PAGES
    if any(SERVICE in block.text and "curl" in block.text for block in blocks(page, "console"))
]


def commands(page: Path) -> list[tuple[Block, list[str]]]:
    """What is to be typed, block by block."""
    return [
        (block, [each for each in typed(block) if not LEFT_OUT.match(each)])
        for block in blocks(page, "console")
    ]


def settings(page: Path, folder: Path) -> dict[str, str]:
    """The settings that a page exports for the service."""
    given = [word for line in EXPORTED.findall(page.read_text()) for word in shlex.split(line)]
    pairs = (word.replace("$PWD", str(folder)).partition("=") for word in given)
    return {name: value for name, _, value in pairs}


def about(page: Path) -> list[str]:
    """The system that a page is about; none if it is about all of them."""
    name = page.stem.partition("-")[0]
    return [name] if name in SYSTEMS else []


def script(page: Path, url: str) -> str:
    """All commands of a page; behind each a mark with how it ended."""
    lines = [
        f'{command.replace(SERVICE, url)}\nprintf "{MARK}$?{MARK}"'
        for _, typed_here in commands(page)
        for command in typed_here
    ]
    return "\n".join(lines)


def printed(block: Block) -> str:
    """What a console block says its commands print."""
    given = {line for command in typed(block) for line in command.splitlines()}
    lines = (line for line in block.text.splitlines() if not line.startswith(("$ ", ">")))
    return "".join(f"{line}\n" for line in lines if line not in given)


def answer(block: Block) -> object:
    """The JSON that stands right behind a console block; None if there is none."""
    behind = block.line + block.text.count("\n") + 3
    found = (each.text for each in blocks(block.page, "json") if each.line == behind)
    return next(map(json.loads, found), None)


def differences(said: object, found: object, where: str = "") -> list[str]:
    """Where an answer is not what the page says."""
    if isinstance(said, dict) and isinstance(found, dict) and said.keys() == found.keys():
        return [
            each
            for name, value in said.items()
            if name not in MOMENTARY
            for each in differences(value, found[name], f"{where}.{name}")
        ]
    if isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        pairs = enumerate(zip(said, found, strict=True))
        return [each for place, pair in pairs for each in differences(*pair, f"{where}.{place}")]
    varies = isinstance(said, str) and isinstance(found, str) and re.search(r"\d", said + found)
    return [] if said == found or varies else [f"{where}: {said!r}, but it is {found!r}"]


#: The sessions that are typed with every run of the tests.
QUICK = ("up", "ladders-api", "pricekeeper-api")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(
    "page",
    [
        # Each starts a process and waits for its work; the short one shows that typing works.
        pytest.param(page, marks=[] if page.stem in QUICK else [pytest.mark.slow])
        for page in SESSIONS
    ],
    ids=lambda page: page.stem,
)
def test_what_is_typed(page: Path, tmp_path: Path) -> None:
    # What is refused ends with an error, and its document is shown all the same.
    (tmp_path / ".curlrc").write_text("fail-with-body\n")
    with started(*about(page), "--data", "data", cwd=tmp_path, **settings(page, tmp_path)) as up:
        session = subprocess.run(
            ["bash", "-c", script(page, up.url)],
            cwd=tmp_path,
            env=environment(CURL_HOME=str(tmp_path), PATH=f"{BIN}:{os.environ['PATH']}"),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    *parts, rest = session.stdout.split(MARK)
    results = list(zip(parts[::2], parts[1::2], strict=True))
    assert not rest, session.stderr
    for block, typed_here in commands(page):
        here, results = results[: len(typed_here)], results[len(typed_here) :]
        _check(block, here, answer(block), session.stderr)
    assert results == []


def _check(block: Block, results: list[tuple[str, str]], said: object, errors: str) -> None:
    refused = isinstance(said, dict) and "code" in said
    wanted = ["22" if refused and each is results[-1] else "0" for each in results]
    assert [ended for _, ended in results] == wanted, (str(block), results, errors)
    if said is not None:
        assert differences(said, json.loads(results[-1][0])) == [], str(block)
    elif printed(block):
        assert "".join(output for output, _ in results) == printed(block), str(block)


def test_there_is_something_to_type() -> None:
    assert {page.stem for page in SESSIONS} >= {"pricekeeper"}
