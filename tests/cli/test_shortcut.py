"""The short way to the engine reads options as cyclopts does, or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import many

from tablewright.cli import database
from tablewright.cli.engine_options import Options
from tablewright.cli.main import build
from tablewright.cli.shortcut import options_of


def long_way(arguments: list[str]) -> Options | None:
    """What cyclopts makes of the arguments; None if it refuses them."""
    seen: list[Options] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "run", seen.append)
        try:
            build()(arguments, exit_on_error=False, print_error=False)
        except (Exception, SystemExit):
            return seen[0] if seen else None
    return seen[0] if seen else None


valued = st.one_of(
    st.tuples(st.just("--host"), st.sampled_from(["localhost", "0.0.0.0", "::1", "a b"])),
    st.tuples(st.just("--port"), st.sampled_from(["0", "8000", "65536", "x", "-1", "007"])),
    st.tuples(st.just("--data"), st.sampled_from(["d", "/tmp/x y", "./a/..", "~"])),
    st.tuples(st.just("--durability"), st.sampled_from(["full", "relaxed", "FULL", "x"])),
    st.tuples(st.just("--credentials"), st.sampled_from(["a:b", "c:d:e", "k:-s"])),
    st.tuples(st.just("--credentials-file"), st.just("keys.txt")),
    st.tuples(st.just("--region"), st.sampled_from(["eu-west-1", "local", ""])),
)
flags = st.sampled_from(["--memory", "--separate", "--demo", "--json"]).map(lambda flag: (flag,))
odd = st.sampled_from(["--memory=true", "--no-memory", "--prot", "extra", "--", "-p"]).map(
    lambda word: (word,)
)
joined = valued.map(lambda pair: (f"{pair[0]}={pair[1]}",))


@settings(max_examples=many(150), deadline=None)
@given(st.lists(st.one_of(valued, valued, flags, joined, odd), max_size=6))
def test_both_ways_agree(groups: list[tuple[str, ...]]) -> None:
    arguments = ["engine", *(word for group in groups for word in group)]
    short = options_of(arguments)
    if short is not None:
        assert short == long_way(arguments)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], Options()),
        (["--memory", "--port", "0"], Options(memory=True, port=0)),
        (["--data=d", "--json"], Options(data=Path("d"), json=True)),
        (
            ["--credentials", "a:b", "--credentials", "c:d", "--separate"],
            Options(credentials=("a:b", "c:d"), separate=True),
        ),
    ],
)
def test_plain_command_lines_take_the_short_way(arguments: list[str], options: Options) -> None:
    assert options_of(["engine", *arguments]) == options
    assert long_way(["engine", *arguments]) == options


@pytest.mark.parametrize(
    "arguments",
    [[], ["other"], ["engine", "--help"], ["engine", "--port"], ["engine", "--port", "x"]],
)
def test_others_do_not(arguments: list[str]) -> None:
    assert options_of(arguments) is None


def test_the_short_way_needs_neither_cyclopts_nor_rich() -> None:
    code = (
        "import sys; from tablewright.cli import main, database, shortcut, main as m\n"
        "import tablewright.cli.main\n"
        "assert shortcut.options_of(['engine', '--memory'])\n"
        "print({'cyclopts', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
