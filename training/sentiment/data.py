"""The sentences of NewsMTSC: their labels, where they come from, and which are held out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

#: The files of the data set, and what they were when the model was trained.
FILES = {
    "train.jsonl": "fb80ff05993dd59016c36abefaa7bd00d77cb0cb38a781c1f9edd9ad7c61471e",
    "devtest_mt.jsonl": "f7657900083bc12f41f1dcd7f19ae5b3eec87844da5eeb22d07ee916fe83a865",
    "devtest_rw.jsonl": "c915d6461625cc610a43fd0bac7a25dddfc1252e1331a4bfb7cc30e75b35982a",
}
#: The split that its authors made to look like real news; no sentence of it is learnt from.
HELD_OUT = "devtest_rw.jsonl"
LABELS = ("negative", "neutral", "positive")
_NEGATIVE, _POSITIVE = 2.0, 6.0


class Example(NamedTuple):
    text: str
    #: Index into :data:`LABELS`.
    label: int
    #: The article, or the event that several articles tell of.
    origin: str


class Split(NamedTuple):
    learn: list[Example]
    held_out: list[Example]
    #: Sentences that were left out, and why.
    left_out: dict[str, int]


def read(folder: Path) -> Split:
    """All sentences. None of an article (or event) that is held out is learnt from."""
    found = {name: list(_rows(folder / name, digest)) for name, digest in FILES.items()}
    held_out = _labelled(found.pop(HELD_OUT))
    others = _labelled([row for rows in found.values() for row in rows])
    origins = {each.origin for each in held_out}
    texts = {each.text for each in held_out}
    apart = [each for each in others if each.origin not in origins and each.text not in texts]
    learn = list({each.text: each for each in apart}.values())
    left_out = {
        "people judged in opposite ways": _mixed(folder),
        "of an article or event that is held out": len(others) - len(apart),
        "twice": len(apart) - len(learn),
    }
    return Split(learn, held_out, left_out)


def _rows(path: Path, digest: str) -> Iterator[dict[str, object]]:
    content = path.read_bytes()
    if sha256(content).hexdigest() != digest:
        raise SystemExit(f"{path} is not the file that the model was trained on")
    for line in content.decode("utf-8").splitlines():
        yield json.loads(line)


def _labelled(rows: Sequence[dict[str, object]]) -> list[Example]:
    found = []
    for row in rows:
        label = _label(row)
        if label is not None:
            found.append(Example(str(row["sentence_normalized"]), label, _origin(row)))
    return found


def _label(row: dict[str, object]) -> int | None:
    """The tone towards the people of a sentence; None if it is good for one and bad for another."""
    tones = {target["polarity"] for target in row["targets"]}  # type: ignore[attr-defined]
    if {_NEGATIVE, _POSITIVE} <= tones:
        return None
    return 0 if _NEGATIVE in tones else 2 if _POSITIVE in tones else 1


def _mixed(folder: Path) -> int:
    rows = [row for name, digest in FILES.items() for row in _rows(folder / name, digest)]
    return sum(_label(row) is None for row in rows)


def _origin(row: dict[str, object]) -> str:
    """``allsides_{article}_{event}_…`` and ``polusa_v1_{article}_…``"""
    source, _, place, *_ = str(row["primary_gid"]).split("_")
    return f"{source}/{place}"


def fold(example: Example, folds: int) -> int:
    """Which part of a cross validation an example is in: that of everything of its origin."""
    return crc32(example.origin.encode()) % folds
