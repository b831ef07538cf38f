"""Help of `tablewright sentiment`, and how commands are typed."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest
from tests.cli.test_pricekeeper import leaves
from tests.cli.up_support import environment
from tests.systems.sentiment.cli.typing_support import Typed

from tablewright.cli.main import COMMANDS, build
from tablewright.cli.system_app import system_app
from tablewright.systems.sentiment import config
from tablewright.systems.sentiment.bodies.alerts import AlertRuleIn
from tablewright.systems.sentiment.bodies.sources import Kind
from tablewright.systems.sentiment.cli import exporting, words
from tablewright.systems.sentiment.service.exports import Format
from tablewright.systems.sentiment.shapes import Sentiment, Status

NEEDED = {
    "demo",
    "ingest",
    "replay",
    "watch",
    "stuck",
    "requeue",
    "models",
    "reanalyse",
    "compare",
    "promote",
    "recount",
    "fsck",
    "export",
    "iam",
    "cost",
    "bench",
}


def test_every_command_has_help_and_an_example_that_can_be_typed() -> None:
    found = dict(leaves(system_app("sentiment")))
    assert {path[0] for path in found} >= NEEDED
    assert {("bench", "burst"), ("bench", "read")} <= found.keys()
    for path, leaf in found.items():
        assert leaf.default_command is not None
        assert leaf.default_command.__doc__
        typed = (leaf.help_epilogue or "").partition("Example: tablewright ")[2]
        assert typed.startswith(" ".join(("sentiment", *path))), path
        build().parse_args(typed, exit_on_error=False, print_error=False)


def test_it_is_a_command() -> None:
    (found,) = (each for each in COMMANDS if each.name == "sentiment")
    assert found.help


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (["export", "--help"], {"fastapi", "starlette", "uvicorn", "jinja2", "pydantic", "apsw"}),
        (["watch", "list"], {"fastapi", "starlette", "uvicorn", "jinja2"}),
        (["sources", "list"], {"fastapi", "starlette", "uvicorn", "jinja2"}),
        (["alert-rules", "list"], {"fastapi", "starlette", "uvicorn", "jinja2"}),
    ],
)
def test_commands_come_without_the_web(typed: Typed, words: list[str], heavy: set[str]) -> None:
    words = words if "--help" in words else [*words, "--data", str(typed.folder)]
    code = (
        "import sys\n"
        "from tablewright.cli.main import run\n"
        f"try:\n    run(['sentiment', *{words!r}])\n"
        "except SystemExit as ended:\n    assert not ended.code\n"
        f"found = {heavy!r} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_words_are_those_of_the_model() -> None:
    assert set(get_args(words.Tone)) == set(get_args(Sentiment))
    assert set(get_args(words.Status)) == set(get_args(Status))
    assert set(get_args(exporting.Form)) == set(get_args(Format))
    assert set(get_args(words.SourceKind)) == set(get_args(Kind))
    assert {*get_args(words.Metric), "ops"} == set(get_args(config.Metric))
    assert set(get_args(words.OpsMetric)) == set(get_args(config.OpsRule))
    assert set(get_args(words.Window)) == set(get_args(config.Window))
    assert set(get_args(words.Delivery)) == set(get_args(config.Delivery))
    direction = AlertRuleIn.model_fields["direction"].annotation
    assert set(get_args(words.Direction)) == set(get_args(direction))


@pytest.mark.parametrize(
    ("typing", "told"),
    [
        (("export", "--sentiment", "angry"), "angry"),
        (("nothing",), "nothing"),
        (("watch", "add"), "requires an argument"),
        (("replay",), "requires an argument"),
        (("bench", "read", "--minutes", "0"), "minutes"),
        (("stuck", "--limit", "0"), "limit"),
    ],
)
def test_what_is_typed_wrongly(typed: Typed, typing: tuple[str, ...], told: str) -> None:
    said = typed(*typing)
    assert said.code == 2
    assert told in said.out + said.err
    assert "Traceback" not in said.err


def test_a_place_that_is_not_there(empty: Typed) -> None:
    said = empty.bare("sentiment", "watch", "list")
    assert (said.code, said.out) == (2, "")
    assert "tablewright up" in said.err
    said = empty.bare("sentiment", "stuck", "--data", "nowhere")
    assert said.code == 2
    assert "no database in nowhere" in said.err
