"""Settings from a file and the environment, and what is said when they are wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from tablewright.service.settings import Settings, SettingsError, is_loopback, load


class Own(BaseModel):
    """Options of a made-up system."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Literal["bundled", "aws"] = "bundled"
    most: int = Field(default=5, ge=1, le=10, description="how many at once")
    names: tuple[str, ...] = ()
    rates: dict[str, float] = {}
    pepper: SecretStr | None = None
    salt: SecretStr | None = Field(default=None, json_schema_extra={"variable": "SHELF_SALT"})


def loaded(text: str = "", environ: Mapping[str, str] | None = None, **more: object) -> Settings:
    return load(Settings, "service", file=_file(text), environ=environ or {}, **more)  # type: ignore[arg-type]


def own(text: str = "", environ: Mapping[str, str] | None = None) -> Own:
    return load(Own, "shelf", file=_file(text), environ=environ or {})


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _file(text: str) -> Path | None:
    if not text:
        return None
    path = Path("tablewright.toml")
    path.write_text(text)
    return path


def refused(text: str = "", environ: Mapping[str, str] | None = None, **more: object) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        loaded(text, environ, **more)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return list(caught.value.problems)


# --- where values come from -----------------------------------------------------------------


def test_everything_has_a_default() -> None:
    settings = loaded()
    assert settings == Settings()
    assert settings.local
    assert is_loopback(settings.host)
    assert settings.url == f"http://{settings.host}:{settings.port}"


def test_the_file_and_then_the_environment() -> None:
    text = '[service]\nport = 1234\nlog_level = "debug"\n'
    settings = loaded(text, {"TABLEWRIGHT_PORT": "4321"})
    assert (settings.port, settings.log_level) == (4321, "debug")


def test_a_setting_may_be_known_by_another_variable_too(tmp_path: Path) -> None:
    def salt(text: str = "", **environ: str) -> str | None:
        found = own(text, environ).salt
        return None if found is None else found.get_secret_value()

    in_file = '[shelf]\nsalt = "of the file"\n'
    assert (salt(), salt(SHELF_SALT=""), salt(in_file)) == (None, None, "of the file")
    assert salt(in_file, SHELF_SALT="of the world") == "of the world"
    assert salt(SHELF_SALT="of the world", TABLEWRIGHT_SHELF_SALT="ours") == "ours"
    (tmp_path / "salt").write_text("in a file of its own")
    kept = {"TABLEWRIGHT_SHELF_SALT_FILE": str(tmp_path / "salt")}
    assert salt(SHELF_SALT="of the world", **kept) == "in a file of its own"


def test_a_system_may_have_names_for_settings_of_the_process() -> None:
    names = {"SHELF_OIDC_ISSUER": "issuer_url", "SHELF_OIDC_AUDIENCE": "issuer_audience"}
    given = {"SHELF_OIDC_ISSUER": "https://id.example.org", "SHELF_OIDC_AUDIENCE": "shelf"}

    def issuer(text: str = "", **more: str) -> tuple[str, str] | None:
        found = loaded(text, {**given, **more}, variables=names).issuer
        return None if found is None else (found.url, found.audience)

    assert issuer() == ("https://id.example.org", "shelf")
    assert loaded(environ=given).issuer is None, "where it does not run, they say nothing"
    assert issuer(SHELF_OIDC_ISSUER="", SHELF_OIDC_AUDIENCE="") is None
    # Variables win over the file, whatever their name; two that say the same are one.
    in_file = '[service.issuer]\nurl = "https://other.example.org"\naudience = "x"\n'
    assert issuer(in_file) == ("https://id.example.org", "shelf")
    assert issuer(TABLEWRIGHT_ISSUER_AUDIENCE="shelf") == ("https://id.example.org", "shelf")
    environ = {**given, "TABLEWRIGHT_ISSUER_AUDIENCE": "us"}
    [problem] = refused(environ=environ, variables=names)
    assert problem.startswith("SHELF_OIDC_AUDIENCE and TABLEWRIGHT_ISSUER_AUDIENCE are the same")


