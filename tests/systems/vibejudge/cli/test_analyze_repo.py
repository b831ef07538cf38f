"""`tablewright vibejudge analyze-repo`: what is shown, in three forms, and what is refused."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.cli.test_pricekeeper import leaves
from tests.cli.up_support import environment
from tests.systems.vibejudge.cli.conftest import NAME, Typed
from tests.systems.vibejudge.repos.support import Repo

from tablewright.cli.main import build
from tablewright.cli.system_app import system_app
from tablewright.service.repo_urls import parse
from tablewright.systems.vibejudge.analysing import Analysis
from tablewright.systems.vibejudge.cli import analysing
from tablewright.systems.vibejudge.cli.asked import Asked, asked
from tablewright.systems.vibejudge.rules.permalinks import permalink
from tablewright.systems.vibejudge.rules.scoring import WEIGHTS
from tablewright.systems.vibejudge.static.window import Window


class Page(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.said += data


def test_a_scorecard_in_three_forms(typed: Typed, evil: Repo, tmp_path: Path) -> None:
    page = tmp_path / "card.html"
    below = evil.folder / "app"
    said = typed("analyze-repo", str(below), "--html", str(page))
    assert (said.code, said.err) == (0, ""), said
    _check_text(said.out)
    found = typed.json("analyze-repo", str(below))
    _check_document(found, evil)
    assert f"{found['overall_score']:.2f} of 100" in said.out
    _check_page(page.read_text("utf-8"), f"{found['overall_score']:.2f}")


def _check_text(out: str) -> None:
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out)
    assert NAME in out
    for each in (
        "bug hunter",
        "SQL is put together",
        "app/<i>main</i>.py:5",
        "not counted",
        "Took",
    ):
        assert each in out
    assert "not assessed" in out
    assert not any(line != line.rstrip() for line in out.splitlines())


def _check_document(found: dict[str, object], evil: Repo) -> None:
    assert found["commit_sha"] == evil.git("rev-parse", "HEAD")
    agents = found["agents"]
    assert isinstance(agents, dict)
    assert {name: set(each["scores"]) for name, each in agents.items()} == {
        name: set(each) for name, each in WEIGHTS.items()
    }
    assert agents["bug_hunter"]["evidence"][0]["line"] in (5, 6)
    dimensions = found["dimensions"]
    assert isinstance(dimensions, list)
    whole = 10 * sum(each["weighted"] for each in dimensions)
    assert abs(whole - float(str(found["overall_score"]))) < 0.006
    assert found["uncommitted"] == {"changed": 0, "new": 0}
    assert (found["policy"], found["dates"]) == (
        {"mode": "ai_assisted", "authenticity_weight": None},
        None,
    )


def _check_page(text: str, score: str) -> None:
    page = Page(text)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "i", "b", "img", "link", "iframe", "object", "form"}
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)
    assert not any(attrs.get("src") or attrs.get("href") for _, attrs in page.tags)
    assert "http" not in text.replace("http-equiv", "")
    assert NAME in page.said
    assert "<script>alert(1)</script>" in page.said
    assert score in page.said


def test_an_address_leads_to_the_lines_at_its_host(
    typed: Typed, evil: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is fetched here: what the host would give is read from a folder."""
    looked = analysing._analysed

    async def local(wanted: Asked, window: Window | None) -> Analysis:
        assert wanted.source == "https://github.com/a/b"
        return await looked(asked(str(evil.folder), None), window)

    monkeypatch.setattr(analysing, "_analysed", local)
    page = tmp_path / "card.html"
    found = typed.json("analyze-repo", "git@github.com:a/b.git", "--html", str(page))
    assert (found["title"], found["uncommitted"]) == ("a/b", None)
    tags = Page(page.read_text("utf-8")).tags
    links = {attrs["href"] for tag, attrs in tags if tag == "a"}
    base = f"https://github.com/a/b/blob/{found['commit_sha']}/app/%3Ci%3Emain%3C/i%3E.py"
    assert {"https://github.com/a/b", f"{base}#L5"} <= links
    assert all(each is not None and each.startswith("https://github.com/a/b") for each in links)


