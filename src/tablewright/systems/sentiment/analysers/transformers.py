"""Somebody's model as ``transformers`` saves it, from a folder on this machine.

Nothing is downloaded and nothing of the folder is run as a program: weights are read from
``model.safetensors`` alone, since pickled ones may hold any code. Whoever wants it installs
``transformers`` and ``torch``; a model exported to ONNX needs far less.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tablewright.systems.sentiment.analysers.analyser import Verdict
from tablewright.systems.sentiment.analysers.batches import line, try_out, verdicts
from tablewright.systems.sentiment.analysers.folders import BadModel, NotInstalled
from tablewright.systems.sentiment.analysers.labels import Labels, labels_of, longest, read_json


class TransformersModel:
    """A model that is loaded."""

    def __init__(
        self, version: str, network: Any, tokenizer: Any, labels: Labels, length: int
    ) -> None:
        self._version = version
        self._network = network
        self._tokenizer = tokenizer
        self._labels = labels
        self._length = length

    @property
    def version(self) -> str:
        return self._version

    def judge(self, texts: Sequence[str]) -> list[Verdict]:
        return verdicts(self._labels, self.chances, texts)

    def chances(self, texts: list[str]) -> list[list[float]]:
        """The probability of each class, for each text."""
        import torch

        fed = self._tokenizer(
            texts, padding=True, truncation=True, max_length=self._length, return_tensors="pt"
        )
        with torch.inference_mode():
            figures = self._network(**fed).logits.double()
        if figures.shape != (len(texts), self._labels.count):
            raise BadModel(f"the model does not give {self._labels.count} figures for each text")
        found: list[list[float]] = figures.softmax(dim=1).tolist()
        return found


def load(version: str, folder: Path) -> TransformersModel:
    """The model of a folder, tried once; :class:`BadModel` if it cannot be used."""
    config = read_json(folder / "config.json")
    labels = labels_of(config)
    settings = folder / "tokenizer_config.json"
    length = longest(config, read_json(settings) if settings.exists() else {})
    if not (folder / "model.safetensors").is_file():
        raise BadModel("the folder has no model.safetensors; other forms of weights are not read")
    network, tokenizer = _read(folder)
    model = TransformersModel(version, network, tokenizer, labels, length)
    try_out(model.chances)
    return model


def _read(folder: Path) -> tuple[Any, Any]:
    # Read when the package is imported: it asks nobody on the network, whatever a folder says.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        import torch  # noqa: F401
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
    except ImportError as missing:
        raise NotInstalled(
            f"{missing.name} is not installed: pip install transformers torch, "
            "or export the model to ONNX"
        ) from None
    here = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder), **here)
        network = AutoModelForSequenceClassification.from_pretrained(
            str(folder), use_safetensors=True, **here
        )
    except Exception as error:  # of a class that depends on what is wrong with the files
        raise BadModel(f"the folder cannot be loaded: {line(error)}") from None
    return network.eval(), tokenizer
