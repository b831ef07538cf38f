"""Where text of visitors gets to in Python: a walk through each function, top to bottom.

Theory of operation. A name is tainted once it is assigned anything that mentions a request
(``request.args``) or another tainted name; parameters of route handlers are tainted from the
start, unless their annotation allows no text. A few functions clean what they are given. A
finding needs a tainted value in a place where it does harm. Flow between functions is not
followed, so that a finding can be read and believed in one function.

The same walk judges what ruff reports as run text (``exec``, ``eval``) and as SQL put together:
constants are harmless, text of visitors is grave, and SQL counts only where it is executed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from tablewright.systems.vibejudge.analysis import Severity
from tablewright.systems.vibejudge.rules.words import words
from tablewright.systems.vibejudge.static.codebase import Code
from tablewright.systems.vibejudge.static.python_code import dotted
from tablewright.systems.vibejudge.static.results import Finding

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_REQUEST = re.compile(
    r"^(?:self\.)?(?:flask\.)?(?:request|req)\.(?:args|form|json|values|GET|POST|query_params|cookies"
    r"|headers|get_json|get_data|data|files|params|path_params|query|body|match_info|FILES"
    r"|query_string|view_args|stream|rel_url|post)\b|^(?:st\.text_input|input|sys\.argv)\b"
)
#: Code without any of these reads nothing of visitors, and runs no text.
_WORTH_A_WALK = re.compile(
    r"\b(?:request|req)\.|\binput\(|\bargv\b|text_input\(|\bexec\(|\beval\("
    r"|@[\w.]{1,60}\.(?:route|get|post|put|delete|patch|websocket|api_view|action)\("
)
#: What code outside of functions may read of whoever runs it.
_RUNS_OUTSIDE = re.compile(
    r"(?m)^(?![\s#]).*?(?:\binput\(|\bargv\b|text_input\(|\bexec\(|\beval\()"
)
#: Where text of visitors could do harm.
_SINKS = re.compile(
    r"\b(?:exec|eval|render_template_string|Template|from_string|open|send_file|FileResponse"
    r"|read_text|read_bytes|unlink|remove|rmtree|redirect|RedirectResponse|HttpResponseRedirect"
    r"|Markup|mark_safe|HTMLResponse|save|system|popen|getoutput|find|find_one|urlopen)\s*\("
    r"|\b(?:requests|httpx|aiohttp|session|client|http|http_client|urllib\.request)\.\w+\(|<\w"
)
_ROUTES = words("route get post put delete patch websocket api_view action")
#: Annotations of parameters that visitors fill with any text.
_TEXT = re.compile(r"\b(?:str|Any|bytes|dict|list|Form|Query|Body|Path|Header|Cookie)\b")
#: What comes out of these does no harm any more.
_CLEANERS = words(
    "int float bool len secure_filename basename escape quote quote_plus UUID uuid4 hash isdigit "
    "literal_eval b64encode hexdigest abs round sum format_html bleach clean sanitize safe_join "
    "startswith endswith count index is_valid exists url_for"
)
#: Checks that keep a path inside of a folder, or an address among those that are allowed.
_PATH_CHECKS = re.compile(
    r"\b(?:is_relative_to|commonpath|realpath|safe_join|secure_filename|relative_to)\b"
)
_HOST_CHECKS = re.compile(
    r"\b(?:urlparse|urlsplit|url_has_allowed_host_and_scheme|is_safe_url|allowed_\w+|ALLOWED\w*"
    r"|whitelist|allowlist|validate_url|is_safe\w*|ipaddress)\b"
)
_FETCHERS = re.compile(
    r"^(?:requests|httpx|aiohttp|urllib\.request)"
    r"\.(?:get|post|put|delete|patch|head|request|urlopen|stream)$|^urlopen$"
)
#: Names that may be a database's as well: what they are given has to be called an address.
_MAYBE_FETCHERS = re.compile(
    r"^(?:self\.)?_?(?:session|client|http|http_client)\.(?:get|post|put|request|stream)$"
)
_ADDRESS = re.compile(r"(?i)ur[li]|host|link|address|endpoint|webhook|https?:")
_OPENERS = words("open send_file FileResponse read_text read_bytes unlink remove rmtree")
_RUNS_SQL = words(
    "execute executemany executescript query raw read_sql read_sql_query text fetch fetchrow "
    "fetchval run_query extra RawSQL prepare exec_driver_sql sql"
)

SSTI = "Text of visitors becomes a template: pass it to a fixed template as a value"
TRAVERSAL = "Visitors choose this path: allow only names inside one folder (secure_filename)"
SSRF = "Visitors choose the address that is fetched: allow only hosts from a list"
REDIRECT = "Visitors choose where this redirects to: allow only paths of this site"
MARKUP = "Text of visitors becomes markup: escape it, or use a template that does"
RUN = "Text of visitors is run as code: parse it instead"
SHELL = "Text of visitors gets into a command: pass its words as a list, without a shell"
SQL = "SQL is put together from text: bind values as parameters"
OPERATORS = "Visitors can send operators instead of values: check that each value is a string"
_UPLOAD = "The name of an uploaded file decides where it is stored: use secure_filename"


@dataclass(slots=True)
class TaintFacts:
    """What the walk has found in one file."""

    findings: list[tuple[str, int, Severity, str]] = field(default_factory=list)
    #: Lines of exec and eval, and how grave they are; those of constants are None.
    runs: dict[int, Severity | None] = field(default_factory=dict)


def taint_of(code: Code) -> TaintFacts:
    """Walk through functions that visitors reach; nothing is found in files that do not parse."""
    facts = TaintFacts()
    if _WORTH_A_WALK.search(code.bare) and code.tree is not None:
        with suppress(RecursionError):
            _File(code, code.tree, facts).walk()
    return facts


def executed_sql_lines(code: Code) -> set[int]:
    """List lines of strings that are executed as SQL, directly or by the name they are given."""
    lines: set[int] = set()
    if code.tree is not None:
        with suppress(RecursionError):
            _mark_sql(code.tree, lines)
    return lines


def findings_of(code: Code, facts: TaintFacts) -> Iterator[Finding]:
    for kind, line, severity, message in facts.findings:
        yield code.finding(kind, line, severity, message)


class _File:
    def __init__(self, code: Code, tree: ast.Module, facts: TaintFacts) -> None:
        self._lines = code.text.split("\n")
        self._tree = tree
        self._facts = facts

    def walk(self) -> None:
        functions: list[_Function] = []
        for node in ast.walk(self._tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions.append(node)
        for function in functions:
            source = "\n".join(self._lines[function.lineno - 1 : function.end_lineno])
            reached = _is_route(function) or _WORTH_A_WALK.search(source)
            if reached and _SINKS.search(source):
                _Scope(self._facts, function, source).walk(function.body)
        if not _RUNS_OUTSIDE.search("\n".join(self._lines)):
            return
        outside = [
            node
            for node in self._tree.body
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        ]
        _Scope(self._facts, None, "").walk(outside)


def _mark_sql(tree: ast.Module, lines: set[int]) -> None:
    executed: set[str] = set()
    values: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _verb(node) in _RUNS_SQL:
            for value in [*node.args[:2], *(each.value for each in node.keywords)]:
                values.append(value)
                executed |= _names_in(value)
    for node in ast.walk(tree):
        assigned = getattr(node, "value", None)
        if isinstance(assigned, ast.expr) and not executed.isdisjoint(_targets(node)):
            values.append(assigned)
    for value in values:
        lines.update(range(value.lineno, (value.end_lineno or value.lineno) + 1))


class _Scope:
    """One function, or what stands outside of all."""

    def __init__(self, facts: TaintFacts, function: _Function | None, source: str) -> None:
        self._facts = facts
        self._tainted: set[str] = set()
        self._source = source
        if function is not None and _is_route(function):
            for each in [*function.args.args, *function.args.kwonlyargs]:
                annotation = "" if each.annotation is None else ast.unparse(each.annotation)
                text = not annotation or _TEXT.search(annotation)
                if each.arg not in ("self", "request", "req") and text:
                    self._tainted.add(each.arg)

    def walk(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._visit(statement)

    def _visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            return
        if isinstance(node, ast.Return) and node.value is not None:
            self._returned(node.value)
        for child in ast.iter_child_nodes(node):
            self._visit(child)
        if isinstance(node, ast.Call):
            self._call(node)
        value = getattr(node, "value", None) or getattr(node, "iter", None)
        names = _targets(node)
        if names and isinstance(value, ast.expr):
            if self.is_tainted(value):
                self._tainted |= names
            else:
                self._tainted -= names

    def is_tainted(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            if _verb(node) in _CLEANERS:
                return False
            inputs = [*node.args, *(each.value for each in node.keywords)]
            return self._is_source(node.func) or any(
                self.is_tainted(each) for each in [node.func, *inputs]
            )
        if isinstance(node, ast.Name):
            return node.id in self._tainted
        if isinstance(node, ast.Compare | ast.Constant | ast.Lambda):
            return False
        if isinstance(node, ast.Attribute) and self._is_source(node):
            return True
        return any(self.is_tainted(each) for each in ast.iter_child_nodes(node))

    def _is_source(self, node: ast.AST) -> bool:
        return bool(_REQUEST.match(dotted(node)))

    def _found(self, kind: str, node: ast.AST, severity: Severity, message: str) -> None:
        self._facts.findings.append((kind, getattr(node, "lineno", 1), severity, message))

    # --- sinks -----------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> None:
        name, verb = dotted(node.func), _verb(node)
        first = node.args[0] if node.args else None
        if name in ("exec", "eval"):
            self._run(node, name, first)
        if first is None:
            return
        tainted = self.is_tainted(first)
        if verb in ("render_template_string", "Template", "from_string") and tainted:
            self._found("ssti", node, "high", SSTI)
        elif verb in _OPENERS and tainted and not _PATH_CHECKS.search(self._source):
            self._found("path", node, "high", TRAVERSAL)
        elif _fetches(name, first) and self._is_address(first):
            if not _HOST_CHECKS.search(self._source):
                self._found("ssrf", node, "high", SSRF)
        elif verb in ("redirect", "RedirectResponse", "HttpResponseRedirect") and tainted:
            if self._is_address(first) and not _HOST_CHECKS.search(self._source):
                self._found("redirect", node, "medium", REDIRECT)
        elif verb in ("Markup", "mark_safe", "HTMLResponse") and tainted:
            self._found("markup", node, "medium", MARKUP)
        elif verb == "save" and self._has_upload_name(first):
            if not _PATH_CHECKS.search(self._source):
                self._found("upload", node, "medium", _UPLOAD)
        elif name in ("os.system", "os.popen", "subprocess.getoutput") and tainted:
            self._found("shell", node, "high", SHELL)
        elif verb in ("find", "find_one") and isinstance(first, ast.Name | ast.Attribute):
            if tainted:
                self._found("nosql", node, "medium", OPERATORS)
        elif verb in ("read_text", "read_bytes", "unlink") and self.is_tainted(node.func):
            self._found("path", node, "high", TRAVERSAL)

    def _run(self, node: ast.Call, name: str, first: ast.expr | None) -> None:
        severity: Severity | None
        if first is None or _is_constant(first):
            severity = None
        elif self.is_tainted(first):
            severity = "high"
        elif _is_compiled(first) or (name == "exec" and len(node.args) > 1):
            # A framework that makes code from its own templates, as far as can be seen here.
            severity = "low"
        else:
            severity = "medium" if name == "exec" or len(node.args) > 1 else "high"
        self._facts.runs[node.lineno] = severity

    def _returned(self, value: ast.expr) -> None:
        """Flask sends strings that a handler returns as markup."""
        made = isinstance(value, ast.JoinedStr | ast.BinOp)
        if made and self.is_tainted(value) and _has_tag(value):
            self._found("markup", value, "medium", MARKUP)

    def _is_address(self, node: ast.expr) -> bool:
        """Tell whether a visitor chooses the host: not if a fixed one comes before their text."""
        if not self.is_tainted(node):
            return False
        if isinstance(node, ast.JoinedStr) and node.values:
            return not _begins_with_host(node.values[0])
        if isinstance(node, ast.BinOp):
            left: ast.expr = node
            while isinstance(left, ast.BinOp):
                left = left.left
            return not _begins_with_host(left)
        return True

    def _has_upload_name(self, node: ast.expr) -> bool:
        return any(
            isinstance(each, ast.Attribute) and each.attr == "filename" for each in ast.walk(node)
        ) and not _is_cleaned(node)


# --- nodes ---------------------------------------------------------------------------------------


def _verb(node: ast.Call) -> str:
    return dotted(node.func).rpartition(".")[2]


def _fetches(name: str, first: ast.expr) -> bool:
    if _FETCHERS.match(name):
        return True
    return bool(_MAYBE_FETCHERS.match(name) and _ADDRESS.search(ast.unparse(first)))


def _targets(node: ast.AST) -> set[str]:
    """Names that a statement assigns to."""
    if isinstance(node, ast.Assign):
        places: list[ast.expr] = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For | ast.AsyncFor | ast.NamedExpr):
        places = [node.target]
    else:
        return set()
    return {name for place in places for name in _names_in(place)}


def _names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_route(function: _Function) -> bool:
    """Tell whether a decorator names a path: ``@app.get("/x")``."""
    return any(
        isinstance(each, ast.Call)
        and dotted(each.func).rpartition(".")[2] in _ROUTES
        and bool(each.args)
        for each in function.decorator_list
    )


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and dotted(node.func) == "compile" and node.args:
        return _is_constant(node.args[0])
    return isinstance(node, ast.Constant)


def _is_compiled(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) in ("compile", "builtins.compile")


def _begins_with_host(node: ast.expr) -> bool:
    said = node.value if isinstance(node, ast.Constant) else None
    return isinstance(said, str) and bool(re.match(r"https?://[^/]+/|/(?!/)", said))


def _has_tag(node: ast.expr) -> bool:
    return any(
        isinstance(each, ast.Constant) and isinstance(each.value, str) and "<" in each.value
        for each in ast.walk(node)
    )


def _is_cleaned(node: ast.expr) -> bool:
    return any(isinstance(each, ast.Call) and _verb(each) in _CLEANERS for each in ast.walk(node))
