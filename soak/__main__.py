"""``python -m soak --minutes 30``."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from soak.disk import Disk, disk, enter, release

if TYPE_CHECKING:
    from soak.disturbances import Disturbance


def options(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="of load and disturbances")
    parser.add_argument("--seed", type=int, default=1, help="what goes wrong, and in which order")
    parser.add_argument("--report", type=Path, help="write the page about the run there")
    parser.add_argument("--json", action="store_true", help="print one document instead of text")
    parser.add_argument("--quick", action="store_true", help="about 20 seconds, and one kill -9")
    parser.add_argument("--only", help="disturbances whose names contain this, each once")
    parser.add_argument("--folder", type=Path, help="where to work; else the temporary folder")
    return parser.parse_args(words)


def main() -> int:
    given = options()
    enter()
    # As Ctrl-C does: processes that were started must not outlive this one.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    from soak.report import document, page
    from soak.run import Run

    base = Path(tempfile.mkdtemp(prefix="soak-", dir=given.folder))
    place = disk(base)
    say = (lambda text: print(text, file=sys.stderr, flush=True)) if given.json else _said
    seconds, only = _wanted(given)
    try:
        result = asyncio.run(Run(base, place, given.seed, say).run(seconds, only))
    except BaseException:
        say(f"it broke off; the data is in {_kept(base, place)}")
        raise
    kept = _kept(base, place) if result.violations else None
    if given.report is not None and not given.quick:
        given.report.write_text(page(result))
    if given.json:
        print(orjson.dumps(document(result, kept)).decode())
    else:
        print(page(result))
        for each in result.findings:
            for wrong in each.violations[:20]:
                print(f"VIOLATED {each.what}: {wrong}")
    if kept is not None:
        say(f"the data is kept in {kept}")
        return 1
    release(place)
    shutil.rmtree(base, ignore_errors=True)
    return 0


def _said(text: str) -> None:
    print(text, flush=True)


def _wanted(given: argparse.Namespace) -> tuple[float, list[Disturbance] | None]:
    from soak.disturbances import ALL
    from soak.disturbances.processes import KillService

    if given.quick:
        return 12.0, [KillService()]
    chosen = None
    if given.only:
        chosen = [each for each in ALL if given.only in each.name]
    return given.minutes * 60, chosen


def _kept(base: Path, place: Disk) -> Path:
    """The folder with everything in it; a mount of ours is gone with us, so it is copied."""
    kept = base / "kept"
    if place.folder.is_mount():
        shutil.copytree(place.folder, kept, ignore=shutil.ignore_patterns("lost+found", "ballast"))
        return kept
    return base


if __name__ == "__main__":
    sys.exit(main())
