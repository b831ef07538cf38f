"""``python -m tablewright.systems.vibejudge.static PATH [SHA]``: scores as JSON, or ``--text``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tablewright.systems.vibejudge.repos.confining import confine
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.limits import Limits
from tablewright.systems.vibejudge.repos.reading import snapshot_of_path
from tablewright.systems.vibejudge.static.agents import analyse_facts, rules_version
from tablewright.systems.vibejudge.static.codebase import Codebase
from tablewright.systems.vibejudge.static.facts import Facts
from tablewright.systems.vibejudge.static.meta import repo_meta
from tablewright.systems.vibejudge.static.scorecard import scorecard_text


def main(words: list[str]) -> int:
    given = [each for each in words if each != "--text"]
    if not 1 <= len(given) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    path, sha = Path(given[0]).resolve(), given[1] if len(given) > 1 else None
    limits = Limits(diffs=0)
    confine(limits)
    try:
        snapshot = snapshot_of_path(path, root=path, sha=sha, limits=limits)
    except RepoError as error:
        print(f"{error.code}: {error}", file=sys.stderr)
        return 1
    base = Codebase(snapshot)
    results = analyse_facts(Facts(base), None)
    if "--text" in words:
        print(scorecard_text(path.name, results, meta=repo_meta(base), sha=snapshot.sha))
        return 0
    said = {
        "sha": snapshot.sha,
        "rules_version": rules_version(),
        "meta": repo_meta(base).model_dump(mode="json"),
        "notes": snapshot.notes,
        "agents": {
            agent: {
                "scores": {name: None if s is None else float(s) for name, s in r.scores.items()},
                "confidence": float(r.confidence),
                "summary": r.summary,
                "evidence": [each.model_dump(mode="json") for each in r.evidence],
            }
            for agent, r in results.items()
        },
    }
    print(json.dumps(said, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
