"""Keys and passwords that lie open. Patterns are bounded, and long lines are cut."""

from __future__ import annotations

import base64
import binascii
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
_DISCORD = "discord"
_TELL = "Remove it, revoke it at once, and read it from the environment"
#: What keys of known services look like: what it is, how grave, a text that is in all of them,
#: and the whole. Patterns begin with plain characters, so that searching for them is quick.
_WRITTEN: tuple[tuple[str, Severity, str, str], ...] = (
    (_PRIVATE, "critical", "PRIVATE KEY", r"-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY-----"),
    ("an AWS access key", "critical", "AKIA", r"AKIA[0-9A-Z]{16}(?!\w)"),
    ("an AWS access key", "critical", "ASIA", r"ASIA[0-9A-Z]{16}(?!\w)"),
    ("a GitHub token", "critical", "gh", r"gh[pousr]_[A-Za-z0-9]{36}(?!\w)"),
    ("a GitHub token", "critical", "github_pat_", r"github_pat_\w{60,90}"),
    ("a GitLab token", "critical", "glpat-", r"glpat-[A-Za-z0-9_-]{20}"),
    ("an Anthropic key", "critical", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{24,120}"),
    (
        "an OpenAI key",
        "critical",
        "sk-",
        r"sk-(?:proj-)?(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{32,180}",
    ),
    ("a Groq key", "critical", "gsk_", r"gsk_[A-Za-z0-9]{48,56}(?!\w)"),
    ("a Replicate token", "critical", "r8_", r"r8_[A-Za-z0-9]{37}(?!\w)"),
    ("a Perplexity key", "critical", "pplx-", r"pplx-[A-Za-z0-9]{48}(?!\w)"),
    ("an xAI key", "critical", "xai-", r"xai-[A-Za-z0-9]{70,90}(?!\w)"),
    ("a Pinecone key", "critical", "pcsk_", r"pcsk_[A-Za-z0-9_]{40,90}"),
    ("a Hugging Face token", "critical", "hf_", r"hf_[A-Za-z]{34}(?!\w)"),
    ("a Supabase token", "critical", "sbp_", r"sbp_[0-9a-f]{40}(?!\w)"),
    ("a Supabase secret key", "critical", "sb_secret_", r"sb_secret_[A-Za-z0-9_-]{20,60}"),
    (
        "a Discord bot token",
        "critical",
        _DISCORD,
        r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![\w-])",
    ),
    (
        "a Discord webhook",
        "high",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/\d{17,20}/[A-Za-z0-9_-]{60,72}",
    ),
    ("a Telegram bot token", "critical", ":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{33}(?![\w-])"),
    ("a Stripe key", "critical", "k_live_", r"[sr]k_live_[A-Za-z0-9]{20,100}"),
    ("a Stripe webhook secret", "high", "whsec_", r"whsec_[A-Za-z0-9]{32,64}(?!\w)"),
    ("a Slack token", "critical", "xox", r"xox[abprs]-[A-Za-z0-9-]{20,80}"),
    (
        "a Slack webhook",
        "high",
        "hooks.slack.com",
        r"hooks\.slack\.com/services/T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{20,28}",
    ),
    ("a SendGrid key", "critical", "SG.", r"SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,46}"),
    ("a Mailgun key", "high", "key-", r"key-[0-9a-f]{32}(?!\w)"),
    ("a Resend key", "critical", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?!\w)"),
    ("a Twilio key", "high", "SK", r"SK[0-9a-f]{32}(?!\w)"),
    ("an npm token", "critical", "npm_", r"npm_[A-Za-z0-9]{36}(?!\w)"),
    ("a PyPI token", "critical", "pypi-", r"pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,200}"),
    ("a DigitalOcean token", "critical", "dop_v1_", r"dop_v1_[0-9a-f]{64}(?!\w)"),
    ("a Netlify token", "critical", "nfp_", r"nfp_[A-Za-z0-9]{36}(?!\w)"),
    ("a Shopify token", "critical", "shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}(?!\w)"),
    ("a Databricks token", "critical", "dapi", r"dapi[0-9a-f]{32}(?!\w)"),
    ("a Linear key", "high", "lin_api_", r"lin_api_[A-Za-z0-9]{40}(?!\w)"),
    ("a Notion token", "high", "ntn_", r"ntn_[A-Za-z0-9]{44,50}(?!\w)"),
    ("a Figma token", "high", "figd_", r"figd_[A-Za-z0-9_-]{38,44}"),
    (
        "a Mapbox secret token",
        "high",
        "sk.eyJ",
        r"sk\.eyJ[A-Za-z0-9_-]{40,120}\.[A-Za-z0-9_-]{20,30}",
    ),
    ("a PlanetScale password", "critical", "pscale_", r"pscale_(?:pw|tkn)_[A-Za-z0-9_.-]{32,64}"),
    (
        "an Azure storage key",
        "critical",
        "AccountKey=",
        # Not the key of the emulator, which everybody has.
        r"AccountKey=(?!Eby8vdM02xNO)[A-Za-z0-9+/]{86}==",
    ),
    ("a Google API key", "medium", "AIza", r"AIza[0-9A-Za-z_-]{35}"),
    (
        "an address with a password",
        "high",
        "://",
        r"://[\w.-]{0,40}:[^\s:@/$<{\"'`]{4,80}@[\w.-]{1,100}",
    ),
)
_SHAPES = tuple(
    (what, severity, hint, re.compile(pattern)) for what, severity, hint, pattern in _WRITTEN
)
#: Supabase's keys are tokens, of which only those with this role open everything.
_JWT = re.compile(r"eyJ[A-Za-z0-9_-]{10,200}\.(eyJ[A-Za-z0-9_-]{10,600})\.[A-Za-z0-9_-]{20,200}")
_ADDRESS = re.compile(r"://(?P<user>[^:]*):(?P<password>[^@]*)@(?P<host>[\w.-]+)")
#: Machines of the developer, and names that only exist inside of a group of containers.
_LOCAL_HOST = re.compile(
    r"^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|host\.docker\.internal|[\w-]+)$"
)
#: Records of other scanners: they hold hashes of secrets, not secrets.
_BASELINE = re.compile(
    r"(?i)(?:^|/)(?:\.?secrets?[\w.-]{0,20}baseline[\w.]*|\.?gitleaks[\w.-]*|\.trivyignore[\w.]*"
    r"|\.?detect-secrets[\w.-]*|\.talismanrc)$"
)
_HASHED = re.compile(r"(?i)hash|digest|checksum|integrity|sha\d|md5|fingerprint|signature|etag")
_CUT = ("...", "\u2026", "***")
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
_DEFAULT_PASSWORD = (
    "A default password of a local database is in the code: read it from the environment, so that "
    "it is not used in production"
)


