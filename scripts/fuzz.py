"""Fuzz everything that takes input from outside, each target for some seconds: `make fuzz`.

Each run has a seed of its own, which is printed; a failure says which command repeats it. What is
run are tests, those of Hypothesis and those that go by a seed, round after round with the next
seed (`tests/fuzz/rounds.py`), so whatever is found can be kept as a test. Exit status: 0 nothing
was found, 1 something was, 2 what was asked for makes no sense.
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Seconds that the last test of a target may take beyond its time, and a service to start.
PATIENCE = 300.0
SYSTEMS = ("pricekeeper", "sentiment", "vibejudge", "kurukshetra", "ladders")

#: What is fuzzed, and by which tests; of a file, all that vary.
TARGETS: Mapping[str, Sequence[str]] = {
    "requests": (
        "tests/fuzz/test_requests.py::test_fresh_requests",
        "tests/fuzz/test_requests.py::test_fresh_requests_to_a_folder",
        "tests/engine/test_plain.py",
        "tests/engine/test_shapes.py",
    ),
    "wire": (
        "tests/fuzz/test_wire.py::test_fresh_connections",
        "tests/server/test_http.py",
        "tests/server/test_signature.py",
        "tests/server/test_encodings.py",
    ),
    "expressions": (
        "tests/expressions/test_properties.py",
        "tests/model/test_conditions.py",
        "tests/model/test_changes.py",
        "tests/model/test_ranges.py",
    ),
    "partiql": ("tests/engine/test_partiql_fuzz.py",),
    "keys": (
        "tests/test_values.py",
        "tests/model/test_keys.py",
        "tests/model/test_encoders.py",
        "tests/model/test_templates.py",
        "tests/model/test_codec.py",
        "tests/model/test_storage.py",
    ),
    "cursors": (
        "tests/fuzz/test_cursors.py",
        "tests/service/auth/test_auth.py",
        "tests/service/auth/test_api_keys.py",
        "tests/service/test_secrets.py",
        "tests/systems/kurukshetra/tickets/test_token.py",
        "tests/systems/kurukshetra/gateway/test_signatures.py",
        "tests/systems/kurukshetra/privacy/test_cipher.py",
    ),
    "ladders": (
        "tests/systems/ladders/rules/test_ladder_properties.py",
        "tests/systems/ladders/rules/test_ladder_diff.py",
        "tests/systems/ladders/rules/test_answers.py",
    ),
    "inputs": (
        "tests/fuzz/test_inputs.py",
        "tests/systems/vibejudge/rules/test_csv_rows.py",
        "tests/systems/vibejudge/llm",
        "tests/systems/sentiment/intake",
        "tests/service/test_repo_urls.py",
        "tests/service/test_logs.py",
        "tests/service/test_typesetting.py",
        "tests/systems/kurukshetra/rules",
    ),
    "adopting": ("tests/fuzz/test_adopting.py",),
    **{
        f"rest-{system}": (f"tests/fuzz/test_rest.py::test_fresh_requests[{system}]",)
        for system in SYSTEMS
    },
}


def command(nodes: Sequence[str], seed: int, seconds: float) -> list[str]:
    return [
        *(sys.executable, "-m", "pytest", "-p", "tests.fuzz.rounds", "-p", "no:cacheprovider"),
        *(f"--fuzz-seed={seed}", f"--fuzz-seconds={seconds:g}"),
        *("-q", "-x", "--no-header", "--tb=short", "--color=no", *nodes),
    ]


def run(nodes: Sequence[str], seed: int, seconds: float) -> tuple[bool, str]:
    """Whether nothing was found, and what pytest said."""
    # A session of its own, so that what hangs ends with everything it has started.
    with subprocess.Popen(
        command(nodes, seed, seconds),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=os.name == "posix",
    ) as process:
        try:
            said, _ = process.communicate(timeout=seconds + PATIENCE)
        except subprocess.TimeoutExpired:
            end(process)
            said, _ = process.communicate()
            return False, f"{said}\nIt hangs: ended {PATIENCE:g} s after its time was up."
        except KeyboardInterrupt:
            end(process)
            raise
    return process.returncode == 0, said


def end(process: subprocess.Popen[str]) -> None:
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def fuzz(name: str, nodes: Sequence[str], seed: int, seconds: float) -> bool:
    """One target, told in a line if it is fine and in full if it is not."""
    print(f"{name}: seed {seed} ...", end=" ", flush=True)
    started = time.monotonic()
    fine, said = run(nodes, seed, seconds)
    took = time.monotonic() - started
    told = [line for line in said.splitlines() if line.startswith("seeds ")]
    print(f"{'nothing found' if fine else 'FAILED'} in {took:.0f} s ({', '.join(told)})")
    if not fine:
        print(f"{said}\nThe whole target again: make fuzz TARGETS={name} SEED={seed}", flush=True)
    return fine


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target; 60")
    parser.add_argument("--seed", type=int, help="of the first round; a fresh one without")
    chosen = parser.parse_args(words)
    if unknown := [name for name in chosen.targets if name not in TARGETS]:
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    if not chosen.seconds > 0:
        parser.error("--seconds has to be more than 0")
    seed = chosen.seed if chosen.seed is not None else secrets.randbelow(10**9)
    names = chosen.targets or list(TARGETS)
    print(f"{len(names)} targets, {chosen.seconds:g} s each. Seed {seed}.")
    found = [name for name in names if not fuzz(name, TARGETS[name], seed, chosen.seconds)]
    print(f"Failed: {', '.join(found)}." if found else "Nothing was found.")
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
