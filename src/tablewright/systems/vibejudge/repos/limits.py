"""How much of a repository is taken."""

from __future__ import annotations

from dataclasses import dataclass

MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    #: On disk, of all objects.
    repo_bytes: int = 500 * MB
    #: Of the fetch; and again of all reading.
    secs: float = 120.0
    files: int = 20_000
    #: Larger files are named, not read.
    file_bytes: int = MB
    #: Of all files that are read; those after it in the order of their paths are only named.
    text_bytes: int = 64 * MB
    #: The newest so many commits.
    commits: int = 2_000
    #: Of all that one listing may say: names, changes.
    listing_bytes: int = 64 * MB
    #: The newest so many diffs, and of each so many characters.
    diffs: int = 30
    diff_chars: int = 8_000
    #: Memory of git and of an analysis.
    memory_bytes: int = 2048 * MB
    #: Processes and threads that an analysis may start beside those of the user that run already.
    processes: int = 256
