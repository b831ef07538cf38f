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


@pytest.mark.parametrize(
    "line",
    [
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
