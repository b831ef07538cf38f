"""Names of teams: what can be in one, and when two are the same."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from tablewright.systems.vibejudge.bodies.submissions import PublicSubmissionIn
from tablewright.systems.vibejudge.entities import Submission
from tablewright.systems.vibejudge.rules.team_names import team_key

REPO = "https://github.com/night-owls/lantern"


def kept(name: str) -> str:
    return PublicSubmissionIn(team_name=name, repo_url=REPO).team_name


def test_names_are_folded() -> None:
    assert team_key("  Straße  Zwei ") == team_key("STRASSE zwei")
    assert team_key("ab c") != team_key("abc")


@pytest.mark.parametrize(
    "other",
    [
        "night owls",
        "Night\N{NO-BREAK SPACE}Owls",
        "\N{FULLWIDTH LATIN CAPITAL LETTER N}ight Owls",
        "\N{MATHEMATICAL BOLD CAPITAL N}ight Owls",
        "Night Owl\N{LATIN SMALL LETTER LONG S}",
    ],
)
def test_one_name_is_one_however_it_is_written(other: str) -> None:
    assert team_key(kept(other)) == team_key("Night Owls")


def test_an_accent_is_the_same_before_and_after_its_letter_was_joined_with_it() -> None:
    joined, apart = "Caf\N{LATIN SMALL LETTER E WITH ACUTE}", "Cafe\N{COMBINING ACUTE ACCENT}"
    assert kept(joined) == kept(apart) == joined
    assert team_key(joined) == team_key(apart) != team_key("Cafe")
    # Names that were stored as they came.
    assert team_key(apart.upper()) == team_key(joined)


@pytest.mark.parametrize(
    "name",
    [
        "Night Owls-7",
        "snake_case",
        "7",
        "Ångström",
        "Совы",
        "夜のフクロウ",
        "रात के उल्लू",
        "นกฮูกราตรี",
        "ẹ́kọ́",
    ],
)
def test_names_of_all_scripts(name: str) -> None:
    assert team_key(kept(name)) == team_key(name)


@pytest.mark.parametrize("name", ["O'Brien", "Team #1", "C++ Team", "a.b", "R&D <3", "50% off!"])
def test_name_with_punctuation_is_stored_as_it_is(name: str) -> None:
    assert kept(name) == name


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("Night\N{ZERO WIDTH NON-JOINER} Owls", "Night Owls"),
        ("Night Owls\N{ZERO WIDTH JOINER}", "Night Owls"),
        ("Night Owls\N{HANGUL FILLER}", "Night Owls"),
        ("Night\N{COMBINING GRAPHEME JOINER} Owls", "Night Owls"),
        ("Night\N{RIGHT-TO-LEFT OVERRIDE} Owls", "Night Owls"),
        ("Night\tOwls\n", "Night Owls"),
        ("Night \x1b[31mOwls", "Night [31mOwls"),
    ],
)
def test_invisible_characters_are_removed_from_names(sent: str, stored: str) -> None:
    assert kept(sent) == stored
    assert team_key(sent) == team_key(stored)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "-",
        "_ _",
        "x" * 51,
        "\N{ZERO WIDTH JOINER}",
        "\N{COMBINING ACUTE ACCENT}\N{COMBINING ACUTE ACCENT}",
        "\N{HANGUL FILLER}",
    ],
)
def test_name_without_letter_or_digit_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        kept(name)


def test_name_whose_signs_stand_for_too_many_letters_is_refused() -> None:
    ligature = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}"
    assert kept(ligature * 5) == ligature * 5
    with pytest.raises(ValidationError, match="too long"):
        kept(ligature * 50)


def test_names_that_are_older_than_these_rules_can_be_read() -> None:
    stored = {"team_name": "Night Owls\N{ZERO WIDTH JOINER}", "repo_url": REPO}
    own = {"hack_id": "0" * 26, "repo_owner": "night-owls", "repo_name": "lantern"}
    times = dict.fromkeys(("created_at", "updated_at"), "2026-01-01T00:00:00Z")
    read = Submission.model_validate({**stored, **own, **times})
    assert read.team_name == stored["team_name"]