def test_a_system_has_its_own_section_and_variables() -> None:
    text = '[service]\nport = 1\n[shelf]\nsource = "aws"\nmost = 2\n[another]\nx = 1\n'
    environ = {"TABLEWRIGHT_SHELF_MOST": "7", "TABLEWRIGHT_PORT": "2", "TABLEWRIGHT_OTHER_X": "1"}
    assert own(text, environ) == Own(source="aws", most=7)


def test_lists_and_tables_in_variables() -> None:
    environ = {"TABLEWRIGHT_SHELF_NAMES": "a, b,", "TABLEWRIGHT_SHELF_RATES": '{"x": 0.5}'}
    assert own(environ=environ) == Own(names=("a", "b"), rates={"x": 0.5})
    assert own(environ={"TABLEWRIGHT_SHELF_NAMES": '["a, b"]'}).names == ("a, b",)


def test_nested_settings() -> None:
    text = '[service.issuer]\nurl = "https://id.example.org/"\naudience = "x"\n'
    issuer = loaded(text, {"TABLEWRIGHT_ISSUER_AUDIENCE": "us"}).issuer
    assert issuer is not None
    # To the letter: it is compared with what stands in tokens.
    assert (issuer.url, issuer.audience) == ("https://id.example.org/", "us")


def test_an_empty_variable_takes_a_value_of_the_file_away() -> None:
    text = '[shelf]\npepper = "long enough"\n'
    assert own(text).pepper is not None
    assert own(text, {"TABLEWRIGHT_SHELF_PEPPER": ""}).pepper is None


def test_a_secret_from_a_file_of_its_own() -> None:
    Path("pepper").write_text("hot\n")
    found = own(environ={"TABLEWRIGHT_SHELF_PEPPER_FILE": "pepper"}).pepper
    assert found is not None
    assert found.get_secret_value() == "hot"


def test_the_real_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEWRIGHT_SHELF_MOST", "9")
    assert load(Own, "shelf").most == 9


# --- what is wrong with them ----------------------------------------------------------------


def test_a_wrong_value_in_the_file_has_its_line_and_what_is_allowed() -> None:
    [problem] = refused("# ours\n[service]\n\nport = 70000\n")
    assert problem.startswith("tablewright.toml, line 4, service.port: ")
    assert "a whole number from 0 to 65535" in problem
    assert "70000" in problem


def test_a_wrong_variable_is_named() -> None:
    [problem] = refused(environ={"TABLEWRIGHT_REQUEST_TIMEOUT_SECS": "soon"})
    assert problem.startswith("TABLEWRIGHT_REQUEST_TIMEOUT_SECS: ")
    assert "'soon'" in problem
    [problem] = refused(environ={"TABLEWRIGHT_LOG_FORMAT": "xml"})
    assert "auto, json, text" in problem


def test_all_problems_at_once() -> None:
    text = '[service]\nport = "x"\n[service.issuer]\nurl = "ftp://example.org"\naudience = "x"\n'
    first, second, third = refused(text, {"TABLEWRIGHT_LOG_LEVEL": "loud"})
    assert "line 2, service.port" in first
    assert "TABLEWRIGHT_LOG_LEVEL" in second
    assert "line 4, service.issuer.url" in third


def test_a_misspelt_name_in_the_file() -> None:
    [problem] = refused("[service]\nprot = 1\n")
    assert problem == (
        "tablewright.toml, line 2, service.prot: there is no such setting; did you mean port?"
    )
    [problem] = refused("[service.issuer]\nwhatever = 1\n")
    assert "line 2, service.issuer.whatever" in problem
    assert "audience" in problem


def test_a_misspelt_variable() -> None:
    [problem] = refused(environ={"TABLEWRIGHT_PROT": "1"})
    assert problem == "TABLEWRIGHT_PROT: there is no such setting; did you mean TABLEWRIGHT_PORT?"
    with pytest.raises(SettingsError, match="TABLEWRIGHT_SHELF_ANYTHING: there is no such"):
        own(environ={"TABLEWRIGHT_SHELF_ANYTHING": "1"})