def test_only_commits_count_and_it_says_so(typed: Typed, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    old = repo.commit({"a.py": "def f():\n    return 1\n"})
    repo.git("tag", "v1")
    repo.commit({"b.py": "x = 1\n"})
    (repo.folder / "a.py").write_text("eval(input())\n")
    (repo.folder / "c.py").write_text("eval(input())\n")
    said = typed("analyze-repo", str(repo.folder))
    assert "Only commits count: 1 changed and 1 new files of the work tree were not" in said.out
    assert "eval" not in said.out
    at = typed.json("analyze-repo", str(repo.folder), "--sha", "v1")
    assert (at["commit_sha"], at["uncommitted"]) == (old, None)


def test_policy_dates_and_a_least_score(typed: Typed, evil: Repo, tmp_path: Path) -> None:
    rubric = tmp_path / "ours.toml"
    rubric.write_text(
        '[[dimensions]]\nname = "safety"\nweight = 0.9\nagent = "bug_hunter"\n'
        '[[dimensions]]\nname = "made_here"\nweight = 0.1\nagent = "ai_detection"\n'
    )
    words = ["analyze-repo", str(evil.folder), "--rubric", str(rubric), "--fail-under", "99"]
    words += ["--policy", "custom", "--authenticity", "0.4"]
    dates = ["--start", "2026-03-01T10:30:00Z", "--end", "2026-03-01"]
    found = typed.json(*words, *dates, code=1)
    assert found["rubric"]["name"] == "ours"
    assert [each["weight"] for each in found["dimensions"]] == [0.6, 0.4]
    # Six commits, one an hour from nine on: two are before half past ten.
    assert found["dates"]["commits_outside"] == 2
    assert found["flags"][0]["flag"] == "commits_outside_dates:2"
    assert (found["passed"], found["fail_under"]) == (False, 99.0)
    said = typed(*words)
    assert said.code == 1
    assert "is below the 99 asked for" in said.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["{empty}"], "no commits"),
        (["{plain}"], "no git repository"),
        (["{plain}/absent"], "There is no folder"),
        (["https://example.org/a/b"], "github.com"),
        (["https://github.com/only-an-owner"], "names no repository"),
        (["http://github.com/a/b"], "https://"),
        (["https://github.com/a/b", "--sha", "abc"], "whole hash"),
        (["{evil}", "--sha", "nothing"], "no commit, branch or tag"),
        (["{evil}", "--start", "yesterday"], "no date"),
        (["{evil}", "--start", "2026-03-02", "--end", "2026-03-01"], "ends after"),
        (["{evil}", "--policy", "custom"], "--authenticity"),
        (["{evil}", "--policy", "traditional", "--authenticity", "0.2"], "--authenticity"),
        (["{evil}", "--rubric", "{plain}/bad.json"], "dimensions"),
        (["{evil}", "--rubric", "no-such-thing"], "templates: all-round"),
    ],
)
def test_what_cannot_be_done(
    typed: Typed, evil: Repo, tmp_path: Path, words: list[str], told: str
) -> None:
    empty, plain = Repo(tmp_path / "empty").folder, tmp_path / "plain"
    plain.mkdir()
    (plain / "bad.json").write_text('{"dimensions": [{"name": "x", "weight": 2}]}')
    places = {"empty": empty, "plain": plain, "evil": evil.folder}
    said = typed("analyze-repo", *(each.format(**places) for each in words))
    assert (said.code, said.out) == (2, ""), said
    assert said.err.startswith("error: ")
    assert told in said.err
    assert "Traceback" not in said.err


def test_a_failure_as_a_document(typed: Typed, tmp_path: Path) -> None:
    said = typed("analyze-repo", str(Repo(tmp_path / "empty").folder), "--json")
    assert said.code == 2
    assert json.loads(said.out)["code"] == "REPO_EMPTY"


def test_help_is_quick_and_shows_no_place() -> None:
    code = (
        "import sys\n"
        "from tablewright.cli.main import run\n"
        "try:\n    run(['vibejudge', 'analyze-repo', '--help'])\n"
        "except SystemExit as ended:\n    assert not ended.code\n"
        "found = {'fastapi', 'starlette', 'uvicorn', 'jinja2', 'pydantic'} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "--fail-under" in done.stdout
    assert "--endpoint" not in done.stdout


def test_every_command_has_help_and_an_example_that_can_be_typed() -> None:
    for path, leaf in leaves(system_app("vibejudge")):
        assert leaf.default_command is not None
        assert leaf.default_command.__doc__
        typed = (leaf.help_epilogue or "").partition("Example: tablewright ")[2]
        assert typed.startswith(" ".join(("vibejudge", *path))), path
        build().parse_args(typed, exit_on_error=False, print_error=False)


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("https://github.com/a/b", "https://github.com/a/b/blob/SHA/x%20y/%23.py#L3"),
        ("https://gitlab.com/a/c/b", "https://gitlab.com/a/c/b/-/blob/SHA/x%20y/%23.py#L3"),
        ("https://bitbucket.org/a/b", "https://bitbucket.org/a/b/src/SHA/x%20y/%23.py#lines-3"),
        ("https://codeberg.org/a/b", "https://codeberg.org/a/b/src/commit/SHA/x%20y/%23.py#L3"),
    ],
)
def test_where_a_line_can_be_seen(address: str, page: str) -> None:
    assert permalink(parse(address), "SHA", "x y/#.py", 3) == page
