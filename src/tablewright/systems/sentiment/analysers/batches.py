"""What models of any runtime share: texts go through them a batch at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from tablewright.systems.sentiment.analysers.analyser import Verdict
from tablewright.systems.sentiment.analysers.folders import BadModel
from tablewright.systems.sentiment.analysers.labels import Labels
from tablewright.systems.sentiment.analysers.verdicts import NOTHING, is_nothing

#: Texts that go through a model at once.
BATCH = 32
_FOLDERS = re.compile(r"(?:[A-Za-z]:)?[\\/](?:[^\s\"'\\/]+[\\/])+")

#: The probability of each class, for each text.
Chances: TypeAlias = Callable[[list[str]], list[list[float]]]


def verdicts(labels: Labels, chances: Chances, texts: Sequence[str]) -> list[Verdict]:
    """A verdict on each text; the model is not asked about nothing."""
    found = [NOTHING] * len(texts)
    asked = [at for at, text in enumerate(texts) if not is_nothing(text)]
    for part in _parts(asked):
        for at, each in zip(part, chances([texts[at] for at in part]), strict=True):
            found[at] = labels.verdict(each)
    return found


def _parts(indices: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(indices), BATCH):
        yield indices[start : start + BATCH]


def try_out(chances: Chances) -> None:
    """Two texts of different lengths: also whether several at once can be judged."""
    try:
        chances(["Good news.", "The ministers met again on Tuesday, and nothing came of it."])
    except BadModel:
        raise
    except Exception as error:  # whatever the runtime has against the model
        raise BadModel(f"the model cannot judge a text: {line(error)}") from None


def line(error: Exception) -> str:
    """What an error says, on one line that is not too long; where files lie is nobody's matter."""
    return _FOLDERS.sub("", " ".join(str(error).split()))[:200]
