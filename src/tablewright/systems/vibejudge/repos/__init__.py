"""Git repositories of people nobody knows, read without running anything of theirs.

A repository is fetched into a bare folder and read as objects: there is no checkout, so no hooks,
no filters and no files under names that somebody else chose. Git runs without the configuration of
this machine, of its user or of the repository, with one protocol, one checked address, and within
limits of time, size and number.

===============  ========================================================
``limits``       how much is taken
``git``          the program, and how it is run
``fetching``     from a host, into a bare folder
``local``        from a folder of this machine, where that is allowed
``heads``        which commit it is at: :func:`head_of`
``trees``        files at a commit
``history``      commits, what they changed, diffs
``reading``      all of it: :func:`read_snapshot`
``snapshot``     what was read
``confining``    limits for a whole process
===============  ========================================================
"""

from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.limits import Limits
from tablewright.systems.vibejudge.repos.snapshot import (
    Change,
    Commit,
    Diff,
    Skipped,
    Snapshot,
    SourceFile,
)

__all__ = ["Change", "Commit", "Diff", "Limits", "RepoError", "Skipped", "Snapshot", "SourceFile"]
