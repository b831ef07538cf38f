"""What a wheel holds beside the sources: the console's assets, and compiled modules if asked for.

The assets come from npm and are not committed. A wheel that is built without them works, but its
console answers 503; so they are fetched here where there is an npm, and a missing one is reported.
`TABLEWRIGHT_NATIVE=1` asks for compiled modules and makes a wheel for one kind of machine; without
it the wheel fits every machine.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
MANIFEST = ROOT / "src" / "tablewright" / "console" / "static" / "manifest.json"
NO_ASSETS = """
The console's assets are missing, and could not be fetched here ({reason}).
What is installed works, but the pages of `tablewright explore` and `up` answer 503.
To get the pages: install Node.js with npm 7 or newer and repeat this command; or run `make assets`
in the source checkout first, which brings an npm of its own.
"""


class NativeHook(BuildHookInterface[Any]):
    """Called by hatchling."""

    def dependencies(self) -> list[str]:
        """What compiling needs: the compiler of types, and whatever the modules import."""
        return ["mypy[mypyc]", *self.metadata.core.dependencies] if _wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Fetch the assets, and compile the modules if that is wanted."""
        if self.target_name != "wheel" or version == "editable":
            return
        problem = fetch_assets()
        if problem is not None:
            self.app.display_warning(NO_ASSETS.format(reason=problem))
        if not _wanted():
            return
        self._folder = tempfile.TemporaryDirectory()
        made = Path(self._folder.name)
        for path in _module("native").compile_modules(made):
            build_data["force_include"][str(path)] = str(path.relative_to(made / "lib"))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled for this wheel."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def fetch_assets() -> str | None:
    """Make the console's assets if they are not there; say why if that is not possible."""
    if MANIFEST.exists() or os.environ.get("TABLEWRIGHT_NO_ASSETS"):
        return None
    if not (ROOT / "package-lock.json").exists():
        return "this source distribution holds no list of them"
    if _module("assets").system_npm() is None:
        return "there is no npm 7 or newer on this machine"
    command = [sys.executable, str(ROOT / "requirements" / "assets.py")]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode == 0 and MANIFEST.exists():
        return None
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1] if lines else f"npm ended with {done.returncode}"


def _module(name: str) -> ModuleType:
    """A module of the folder `requirements`, which is no package."""
    folder = str(ROOT / "requirements")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def _wanted() -> bool:
    return bool(os.environ.get("TABLEWRIGHT_NATIVE"))
