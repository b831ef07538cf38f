"""The AWS SDK for JavaScript v3. Its tests are the ``.test.mjs`` files, for Node's own runner."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.compat.node import SCRIPTS, packages

pytestmark = pytest.mark.node


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.test.mjs")), ids=lambda path: path.stem)
def test_sdk(script: Path, endpoint: str, name: str, environment: dict[str, str]) -> None:
    installed = packages()
    node = shutil.which("node")
    assert node is not None
    done = subprocess.run(
        [node, "--test", str(script)],
        env={
            **environment,
            "NODE_PACKAGES": str(installed),
            "ENDPOINT": endpoint,
            "TABLE_PREFIX": name,
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
