"""What a look into a repository tells of it."""

from __future__ import annotations

import re

from tablewright.systems.vibejudge.entities import RepoMeta
from tablewright.systems.vibejudge.repos.languages import TOLD
from tablewright.systems.vibejudge.static.codebase import Codebase
from tablewright.systems.vibejudge.static.pace import development_hours

_CI = re.compile(
    r"^(?:\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci/config\.yml|\.travis\.yml|"
    r"azure-pipelines\.yml|Jenkinsfile|bitbucket-pipelines\.yml|\.woodpecker(?:\.yml|/.+)|"
    r"\.drone\.yml|appveyor\.yml|\.appveyor\.yml|\.cirrus\.yml)$"
)


def repo_meta(base: Codebase) -> RepoMeta:
    snapshot = base.snapshot
    commits = snapshot.commits
    languages = _languages(base)
    names = [each.path.rpartition("/")[2].lower() for each in snapshot.files]
    return RepoMeta(
        commit_count=snapshot.commit_count,
        branch_count=snapshot.branch_count,
        contributor_count=len({each.author for each in commits}),
        primary_language=next(iter(languages), None),
        languages=languages,
        total_files=len(snapshot.files),
        total_lines=sum(each.lines for each in base.own_files),
        has_readme=base.readme is not None,
        has_tests=base.test_lines > 0,
        has_ci=any(_CI.match(each.path) for each in snapshot.files),
        has_dockerfile=any(name.startswith(("dockerfile", "containerfile")) for name in names),
        first_commit_at=min(each.at for each in commits),
        last_commit_at=max(each.at for each in commits),
        development_duration_hours=development_hours(commits),
    )


def _languages(base: Codebase) -> dict[str, int]:
    """Percent of the lines, the most first; what is below half a percent is left out."""
    lines: dict[str, int] = {}
    for each in base.own_files:
        if each.language in TOLD:
            lines[each.language] = lines.get(each.language, 0) + each.lines
    whole = sum(lines.values())
    shares = {name: round(100 * count / whole) for name, count in lines.items() if whole}
    return {
        name: share
        for name, share in sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
        if share
    }
