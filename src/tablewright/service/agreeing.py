"""Asking before something that costs money, or that there is no way back from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablewright.service.commands import Desk
from tablewright.service.problems import Problem


def agreed(
    desk: Desk,
    yes: bool,
    question: str,
    lines: Sequence[str] = (),
    told: Mapping[str, object] | None = None,
) -> None:
    """Go on if somebody says yes; else a problem. A program says it beforehand, with --yes."""
    if yes:
        return
    if not desk.json and desk.stdin.isatty():
        desk.tick("")
        desk.stdout.write("\n".join([*lines, f"{question} [y/N] "]).encode())
        desk.stdout.flush()
        if desk.stdin.readline().strip().lower() in (b"y", b"yes"):
            return
        raise Problem(409, "NOT_AGREED", "Nothing was done.")
    extra = {**(told or {}), "hint": "Give --yes to agree."}
    raise Problem(
        409, "NOT_AGREED", " ".join([*lines, f"{question} Nothing was done."]), extra=extra
    )
