"""Install the programs that some tests need and pip cannot bring: Chromium, and Java for DynamoDB
Local. Called by `make programs`, and by the continuous integration.

They are the system's own packages, so this is for a machine with apt where we are root. Where it
cannot be done, the reason is printed and nothing fails: the tests that need them say that they are
skipped. Only the standard library is used.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence

#: The package, and the programs of which one will do.
PROGRAMS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "default-jre-headless": ("java",),
}
#: A mirror that does not answer must not hold everything else up.
PATIENCE = 300


def missing(programs: Mapping[str, Sequence[str]]) -> list[str]:
    """The packages of which there is no program yet."""
    return [package for package, names in programs.items() if not any(map(shutil.which, names))]


def obstacle() -> str:
    """Why packages cannot be installed here; "" if they can."""
    if shutil.which("apt-get") is None:
        return "there is no apt-get here"
    return "" if os.geteuid() == 0 else "only root may install packages"


def install(packages: Sequence[str]) -> str:
    """Install packages; what went wrong, or ""."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        command = ["apt-get", "--quiet", *words]
        try:
            done = subprocess.run(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return f"{' '.join(command)} took longer than {PATIENCE} s"
        if done.returncode:
            said = done.stdout.strip().splitlines() or ["it said nothing"]
            return f"{' '.join(command)} failed: {said[-1]}"
    return ""


def main() -> None:
    if not (packages := missing(PROGRAMS)):
        return
    reason = obstacle() or install(packages)
    if reason:
        print(f"not installed, so some tests will be skipped: {', '.join(packages)} ({reason})")
    else:
        print(f"installed: {', '.join(packages)}")


if __name__ == "__main__":
    main()
