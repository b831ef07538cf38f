"""Build or refresh the virtual environment from the hashed locks; called by the Makefile.

uv does the work, because it is quick, but uv does not read pip's configuration. Whatever pip has
been told about package indexes (pip.conf or PIP_* variables) is therefore handed on to uv, so that
a machine set up for pip needs nothing more. Where uv cannot be had, pip installs the same files.

Only the standard library is used: this runs before anything is installed.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

# pip looks in its environment first, then in a command's own section, then in [global].
SECTIONS = (":env:", "install", "global")


def pip_settings(listing: str) -> dict[str, str]:
    """The settings in the output of `pip config list`, by bare name, strongest section first."""
    found: dict[tuple[str, str], str] = {}
    for line in listing.splitlines():
        key, separator, value = line.partition("=")
        section, dot, name = key.strip().rpartition(".")
        if separator and dot:
            # pip prints the repr of the value: quoted, with line breaks escaped.
            text = value.strip().strip("'\"").replace("\\n", " ")
            found[section, name.replace("_", "-")] = text
    names = {name for _, name in found}
    return {
        name: next(found[section, name] for section in SECTIONS if (section, name) in found)
        for name in names
        if any((section, name) in found for section in SECTIONS)
    }


def uv_environment(settings: Mapping[str, str], base: Mapping[str, str]) -> dict[str, str]:
    """`base` with pip's settings added in uv's words; what was set for uv itself stays."""
    translated = {
        "UV_PYTHON_DOWNLOADS": "never",
        # pip takes a file from whichever index has it; the hashes decide what is acceptable.
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }
    if url := settings.get("index-url"):
        translated["UV_DEFAULT_INDEX"] = url
    if urls := settings.get("extra-index-url"):
        translated["UV_INDEX"] = " ".join(urls.split())
    if links := settings.get("find-links"):
        translated["UV_FIND_LINKS"] = ",".join(links.split())
    if hosts := settings.get("trusted-host"):
        translated["UV_INSECURE_HOST"] = " ".join(hosts.split())
    if certificate := settings.get("cert"):
        translated["SSL_CERT_FILE"] = certificate
    if settings.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        translated["UV_NO_INDEX"] = "1"
    return translated | dict(base)


def run(command: Iterable[str | Path], env: Mapping[str, str] | None = None) -> None:
    words = [str(word) for word in command]
    print("+", shlex.join(words), flush=True)
    subprocess.run(words, check=True, cwd=ROOT, env=env)


class Environment:
    """One virtual environment and the programs in it."""

    def __init__(self, folder: Path) -> None:
        scripts = folder / ("Scripts" if os.name == "nt" else "bin")
        suffix = ".exe" if os.name == "nt" else ""
        self.folder = folder
        self.python = scripts / f"python{suffix}"
        self.uv = scripts / f"uv{suffix}"

    def create(self) -> None:
        if not self.python.exists():
            run([sys.executable, "-m", "venv", self.folder])

    def pip(self, *words: str | Path) -> None:
        run([self.python, "-m", "pip", "--disable-pip-version-check", *words])

    def have_uv(self) -> bool:
        """Install the locked uv if it is missing; False where there is none for this machine."""
        if self.uv.exists():
            return True
        try:
            self.pip("install", "--quiet", "--require-hashes", "-r", HERE / "bootstrap.txt")
        except subprocess.CalledProcessError:
            print("uv is not to be had here: pip installs instead, which takes longer.")
        return self.uv.exists()

    def pip_settings(self) -> dict[str, str]:
        command = [str(self.python), "-m", "pip", "config", "list"]
        listing = subprocess.run(command, check=False, capture_output=True, text=True).stdout
        return pip_settings(listing)

    def install(self, lock: Path) -> None:
        """Exactly what the lock holds, and the project itself, editable."""
        # The build back end is in the lock too, so that nothing unhashed is fetched to build.
        project = ["--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
        if self.have_uv():
            env = uv_environment(self.pip_settings(), os.environ)
            at = ["--python", str(self.python)]
            run([self.uv, "pip", "sync", "--quiet", *at, "--require-hashes", lock], env)
            run([self.uv, "pip", "install", "--quiet", *at, *project], env)
        else:
            self.pip("install", "--quiet", "--require-hashes", "-r", lock)
            self.pip("install", "--quiet", *project)

    def add(self, lock: Path) -> None:
        """What a further lock holds, beside what is installed."""
        if self.have_uv():
            env = uv_environment(self.pip_settings(), os.environ)
            at = ["--python", str(self.python)]
            run([self.uv, "pip", "install", "--quiet", *at, "--require-hashes", "-r", lock], env)
        else:
            self.pip("install", "--quiet", "--require-hashes", "-r", lock)

    def compile(self, output: Path, source: Path | str, extras: Iterable[str], *more: str) -> None:
        """Resolve `source` into a lock with hashes and without addresses."""
        command: list[str | Path] = [self.uv, "pip", "compile", "--quiet", "--universal"]
        command += ["--python-version", "3.11", "--generate-hashes", "--no-emit-index-url"]
        command += ["--no-emit-find-links", "--custom-compile-command", "make lock"]
        for extra in extras:
            command += ["--extra", extra]
        # Only the main index: an extra one that holds a single build of a package would leave the
        # hashes of all other builds out, and the lock would work on one kind of machine only.
        settings = self.pip_settings()
        main = {name: settings[name] for name in ("index-url", "cert") if name in settings}
        env = uv_environment(main, os.environ)
        run([*command, *more, "--output-file", output, source], env)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv")
    parser.add_argument("--lock", action="store_true", help="write the locks instead")
    parser.add_argument("--upgrade", action="store_true", help="with --lock: newer versions")
    chosen = parser.parse_args()
    if sys.version_info < (3, 11):  # noqa: UP036 - this runs under whatever Python is there
        sys.exit(f"Tablewright needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    environment = Environment(chosen.venv.absolute())
    environment.create()
    if not chosen.lock:
        environment.install(HERE / "dev.txt")
        return
    if not environment.have_uv():
        sys.exit("Writing the locks needs uv.")
    more = ("--upgrade",) if chosen.upgrade else ()
    environment.compile(HERE / "bootstrap.txt", HERE / "bootstrap.in", (), *more)
    environment.compile(HERE / "core.txt", "pyproject.toml", (), *more)
    environment.compile(HERE / "node.txt", HERE / "node.in", (), *more)
    extras = ("aws", "onnx", "tools", "systems", "dev")
    environment.compile(HERE / "dev.txt", "pyproject.toml", extras, *more)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{Path(error.cmd[0]).name} failed (exit status {error.returncode}), see above.")
