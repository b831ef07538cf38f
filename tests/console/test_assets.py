"""Files under names that hold a hash: ours, and those that npm brought."""

from __future__ import annotations

import gzip
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tablewright.console.assets import HERE, NEEDED, OWN, PREFIX, Assets, icon_names

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """requirements/assets.py, which is no part of the package."""
    folder = ROOT / "requirements"
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location("assets_script", folder / "assets.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


@pytest.fixture
def packages(script: ModuleType, tmp_path: Path) -> Path:
    """A folder like node_modules."""
    folder = tmp_path / "node_modules"
    files = {
        "@tabler/core/dist/css/tabler.min.css": "a{}\n/*# sourceMappingURL=tabler.min.css.map */",
        "htmx.org/dist/htmx.min.js": "htmx",
        "htmx-ext-sse/dist/sse.min.js": "sse\n//# sourceMappingURL=sse.js.map\n",
        "echarts/dist/echarts.common.min.js": "echarts",
        "jsqr/dist/jsQR.js": "jsqr",
        "@tabler/icons/icons/outline/sun.svg": '<!-- x --><svg width="24"\nviewBox="0 0 24 24">'
        '<path stroke="none" d="M0 0h24v24H0z" fill="none" />\n  <path d="M1 1" />\n</svg>',
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in script.PACKAGES:
        path = folder / name
        path.mkdir(parents=True, exist_ok=True)
        (path / "package.json").write_text(json.dumps({"version": "1.2.3", "license": "MIT"}))
        (path / "LICENSE").write_text(f"the licence of {name}")
    return folder


def test_the_script_writes_what_the_console_reads(
    script: ModuleType, packages: Path, tmp_path: Path
) -> None:
    static = tmp_path / "static"
    manifest = script.write(static, script.contents(packages, ["sun"]))
    assert set(manifest) == set(NEEDED)
    assets = Assets(static)
    assert assets.missing == ()
    css = assets.file(assets.url("tabler.css").removeprefix(f"{PREFIX}/"))
    assert css is not None
    assert css.content == b"a{}\n"
    assert gzip.decompress(css.packed) == css.content
    assert css.media_type.startswith("text/css")
    licences = assets.file(assets.url("licenses.txt").removeprefix(f"{PREFIX}/"))
    assert licences is not None
    assert b"the licence of echarts" in licences.content


def test_the_same_content_has_the_same_name_and_other_content_another(
    script: ModuleType, packages: Path, tmp_path: Path
) -> None:
    first = script.write(tmp_path / "a", script.contents(packages, ["sun"]))
    again = script.write(tmp_path / "a", script.contents(packages, ["sun"]))
    (packages / "htmx.org/dist/htmx.min.js").write_text("newer")
    other = script.write(tmp_path / "a", script.contents(packages, ["sun"]))
    assert first == again
    assert {name for name in other if other[name] != first[name]} == {"htmx.js"}
    assert len(list((tmp_path / "a").glob("htmx*.js"))) == 1


def test_the_sprite_has_a_symbol_for_each_icon(script: ModuleType, packages: Path) -> None:
    made = script.sprite(["sun"], packages / "@tabler/icons/icons/outline").decode()
    assert '<symbol id="sun" viewBox="0 0 24 24"><path d="M1 1" /></symbol>' in made
    with pytest.raises(script.NoAssets, match="no icon named moon"):
        script.sprite(["moon", "sun"], packages / "@tabler/icons/icons/outline")


def test_without_npm_set_up_goes_on_and_a_wish_for_assets_fails(tmp_path: Path) -> None:
    """A copy of the repository's few files, on a machine without npm and without an index."""
    for name in ("requirements/assets.py", "requirements/install.py", "requirements/node.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((ROOT / name).read_bytes())
    (tmp_path / "package-lock.json").write_text("{}")
    environment = {
        "PATH": str(tmp_path / "nowhere"),
        "PIP_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "HOME": str(tmp_path),
    }
    command = [sys.executable, "requirements/assets.py", "--venv", str(tmp_path / "venv")]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *more],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    optional, wanted = run("--optional"), run()
    assert optional.returncode == 0, optional.stderr
    assert "make assets" in optional.stderr
    assert wanted.returncode == 1
    assert "could not be fetched" in wanted.stderr
    assert not list(tmp_path.rglob("manifest.json"))


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert Assets(tmp_path).missing == NEEDED
    (tmp_path / "manifest.json").write_text(json.dumps({"htmx.js": "htmx-1.js"}))
    assert "htmx.js" in Assets(tmp_path).missing, "the file itself is not there"
    (tmp_path / "htmx-1.js").write_text("x")
    assert "htmx.js" not in Assets(tmp_path).missing
    (tmp_path / "manifest.json").write_text("{")
    assert Assets(tmp_path).missing == NEEDED


def test_only_known_files_are_given_out(tmp_path: Path) -> None:
    assets = Assets(tmp_path)
    assert assets.file("../icons.txt") is None
    assert assets.file("console.css") is None, "without its hash"
    assert assets.file(assets.url("console.css").removeprefix(f"{PREFIX}/")) is not None


def used_icons() -> set[tuple[str, str]]:
    """Icons that templates and code of ours name, with the file that does."""
    named = re.compile(r"""icon(?:_name)?[(=]\s*"([a-z0-9-]+)\"""")
    item = re.compile(r"""NavItem\([^)]*?,\s*"[^"]*",\s*"([a-z0-9-]+)\"""")
    found = set()
    for path in (ROOT / "src" / "tablewright").rglob("*"):
        if path.suffix in (".html", ".py"):
            text = path.read_text()
            names = {*named.findall(text), *item.findall(text)}
            found |= {(name, path.name) for name in names}
    return found


def test_every_icon_that_is_used_is_fetched() -> None:
    used = used_icons()
    assert ("database", "home.html") in used, "the search finds nothing"
    assert {each for each in used if each[0] not in icon_names()} == set()


def test_own_files_hold_no_address_of_others() -> None:
    for path in [*OWN.iterdir(), *(HERE / "templates").rglob("*.html")]:
        addresses = set(re.findall(r"https?://[\w.]+", path.read_text()))
        assert addresses <= {"http://www.w3.org"}, path.name


def test_templates_hold_no_script_and_no_style() -> None:
    """The policy would not run them; better to hear of it here."""
    for path in (ROOT / "src" / "tablewright").rglob("templates/**/*.html"):
        text = path.read_text()
        assert not re.search(r"<script(?![^>]*(?:\bsrc=|application/json))", text), path.name
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=\"|javascript:", text), path.name
