"""Somebody's ONNX model: a real one, made here, in the real runtime."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from math import exp
from pathlib import Path

import pytest
from tests.systems.sentiment.models.support import (
    GOOD_OR_BAD,
    TWO,
    move_weights,
    onnx_folder,
    write_network,
)

from tablewright.systems.sentiment.analysers.batches import BATCH
from tablewright.systems.sentiment.analysers.folders import BadModel, NotInstalled
from tablewright.systems.sentiment.analysers.onnx import load
from tablewright.systems.sentiment.analysers.verdicts import NOTHING, places

VERSION = "v1.0.0+words"


def test_the_likeliest_of_three_classes_is_the_label(tmp_path: Path) -> None:
    model = load(VERSION, onnx_folder(tmp_path / "words"))
    assert model.version == VERSION
    good, bad, table, nothing = model.judge(["Good table", "bad BAD", "a table", ""])
    whole = exp(4) + exp(3) + 1
    assert good.label == "positive"
    assert good.score == places(exp(4) / whole)
    assert good.polarity == places(exp(4) / whole) - places(1 / whole)
    assert (bad.label, table.label, nothing) == ("negative", "neutral", NOTHING)


def test_of_two_classes_none_wins_below_the_limit(tmp_path: Path) -> None:
    words = {"good": (0, 3), "hm": (0, 0.4), "ok": (0, 0.41)}
    model = load(VERSION, onnx_folder(tmp_path / "words", words, TWO))
    good, hm, ok = model.judge(["good", "hm", "ok"])
    assert good.label == "positive"
    assert (hm.label, hm.score) == ("neutral", 1 - hm.polarity)
    assert Decimal("0.19") < hm.polarity < Decimal("0.2")
    assert (ok.label, ok.score) == ("positive", places(exp(0.41) / (1 + exp(0.41))))


def test_classes_stand_where_the_config_says(tmp_path: Path) -> None:
    names = ("positive", "neutral", "negative")
    model = load(VERSION, onnx_folder(tmp_path / "words", labels=names))
    assert [each.label for each in model.judge(["good", "bad"])] == ["negative", "positive"]


def test_a_text_is_cut_by_tokens(tmp_path: Path) -> None:
    model = load(VERSION, onnx_folder(tmp_path / "words", max_position_embeddings=4))
    at_end, before = model.judge(["a b c d good", "a b c good"])
    assert (at_end.polarity, before.label) == (0, "positive")


def test_many_texts_are_judged_as_each_alone(tmp_path: Path) -> None:
    """In batches of all lengths: padding adds nothing."""
    model = load(VERSION, onnx_folder(tmp_path / "words"))
    texts = ["good " * (at % 5) + "bad " * (at % 3) for at in range(2 * BATCH + 3)]
    together = model.judge(texts)
    assert together == [model.judge([text])[0] for text in texts]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(model.judge, [texts] * 8)) == [together] * 8
    assert model.judge([]) == []


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("content", [None, b"", b"{}", b"\x08\x01garbage"])
def test_a_folder_with_a_missing_or_broken_file_is_refused(
    tmp_path: Path, name: str, content: bytes | None
) -> None:
    folder = onnx_folder(tmp_path / "words")
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(BadModel):
        load(VERSION, folder)


def test_a_network_of_other_classes_or_inputs_is_refused(tmp_path: Path) -> None:
    folder = onnx_folder(tmp_path / "words", {"good": (0, 1)})
    with pytest.raises(BadModel, match="3 figures"):
        load(VERSION, folder)
    write_network(folder / "model.onnx", GOOD_OR_BAD, extra_input="pixels")
    with pytest.raises(BadModel, match="pixels"):
        load(VERSION, folder)


def test_a_tokenizer_of_another_network_is_refused(tmp_path: Path) -> None:
    """It gives numbers that the network has no words for."""
    folder = onnx_folder(tmp_path / "words")
    other = onnx_folder(tmp_path / "other", {"news": (0, 0, 1), "tuesday": (0, 0, 1)})
    write_network(other / "model.onnx", {"news": (0, 0, 1)})
    (folder / "model.onnx").write_bytes((other / "model.onnx").read_bytes())
    (folder / "tokenizer.json").write_bytes((other / "tokenizer.json").read_bytes())
    with pytest.raises(BadModel, match="cannot judge"):
        load(VERSION, folder)


@pytest.mark.parametrize(
    "where", ["inside.bin", "../outside.bin", "{root}/outside.bin", "link.bin"]
)
def test_weights_come_from_the_folder_alone(tmp_path: Path, where: str) -> None:
    """The checksum is over the folder; what a network takes from elsewhere could change unseen."""
    folder = onnx_folder(tmp_path / "words")
    weights = move_weights(folder / "model.onnx", where.format(root=tmp_path))
    (folder / "inside.bin").write_bytes(weights)
    (tmp_path / "outside.bin").write_bytes(weights)
    (folder / "link.bin").symlink_to("../outside.bin")
    if where == "inside.bin":
        assert load(VERSION, folder).judge(["good"])[0].label == "positive"
        return
    with pytest.raises(BadModel, match=r"model\.onnx cannot be loaded") as refused:
        load(VERSION, folder)
    assert str(tmp_path) not in str(refused.value)


def test_what_is_not_a_number_is_refused(tmp_path: Path) -> None:
    folder = onnx_folder(tmp_path / "words", {"news": (float("nan"), 0, 0)})
    with pytest.raises(BadModel, match="figures"):
        load(VERSION, folder)


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    folder = onnx_folder(tmp_path / "words")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(NotInstalled, match=rf"{missing}.*tablewright\[onnx\]"):
        load(VERSION, folder)


def test_the_length_of_the_tokenizers_own_file_counts(tmp_path: Path) -> None:
    folder = onnx_folder(tmp_path / "words", max_position_embeddings=9)
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 2}))
    (verdict,) = load(VERSION, folder).judge(["a b good"])
    assert verdict.polarity == 0
