"""What Python compiles is kept, for all processes of a run and for the next one.

Without it every one of the hundreds of processes that tests start compiles the whole program again,
and each process of a parallel run rewrites every test: a third of all the time that tests take.
"""

from __future__ import annotations

import compileall
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: Beside what pytest keeps, so that nothing lies about in the source.
FOLDER = ROOT / ".pytest_cache" / "compiled"


def kept() -> None:
    """In this process and those it starts, whatever the outside says."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(FOLDER)
    sys.dont_write_bytecode = False


def shared(config: pytest.Config) -> None:
    """Compile a part of everything: they all start at once, and each would do all of it.

    The tests as pytest rewrites them, for which it has no way that is public. Where it does it
    otherwise one day, nothing is lost but time.
    """
    worker: dict[str, Any] | None = getattr(config, "workerinput", None)
    if worker is None or config.getoption("assertmode") != "rewrite":
        return
    number, count = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for path in sorted(Path(ROOT, "src").rglob("*.py"))[number::count]:
        compileall.compile_file(path, quiet=2)
    with suppress(AttributeError, ImportError, TypeError, SyntaxError):
        for path in sorted(Path(ROOT, "tests").rglob("test_*.py"))[number::count]:
            _rewrite(path, config)


def _rewrite(path: Path, config: pytest.Config) -> None:
    from _pytest.assertion import rewrite

    folder = rewrite.get_cache_dir(path)
    file = folder / (path.stem + rewrite.PYC_TAIL)
    if rewrite._read_pyc(path, file) is None:
        folder.mkdir(parents=True, exist_ok=True)
        state = config.stash[rewrite.assertstate_key]
        source, code = rewrite._rewrite_test(path, config)
        rewrite._write_pyc(state, code, source, file)
