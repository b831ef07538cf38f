"""Keys and passwords that lie open, and that are not shown again."""

from __future__ import annotations

import pytest
from tests.systems.vibejudge.static.support import file_of
from tests.timing import at_most

from tablewright.systems.vibejudge.static.results import Finding
from tablewright.systems.vibejudge.static.roles import Role
from tablewright.systems.vibejudge.static.secrets import secrets_of

# Put together here, so that nobody takes them for real ones.
AWS = "AKIA" + "Q3EGRTM7ZKLWP5XY"
GITHUB = "ghp_" + "Zx8Kq2Wm5Rt9Yb3Nc7Vd1Fg4Hj6Lp0Sa8Qe2"
OPENAI = "sk-" + "pR7tYw2Qz9Lm4Xk8Vb3Nc6Hd1Fg5Js0Ta9Ue"
PRIVATE = "-----BEGIN RSA " + "PRIVATE KEY-----"


def found_in(text: str, path: str = "src/app.py", role: Role = "product") -> list[Finding]:
    return list(secrets_of(file_of(path, text), role))


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        (f"key = '{AWS}'", "critical"),
        (f"token: {GITHUB}", "critical"),
        (f'client = OpenAI(api_key="{OPENAI}")', "critical"),
        (PRIVATE, "critical"),
        ("const apiKey = 'AIza" + "SyD4x8Kq2Wm5Rt9Yb3Nc7Vd1Fg4Hj6Lp0Sa'", "medium"),
        ("url = 'postgres://admin:Tr0ub4dor3x@db.internal/app'", "high"),
        ('password = "Tr0ub4dor&3xyz"', "high"),
        ("'secret_key' => 'k8Jx2mQ9vL4pZ7wR',", "high"),
    ],
)
def test_found_without_being_told(line: str, severity: str) -> None:
    (finding,) = found_in(f"\n{line}\n")
    assert (finding.line, finding.severity) == (2, severity)
    # True, as it is the line's beginning; and nobody can use it.
    assert finding.excerpt in line
    for secret in (AWS, GITHUB, OPENAI, "Tr0ub4dor", "k8Jx2mQ9"):
        assert secret not in finding.excerpt
        assert secret not in finding.message


LETTERS = "Zx8Kq2Wm5Rt9Yb3Nc7Vd1Fg4Hj6Lp0Sa8Qe2Zx8Kq2Wm5Rt9Yb3Nc7Vd1Fg4Hj6Lp0Sa8Qe2Kd7"
HEX = "3f9c1b7e5a2d8046c3e1f7b9d5a08264e1c9b3f7"
SERVICE = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
    # {"iss":"supabase","role":"service_role","iat":1700000000}
    "eyJpc3MiOiJzdXBhYmFzZSIsInJvbGUiOiJzZXJ2aWNlX3JvbGUiLCJpYXQiOjE3MDAwMDAwMDB9." + LETTERS[:43]
)
#: The same with the role that every browser has.
ANONYMOUS = SERVICE.replace("InNlcnZpY2Vfcm9sZSI", "ImFub24i").replace(
    "eyJpc3MiOiJzdXBhYmFzZSIsInJvbGUiOiJzZXJ2aWNlX3JvbGUiLCJpYXQiOjE3MDAwMDAwMDB9",
    "eyJpc3MiOiJzdXBhYmFzZSIsInJvbGUiOiJhbm9uIiwiaWF0IjoxNzAwMDAwMDAwfQ",
)