def secrets_of(file: SourceFile, role: Role) -> Iterator[Finding]:
    if file.text is None or _BASELINE.search(file.path) or '"hashed_secret"' in file.text:
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
        if not _mentions(text, hint) or (mild and (severity != "critical" or what == _PRIVATE)):
            continue
        for found in pattern.finditer(text):
            inside_a_word = hint != "://" and text[found.start() - 1 : found.start()].isalnum()
            if inside_a_word or _spelled_out(found[0]):
                continue
            said, grade = f"{what[0].upper()}{what[1:]} is public. {_TELL}.", severity
            if hint == "://" and _is_default(found[0]):
                said, grade = _DEFAULT_PASSWORD, "low"
            shown = found.end() if what == _PRIVATE else found.start() + 4
            yield _finding(file, "medium" if mild else grade, said, found.start(), shown)
    if "eyJ" in text:
        yield from _service_roles(file, mild)


def _mentions(text: str, hint: str) -> bool:
    if hint != _DISCORD:
        return hint in text
    return "iscord" in text or "DISCORD" in text


def _is_default(address: str) -> bool:
    """Tell whether a password only opens a database on the machine of a developer."""
    found = _ADDRESS.search(address)
    return found is not None and bool(_LOCAL_HOST.match(found["host"]))


def _service_roles(file: SourceFile, mild: bool) -> Iterator[Finding]:
    """Find tokens whose payload names a role that may do everything; others are public."""
    for found in _JWT.finditer(file.text or ""):
        payload = found[1] + "=" * (-len(found[1]) % 4)
        try:
            opened = base64.urlsafe_b64decode(payload)
        except (ValueError, binascii.Error):
            continue
        if b'"service_role"' in opened:
            said = f"A Supabase service key is public. {_TELL}."
            yield _finding(
                file, "medium" if mild else "critical", said, found.start(), found.start() + 4
            )


def _keyed(file: SourceFile) -> Iterator[Finding]:
    text = file.text or ""
    for found in _KEYED.finditer(text):
        if not _is_secret(found["value"]):
            continue
        start = max(0, found.start() - 60)
        name = _KEY_NAME.search(text[start : found.start()])
        word = _KEY_WORD.match(found[0])
        key = (name[0] if name else "") + (word[0] if word else "")
        if _HASHED.search(key):
            continue
        said = f"{key.strip('.-')[:60]} is set to what looks like a secret. {_TELL}."
        yield _finding(file, "high", said, found.start(), found.start("value") + 2)


def _spelled_out(found: str) -> bool:
    lowered = found.lower()
    words = ("example", "xxxx", "your", "abcdef", "12345", "user:pass", "username:", "password")
    return any(each in lowered for each in words) or bool(re.search(r"(.)\1{5}", found[6:]))


def _is_secret(value: str) -> bool:
    if _PLACEHOLDER.search(value) or any(each in value for each in _CUT):
        return False
    if value.startswith("eyJ") and value.count(".") < 2:
        return False  # the beginning of a token, as examples show it
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
            said = f"{found[1]} is set in a .env file that is in the repository. {_TELL}."
            yield _finding(file, "critical", said, found.start(1), found.start(2))
            return
    if named:
        said = "A .env file is in the repository: ignore it, and commit a .env.example instead"
        yield _finding(file, "medium", said, named.start(1), named.start(2))


def _finding(file: SourceFile, severity: Severity, message: str, at: int, shown: int) -> Finding:
    """The line up to where the secret begins: true, and of no use to others."""
    text = file.text or ""
    line = text.count("\n", 0, at) + 1
    begin = max(text.rfind("\n", 0, at) + 1, shown - 200)
    return Finding("secret", file.path, line, severity, message, text[begin:shown].strip()[:200])
