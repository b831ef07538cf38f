"""What the classes of somebody's model mean, by the names in its ``config.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablewright.systems.sentiment.analysers.analyser import Verdict
from tablewright.systems.sentiment.analysers.folders import BadModel
from tablewright.systems.sentiment.analysers.verdicts import of_three, of_two
from tablewright.systems.sentiment.shapes import Sentiment

_NAMES: Mapping[str, Sentiment] = {
    "negative": "negative",
    "neg": "negative",
    "bearish": "negative",
    "neutral": "neutral",
    "neu": "neutral",
    "positive": "positive",
    "pos": "positive",
    "bullish": "positive",
}
_WANTED = "negative and positive, and neutral if there are three"
#: Models of this family number positions from behind the padding.
_SHIFTED = {"roberta", "xlm-roberta", "camembert", "xlm-roberta-xl", "bertweet", "mpnet"}
_USUAL_LENGTH = 512
#: What tokenizers say who know of no limit is far beyond this.
_LONGEST = 100_000


@dataclass(frozen=True)
class Labels:
    """Where the classes stand among the figures that a model gives."""

    negative: int
    neutral: int | None
    positive: int

    @property
    def count(self) -> int:
        return 2 if self.neutral is None else 3

    def verdict(self, chances: list[float]) -> Verdict:
        negative, positive = chances[self.negative], chances[self.positive]
        if self.neutral is None:
            return of_two(negative, positive)
        return of_three(negative, chances[self.neutral], positive)


def read_json(path: Path) -> dict[str, object]:
    """A file that a model cannot be without."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadModel(f"the folder has no {path.name}") from None
    except (OSError, ValueError, RecursionError):
        raise BadModel(f"{path.name} cannot be read as JSON") from None
    if not isinstance(found, dict):
        raise BadModel(f"{path.name} is not a JSON object")
    return found


def labels_of(config: Mapping[str, Any]) -> Labels:
    """From ``id2label``; names that nobody can be sure of are refused, not guessed."""
    names = config.get("id2label")
    if not isinstance(names, dict) or not names:
        raise BadModel(f"config.json has no id2label; it has to name {_WANTED}")
    places: dict[Sentiment, int] = {}
    for index, name in names.items():
        meaning = _NAMES.get(str(name).casefold())
        if meaning is None or meaning in places:
            raise BadModel(f"id2label of config.json has {name!r}; it has to name {_WANTED}")
        places[meaning] = _index(index, len(names))
    if len(places) < 2 or "negative" not in places or "positive" not in places:
        raise BadModel(f"id2label of config.json has to name {_WANTED}")
    if len(set(places.values())) != len(names):
        raise BadModel("id2label of config.json has an index twice")
    return Labels(places["negative"], places.get("neutral"), places["positive"])


def _index(text: str, count: int) -> int:
    if not text.isascii() or not text.isdigit() or int(text) >= count:
        raise BadModel(f"id2label of config.json has the index {text!r}; they count from 0")
    return int(text)


def longest(config: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> int:
    """How many tokens a model takes; a text is cut behind them."""
    told = [tokenizer.get("model_max_length"), config.get("max_position_embeddings")]
    if config.get("model_type") in _SHIFTED and isinstance(told[1], int):
        told[1] -= int(config.get("pad_token_id") or 0) + 1
    known = [each for each in told if isinstance(each, int) and 0 < each <= _LONGEST]
    return min(known, default=_USUAL_LENGTH)
