"""Wheels for one kind of machine, with compiled modules: `TABLEWRIGHT_NATIVE=1` asks for them.

Without it the wheel holds sources alone, and fits every machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent / "requirements"))

import native


class NativeHook(BuildHookInterface[Any]):
    """Called by hatchling."""

    def dependencies(self) -> list[str]:
        """What compiling needs: the compiler of types, and whatever the modules import."""
        return ["mypy[mypyc]", *self.metadata.core.dependencies] if _wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable" or not _wanted():
            return
        self._folder = tempfile.TemporaryDirectory()
        made = Path(self._folder.name)
        for path in native.compile_modules(made):
            build_data["force_include"][str(path)] = str(path.relative_to(made / "lib"))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def _wanted() -> bool:
    return bool(os.environ.get("TABLEWRIGHT_NATIVE"))
