"""Text that is run: eval, shells and SQL put together, in languages other than Python."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from tablewright.systems.vibejudge.analysis import Severity
from tablewright.systems.vibejudge.static.codebase import Code
from tablewright.systems.vibejudge.static.results import Finding

Rule: TypeAlias = tuple[str, Severity, str, re.Pattern[str]]


def _rule(kind: str, severity: Severity, message: str, pattern: str) -> Rule:
    return kind, severity, message, re.compile(pattern)


_EVAL = "Text is run as code: parse it, or call what is meant"
_SHELL = "A command is put together and given to a shell: give its words one by one"
_TLS = "Certificates are not checked: leave the check on"
_HTML = "Text becomes markup as it is: escape it, or set it as text"
_UNSIGNED = "Tokens are believed without their signature: verify it"
_SIGNING_KEY = "The key that signs tokens or sessions is in the code: read it from the environment"
_CORS = "Every site may ask with the visitor's login: name the origins that may"
_WEAK = "This secret can be guessed: use a generator made for secrets"
_XXE = "XML of visitors can read files: turn external entities off"
_JS: tuple[Rule, ...] = (
    _rule("jwt", "high", _UNSIGNED, r"\balgorithms\s*:\s*\[\s*['\"]none"),
    _rule(
        "signing-key",
        "medium",
        _SIGNING_KEY,
        r"\bjwt\.sign\([^;]{1,200}?,\s*['\"][^'\"\n]{3,80}['\"]",
    ),
    _rule(
        "cors",
        "medium",
        _CORS,
        r"\bcors\(\s*\{[^}]{0,200}?\borigin\s*:\s*(?:true|['\"]\*['\"])"
        r"[^}]{0,200}?\bcredentials\s*:\s*true",
    ),
    _rule(
        "weak-secret",
        "medium",
        _WEAK,
        r"\b(?:const|let|var)\s+\w{0,30}(?:[tT]oken|[oO]tp|[sS]ecret|[pP]assword|[sS]ession)"
        r"\w{0,30}\s*=\s*[^\n;]{0,60}Math\.random\(",
    ),
    _rule(
        "deserialise",
        "high",
        "Data of visitors makes objects: use JSON.parse",
        r"\bserialize\.unserialize\(",
    ),
    _rule(
        "regex",
        "low",
        "Visitors choose this pattern, which can take forever: escape it",
        r"\bnew RegExp\(\s*req\.",
    ),
    _rule("eval", "high", _EVAL, r"(?<![\w.$])eval\(|\bnew Function\("),
    _rule(
        "shell",
        "high",
        _SHELL,
        r"(?<![\w.])(?:child_process\.)?exec(?:Sync)?\(\s*"
        r"(?:`[^`\n]{0,300}\$\{|[\"'][^\"'\n]{0,300}[\"']\s*\+)",
    ),
    _rule("tls", "medium", _TLS, r"rejectUnauthorized\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED"),
    _rule("markup", "medium", _HTML, r"\bdangerouslySetInnerHTML\b|\bv-html="),
    _rule("markup", "low", _HTML, r"\.innerHTML\s*\+?=\s*(?:`[^`\n]{0,200}\$\{|[A-Za-z_$])"),
)
_BY_LANGUAGE: dict[str, tuple[Rule, ...]] = {
    "Python": (
        _rule(
            "jwt",
            "high",
            _UNSIGNED,
            r"\bjwt\.decode\([^;]{0,300}?(?:\bverify\s*=\s*False"
            r"|['\"]verify_signature['\"]\s*:\s*False|\balgorithms\s*=\s*\[\s*['\"]none)",
        ),
        _rule(
            "signing-key",
            "medium",
            _SIGNING_KEY,
            r"(?m)^[ \t]*(?:\w+\.)?(?:secret_key|SECRET_KEY|JWT_SECRET\w*)\s*=\s*"
            r"['\"][^'\"\n]{3,100}['\"]"
            r"|\.config\[['\"](?:JWT_)?SECRET_KEY['\"]\]\s*=\s*['\"][^'\"\n]{3,100}['\"]",
        ),
        _rule(
            "cors",
            "medium",
            _CORS,
            r"\ballow_origins\s*=\s*\[\s*['\"]\*['\"]\s*\][^;]{0,200}?\ballow_credentials\s*=\s*True"
            r"|\bCORS\([^)]{0,200}?\bsupports_credentials\s*=\s*True",
        ),
        _rule("xxe", "high", _XXE, r"\bresolve_entities\s*=\s*True"),
        _rule(
            "weak-secret",
            "medium",
            _WEAK,
            r"(?im)^[ \t]*\w{0,30}(?:token|otp|secret|password|session_id)\w{0,30}\s*=\s*"
            r"[^\n]{0,60}\brandom\.(?:random|randint|choices?|randrange|sample)\(",
        ),
    ),
    "JavaScript": _JS,
    "TypeScript": _JS,
    "Vue": _JS,
    "Svelte": _JS,
    "PHP": (
        _rule("eval", "high", _EVAL, r"(?<![\w>:$])eval\s*\("),
        _rule(
            "shell",
            "high",
            _SHELL,
            r"(?<![\w>:$])(?:shell_exec|system|exec|passthru|popen)\s*\([^)\n]{0,200}\$",
        ),
        _rule("markup", "medium", _HTML, r"\becho\b[^;\n]{0,100}\$_(?:GET|POST|REQUEST|COOKIE)\["),
        _rule(
            "deserialise",
            "high",
            "Data of visitors makes objects: use json_decode",
            r"\bunserialize\s*\([^)\n]{0,60}\$_",
        ),
        _rule(
            "hash",
            "medium",
            "Passwords need a slow hash: use password_hash",
            r"(?i)\b(?:md5|sha1)\s*\(\s*\$\w*pass",
        ),
    ),
    "Java": (
        _rule("shell", "high", _SHELL, r"\.exec\(\s*(?:\"[^\"\n]{0,200}\"\s*\+|String\.format)"),
        _rule(
            "deserialise",
            "medium",
            "Streams of objects run code when they are read: use JSON",
            r"new ObjectInputStream\(",
        ),
    ),
    "Go": (
        _rule("shell", "high", _SHELL, r"exec\.Command\(\s*\"(?:ba)?sh\",\s*\"-c\",\s*[^\"\s)]"),
        _rule("tls", "medium", _TLS, r"InsecureSkipVerify:\s*true"),
    ),
    "Ruby": (
        _rule("eval", "high", _EVAL, r"(?<![\w.:])eval[( ]\s*[^\s)=]"),
        _rule(
            "shell", "high", _SHELL, r"(?:(?<![\w.])system\(?\s*\"[^\"\n]{0,200}|`[^`\n]{0,200})#\{"
        ),
        _rule(
            "deserialise",
            "medium",
            "YAML.load and Marshal.load make any object: use YAML.safe_load or JSON",
            r"\b(?:YAML|Marshal)\.load\(",
        ),
    ),
    "C": (
        _rule(
            "overflow",
            "high",
            "gets writes past any buffer: use fgets",
            r"(?<![\w>.])gets\s*\(",
        ),
        _rule(
            "overflow",
            "low",
            "No limit to what is copied: use snprintf or strlcpy",
            r"(?<![\w>.:])(?:strcpy|strcat|sprintf)\s*\(",
        ),
        _rule("shell", "medium", _SHELL, r"(?<![\w>.:])(?:system|popen)\s*\(\s*[a-z_]"),
    ),
    "C#": (
        _rule(
            "deserialise",
            "medium",
            "BinaryFormatter runs code when it reads: use JSON",
            r"new BinaryFormatter\(",
        ),
    ),
    "Shell": (
        _rule("eval", "medium", _EVAL, r"(?m)(?:^|[;&|]\s*)eval\s+[\"$]"),
        _rule(
            "shell",
            "medium",
            "A script from the network is run unseen: check its hash first",
            r"\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z)?sh\b",
        ),
    ),
}
_BY_LANGUAGE["C++"] = _BY_LANGUAGE["C"]
_BY_LANGUAGE["Kotlin"] = _BY_LANGUAGE["Java"]

_SQL = re.compile(
    r"(?is)\s*(?:select\s.{1,300}?\sfrom\s|insert\s+into\s|update\s+\S{1,80}\s+set\s"
    r"|delete\s+from\s)"
)
#: How a value gets into a string, by language.
_INSIDE = {
    "JavaScript": re.compile(r"\$\{"),
    "TypeScript": re.compile(r"\$\{"),
    "PHP": re.compile(r"\{?\$\w"),
    "Ruby": re.compile(r"#\{"),
    "Kotlin": re.compile(r"\$\{?\w"),
    "Swift": re.compile(r"\\\("),
    "Dart": re.compile(r"\$\{?\w"),
    "Scala": re.compile(r"\$\{?\w"),
}
_TABLE = re.compile(r"[$#]?\{?\$?(?:\{\s*)?(?:@|this(?:->|\.)|self\.)?\w{0,40}[tT]able\w{0,40}\}?")
_JOINED = re.compile(r"\s*(?:\+|\.(?=\s*\$))\s*(?![\s\"'`])[\w$(]")
_FORMATTED = re.compile(r"(?:Sprintf|format|String\.Format|format!)\(\s*\$?@?$")
_HOLES = re.compile(r"%[sdv]|\{\w*\}")
_TAGGED = re.compile(r"(?:sql|gql|Prisma\.sql|raw|\w+\.\$queryRaw)\s*$")
SQL_MESSAGE = "SQL is put together from texts: bind values as parameters"


#: What fills a statement with marks for parameters, or with names that visitors do not choose.
_MARKS = re.compile(
    r"join\(\s*(?:\[?\s*)?['\"](?:\?|%s|:\w*)|\*\s*len\(|\bplaceholders?\b|\bmarks\b|\bqmarks\b"
)
_HOLE = re.compile(r"\{([^{}]{1,80})\}")
_FIXED_NAME = re.compile(
    r"^(?:self\.|cls\.)?[A-Z_][A-Z0-9_]*$|[tT]able|[cC]olumn|schema|field|where"
)


def sql_severity(severity: Severity, lines: Sequence[str]) -> Severity | None:
    """Grade SQL put together in Python by what fills it: values are grave, fixed names are not."""
    said = "\n".join(lines)
    if _MARKS.search(said):
        return None
    holes = _HOLE.findall(said.split(")", 1)[0])
    if holes and all(_FIXED_NAME.search(each) for each in holes):
        return "low"
    return severity


def injections_of(code: Code) -> Iterator[Finding]:
    text = code.code[: code.product_end]
    for kind, severity, message, pattern in _BY_LANGUAGE.get(code.language, ()):
        for found in pattern.finditer(text):
            # What only stands in a string is talked about, not done.
            if code.bare[found.start()] == text[found.start()]:
                yield code.finding(kind, code.line_at(found.start()), severity, message)
    yield from sql_of(code)


def sql_of(code: Code) -> Iterator[Finding]:
    if code.language in ("Python", "SQL"):
        return
    inside = _INSIDE.get(code.language)
    for start, end in code.masked.strings:
        if end - start < 15 or end > code.product_end:
            continue
        said = code.text[start + 1 : end - 1][:2000]
        if _SQL.match(said) and _takes_values(code, start, end, said, inside):
            yield code.finding("sql", code.line_at(start), "high", SQL_MESSAGE)


def _takes_values(
    code: Code, start: int, end: int, said: str, inside: re.Pattern[str] | None
) -> bool:
    before = code.text[max(0, start - 30) : start]
    # The name of a table cannot be bound, and is rarely a visitor's.
    said = _TABLE.sub("", said)
    if inside is not None and inside.search(said):
        quote = code.text[start]
        # Tagged templates bind; single quotes of PHP and Ruby put nothing in.
        return not _TAGGED.search(before) and not (
            code.language in ("PHP", "Ruby") and quote == "'"
        )
    if code.language == "C#" and before.endswith("$"):
        return "{" in said
    if _FORMATTED.search(before) and _HOLES.search(said):
        return True
    return bool(_JOINED.match(code.text, end))