@pytest.mark.parametrize(
    ("secret", "named"),
    [
        ("gsk_" + LETTERS[:52], "Groq"),
        ("r8_" + LETTERS[:37], "Replicate"),
        ("npm_" + LETTERS[:36], "npm"),
        ("sbp_" + HEX, "Supabase"),
        ("sb_secret_" + LETTERS[:31], "Supabase"),
        (SERVICE, "Supabase"),
        ("M" + LETTERS[:23] + "." + LETTERS[:6] + "." + LETTERS[:38], "Discord"),
        ("https://discord.com/api/webhooks/839201746582930174/" + LETTERS[:68], "Discord"),
        ("5938271640:AA" + LETTERS[:33], "Telegram"),
        ("whsec_" + LETTERS[:32], "Stripe"),
        ("https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/" + LETTERS[:24], "Slack"),
        ("key-" + HEX[:32], "Mailgun"),
        ("dop_v1_" + HEX + HEX[:24], "DigitalOcean"),
        ("pypi-AgEIcHlwaS5vcmc" + LETTERS[:60], "PyPI"),
        ("AccountKey=" + (LETTERS * 2)[:86] + "==", "Azure"),
    ],
)
def test_keys_of_services_are_found_and_not_shown(secret: str, named: str) -> None:
    (finding,) = found_in(f"discord = connect('{secret}')\n", "src/app.js")
    assert named in finding.message
    assert finding.severity in ("critical", "high")
    assert secret[-12:] not in finding.excerpt + finding.message


@pytest.mark.parametrize(
    "address",
    [
        "postgres://postgres:postgres@localhost:5432/app",
        "postgresql://user:hunter22x@127.0.0.1/app",
        "mongodb://root:rootpw99@mongo:27017",
    ],
)
def test_default_password_of_a_local_database_is_a_small_fault(address: str) -> None:
    assert [each.severity for each in found_in(f"URL = '{address}'\n")] == ["low"]


def test_baseline_of_a_scanner_holds_hashes_and_no_secrets() -> None:
    text = '{"results": {"a.py": [{"type": "Secret Keyword", "hashed_secret": "' + HEX + '"}]}}\n'
    assert found_in(text * 200, ".secrets.baseline") == []
    assert found_in(text, "config/secrets.baseline.json") == []
    assert found_in(text, "scan.json") == []


@pytest.mark.parametrize(
    "line",
    [
        "token = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9...'",
        "token = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'",
        f"SUPABASE_KEY = '{ANONYMOUS}'  # anon",
        f"token_hash = '{HEX}'",
        f"const tokenDigest = '{HEX}';",
        "version = '1234567890:AB'",
        "password: 'k8Jx2mQ9***'",
        'password = "changeme123"',
        'api_key = "YOUR_API_KEY_HERE"',
        "token = os.environ['TOKEN']",
        'token = "access_token"',
        'secret = "${SECRET_FROM_VAULT1}"',
        "key = 'AKIA" + "IOSFODNN7EXAMPLE'",
        'token_url = "https://host/oauth/v2/token"',
        "placeholder = 'sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'",
        'password_label = "Password"',
        "css = 'sk-circle-fade-dot-animation-delay-long-name'",
    ],
)
def test_not_taken_for_secrets(line: str) -> None:
    assert found_in(line) == []


def test_tests_and_texts_are_read_mildly() -> None:
    assert found_in('password = "Tr0ub4dor&3xyz"', "tests/test_a.py", "test") == []
    assert found_in(PRIVATE, "tests/key.pem", "test") == []
    assert [each.severity for each in found_in(f"key {AWS}", "README.md")] == ["medium"]


def test_env_files() -> None:
    (finding,) = found_in("DEBUG=1\nAPI_KEY=k8Jx2mQ9vL4pZ7wR\n", ".env")
    assert (finding.severity, finding.line, finding.excerpt) == ("critical", 2, "API_KEY=")
    assert [each.severity for each in found_in("DEBUG=1\n", "backend/.env.local")] == ["medium"]
    assert found_in("API_KEY=\n", ".env.example") == []
    assert found_in("# nothing\n", ".env") == []


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "password" * 100_000, "=\"'" * 300_000, "://" * 300_000]
)
def test_long_lines_take_no_time(text: str) -> None:
    with at_most(2):
        found_in(text)
