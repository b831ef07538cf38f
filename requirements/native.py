"""Compile the modules that every request passes through; called by `make setup` and `make native`.

mypyc makes extension modules of them, from the types that they are annotated with, and puts them
beside their sources. `native.json` in the package says what they were made from: where a source
has changed since, Python takes the sources again (see `tablewright/native.py`). Everything works
without them, only slower, so that a machine without a C compiler needs nothing.

Run by the Python of the virtual environment, which has mypyc.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
PACKAGE = SOURCES / "tablewright"
MANIFEST = PACKAGE / "native.json"
#: The module that holds the code of all; the others only point into it.
SHARED = "tablewright__mypyc"

#: What is compiled: all modules of these folders, without `__init__`, and single ones.
MODULES = (
    "values.py",
    "expressions/*.py",
    "engine/capacity.py",
    "engine/pending.py",
    "engine/schema.py",
    "engine/backups/recovery.py",
    "engine/expiry/index.py",
    "engine/items/*.py",
    "engine/partiql/columns.py",
    "engine/partiql/selects.py",
    "engine/queries/*.py",
    "engine/shapes/accept.py",
    "engine/storage/commits.py",
    "engine/storage/store.py",
    "engine/storage/transaction.py",
    "engine/streams/recording.py",
    "server/answers.py",
    "server/authorization.py",
    "server/completions.py",
    "server/connection.py",
    "server/dispatch.py",
    "server/limits.py",
    "server/reading.py",
    "server/request.py",
    "server/server.py",
)


class NotHere(Exception):
    """Nothing can be compiled on this machine; the text says why."""


def modules() -> list[Path]:
    """The sources that are compiled."""
    found = {path for pattern in MODULES for path in PACKAGE.glob(pattern)}
    return sorted(path for path in found if path.name != "__init__.py")


def relied_on() -> list[Path]:
    """All sources of the database: what is compiled relies on the types in what is not."""
    single = [PACKAGE / "clock.py", PACKAGE / "values.py"]
    return single + [
        path
        for part in ("expressions", "engine", "server")
        for path in (PACKAGE / part).rglob("*.py")
    ]


def digest() -> str:
    """What the compiled modules depend on."""
    state = hashlib.sha256(f"{sys.version} {sysconfig.get_platform()}".encode())
    for path in sorted([Path(__file__), *relied_on()]):
        state.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return state.hexdigest()


def stamps() -> dict[str, tuple[int, int]]:
    """Every source with what tells whether it has been touched since."""
    return {
        path.relative_to(PACKAGE).as_posix(): (path.stat().st_mtime_ns, path.stat().st_size)
        for path in relied_on()
    }


def declare(made_of: str, sources: dict[str, tuple[int, int]]) -> None:
    """Say what the compiled modules were made from."""
    new = MANIFEST.with_suffix(".new")
    new.write_text(json.dumps({"digest": made_of, "sources": sources}) + "\n")
    new.replace(MANIFEST)


def remove() -> None:
    """Take the compiled modules away. Who is started meanwhile takes the sources."""
    MANIFEST.write_text("{}")
    for suffix in (".so", ".pyd"):
        for path in [*PACKAGE.rglob(f"*{suffix}"), *SOURCES.glob(f"{SHARED}*{suffix}")]:
            path.unlink()


def missing() -> str | None:
    """What compiling needs first of all, and is not here."""
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "").split()
    if compiler and shutil.which(compiler[0]) is None:
        return f"there is no C compiler ({compiler[0]})"
    header = Path(sysconfig.get_path("include")) / "Python.h"
    return None if header.exists() else f"Python's headers are not installed ({header})"


def compile_modules(folder: Path) -> list[Path]:
    """Make the extension modules in ``folder``; they are what is returned."""
    if (reason := missing()) is not None:
        raise NotHere(reason)
    try:
        from mypyc.build import mypycify
        from setuptools import Distribution
    except ImportError as error:
        raise NotHere(f"{error.name} is not installed") from None
    print("Compiling the engine, which takes half a minute ...", flush=True)
    paths = [path.relative_to(SOURCES).as_posix() for path in modules()]
    settings = ["--config-file", str(ROOT / "pyproject.toml")]
    with contextlib.chdir(SOURCES), quiet() as said:
        try:
            extensions = mypycify(
                [*settings, *paths],
                opt_level="2",
                debug_level="0",
                group_name=SHARED.removesuffix("__mypyc"),
                multi_file=True,
                target_dir=str(folder / "c"),
            )
            project = Distribution({"name": "tablewright", "ext_modules": extensions})
            build = project.get_command_obj("build_ext")
            build.build_lib = str(folder / "lib")
            build.build_temp = str(folder / "o")
            build.ensure_finalized()
            in_parallel(build)
            project.run_command("build_ext")
        except (Exception, SystemExit) as error:
            lines = [line for line in said.getvalue().splitlines() if "warning:" not in line]
            raise NotHere("\n".join([str(error), *lines[-20:]])) from None
    return sorted(path for path in (folder / "lib").rglob("*") if path.is_file())


def in_parallel(build: Any) -> None:
    """Have the files of a module compiled side by side; setuptools only does so with modules."""
    build_extensions = build.build_extensions

    def build_all() -> None:
        compiler = build.compiler
        compile_one, link = compiler._compile, compiler.link
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            begun: list[Future[None]] = []
            compiler._compile = lambda *each: begun.append(pool.submit(compile_one, *each))

            def link_when_ready(*words: Any, **options: Any) -> None:
                for each in begun:
                    each.result()
                link(*words, **options)

            compiler.link = link_when_ready
            build_extensions()

    build.build_extensions = build_all


@contextlib.contextmanager
def quiet() -> Iterator[io.StringIO]:
    """Keep back what the compilers print, unless something is wrong."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        yield said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--optional", action="store_true", help="if it fails, say so and go on")
    parser.add_argument("--remove", action="store_true", help="take the compiled modules away")
    chosen = parser.parse_args()
    if chosen.remove:
        remove()
        MANIFEST.unlink()
        return
    made_of, before = digest(), stamps()
    if MANIFEST.exists() and json.loads(MANIFEST.read_text()).get("digest") == made_of:
        declare(made_of, before)
        return
    started = time.monotonic()
    remove()
    try:
        with tempfile.TemporaryDirectory() as folder:
            made = compile_modules(Path(folder))
            for path in made:
                shutil.copy2(path, SOURCES / path.relative_to(Path(folder) / "lib"))
    except NotHere as error:
        MANIFEST.unlink()
        message = f"The engine runs from its sources, which is slower: {error}"
        if not chosen.optional:
            sys.exit(message)
        print(message)
        return
    declare(made_of, before)
    print(f"{len(modules())} modules compiled in {time.monotonic() - started:.0f} s.")


if __name__ == "__main__":
    main()
