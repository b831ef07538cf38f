"""A real ONNX model, as small as one can be: each word has a figure for each class."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

#: A word's figures, one for each class.
Words = Mapping[str, Sequence[float]]

THREE = ("negative", "neutral", "positive")
TWO = ("NEGATIVE", "POSITIVE")
GOOD_OR_BAD: Words = {
    "good": (0, 0, 4),
    "bad": (4, 0, 0),
    "table": (0, 3, 0),
}


def onnx_folder(
    folder: Path,
    words: Words = GOOD_OR_BAD,
    labels: Sequence[str] = THREE,
    **config: object,
) -> Path:
    """What an export leaves: the network, its tokenizer, its settings."""
    folder.mkdir(parents=True)
    write_network(folder / "model.onnx", words)
    write_tokenizer(folder / "tokenizer.json", words)
    told = {"id2label": {str(at): name for at, name in enumerate(labels)}, **config}
    (folder / "config.json").write_text(json.dumps(told), "utf-8")
    return folder


def write_network(path: Path, words: Words, extra_input: str | None = None) -> None:
    """The sum of the words' figures; padding and unknown words add nothing."""
    onnx = pytest.importorskip("onnx", reason="the package onnx builds the network")
    pytest.importorskip("onnxruntime", reason="the package onnxruntime runs the network")
    from onnx import TensorProto, helper

    classes = len(next(iter(words.values())))
    table = [[0.0] * classes, [0.0] * classes, *([*map(float, each)] for each in words.values())]
    shape = ["texts", "tokens"]
    names = ["input_ids", "attention_mask", *([extra_input] if extra_input else [])]
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["figures"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
            helper.make_node("Mul", ["figures", "wide"], ["seen"]),
            helper.make_node("ReduceSum", ["seen", "over"], ["logits"], keepdims=0),
        ],
        "words",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["texts", classes])],
        [
            helper.make_tensor(
                "table",
                TensorProto.FLOAT,
                [len(table), classes],
                [figure for row in table for figure in row],
            ),
            helper.make_tensor("last", TensorProto.INT64, [1], [2]),
            helper.make_tensor("over", TensorProto.INT64, [1], [1]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def move_weights(path: Path, location: str) -> bytes:
    """Let a network read its figures from a file of their own; gives what that file has to hold."""
    import onnx

    model = onnx.load(str(path))
    (table,) = (each for each in model.graph.initializer if each.name == "table")
    weights = struct.pack(f"<{len(table.float_data)}f", *table.float_data)
    table.ClearField("float_data")
    table.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", str(len(weights)))):
        table.external_data.add(key=key, value=value)
    path.write_bytes(model.SerializeToString())
    return weights


def write_tokenizer(path: Path, words: Words) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="the package tokenizers splits texts")

    places = {"[PAD]": 0, "[UNK]": 1} | {word: at + 2 for at, word in enumerate(words)}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(places, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(path))
