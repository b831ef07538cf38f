"""``python -m tablewright.systems.vibejudge.static PATH [SHA]``: scores as JSON, to compare rules.

People type ``tablewright vibejudge analyze-repo``.
"""

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


def main(words: list[str]) -> int:
    if not 1 <= len(words) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    path, sha = Path(words[0]).resolve(), words[1] if len(words) > 1 else None
    limits = Limits(diffs=0)
    confine(limits)
    try:
        snapshot = snapshot_of_path(path, root=path, sha=sha, limits=limits)
    except RepoError as error:
        print(f"{error.code}: {error}", file=sys.stderr)
        return 1
    base = Codebase(snapshot)
    results = analyse_facts(Facts(base), None)
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
