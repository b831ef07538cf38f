"""Where text of visitors gets to in languages other than Python, by patterns within one file.

A language names what a request gives (``req.query.x``) and how names are set from it. A sink is a
pattern with ``SRC`` for any of these; files that read no request are left out at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tablewright.systems.vibejudge.analysis import Severity
from tablewright.systems.vibejudge.static import taint
from tablewright.systems.vibejudge.static.codebase import Code
from tablewright.systems.vibejudge.static.results import Finding

#: Kind, severity, message, pattern, and what makes it harmless if it stands shortly before.
Sink: TypeAlias = tuple[str, Severity, str, str, str]

_INCLUDE = "Visitors choose the file that is run: allow only names from a list"
_SAFE_PATH = (
    r"basename|startsWith|HasPrefix|filepath\.Base|normalize\(\)\.starts|realpath|isAbsolute"
)
_SAFE_HOST = r"allow|whitelist|new URL\([^)]*\)\.host|hostname|isValidUrl|\.Host\b"
#: How many characters before a sink may hold what makes it harmless.
_BEFORE = 600
_MOST_NAMES = 60


@dataclass(frozen=True, slots=True)
class _Language:
    source: str
    #: What sets names from a source, with the names in its groups.
    named: re.Pattern[str]
    sinks: tuple[Sink, ...]
    prefix: str = ""


_JS_SOURCE = r"(?:req|request|ctx\.request|ctx)\.(?:query|body|params)(?:\.\w+|\[['\"]\w+['\"]\])?"
_JS = _Language(
    _JS_SOURCE,
    re.compile(
        rf"\b(?:const|let|var)\s*(?:\{{([^}}=]{{1,200}})\}}|(\w+))\s*=\s*(?:await\s+)?(?:String\()?"
        rf"{_JS_SOURCE}"
    ),
    (
        (
            "ssrf",
            "high",
            taint.SSRF,
            r"(?:(?<![\w.])fetch|\baxios(?:\.\w+)?|(?<![\w.])got|(?<![\w.])needle(?:\.get)?"
            r"|\bhttps?\.get)\(\s*(?:new URL\(\s*)?(?:SRC|`(?:https?://)?\$\{SRC\})",
            _SAFE_HOST,
        ),
        (
            "path",
            "high",
            taint.TRAVERSAL,
            r"\b(?:readFile(?:Sync)?|createReadStream|sendFile|unlink(?:Sync)?|writeFile(?:Sync)?"
            r"|res\.download)\(\s*(?:path\.(?:join|resolve)\([^()\n]{0,80}?|[^,()\n]{0,60}\+\s*"
            r"|`[^`\n]{0,60}\$\{)?SRC",
            _SAFE_PATH,
        ),
        ("redirect", "medium", taint.REDIRECT, r"\bres\.redirect\(\s*(?:\d+,\s*)?SRC", _SAFE_HOST),
        (
            "markup",
            "medium",
            taint.MARKUP,
            r"\bres\.(?:send|write|end)\(\s*(?:`[^`\n]{0,200}<[^`\n]{0,200}\$\{\s*SRC"
            r"|['\"][^'\"\n]{0,200}<[^'\"\n]{0,200}['\"]\s*\+\s*SRC)",
            r"escape|sanitize|encode",
        ),
        (
            "nosql",
            "medium",
            taint.OPERATORS,
            r"\.(?:find|findOne|updateOne|deleteOne|findOneAndUpdate)\(\s*(?:(?:req|ctx\.request)\."
            r"(?:query|body)\s*[,)]|\{[^{}]{0,200}\b(?:password|token)\b\s*(?::\s*SRC)?\s*[,}])",
            r"String\(|typeof|hash|sanitize",
        ),
        (
            "ssti",
            "high",
            taint.SSTI,
            r"\b(?:ejs\.render|pug\.(?:compile|render)|[hH]andlebars\.compile|nunjucks\.renderString"
            r"|_\.template|[mM]ustache\.render)\(\s*SRC",
            r"$^",
        ),
        (
            "shell",
            "high",
            taint.SHELL,
            r"(?<![\w.])(?:child_process\.)?exec(?:Sync)?\(\s*SRC",
            r"$^",
        ),
    ),
)
_PHP_SOURCE = r"\$_(?:GET|POST|REQUEST|COOKIE)\[[^\]\n]{1,60}\]"
_PHP = _Language(
    _PHP_SOURCE,
    re.compile(rf"\$(\w+)\s*=\s*(?:trim\()?{_PHP_SOURCE}"),
    (
        (
            "path",
            "high",
            _INCLUDE,
            r"\b(?:include|require)(?:_once)?\b\s*\(?[^;\n]{0,80}SRC",
            r"basename|in_array|realpath",
        ),
        (
            "path",
            "high",
            taint.TRAVERSAL,
            r"\b(?:file_get_contents|fopen|readfile|unlink|file)\s*\([^;\n]{0,80}SRC",
            r"basename|in_array|realpath",
        ),
        ("ssrf", "high", taint.SSRF, r"\bcurl_init\s*\(\s*SRC", r"in_array|parse_url"),
        (
            "redirect",
            "medium",
            taint.REDIRECT,
            r"\bheader\s*\(\s*[\"']Location:\s*[\"']?\s*\.?\s*SRC",
            r"in_array|parse_url",
        ),
        (
            "shell",
            "high",
            taint.SHELL,
            r"(?<![\w>:$])(?:shell_exec|system|exec|passthru)\s*\([^;\n]{0,100}SRC",
            r"escapeshell",
        ),
    ),
    prefix=r"\$",
)
_JAVA_SOURCE = r"\w+\.get(?:Parameter|Header)\([^)\n]{0,60}\)"
_JAVA = _Language(
    _JAVA_SOURCE,
    re.compile(
        rf"\bString\s+(\w+)\s*=\s*{_JAVA_SOURCE}"
        r"|@(?:RequestParam|PathVariable)(?:\([^)\n]{0,80}\))?\s+(?:final\s+)?String\s+(\w+)"
    ),
    (
        (
            "path",
            "high",
            taint.TRAVERSAL,
            r"\b(?:new File(?:InputStream|Reader|OutputStream)?|Paths\.get|Path\.of)\("
            r"[^;\n]{0,100}?SRC",
            r"normalize|getFileName|startsWith|getCanonical",
        ),
        (
            "ssrf",
            "high",
            taint.SSRF,
            r"\b(?:new URL|URI\.create|restTemplate\.getForObject)\(\s*SRC",
            _SAFE_HOST,
        ),
        (
            "redirect",
            "medium",
            taint.REDIRECT,
            r"\bsendRedirect\(\s*SRC|\"redirect:\"\s*\+\s*SRC",
            _SAFE_HOST,
        ),
        ("shell", "high", taint.SHELL, r"\.exec\(\s*[^;\n]{0,80}SRC", r"$^"),
    ),
)
_GO_SOURCE = (
    r"(?:\w+\.URL\.Query\(\)\.Get|\w+\.(?:FormValue|PostFormValue|Query|Param|PostForm|QueryParam)"
    r"|mux\.Vars|chi\.URLParam)\([^)\n]{0,60}\)(?:\[[^\]\n]{1,40}\])?"
)
_GO = _Language(
    _GO_SOURCE,
    re.compile(rf"\b(\w+)\s*:?=\s*{_GO_SOURCE}"),
    (
        ("ssrf", "high", taint.SSRF, r"\bhttp\.(?:Get|Post|Head)\(\s*SRC", _SAFE_HOST),
        (
            "path",
            "high",
            taint.TRAVERSAL,
            r"\b(?:os\.(?:Open|ReadFile|Remove|Create)|ioutil\.ReadFile|http\.ServeFile|c\.File)\("
            r"[^;\n]{0,100}?SRC",
            _SAFE_PATH,
        ),
        (
            "redirect",
            "medium",
            taint.REDIRECT,
            r"\b(?:http\.Redirect\(\s*\w+,\s*\w+,|c\.Redirect\([^,\n]{1,40},)\s*SRC",
            _SAFE_HOST,
        ),
        ("markup", "medium", taint.MARKUP, r"\btemplate\.HTML\(\s*SRC", r"$^"),
    ),
)
_LANGUAGES = {
    **dict.fromkeys(("JavaScript", "TypeScript", "Vue", "Svelte"), _JS),
    "PHP": _PHP,
    **dict.fromkeys(("Java", "Kotlin"), _JAVA),
    "Go": _GO,
}
_SOURCES = {
    name: re.compile(f"{each.source}|@(?:RequestParam|PathVariable)\\b")
    for name, each in _LANGUAGES.items()
}
_NAME = re.compile(r"(?:\w+\s*:\s*)?(\w+)")


def web_input_findings(code: Code) -> Iterator[Finding]:
    """Find places where text of visitors does harm."""
    language = _LANGUAGES.get(code.language)
    text = code.code[: code.product_end]
    if language is None or _SOURCES[code.language].search(text) is None:
        return
    source = _source(language, text)
    for kind, severity, message, pattern, harmless in language.sinks:
        for found in re.finditer(pattern.replace("SRC", source), text):
            before = text[max(0, found.start() - _BEFORE) : found.end()]
            in_string = code.bare[found.start()] != text[found.start()]
            if not in_string and re.search(harmless, before) is None:
                yield code.finding(kind, code.line_at(found.start()), severity, message)


def _source(language: _Language, text: str) -> str:
    """Write a pattern for what a request gives and for the names that are set from it."""
    names: list[str] = []
    for found in language.named.finditer(text):
        for group in found.groups():
            for part in (group or "").split(","):
                name = _NAME.match(part.strip())
                if name is not None and len(name[1]) >= (1 if language.prefix else 2):
                    names.append(name[1])
    some = list(dict.fromkeys(names))[:_MOST_NAMES]
    if not some:
        return f"(?:{language.source})"
    return rf"(?:{language.source}|{language.prefix}(?:{'|'.join(some)})\b(?!\s*[\w(:]))"
