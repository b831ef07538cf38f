"""Which repositories may be read. It is decided here and nowhere else."""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from tablewright.service.settings import Settings
from tablewright.systems.vibejudge.options import Options
from tablewright.systems.vibejudge.repos.fetching import Access


def access_of(settings: Settings, options: Options) -> Access:
    """The hosts, what an operator has allowed, and the demo's own on somebody's own machine."""
    return Access(
        loopback=options.allow_local_servers,
        local_root=options.local_root if options.allow_local_paths else None,
        bundled_root=bundled_folder(settings) if settings.local else None,
    )


def bundled_folder(settings: Settings) -> Path:
    """Where the repositories that come with the program are put; it need not be there yet."""
    if settings.data is None:
        return _while_the_process_lasts()
    return settings.data.resolve() / "vibejudge" / "demo"


@cache
def _while_the_process_lasts() -> Path:
    """Without a data folder nothing outlives the process, and they need not, either."""
    folder = mkdtemp(prefix="vibejudge-demo-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder).resolve()
