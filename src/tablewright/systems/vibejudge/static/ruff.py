"""Ruff, asked about Python with rules that were chosen here and nothing that a team configures."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tablewright.systems.vibejudge.analysis import Severity
from tablewright.systems.vibejudge.static.codebase import Code

#: What each rule is held to be, and what to do about it.
SECURITY: dict[str, tuple[Severity, str]] = {
    "S102": ("high", "exec runs any text as code: call the function that is meant instead"),
    "S307": ("high", "eval runs any text as code: parse the value, as ast.literal_eval does"),
    "S602": ("high", "A command goes through a shell: give its words as a list, without a shell"),
    "S604": ("high", "A command goes through a shell: give its words as a list, without a shell"),
    "S605": ("high", "A command goes through a shell: use subprocess with its words as a list"),
    "S608": ("high", "SQL is put together from texts: bind values as parameters"),
    "S301": ("medium", "Pickled data runs code when it is loaded: use JSON for what comes in"),
    "S506": ("medium", "yaml.load makes any object: use yaml.safe_load"),
    "S501": ("medium", "Certificates are not checked: leave verify on"),
    "S323": ("medium", "Certificates are not checked: use the default context"),
    "S201": ("medium", "The debugger lets anybody run code: turn debug on by the environment only"),
    "S701": ("medium", "Templates do not escape what they are given: turn autoescape on"),
    "S202": (
        "medium",
        "Archives can write outside of the folder: use filter='data'",
    ),
    "S304": ("medium", "This cipher is broken: use AES-GCM, or Fernet"),
    "S305": ("medium", "ECB shows what repeats: use an authenticated mode such as GCM"),
    "S314": ("low", "XML of visitors can exhaust memory: parse it with defusedxml"),
    "S507": ("medium", "The host's key is not checked: reject unknown hosts"),
    "S306": ("low", "mktemp can be raced: use NamedTemporaryFile"),
    "S324": ("low", "MD5 and SHA-1 are broken: use SHA-256, or a password hash for passwords"),
}
#: Those that run text, and that put SQL together: what reaches them decides how grave they are.
RUNS = frozenset({"S102", "S307"})
SQL = "S608"
OPEN_HANDLE = "SIM115"
SLEEP = "ASYNC251"
_SELECT = ",".join([*SECURITY, OPEN_HANDLE, SLEEP])
#: What ruff says where the words of a command are fixed.
_HARMLESS = "seems safe"
TIMEOUT_SECS = 60


@dataclass(frozen=True, slots=True)
class Hit:
    code: Code
    rule: str
    line: int


class RuffMissing(RuntimeError):
    """Ruff belongs to the system's requirements; without it, scores would be other ones."""


@functools.cache
def program() -> str:
    beside = Path(sys.executable).parent / "ruff"
    found = str(beside) if beside.is_file() else shutil.which("ruff")
    if found is None:
        raise RuffMissing("ruff is not installed: pip install 'tablewright[systems]'")
    return found


def check(files: Sequence[Code]) -> list[Hit]:
    """All hits, by file and line. Files get names of ours: theirs decide nothing."""
    if not files:
        return []
    with TemporaryDirectory(prefix="vibejudge-ruff-") as folder:
        for number, code in enumerate(files):
            text = code.text.encode("utf-8", "replace")
            (Path(folder) / f"m{number}.py").write_bytes(text)
        said = _run(folder)
    hits = []
    for each in said:
        rule, place = each.get("code"), each.get("location")
        if rule and isinstance(place, dict) and _HARMLESS not in str(each.get("message")):
            number = int(Path(str(each["filename"])).stem[1:])
            hits.append(Hit(files[number], str(rule), int(place["row"])))
    return sorted(hits, key=lambda hit: (hit.code.path, hit.line, hit.rule))


def _run(folder: str) -> list[dict[str, dict[str, int] | str | None]]:
    ended = subprocess.run(
        [
            program(),
            "check",
            "--isolated",
            "--no-cache",
            "--ignore-noqa",
            "--exit-zero",
            "--quiet",
            "--output-format=json",
            "--target-version=py312",
            f"--select={_SELECT}",
            # Nothing in a folder of ours is to be left out.
            "--no-respect-gitignore",
            "--config=extend-exclude=[]",
            ".",
        ],
        cwd=folder,
        capture_output=True,
        timeout=TIMEOUT_SECS,
        check=False,
        env={"PATH": "", "NO_COLOR": "1", "RAYON_NUM_THREADS": "1"},
    )
    if ended.returncode:
        raise RuntimeError(f"ruff failed: {ended.stderr.decode('utf-8', 'replace')[:300]}")
    found = json.loads(ended.stdout or b"[]")
    return found if isinstance(found, list) else []
