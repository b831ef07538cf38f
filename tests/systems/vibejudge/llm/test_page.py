"""What the page about models says is what there is."""

from __future__ import annotations

import tomllib

from tests.docs.markdown import ROOT, blocks, section, table

from tablewright.systems.vibejudge.entities import ALL_AGENTS
from tablewright.systems.vibejudge.llm import context, doubts
from tablewright.systems.vibejudge.llm.models import BEDROCK, MAX_TOKENS
from tablewright.systems.vibejudge.llm.selecting import MOST_FILES
from tablewright.systems.vibejudge.rules.rates import read_rates

PAGE = "docs/vibejudge-models.md"


def test_the_usual_models() -> None:
    rows = table(section(PAGE, "## Providers"), "Agent")
    told = {row[0].strip("*"): (row[1].strip("`"), int(row[2])) for row in rows}
    assert told == {agent: (BEDROCK[agent].model_id, MAX_TOKENS[agent]) for agent in ALL_AGENTS}


def test_the_limits() -> None:
    told = {row[0]: row[1] for row in table(section(PAGE, "## What a model sees"), "What")}
    assert told["README"] == f"{context.README_CHARS:,} characters"
    assert told["files"].startswith(f"{MOST_FILES}, of each the first {context.FILE_LINES} lines")
    assert f"{context.LINE_CHARS} characters" in told["files"]
    assert told["paths"] == str(context.LISTED)
    assert told["all of it"] == f"{context.MOST_BYTES:,} bytes"
    (commits,) = [text for name, text in told.items() if name.startswith("commits")]
    assert commits.startswith(f"{context.COMMITS}:")
    (diffs,) = [text for name, text in told.items() if name.startswith("diffs")]
    assert diffs == f"{context.DIFFS} of {context.DIFF_LINES} lines"


def test_the_flags() -> None:
    text = section(PAGE, "## What is believed")
    assert f"more than {doubts.FAR} from the static one" in text
    for flag in ("false_citations", "all_equal", "all_high", "far_from_static"):
        assert f"`{flag}`" in text


def test_the_file_of_rates_can_be_read() -> None:
    (block,) = blocks(ROOT / PAGE, "toml")
    (row,) = read_rates(block.text).known()
    assert row.model_id == tomllib.loads(block.text)["rates"][0]["model_id"]
