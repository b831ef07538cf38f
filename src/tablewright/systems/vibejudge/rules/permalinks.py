"""Where a line of a repository can be seen, at the commit that was judged."""

from __future__ import annotations

from urllib.parse import quote

from tablewright.service.repo_urls import RepoUrl

_FORMS = {
    "github.com": "{page}/blob/{sha}/{file}#L{line}",
    "gitlab.com": "{page}/-/blob/{sha}/{file}#L{line}",
    "bitbucket.org": "{page}/src/{sha}/{file}#lines-{line}",
    "codeberg.org": "{page}/src/commit/{sha}/{file}#L{line}",
}


def permalink(repo: RepoUrl, sha: str, file: str, line: int) -> str | None:
    """The page of a host; None for one whose pages nobody knows."""
    form = _FORMS.get(repo.host)
    if form is None:
        return None
    return form.format(page=repo.page, sha=sha, file=quote(file, safe="/"), line=line)
