"""A folder as ``transformers`` saves it. The packages are large: who has them, tests them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.systems.sentiment.models.support import THREE, TWO, write_tokenizer

from tablewright.systems.sentiment.analysers.folders import BadModel, NotInstalled
from tablewright.systems.sentiment.analysers.transformers import load
from tablewright.systems.sentiment.analysers.verdicts import NOTHING

VERSION = "v1.0.0+tiny"


def saved(folder: Path, labels: tuple[str, ...] = THREE) -> Path:
    """A tiny BERT that has learnt nothing."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=8,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=6,
        id2label=dict(enumerate(labels)),
        label2id={name: at for at, name in enumerate(labels)},
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    words = dict.fromkeys(("good", "bad", "news"), (0.0,))
    write_tokenizer(folder / "tokenizer.json", words)
    told = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(told))
    return folder


@pytest.mark.parametrize("labels", [THREE, TWO])
def test_texts_are_judged(tmp_path: Path, labels: tuple[str, ...]) -> None:
    model = load(VERSION, saved(tmp_path / "tiny", labels))
    texts = ["good news", "bad " * 30, "", "good bad news"]
    together = model.judge(texts)
    assert model.version == VERSION
    assert together[2] == NOTHING
    for text, verdict in zip(texts, together, strict=True):
        (alone,) = model.judge([text])
        assert alone.label == verdict.label
        assert abs(alone.polarity - verdict.polarity) <= 0.0002
        assert 0 <= verdict.score <= 1


def test_only_safe_weights_are_read(tmp_path: Path) -> None:
    folder = saved(tmp_path / "tiny")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(BadModel, match="safetensors"):
        load(VERSION, folder)


def test_a_folder_that_wants_code_of_its_own_is_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path / "tiny")
    config = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": "own",
        "auto_map": {
            "AutoConfig": "own.OwnConfig",
            "AutoModelForSequenceClassification": "own.Own",
        },
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text("raise SystemExit('this was run')\n")
    with pytest.raises(BadModel, match="cannot be loaded"):
        load(VERSION, folder)


def test_broken_weights_are_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path / "tiny")
    (folder / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(BadModel, match="cannot be loaded"):
        load(VERSION, folder)


def test_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text(
        json.dumps({"id2label": {"0": "negative", "1": "positive"}})
    )
    (tmp_path / "model.safetensors").touch()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(NotInstalled, match="pip install transformers torch"):
        load(VERSION, tmp_path)
