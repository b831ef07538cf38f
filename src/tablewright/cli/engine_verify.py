"""What `tablewright engine verify` does: check a database, or have its process check it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import orjson

from tablewright.cli.engine_options import DEFAULT_DATA
from tablewright.cli.run_file import answering
from tablewright.cli.terminal import Failure
from tablewright.engine import Engine, FolderError
from tablewright.engine.storage.folder import Folder, FolderInUse
from tablewright.engine.storage.log_mark import LogMark, read_mark
from tablewright.engine.verify import find_problems

#: How often a process that checks its data is asked how far it is.
_POLL_SECONDS = 0.5


class Result(NamedTuple):
    """What a check found, and where."""

    place: str
    problems: list[str]


def verify_engine(
    *, data: Path | None, endpoint: str | None, accept_loss: bool, json: bool
) -> None:
    """Check a data folder or a running engine, print the result, and exit with 1 on damage."""
    if data is not None and endpoint is not None:
        raise Failure("--data and --endpoint exclude each other.", "Leave one of them out.")
    if endpoint is not None:
        if accept_loss:
            raise Failure("--accept-loss needs the folder itself.", "Give it with --data.")
        result = _verify_running(endpoint)
    else:
        result = _verify_folder(data or DEFAULT_DATA, accept_loss=accept_loss)
    if json:
        print(orjson.dumps({"place": result.place, "problems": result.problems}).decode())
    else:
        print(_summary(result))
    if result.problems:
        sys.exit(1)


def _summary(result: Result) -> str:
    if not result.problems:
        return f"{result.place}: no damage found."
    count = len(result.problems)
    heading = f"{result.place}: {count} {'problem' if count == 1 else 'problems'} found."
    return "\n".join(
        [
            heading,
            *(f"  {text}" for text in result.problems),
            "Keep a copy of the folder, then restore a backup.",
        ]
    )


def _verify_folder(folder: Path, *, accept_loss: bool) -> Result:
    if not (folder / "engine").is_dir():
        raise Failure(f"There is no database in {folder}.", "Give its folder with --data.")
    try:
        if accept_loss:
            _accept_loss(folder)
        with Engine(folder) as engine, _progress_line() as show:
            return Result(
                str(folder), [text for text in find_problems(engine, show) if text is not None]
            )
    except FolderInUse as error:
        url = answering(folder)
        if url is None or accept_loss:
            raise Failure(
                str(error), "Give the URL of that process with --endpoint, or stop it."
            ) from None
        return _verify_running(url)
    except FolderError as error:
        return Result(str(folder), [str(error)])


def _accept_loss(folder: Path) -> None:
    """Forget how much of the log was committed, so that the folder opens with what is there."""
    owned = Folder(folder)
    try:
        noted = read_mark(owned.log_mark)
        LogMark(owned.log_mark, owned.log).close()
    finally:
        owned.release()
    if noted is not None:
        print("Writes that are missing from the log are given up.", file=sys.stderr)


def _verify_running(url: str) -> Result:
    """Have a running engine check its data."""
    from tablewright.client import HttpTransport
    from tablewright.client.transports.wire import Failure as Refusal
    from tablewright.client.transports.wire import Request
    from tablewright.model.errors import TablewrightError

    transport = HttpTransport(url)
    try:
        with _progress_line() as show:
            body = transport.send(Request("VerifyStore", {"Start": True})).body
            while body["Status"] != "DONE":
                show(str(body["At"]))
                time.sleep(_POLL_SECONDS)
                body = transport.send(Request("VerifyStore", {})).body
    except (TablewrightError, Refusal) as error:
        raise Failure(f"{url} cannot be checked: {error}") from None
    finally:
        transport.close()
    return Result(url, [str(text) for text in body["Problems"]])


class _ProgressLine:
    """One line on a terminal that says what is being checked; nothing where nobody watches."""

    def __init__(self) -> None:
        self._shows = sys.stderr.isatty()

    def __call__(self, at: str) -> None:
        if self._shows:
            print(f"\r\x1b[KChecking {at} ...", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shows:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def _progress_line() -> Iterator[_ProgressLine]:
    line = _ProgressLine()
    try:
        yield line
    finally:
        line.clear()
