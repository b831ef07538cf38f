"""Somebody's ONNX model, from a folder on this machine: nothing is ever downloaded.

The folder holds ``model.onnx``, ``tokenizer.json`` and ``config.json``, as ``optimum-cli export
onnx`` writes them. It runs on the extra ``onnx``; where that is not installed, the model is not
available, and everything else works.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tablewright.systems.sentiment.analysers.analyser import Verdict
from tablewright.systems.sentiment.analysers.batches import line, try_out, verdicts
from tablewright.systems.sentiment.analysers.folders import BadModel, NotInstalled
from tablewright.systems.sentiment.analysers.labels import Labels, labels_of, longest, read_json

_FED = {"input_ids", "attention_mask", "token_type_ids"}


class OnnxModel:
    """A model that is loaded."""

    def __init__(self, version: str, session: Any, tokenizer: Any, labels: Labels) -> None:
        self._version = version
        self._session = session
        self._tokenizer = tokenizer
        self._labels = labels
        self._wanted = [each.name for each in session.get_inputs()]

    @property
    def version(self) -> str:
        return self._version

    def judge(self, texts: Sequence[str]) -> list[Verdict]:
        return verdicts(self._labels, self.chances, texts)

    def chances(self, texts: list[str]) -> list[list[float]]:
        """The probability of each class, for each text."""
        import numpy as np

        encoded = self._tokenizer.encode_batch(texts)
        given = {
            "input_ids": [each.ids for each in encoded],
            "attention_mask": [each.attention_mask for each in encoded],
            "token_type_ids": [each.type_ids for each in encoded],
        }
        fed = {name: np.array(given[name], dtype=np.int64) for name in self._wanted}
        figures = np.asarray(self._session.run(None, fed)[0], dtype=np.float64)
        if figures.shape != (len(texts), self._labels.count) or not np.isfinite(figures).all():
            raise BadModel(f"the model does not give {self._labels.count} figures for each text")
        powers = np.exp(figures - figures.max(axis=1, keepdims=True))
        found: list[list[float]] = (powers / powers.sum(axis=1, keepdims=True)).tolist()
        return found


def load(version: str, folder: Path) -> OnnxModel:
    """The model of a folder, tried once; :class:`BadModel` if it cannot be used."""
    config = read_json(folder / "config.json")
    labels = labels_of(config)
    settings = folder / "tokenizer_config.json"
    length = longest(config, read_json(settings) if settings.exists() else {})
    tokenizer = _tokenizer(folder / "tokenizer.json", length, config)
    model = OnnxModel(version, _session(folder / "model.onnx"), tokenizer, labels)
    try_out(model.chances)
    return model


def _session(path: Path) -> Any:
    try:
        import numpy  # noqa: F401
        import onnxruntime
    except ImportError as missing:
        raise _not_installed(missing) from None
    if not path.is_file():
        raise BadModel(f"the folder has no {path.name}")
    options = onnxruntime.SessionOptions()
    # Several texts are judged at the same time: one core for each is what they have.
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # of a class that depends on what is wrong with the file
        raise BadModel(f"{path.name} cannot be loaded: {line(error)}") from None
    unknown = {each.name for each in session.get_inputs()} - _FED
    if unknown:
        raise BadModel(f"{path.name} wants inputs that nobody gives: {', '.join(sorted(unknown))}")
    return session


def _tokenizer(path: Path, length: int, config: dict[str, Any]) -> Any:
    try:
        import tokenizers
    except ImportError as missing:
        raise _not_installed(missing) from None
    if not path.is_file():
        raise BadModel(f"the folder has no {path.name}")
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
        padding = tokenizer.padding or {"pad_id": int(config.get("pad_token_id") or 0)}
        tokenizer.enable_truncation(length)
        tokenizer.enable_padding(**{**padding, "length": None})
    except Exception as error:  # the library raises nothing narrower
        raise BadModel(f"{path.name} cannot be loaded: {line(error)}") from None
    return tokenizer


def _not_installed(missing: ImportError) -> NotInstalled:
    return NotInstalled(
        f"{missing.name} is not installed; the extra brings it: pip install 'tablewright[onnx]'"
    )