def test_names_that_belong_to_somebody_else() -> None:
    others = {
        "TABLEWRIGHT_KEY_SESSIONS": "x",
        "TABLEWRIGHT_CREDENTIALS": "a:b",
        "TABLEWRIGHT_SHELF_MOST": "3",
        "PORT": "3",
    }
    assert loaded(environ=others) == Settings()
    assert loaded(environ=others, sections=["shelf"]) == Settings()
    # Once all sections are known, what belongs to none of them is wrong.
    [problem] = refused(environ=others, sections=["bench"])
    assert problem.startswith("TABLEWRIGHT_SHELF_MOST: ")


def test_sections() -> None:
    assert loaded("[shelf]\nmost = 3\n") == Settings()
    [problem] = refused("\n[shelf]\n", sections=["bench"])
    assert problem.startswith("tablewright.toml, line 2: there is no section [shelf]")
    [problem] = refused("[servce]\nport = 1\n")
    assert "did you mean [service]?" in problem
    [problem] = refused("service = 3\n")
    assert "must be a section" in problem


def test_a_missing_part_of_a_nested_setting() -> None:
    [problem] = refused(environ={"TABLEWRIGHT_ISSUER_URL": "https://id.example.org"})
    assert problem.startswith("TABLEWRIGHT_ISSUER_AUDIENCE, or issuer.audience in [service]: ")


def test_settings_that_do_not_fit_together() -> None:
    [problem] = refused(environ={"TABLEWRIGHT_HOST": "0.0.0.0"})
    assert "TABLEWRIGHT_HOST" in problem
    assert "local = false" in problem
    assert not loaded(environ={"TABLEWRIGHT_HOST": "0.0.0.0", "TABLEWRIGHT_LOCAL": "no"}).local
    [problem] = refused('[service]\nwebhook_url = "https://example.org"\n')
    assert "webhook_secret" in problem


def test_secrets_are_never_shown() -> None:
    [problem] = refused(
        environ={
            "TABLEWRIGHT_WEBHOOK_SECRET": "hunter2",
            "TABLEWRIGHT_WEBHOOK_URL": "https://example.org",
        }
    )
    assert problem.startswith("TABLEWRIGHT_WEBHOOK_SECRET: ")
    assert "hunter2" not in problem
    assert "hunter2" not in repr(loaded(environ={"TABLEWRIGHT_METRICS_TOKEN": "hunter2"}))


@pytest.mark.parametrize(
    ("text", "said"),
    [("[service\n", "this is not TOML: .*line 1"), ("[service]\nport 1\n", "not TOML: .*line 2")],
)
def test_a_file_that_is_not_toml(text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        loaded(text)


def test_files_that_cannot_be_read() -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml: there is no such settings file"):
        load(Settings, "service", file=Path("nowhere.toml"), environ={})
    with pytest.raises(SettingsError, match=r"TABLEWRIGHT_SHELF_PEPPER_FILE: cannot read 'nope'"):
        own(environ={"TABLEWRIGHT_SHELF_PEPPER_FILE": "nope"})
    Path("binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="cannot be read"):
        load(Settings, "service", file=Path("binary.toml"), environ={})


@pytest.mark.parametrize(
    "address", ["example.org", "ftp://example.org", "https://a:b@example.org", "https://e.org/x"]
)
def test_addresses(address: str) -> None:
    [problem] = refused(environ={"TABLEWRIGHT_BASE_URL": address})
    assert "TABLEWRIGHT_BASE_URL: must " in problem


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("app.localhost", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("localhost.example.org", False),
        ("127.0.0.1.example.org", False),
    ],
)
def test_what_is_this_machine(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_the_address_that_people_use() -> None:
    environ = {"TABLEWRIGHT_BASE_URL": "https://keep.example.org/"}
    assert (loaded(environ=environ).url, loaded(environ=environ).https) == (
        "https://keep.example.org",
        True,
    )
    free = loaded(environ={"TABLEWRIGHT_PORT": "0"}).listening_on(4711)
    assert (free.url, free.https) == ("http://127.0.0.1:4711", False)
    assert loaded(environ={"TABLEWRIGHT_HOST": "::1"}).url == "http://[::1]:8080"
