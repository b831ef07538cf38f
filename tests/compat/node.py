"""Node.js packages for the tests: installed once, outside the repository, with the registry and
the settings that this machine's npm has."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent / "js"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tablewright-tests"


def packages() -> Path:
    """The folder in which ``js/package.json`` is installed; skips the test if it can't be."""
    npm = shutil.which("npm")
    if shutil.which("node") is None or npm is None:
        pytest.skip("Node.js and npm are not installed")
    wanted = (SCRIPTS / "package.json").read_bytes()
    folder = CACHE / hashlib.sha256(wanted).hexdigest()[:16]
    if folder.exists():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    # Installed beside, then renamed: whoever finds the folder finds it complete.
    staging = Path(tempfile.mkdtemp(dir=CACHE, prefix="installing-"))
    try:
        (staging / "package.json").write_bytes(wanted)
        _install(npm, staging)
        os.rename(staging, folder)
    except OSError:
        if not folder.exists():  # else another process was faster
            raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return folder


def _install(npm: str, folder: Path) -> None:
    command = [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    try:
        done = subprocess.run(
            [*command, "--fetch-retries=1", "--loglevel=error"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
    except subprocess.TimeoutExpired:
        pytest.skip("npm did not install the packages within 180 seconds")
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()
        pytest.skip(f"npm could not install the packages: {reason[0] if reason else 'no reason'}")
