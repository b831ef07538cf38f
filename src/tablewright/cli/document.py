"""`tablewright document`: the document of a model, and whether a committed one still holds."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Literal, TypeAlias

from tablewright.cli.terminal import Failure, styled

Format: TypeAlias = Literal["markdown", "svg", "mermaid"]

#: Lines of difference that are shown.
_SHOWN = 20


def document(
    model: str,
    *,
    format: Format = "markdown",
    out: Path | None = None,
    check: bool = False,
) -> None:
    """Write the document of a model.

    Parameters
    ----------
    model
        A system's name, or package.module:name of a model.
    format
        markdown is the whole document; svg and mermaid are its drawings alone.
    out
        The file to write; standard output without it. Beside a Markdown file, the drawing is
        written to one with the same name and the ending .svg.
    check
        Write nothing; exit with 1 if the files differ from what would be written.
    """
    if check and out is None:
        raise Failure("--check needs --out: the file to compare with")
    from tablewright.cli.documenting import files_of

    files = files_of(model, format, out)
    if out is None:
        sys.stdout.write(next(iter(files.values())))
    elif check:
        _check(files, f"tablewright document {model} --out {out}")
    else:
        _write(files)


def _write(files: dict[Path, str]) -> None:
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise Failure(f"{path} cannot be written: {error}") from None
        print(f"wrote {path}", file=sys.stderr)


def _check(files: dict[Path, str], command: str) -> None:
    stale = [path for path, text in files.items() if _read(path) != text]
    if not stale:
        print(styled("up to date", "green", sys.stdout))
        return
    for path in stale:
        print(f"{path} differs from the model")
        if path.suffix != ".svg":
            _show(_read(path) or "", files[path])
    print(f"run: {command}")
    sys.exit(1)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None


def _show(old: str, new: str) -> None:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "committed", "model", n=0)
    for number, line in enumerate(lines):
        if number == _SHOWN:
            print("  ...")
            return
        print(f"  {line.rstrip()}")
