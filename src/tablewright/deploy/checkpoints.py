"""How far a backfill has come, in a file: written whole, renamed into place.

A checkpoint belongs to one table (its id, not its name) and one set of key templates. Under any
other, the work begins again; that costs reads, and changes nothing, since what is right already is
left alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tablewright.deploy.problems import UNKNOWN, DeployError, Problem
from tablewright.model.table import Table

#: Bad items that are remembered by their keys.
_EXAMPLES = 10


@dataclass
class Counts:
    """What has been seen and done so far."""

    scanned: int = 0
    changed: int = 0
    #: Changed by somebody else in the meantime, and looked at again.
    conflicts: int = 0
    #: Of no entity of the model: locks, and what it does not know.
    others: int = 0
    unreadable: int = 0
    #: Items under other keys than the model writes, by what is said of them.
    moved: dict[str, int] = field(default_factory=dict)
    #: Items of types that the model does not have, by what is said of them.
    unknown: dict[str, int] = field(default_factory=dict)
    read_units: float = 0.0
    write_units: float = 0.0
    #: Some of the unreadable ones: their key, and why.
    examples: list[dict[str, Any]] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        for name, value in asdict(other).items():
            own = getattr(self, name)
            if isinstance(value, dict):
                own.update({text: own.get(text, 0) + number for text, number in value.items()})
            else:
                setattr(self, name, own + value)
        del self.examples[_EXAMPLES:]


@dataclass
class Segment:
    """One part of a parallel scan."""

    #: Where to go on: the key after which; None is the start.
    start: dict[str, Any] | None = None
    done: bool = False


class Checkpoint:
    """Where each segment stands. Any thread may move its own segment on."""

    def __init__(self, path: Path | None, purpose: str, segments: int) -> None:
        """Without a path, nothing is kept."""
        self._path = path
        self._purpose = purpose
        self._lock = threading.Lock()
        self.resumed = False
        self.counts = Counts()
        #: Of pages that were not finished: done again another time, so it is not kept.
        self._unfinished = Counts()
        self.segments = [Segment() for _ in range(segments)]
        kept = self._read()
        if kept is not None:
            self.resumed = True
            self.counts = Counts(**kept["counts"])
            self.segments = [Segment(**each) for each in kept["segments"]]

    def begin(self) -> None:
        """Keep what is known, so that a place where nothing can be kept is found at once."""
        with self._lock:
            self._write()

    def moved(self, number: int, start: dict[str, Any] | None, counts: Counts) -> None:
        """A page is done: nobody needs to look at it again."""
        with self._lock:
            segment = self.segments[number]
            segment.start, segment.done = start, start is None
            self.counts.add(counts)
            self._write()

    def broken(self, counts: Counts) -> None:
        """A page came to an end before all of it was done."""
        with self._lock:
            self._unfinished.add(counts)

    def all_counts(self) -> Counts:
        """What was done, that of unfinished pages included."""
        counts = Counts()
        with self._lock:
            counts.add(self.counts)
            counts.add(self._unfinished)
        return counts

    def finish(self) -> None:
        """All is done: a later run begins anew."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any] | None:
        if self._path is None:
            return None
        try:
            kept: dict[str, Any] = json.loads(self._path.read_text())
        except (OSError, ValueError):
            return None
        return kept if kept.get("purpose") == self._purpose else None

    def _write(self) -> None:
        if self._path is None:
            return
        text = json.dumps(
            {
                "purpose": self._purpose,
                "counts": asdict(self.counts),
                "segments": [asdict(each) for each in self.segments],
            }
        )
        target = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            os.replace(target, self._path)
        except OSError as error:
            raise DeployError(_unwritten(self._path, error)) from None


def _unwritten(path: Path, error: OSError) -> Problem:
    return Problem(
        UNKNOWN,
        f"the checkpoint {path} cannot be written: {error.strerror or error}",
        {"checkpoint": str(path)},
        ("Name a file that can be written: --checkpoint FILE. Then run the same command again.",),
    )


def purpose(table: Table, table_id: str, indexes: Iterable[str]) -> str:
    """What a checkpoint is for: it ends with the table, and with the templates of its keys."""
    names = set(indexes)
    parts = [table_id or table.name]
    for name, known in sorted(table.entities.items()):
        for key in known.keys.values():
            if key.index is None or key.index.name in names:
                where = None if key.index is None else key.index.name
                templates = [part.template.text for part in key.parts]
                when = sorted((each, sorted(map(repr, key.when[each]))) for each in key.when)
                parts.append(repr((name, where, templates, when)))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
