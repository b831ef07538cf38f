"""What commands about tables say: text for people, one JSON envelope for programs, an exit code.

The envelope is ``{success, command, data | error, duration, region, environment, timestamp}``. Exit
codes: 0 all is well, 1 it is not (a mismatch, or the command could not be carried out), 2 a part.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from tablewright.cli.place import Opened, opened
from tablewright.cli.place_options import Place
from tablewright.cli.table_options import Output
from tablewright.cli.terminal import Failure, coloured, styled
from tablewright.client import Db
from tablewright.deploy.problems import REMEDIES, UNKNOWN, Problem, problem_of
from tablewright.model.errors import TablewrightError

OK, FAILED, PARTIAL = 0, 1, 2


@dataclass(frozen=True)
class Result:
    """What a command found or did."""

    data: dict[str, Any]
    lines: Sequence[str] = ()
    exit_code: int = OK
    #: Why it is not well; with it, the envelope has an error, and the data as its details.
    problem: Problem | None = None


@dataclass
class Session:
    """A running command: its database, and how it tells what it does."""

    opened: Opened
    output: Output
    #: Whether the last thing on the terminal is a line that may be written over.
    _open_line: bool = field(default=False, init=False)

    @property
    def db(self) -> Db:
        return self.opened.db

    @property
    def interactive(self) -> bool:
        return sys.stdin.isatty() and sys.stderr.isatty() and not self.output.json

    def tell(self, text: str) -> None:
        """Progress: on standard error, so that what is printed stays what was asked for."""
        if self.output.quiet or self.output.json:
            return
        self.end_line()
        print(styled(text, "dim", sys.stderr), file=sys.stderr, flush=True)

    def tick(self, text: str) -> None:
        """Progress that changes often: one line, on terminals only."""
        if not self.output.quiet and not self.output.json and coloured(sys.stderr):
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
            self._open_line = True

    def end_line(self) -> None:
        if self._open_line:
            print(file=sys.stderr)
            self._open_line = False

    def confirm(self, question: str, word: str = "y") -> bool:
        """Ask on a terminal; whoever types the word means it."""
        if not self.interactive:
            return False
        self.end_line()
        print(f"{question} Type {word} to go on: ", end="", file=sys.stderr, flush=True)
        return sys.stdin.readline().strip().lower() == word.lower()


def answer(
    command: str,
    place: Place,
    output: Output,
    work: Callable[[Session], Result],
    *,
    create: bool = False,
    scratch: bool = False,
    model: str = "",
) -> None:
    """Open the place, do the work, say what came of it, and exit."""
    started = time.monotonic()
    region = place.region or ""
    try:
        with opened(place, create=create, scratch=scratch) as found:
            region = found.region
            session = Session(found, output)
            result = work(session)
            session.end_line()
    except Failure as failure:
        hints = (failure.hint,) if failure.hint else ()
        result = Result({}, (), FAILED, Problem(UNKNOWN, str(failure), {}, hints))
    except TablewrightError as error:
        result = Result({}, (), FAILED, problem_of(error))
    if model:
        result = _with_commands(result, place, model)
    if output.json:
        seconds = time.monotonic() - started
        print(json.dumps(_envelope(command, place, region, seconds, result), default=str))
    else:
        _print(result, output)
    sys.exit(result.exit_code)


#: How texts about any model name a command; what follows it stays.
_COMMAND = re.compile(r"tablewright tables ([a-z]+) MODEL\b")


def _with_commands(result: Result, place: Place, model: str) -> Result:
    """Put the exact commands for this model and place in place of those for any."""

    def filled(value: Any) -> Any:
        if isinstance(value, str):
            return _COMMAND.sub(lambda found: place.command(found[1], model), value)
        if isinstance(value, dict):
            return {name: filled(inside) for name, inside in value.items()}
        return [filled(each) for each in value] if isinstance(value, list) else value

    problem = result.problem
    if problem is not None:
        steps = problem.remedies or REMEDIES[problem.code]
        problem = replace(problem, remedies=tuple(map(filled, steps)))
    data, lines = filled(result.data), [filled(each) for each in result.lines]
    return Result(data, lines, result.exit_code, problem)


def _envelope(
    command: str, place: Place, region: str, seconds: float, result: Result
) -> dict[str, Any]:
    envelope: dict[str, Any] = {"success": result.exit_code == OK, "command": command}
    if result.problem is None:
        envelope["data"] = result.data
    else:
        told = result.problem.as_json()
        envelope["error"] = {**told, "details": {**told["details"], **result.data}}
    return {
        **envelope,
        "duration": round(seconds, 3),
        "region": region,
        "environment": place.env or "default",
        "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _print(result: Result, output: Output) -> None:
    if not output.quiet or result.exit_code != OK:
        for line in result.lines:
            print(line)
    problem = result.problem
    if problem is not None:
        sys.stdout.flush()
        head = styled("error:", "red", sys.stderr)
        code = "" if problem.code == UNKNOWN else f" ({problem.code})"
        print(f"{head} {problem.message}{code}", file=sys.stderr)
        for step in problem.remediation:
            print(f"  {step}", file=sys.stderr)
