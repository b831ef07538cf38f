"""Keys and passwords that lie open. Patterns are bounded, and long lines are cut."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from tablewright.systems.vibejudge.analysis import Severity
from tablewright.systems.vibejudge.repos.snapshot import SourceFile
from tablewright.systems.vibejudge.static.results import Finding
from tablewright.systems.vibejudge.static.roles import Role

_MOST_ENV = 100_000
_PRIVATE = "a private key"
_TELL = "Take it out, have it replaced at once, and read it from the environment"
#: What keys of known services look like: what it is, how grave, a text that is in all of them,
#: and the whole. Patterns begin with plain characters, so that searching for them is quick.
_WRITTEN: tuple[tuple[str, Severity, str, str], ...] = (
    (_PRIVATE, "critical", "PRIVATE KEY", r"-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY-----"),
    ("a key of AWS", "critical", "AKIA", r"AKIA[0-9A-Z]{16}(?!\w)"),
    ("a key of AWS", "critical", "ASIA", r"ASIA[0-9A-Z]{16}(?!\w)"),
    ("a token of GitHub", "critical", "gh", r"gh[pousr]_[A-Za-z0-9]{36}(?!\w)"),
    ("a token of GitHub", "critical", "github_pat_", r"github_pat_\w{60,90}"),
    ("a token of GitLab", "critical", "glpat-", r"glpat-[A-Za-z0-9_-]{20}"),
    ("a key of Anthropic", "critical", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{24,120}"),
    (
        "a key of OpenAI",
        "critical",
        "sk-",
        r"sk-(?:proj-)?(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{32,180}",
    ),
    ("a key of Stripe", "critical", "k_live_", r"[sr]k_live_[A-Za-z0-9]{20,100}"),
    ("a token of Slack", "critical", "xox", r"xox[abprs]-[A-Za-z0-9-]{20,80}"),
    ("a key of SendGrid", "critical", "SG.", r"SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,46}"),
    ("a key of Twilio", "high", "SK", r"SK[0-9a-f]{32}(?!\w)"),
    ("a token of Hugging Face", "critical", "hf_", r"hf_[A-Za-z]{34}(?!\w)"),
    ("a key of Google", "medium", "AIza", r"AIza[0-9A-Za-z_-]{35}"),
    (
        "an address with a password",
        "high",
        "://",
        r"://[\w.-]{1,40}:[^\s:@/$<{\"'`]{6,80}@[\w-]",
    ),
)
_SHAPES = tuple(
    (what, severity, hint, re.compile(pattern)) for what, severity, hint, pattern in _WRITTEN
)
_KEYED = re.compile(
    r"(?i)(?:passw(?:or)?d|secret|token|api_?-?key|access_?-?key|auth_?-?key|private_?-?key)"
    r"[\w-]{0,20}[\"'\]]{0,2}[ \t]{0,8}(?:=>|:=|=|:)[ \t]{0,8}"
    r"(?P<quote>[\"'`])(?P<value>[^\"'`\s]{8,200})(?P=quote)"
)
_KEY_WORD = re.compile(r"[\w-]{1,60}")
_KEY_NAME = re.compile(r"[\w.-]{0,60}$")
_HINT = re.compile(r"(?i)passw|secret|token|key")
_PLACEHOLDER = re.compile(
    r"(?i)your|example|change|replace|insert|xxx|\*\*|<|\$\{|\{\{|\$\(|env|test|dummy|sample|fake|"
    r"placeholder|redacted|todo|null|none|undefined|localhost|password|secret|token|default|"
    r"^\W*$|^(.)\1+$|1234|abcd|demo|https?:|/|^[a-z]+(?:[._-][a-z]+)*$|^[A-Z]+(?:_[A-Z]+)*$"
)
_ENV_NAME = re.compile(r"(?:^|/)\.env(?:\.(?:local|prod|production|dev|development|staging))?$")
_ENV_LINE = re.compile(
    r"(?m)^[ \t]{0,8}(?:export )?[ \t]{0,4}([A-Za-z_]\w{0,80})[ \t]{0,4}=[ \t]{0,4}(\S.{0,400})"
)
_PROSE = ("Markdown", "Text", "reStructuredText", "HTML", "CSV", "Notebook")
_ENTROPY = 3.0


def secrets_of(file: SourceFile, role: Role) -> Iterator[Finding]:
    if file.text is None:
        return
    if _ENV_NAME.search(file.path.lower()):
        if role != "test":
            yield from _environment(file)
        return
    mild = role in ("test", "around") or file.language in _PROSE
    seen: set[int] = set()
    for finding in [*_shaped(file, mild), *([] if mild else _keyed(file))]:
        if finding.line not in seen:
            seen.add(finding.line)
            yield finding


def _shaped(file: SourceFile, mild: bool) -> Iterator[Finding]:
    text = file.text or ""
    for what, severity, hint, pattern in _SHAPES:
        # Tests of encryption have keys that open nothing.
        if hint not in text or (mild and (severity != "critical" or what == _PRIVATE)):
            continue
        for found in pattern.finditer(text):
            inside_a_word = hint != "://" and text[found.start() - 1 : found.start()].isalnum()
            if inside_a_word or _spelled_out(found[0]):
                continue
            said = f"{what[0].upper()}{what[1:]} lies open. {_TELL}."
            shown = found.end() if what == _PRIVATE else found.start() + 4
            yield _finding(file, "medium" if mild else severity, said, found.start(), shown)


def _keyed(file: SourceFile) -> Iterator[Finding]:
    text = file.text or ""
    for found in _KEYED.finditer(text):
        if not _is_secret(found["value"]):
            continue
        start = max(0, found.start() - 60)
        name = _KEY_NAME.search(text[start : found.start()])
        word = _KEY_WORD.match(found[0])
        key = (name[0] if name else "") + (word[0] if word else "")
        said = f"What {key.strip('.-')[:60]} is set to looks like a secret. {_TELL}."
        yield _finding(file, "high", said, found.start(), found.start("value") + 2)


def _spelled_out(found: str) -> bool:
    lowered = found.lower()
    words = ("example", "xxxx", "your", "abcdef", "12345", "user:pass", "username:", "password")
    return any(each in lowered for each in words) or bool(re.search(r"(.)\1{5}", found[6:]))


def _is_secret(value: str) -> bool:
    if _PLACEHOLDER.search(value):
        return False
    mixed = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return mixed and entropy(value) >= _ENTROPY


def entropy(text: str) -> float:
    """Bits for each character."""
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values())


def _environment(file: SourceFile) -> Iterator[Finding]:
    """A file of settings that was never meant to be shared."""
    text = file.text or ""
    named: re.Match[str] | None = None
    for found in _ENV_LINE.finditer(text[:_MOST_ENV]):
        named = named or found
        value = found[2].strip("\"'").strip()
        if _HINT.search(found[1]) and len(value) >= 8 and not _PLACEHOLDER.search(value):
            said = f"{found[1]} is set in a file of secrets that is shared. {_TELL}."
            yield _finding(file, "critical", said, found.start(1), found.start(2))
            return
    if named:
        said = "A .env file is shared: keep it out of git, and share a .env.example without values"
        yield _finding(file, "medium", said, named.start(1), named.start(2))


def _finding(file: SourceFile, severity: Severity, message: str, at: int, shown: int) -> Finding:
    """The line up to where the secret begins: true, and of no use to others."""
    text = file.text or ""
    line = text.count("\n", 0, at) + 1
    begin = max(text.rfind("\n", 0, at) + 1, shown - 200)
    return Finding("secret", file.path, line, severity, message, text[begin:shown].strip()[:200])
