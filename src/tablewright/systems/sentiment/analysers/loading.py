"""A model becomes an analyser, if it is still what was registered."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tablewright.systems.sentiment.analysers import linear, onnx, transformers, vader
from tablewright.systems.sentiment.analysers.analyser import Analyser
from tablewright.systems.sentiment.analysers.folders import (
    BadModel,
    checksum,
    files_in,
    folder_below,
)
from tablewright.systems.sentiment.config import ModelKind, ModelVersion


class Bundled(NamedTuple):
    """A model that comes with the program."""

    version: str
    kind: ModelKind
    checksum: str
    description: str


def bundled() -> list[Bundled]:
    """All of them. Their checksums are of what is installed here."""
    return [
        Bundled(
            vader.version(),
            "vader",
            _checksum(vader.files()),
            "A lexicon of words and rules, for English. Quick, and the same for everybody.",
        ),
        Bundled(
            linear.VERSION,
            "linear",
            _checksum([linear.WEIGHTS]),
            "Weights of words, trained on English sentences about people in political news.",
        ),
    ]


def _checksum(files: list[Path]) -> str:
    return checksum(files[0].parent, files)


def load(model: ModelVersion, root: Path | None) -> Analyser:
    """The model itself; :class:`BadModel` if it is gone, or is another one by now."""
    if model.path is None:
        return _load_bundled(model)
    folder = folder_below(root, model.path)
    if _checksum_of(folder, root) != model.checksum:
        raise BadModel("its folder has changed since it was registered")
    return _load_folder(model.model_version, model.kind, folder)


def _load_bundled(model: ModelVersion) -> Analyser:
    found = {each.version: each for each in bundled()}.get(model.model_version)
    if found is None or found.kind != model.kind:
        raise BadModel("this release of the program does not bring it")
    if found.checksum != model.checksum:
        raise BadModel("this release of the program brings other files under its name")
    return vader.Vader() if found.kind == "vader" else linear.Linear()


class Examined(NamedTuple):
    """A folder that a model can be loaded from."""

    #: Below the folder for models, whatever way was named.
    path: str
    checksum: str


def examine(
    version: str, kind: ModelKind, root: Path | None, path: str, expected: str | None
) -> Examined:
    """Whether there is a model in a folder: it is loaded, and judges a text."""
    folder = folder_below(root, path)
    found = _checksum_of(folder, root)
    if expected is not None and found != expected:
        raise BadModel(f"the checksum of the folder is {found}")
    _load_folder(version, kind, folder)
    assert root is not None
    return Examined(folder.relative_to(root.resolve()).as_posix(), found)


def _checksum_of(folder: Path, root: Path | None) -> str:
    try:
        return checksum(folder, files_in(folder, root or folder))
    except OSError:
        raise BadModel("its folder cannot be read") from None


def _load_folder(version: str, kind: ModelKind, folder: Path) -> Analyser:
    if kind == "onnx":
        return onnx.load(version, folder)
    if kind == "transformers":
        return transformers.load(version, folder)
    raise BadModel(f"models of the kind {kind} come with the program alone")
