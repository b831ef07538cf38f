"""What turns data into code or leaves a check out is in few places, each of which is known.

Everything is read from its source: whatever is new has to be looked at, and written down here with
the reason why it does no harm.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "tablewright"

#: Where something dangerous is called, and why it does no harm.
KNOWN = {
    ("adopt/checking.py", "exec"): "source we have written, in which no value of an item is code",
    ("cli/system_app.py", "eval"): "annotations of our own commands",
    ("model/pattern.py", "exec"): "source made of a pattern's own parameters, checked names",
    ("model/storage/source.py", "exec"): "source made of an entity's own fields, checked names",
    ("model/keys/parts.py", "exec"): "source made of a key's own template, literals as values",
    ("model/keys/bound.py", "eval"): "a condition made of an entity's own fields",
    ("review/pages.py", "eval"): "the examples of our own rules, for the pages about them",
    ("systems/vibejudge/analysing/orders.py", "pickle"): "between our own processes, known types",
    ("systems/vibejudge/analysing/running.py", "pickle"): "only the name of its error",
}
#: Modules that make objects or code of bytes.
MODULES = {"pickle", "marshal", "shelve", "dill"}
#: Functions by their names, wherever they come from.
CALLS = {"eval", "exec", "mktemp", "_create_unverified_context"}
#: ``module.function``.
QUALIFIED = {"os.system", "os.popen", "yaml.load", "yaml.unsafe_load", "yaml.full_load"}
#: Arguments that leave a check out.
ARGUMENTS = {("shell", True), ("verify", False), ("check_hostname", False), ("autoescape", False)}
#: Only what has one of these in it needs a closer look.
WORDS = re.compile(
    "|".join([*MODULES, *CALLS, "CERT_NONE", *(each.partition(".")[2] for each in QUALIFIED)])
    + "|"
    + "|".join(f"{name}={value}" for name, value in ARGUMENTS)
)


def name_of(node: ast.expr) -> str:
    """``os.system`` of a call to it."""
    if isinstance(node, ast.Attribute):
        return f"{name_of(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def dangers(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield str(node.module)
        elif isinstance(node, ast.Attribute) and node.attr == "CERT_NONE":
            yield "CERT_NONE"
        elif isinstance(node, ast.Call):
            yield from called(node)


def called(node: ast.Call) -> Iterator[str]:
    name = name_of(node.func)
    bare = name.rpartition(".")[2]
    if name in CALLS or name in QUALIFIED or bare in CALLS - {"eval", "exec"}:
        yield name
    for each in node.keywords:
        value = each.value.value if isinstance(each.value, ast.Constant) else None
        if isinstance(value, bool) and (each.arg, value) in ARGUMENTS:
            yield f"{each.arg}={value}"


def test_what_is_dangerous_is_known() -> None:
    found = {
        (path.relative_to(SOURCE).as_posix(), danger)
        for path in SOURCE.rglob("*.py")
        if WORDS.search(text := path.read_text())
        for danger in dangers(ast.parse(text))
    }
    assert found == KNOWN.keys()


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from marshal import loads",
        "eval(x)",
        "os.system(x)",
        "subprocess.run(x, shell=True)",
        "yaml.load(x)",
        "tempfile.mktemp()",
        "httpx.get(x, verify=False)",
        "context.verify_mode = ssl.CERT_NONE",
        "Environment(autoescape=False)",
    ],
)
def test_it_would_be_found(text: str) -> None:
    assert WORDS.search(text)
    assert list(dangers(ast.parse(text)))


#: What templates put into a page as it is: drawings and parts of pages that we have made ourselves.
UNESCAPED = {
    "systems/sentiment/templates/sentiment/dashboard.html": ["figures"],
    "systems/kurukshetra/templates/kurukshetra/team.html": ["join_qr"],
    "systems/kurukshetra/templates/kurukshetra/ticket.html": ["ticket.svg"],
}


def test_what_pages_do_not_escape_is_known() -> None:
    found = {}
    for path in SOURCE.rglob("*.html"):
        text = path.read_text()
        assert "autoescape false" not in text, path
        if names := re.findall(r"\{\{-?\s*([^{}]+?)\s*\|\s*safe\b", text):
            found[path.relative_to(SOURCE).as_posix()] = names
    assert found == UNESCAPED
