"""What the classes of a model mean, and how long a text may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablewright.systems.sentiment.analysers.folders import BadModel
from tablewright.systems.sentiment.analysers.labels import Labels, labels_of, longest, read_json


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["negative", "neutral", "positive"], Labels(0, 1, 2)),
        (["POSITIVE", "Negative", "neu"], Labels(1, 2, 0)),
        (["NEG", "POS"], Labels(0, None, 1)),
        (["Bearish", "Neutral", "Bullish"], Labels(0, 1, 2)),
    ],
)
def test_classes_are_known_by_their_names(names: list[str], expected: Labels) -> None:
    assert labels_of({"id2label": {str(at): name for at, name in enumerate(names)}}) == expected


@pytest.mark.parametrize(
    "names",
    [
        None,
        [],
        {},
        {"0": "LABEL_0", "1": "LABEL_1"},
        {"0": "1 star", "1": "5 stars"},
        {"0": "negative", "1": "negative"},
        {"0": "negative", "1": "neg", "2": "positive"},
        {"0": "negative", "1": "neutral"},
        {"0": "positive"},
        {"0": "negative", "1": "positive", "2": "neutral", "3": "mixed"},
        {"0": "negative", "2": "positive"},
        {"0": "negative", "00": "positive"},
        {"0": "negative", "-1": "positive"},
        {"0": "negative", "one": "positive"},
        {"0": ["negative"], "1": "positive"},
    ],
)
def test_names_that_leave_room_for_doubt_are_refused(names: object) -> None:
    with pytest.raises(BadModel, match="id2label"):
        labels_of({"id2label": names})


@pytest.mark.parametrize(
    ("config", "tokenizer", "expected"),
    [
        ({}, {}, 512),
        ({"max_position_embeddings": 128}, {}, 128),
        ({"max_position_embeddings": 512}, {"model_max_length": 64}, 64),
        ({"max_position_embeddings": 512}, {"model_max_length": 10**30}, 512),
        (
            {"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1},
            {"model_max_length": 1e30},
            512,
        ),
        ({"max_position_embeddings": "many"}, {"model_max_length": 0}, 512),
    ],
)
def test_a_text_is_as_long_as_the_model_takes(
    config: dict[str, object], tokenizer: dict[str, object], expected: int
) -> None:
    assert longest(config, tokenizer) == expected


@pytest.mark.parametrize("content", [None, "", "{", "[]", "3", "[" * 100_000, b"\xff\xfe{"])
def test_a_file_that_is_not_json_is_refused(tmp_path: Path, content: str | bytes | None) -> None:
    path = tmp_path / "config.json"
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(BadModel, match=r"config\.json"):
        read_json(path)
