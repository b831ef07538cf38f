"""What the model card says about the models that come with the program."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tablewright.systems.sentiment.config import ModelKind

CARD = Path(__file__).with_name("MODEL_CARD.md")
#: | VADER | 0.521 | 0.517 | …: the name, accuracy and macro F1 on sentences that were held out.
_LINE = re.compile(r"^\| (\w+) \| (0\.\d+) \| (0\.\d+) \|", re.M)
_SENTENCES = re.compile(r"^\| held out \| ([\d,]+) \|", re.M)


@cache
def measured(kind: ModelKind) -> str:
    """How good a model was when it was measured; "" for those that we have not measured."""
    card = CARD.read_text(encoding="utf-8")
    found = {name.lower(): (accuracy, f1) for name, accuracy, f1 in _LINE.findall(card)}
    held_out = _SENTENCES.search(card)
    if kind not in found or held_out is None:
        return ""
    accuracy, f1 = found[kind]
    return f"accuracy {accuracy}, macro F1 {f1} on {held_out[1]} news sentences about people"
