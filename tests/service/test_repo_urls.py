"""Which addresses of repositories are taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.service.repo_urls import HOSTS, BadRepoUrl, parse
from tablewright.systems.vibejudge.entities import repo_key


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Team/App",
        "https://github.com/team/app.git",
        "https://github.com/team/app/",
        "https://GitHub.com/TEAM/APP",
        " https://www.github.com/team/app ",
        "HTTPS://github.com/team/app",
        "github.com/team/app",
        "www.github.com/team/app",
        "http://github.com/team/app",
        "git://github.com/team/app.git",
        "git+https://github.com/team/app.git",
        "ssh://git@github.com/team/app",
        "git@github.com:team/app.git",
        "https://github.com/team/app?tab=readme-ov-file",
        "https://github.com/team/app#readme",
        "https://github.com/team/app/tree/main",
        "https://github.com/team/app/blob/main/src/a%20b.py#L3",
        "https://github.com/team/app/issues/3?x=1#y",
        "<https://github.com/team/app>.",
    ],
)
def test_one_repository_however_it_is_written(url: str) -> None:
    found = parse(url)
    assert found.key == "github.com/team/app"
    assert found.url.lower() == "https://github.com/team/app.git"


def test_groups_of_groups() -> None:
    found = parse("https://gitlab.com/group/sub/project")
    assert (found.owner, found.name) == ("group/sub", "project")


@pytest.mark.parametrize("page", ["-/tree/main", "tree/main/src", "-/issues/3", "blob/main/a.py"])
def test_page_inside_a_gitlab_project_names_the_project(page: str) -> None:
    found = parse(f"https://gitlab.com/group/sub/project/{page}")
    assert found.page == "https://gitlab.com/group/sub/project"


def test_group_that_is_called_like_a_page_stays_a_group() -> None:
    assert parse("https://gitlab.com/group/tree").owner == "group"


def test_hosts_to_choose_from_are_named_in_the_error() -> None:
    with pytest.raises(BadRepoUrl, match=r"codeberg\.org, github\.com or gitlab\.com"):
        parse("https://example.org/a/b", frozenset({"github.com", "gitlab.com", "codeberg.org"}))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "file:///etc/passwd",
        "ext::sh -c id",
        "https://user:pw@github.com/team/app",
        "https://@github.com/team/app",
        "https://github.com:8443/team/app",
        "https://github.com:/team/app",
        "https://github.com/team",
        "https://github.com/",
        "https://github.com/../etc",
        "https://github.com/team/..",
        "https://github.com/team/.git",
        "https://github.com/team/%2e%2e",
        "https://github.com/-team/app",
        "https://github.com/team/--upload-pack=id",
        "https://github.com/te am/app",
        "https://github.com/team/app\nx",
        "https://github.com.evil.org/team/app",
        "https://evil.org/github.com/app",
        "https://127.0.0.1/team/app",
        "https://[::1]/team/app",
        "https://localhost/team/app",
        "https://gıthub.com/team/app",
        "https://github.com/team/" + "a" * 500,
        "https://github.com\\@evil.org/team/app",
    ],
)
def test_refused(url: str) -> None:
    with pytest.raises(BadRepoUrl):
        parse(url)


@given(st.text(max_size=80) | st.from_regex(r"https://github\.com/[ -~]{0,40}", fullmatch=True))
def test_whatever_is_taken_is_plain(url: str) -> None:
    try:
        found = parse(url)
    except BadRepoUrl:
        return
    assert found.host in HOSTS
    assert not found.owner.startswith("-")
    assert parse(found.url) == found
    # The lock that keeps it unique is the same for all ways to write it.
    assert repo_key(found.page) == found.key
