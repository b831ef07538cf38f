"""The process that analyses one repository: an order comes in, an analysis goes out."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

from tablewright.systems.vibejudge.analysing.orders import (
    PREFIX,
    Analysis,
    Order,
    packed,
    unpacked,
)
from tablewright.systems.vibejudge.llm.context import material_of, suspicions_in
from tablewright.systems.vibejudge.repos.confining import confine
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.git import end_all
from tablewright.systems.vibejudge.repos.reading import snapshot_of_url
from tablewright.systems.vibejudge.rules.minhash import fingerprint_of
from tablewright.systems.vibejudge.static.agents import analyse_facts, rules_version
from tablewright.systems.vibejudge.static.codebase import Codebase
from tablewright.systems.vibejudge.static.facts import Facts
from tablewright.systems.vibejudge.static.meta import repo_meta

LENGTH = 8
STOPPED = 75
#: Removing a folder may meet a program that was ended just now and has a file to write yet.
_TRIES, _PAUSE_SECS = 20, 0.05
#: Held by who leaves: nobody else ends the process meanwhile.
_LEAVING = threading.Lock()


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # By which it can be ended.
    _say(os.getpid().to_bytes(LENGTH, "big"))
    order = _order()
    threading.Thread(target=_end_with_caller, daemon=True).start()
    confine(order.limits)
    try:
        answer: Analysis | RepoError = analysed(order)
    except RepoError as error:
        answer = error
    finally:
        with _LEAVING:
            pass
    data = packed(answer)
    try:
        _say(len(data).to_bytes(LENGTH, "big") + data)
    except OSError:
        _leave()
    return 0


def _say(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def analysed(order: Order) -> Analysis:
    snapshot = snapshot_of_url(order.url, sha=order.sha, limits=order.limits, access=order.access)
    base = Codebase(snapshot)
    window = order.window
    outside = [each for each in snapshot.commits if window and not window.holds(each.at)]
    material = material_of(snapshot, order.shown_to) if order.shown_to else None
    suspicions = material.suspicions if material else suspicions_in(snapshot)
    return Analysis(
        sha=snapshot.sha,
        default_branch=snapshot.default_branch,
        meta=repo_meta(base),
        results=analyse_facts(Facts(base), window),
        rules_version=rules_version(),
        code_lines=base.product_lines,
        notes=snapshot.notes,
        outside_window=len(outside),
        fingerprint=fingerprint_of(base),
        talks=tuple(each.flag() for each in suspicions),
        snapshot=snapshot if order.with_snapshot else None,
        material=material,
    )


def _order() -> Order:
    length = int.from_bytes(sys.stdin.buffer.read(LENGTH), "big")
    order = unpacked(sys.stdin.buffer.read(length))
    assert isinstance(order, Order)
    return order


def _end_with_caller() -> None:
    """The other side says no more: when this reads the end, it is gone or has given up."""
    while os.read(sys.stdin.fileno(), 1024):
        continue
    _leave()


def _leave() -> None:
    with _LEAVING:
        end_all()
        # Whoever started this may have been killed; then nobody else takes its folder away.
        folder = Path(os.environ.get("TMPDIR", ""))
        if folder.name.startswith(PREFIX):
            for _ in range(_TRIES):
                shutil.rmtree(folder, ignore_errors=True)
                if not folder.exists():
                    break
                time.sleep(_PAUSE_SECS)
        os._exit(STOPPED)


if __name__ == "__main__":
    sys.exit(main())
