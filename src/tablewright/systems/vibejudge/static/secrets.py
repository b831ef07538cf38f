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

_MOST_LINE = 1000
_TELL = "Take it out, have it replaced at once, and read it from the environment"
#: What keys of known services look like.
_SHAPES: tuple[tuple[str, Severity, str], ...] = (
    ("a private key", "critical", r"-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY-----"),
    ("a key of AWS", "critical", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a token of GitHub", "critical", r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,90})\b"),
    ("a token of GitLab", "critical", r"\bglpat-[A-Za-z0-9_-]{20}\b"),
    ("a key of Anthropic", "critical", r"\bsk-ant-[A-Za-z0-9_-]{24,120}"),
    ("a key of OpenAI", "critical", r"\bsk-(?:proj-)?[A-Za-z0-9_-]{32,180}"),
    ("a key of Stripe", "critical", r"\b[sr]k_live_[A-Za-z0-9]{20,100}"),
    ("a token of Slack", "critical", r"\bxox[abprs]-[A-Za-z0-9-]{20,80}"),
    ("a key of SendGrid", "critical", r"\bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,46}"),
    ("a key of Twilio", "high", r"\bSK[0-9a-f]{32}\b"),
    ("a token of Hugging Face", "critical", r"\bhf_[A-Za-z]{34}\b"),
    ("a key of Google", "medium", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("an address with a password", "high", r"\b[a-z+]{3,20}://[\w.-]{1,40}:[^\s:@/$<{]{6,80}@[\w-]"),
)
_SHAPE = re.compile("|".join(f"(?P<s{at}>{each[2]})" for at, each in enumerate(_SHAPES)))
_KEYED = re.compile(
    r"(?i)(?P<key>[\w.-]{0,40}(?:passw(?:or)?d|secret|token|api_?-?key|access_?-?key|auth_?-?key|"
    r"private_?-?key)[\w-]{0,20})[\"'\]]{0,2}\s{0,8}(?:=>|:=|=|:)\s{0,8}"
    r"(?P<quote>[\"'`])(?P<value>[^\"'`\s]{8,200})(?P=quote)"
)
_HINT = re.compile(r"(?i)passw|secret|token|key")
_PLACEHOLDER = re.compile(
    r"(?i)your|example|change|replace|insert|xxx|\*\*|<|\$\{|\{\{|\$\(|env|test|dummy|sample|fake|"
    r"placeholder|redacted|todo|null|none|undefined|localhost|password|secret|token|default|"
    r"^\W*$|^(.)\1+$|1234|abcd|demo|https?:|/|^[a-z]+(?:[._-][a-z]+)*$|^[A-Z]+(?:_[A-Z]+)*$"
)
_ENV_NAME = re.compile(r"(?:^|/)\.env(?:\.(?:local|prod|production|dev|development|staging))?$")
_ENV_LINE = re.compile(r"^\s{0,8}(?:export\s)?\s{0,4}([A-Za-z_]\w{0,80})\s{0,4}=\s{0,4}(\S.{0,400})")
_PROSE = ("Markdown", "Text", "reStructuredText", "HTML", "CSV", "Notebook")
_ENTROPY = 3.0


def secrets_of(file: SourceFile, role: Role) -> Iterator[Finding]:
    if file.text is None:
        return
    if _ENV_NAME.search(file.path.lower()):
        yield from _environment(file)
        return
    prose = file.language in _PROSE
    mild = role == "test" or role == "around" or prose
    for number, line in _worth_a_look(file.text):
        found = _SHAPE.search(line)
        if found is not None and not _spelled_out(found[0]):
            what, severity, _ = _SHAPES[int((found.lastgroup or "s0")[1:])]
            if not (mild and severity != "critical"):
                said = f"{what[0].upper()}{what[1:]} lies open. {_TELL}."
                grave: Severity = "medium" if mild else severity
                yield _finding(file, number, grave, said, line, found.start() + 4)
        elif not mild and (keyed := _KEYED.search(line)) and _is_secret(keyed["value"]):
            said = f"What {keyed['key'].strip('.-')[:60]} is set to looks like a secret. {_TELL}."
            yield _finding(file, number, "high", said, line, keyed.start("value") + 2)


def _worth_a_look(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > 12 and not line.isspace():
            yield number, line[:_MOST_LINE]


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
    lines = (file.text or "").split("\n")
    named: int | None = None
    for number, line in enumerate(lines, 1):
        found = _ENV_LINE.match(line[:_MOST_LINE])
        if found is None:
            continue
        named = named or number
        value = found[2].strip("\"'").strip()
        if _HINT.search(found[1]) and len(value) >= 8 and not _PLACEHOLDER.search(value):
            said = f"{found[1]} is set in a file of secrets that is shared. {_TELL}."
            yield _finding(file, number, "critical", said, line, found.start(2))
            return
    if named:
        said = "A .env file is shared: keep it out of git, and share a .env.example without values"
        yield _finding(file, named, "medium", said, lines[named - 1], 60)


def _finding(
    file: SourceFile, line: int, severity: Severity, message: str, text: str, shown: int
) -> Finding:
    # The line up to where the secret begins: true, and of no use to others.
    return Finding("secret", file.path, line, severity, message, text[:shown].strip()[:200])
