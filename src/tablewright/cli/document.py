"""`tablewright document`: the document of a model, and whether a committed one still holds."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Literal, TypeAlias

from tablewright.cli.models import Named, find_model
from tablewright.cli.terminal import Failure, styled
from tablewright.document import document as whole
from tablewright.document import mermaid, svg
from tablewright.document.capacity import capacity_section
from tablewright.document.writes import MOMENT
from tablewright.model.errors import TablewrightError
from tablewright.plan.plan import make_plan
from tablewright.plan.pricing import load_prices
from tablewright.plan.report import data_of

Format: TypeAlias = Literal["markdown", "svg", "mermaid"]

#: Whose prices stand in the document.
_REGION = "us-east-1"
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
    try:
        files = rendered(find_model(model), format, out)
    except TablewrightError as error:
        raise Failure(str(error)) from None
    if out is None:
        sys.stdout.write(next(iter(files.values())))
    elif check:
        _check(files, f"tablewright document {model} --out {out}")
    else:
        _write(files)


def rendered(named: Named, format: Format, out: Path | None) -> dict[Path, str]:
    """What belongs into which file; without ``out`` there is one text, under any name."""
    place = out or Path("-")
    if format == "svg":
        return {place: svg(named.model)}
    if format == "mermaid":
        return {place: mermaid(named.model) + "\n"}
    picture = None if out is None else out.with_suffix(".svg")
    text = whole(
        named.model,
        named.items,
        named.calls,
        capacity=_capacity(named),
        picture="" if picture is None else picture.name,
    )
    files = {place: text}
    if picture is not None:
        files[picture] = svg(named.model)
    return files


def _capacity(named: Named) -> str:
    """What the model consumes and costs, at the prices of one region; needs sample calls."""
    if not named.calls:
        return ""
    made = make_plan(named.model, named.items, named.calls, load_prices(_REGION), now=MOMENT)
    return capacity_section(data_of(made))


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
