"""Models: listed and registered; compared, promoted and rolled back; and by whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

import pytest
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.sentiment.pages.support import BASE, Office, as_role, pages_of
from tests.systems.sentiment.support import NOW

from tablewright.engine import Engine
from tablewright.systems.sentiment.analysers.card import CARD, measured
from tablewright.systems.sentiment.config import Comparison, Job
from tablewright.systems.sentiment.pages.job_lines import job_line, kappa_words, matrix_of
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE
from tablewright.testing.backends import in_process

MODELS = f"{BASE}/models"
VADER, LINEAR = "v3.3.2+vader", "v1.0.0+linear"


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    environ = {
        "TABLEWRIGHT_SENTIMENT_PROMOTE_SLACK_SECS": "0",
        "TABLEWRIGHT_SENTIMENT_MODELS_FOLDER": str(tmp_path_factory.mktemp("models")),
    }
    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        pages_of(backend, environ=environ) as made,
    ):
        yield made


def work(office: Office) -> None:
    """What the worker does, now."""
    office.service.do(Newsroom(office.service.runtime).jobs.work())


def start(admin: Browser, model: str = LINEAR) -> str:
    """A comparison of the last 30 days; its path."""
    form = {"model_version": model, "since": "", "until": ""}
    begun = admin.post(f"{MODELS}/reanalyse", form)
    assert begun.status_code == 303, text_of(begun)
    return str(begun.headers["location"])


def test_only_administrators_see_models(
    operator: Browser, analyst: Browser, viewer: Browser
) -> None:
    for browser in (operator, analyst, viewer):
        assert browser.get(MODELS).status_code == 403
        assert browser.post(f"{MODELS}/reanalyse", {}).status_code == 403
        assert f'href="{MODELS}"' not in browser.get(f"{BASE}/watch").text


def test_versions_say_which_is_in_use_and_how_good_they_are(admin: Browser) -> None:
    page = admin.get(MODELS)
    shows(page, f"{VADER} in use", "comes with the program")
    # The figures are the card's own.
    for kind, name in (("vader", "VADER"), ("linear", "linear")):
        found = re.search(rf"^\| {name} \| ([\d.]+) \|", CARD.read_text(), re.M)
        assert found is not None
        shows(page, f"accuracy {found[1]}")
        assert measured(kind).startswith(f"accuracy {found[1]}, macro F1 ")  # type: ignore[arg-type]
    assert measured("onnx") == ""
    # The one in use cannot be compared with itself.
    options = re.search(r'name="model_version".*?</select>', page.text, re.S)
    assert options is not None
    assert VADER not in options[0]


def test_compared_promoted_and_rolled_back(admin: Browser, office: Office) -> None:
    path = start(admin)
    page = admin.get(path)
    shows(page, f"{LINEAR} instead of {VADER}", "comparing", "Cancel")
    assert f'hx-get="{path}/status" hx-trigger="every 3s"' in page.text
    work(office)
    # Who looked on is brought to the report.
    part = admin.client.get(f"{path}/status", headers={"HX-Request": "true"})
    assert part.headers["hx-refresh"] == "true"
    page = admin.get(path)
    shows(page, "compared", "Agreement", "of 4 articles have the same label", "Kappa", "Promote")
    assert "every 3s" not in page.text
    assert "Roll back" not in text_of(page)
    assert admin.post(f"{path}/promote", {}).status_code == 303
    shows(admin.get(path), f"{LINEAR} is the model in use from now on", "promoting")
    work(office)
    page = admin.get(path)
    shows(page, "promoted", "Roll back")
    assert not re.search(rf'action="{path}/promote"', page.text)
    shows(admin.get(MODELS), f"{LINEAR} in use")
    back = admin.post(f"{path}/rollback", {})
    assert back.headers["location"] != path
    work(office)
    shows(admin.get(back.headers["location"]), f"{VADER} instead of {LINEAR}", "promoted")
    shows(admin.get(MODELS), f"{VADER} in use")
    # It is in use no more, so there is nothing to go back from.
    assert "Roll back" not in text_of(admin.get(path))
    assert admin.post(f"{path}/rollback", {}).status_code == 303
    shows(admin.get(path), "Its model is not the active one.")


def test_changed_articles_have_both_labels_and_lead_to_their_pages(
    admin: Browser, office: Office
) -> None:
    path = start(admin)
    work(office)
    newsroom = Newsroom(office.service.runtime)
    report = office.service.do(newsroom.jobs.get(path.rpartition("/")[2])).report
    assert report is not None
    assert report.changed_ids, "the models agree on everything"
    page = admin.get(path)
    changed = [each for each in office.articles.values() if each.source_id in report.changed_ids]
    for each in changed:
        title = re.escape(each.metadata.title)
        assert re.search(rf"{title} {each.sentiment} (positive|neutral|negative) –", text_of(page))
        assert f'href="{BASE}/items/{each.source_id.replace("#", ":")}"' in page.text


def test_a_comparison_is_cancelled_once(admin: Browser) -> None:
    path = start(admin)
    assert admin.post(f"{path}/cancel", {}).status_code == 303
    page = admin.get(path)
    shows(page, "cancelled", "It ended before anything was compared.")
    assert "Promote" not in text_of(page)
    assert admin.post(f"{path}/promote", {}).status_code == 303
    shows(admin.get(path), "The job is cancelled, which does not allow it.")
    assert admin.get(f"{MODELS}/jobs/nonsense").status_code == 422
    assert admin.get(f"{MODELS}/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV").status_code == 404


def test_what_is_wrong_with_a_comparison_stands_at_its_field(admin: Browser) -> None:
    wrong = {"model_version": LINEAR, "since": "yesterday", "until": "2026-11-01T00:00"}
    page = admin.post(f"{MODELS}/reanalyse", wrong)
    assert (page.status_code, wrong_fields(page)) == (422, {"since"})
    turned = {"model_version": LINEAR, "since": "2001-01-02T00:00", "until": "2001-01-01T00:00"}
    page = admin.post(f"{MODELS}/reanalyse", turned)
    assert (page.status_code, wrong_fields(page)) == (422, {"since"})
    assert fields_of(page, "/reanalyse")["until"] == turned["until"]
    unknown = admin.post(f"{MODELS}/reanalyse", {"model_version": "v9.9.9"})
    assert unknown.status_code == 409
    shows(unknown, "it is not registered")


def test_what_is_wrong_with_a_model_stands_at_its_field(admin: Browser) -> None:
    path = f"{MODELS}/register"
    wrong = {"model_version": "finbert", "kind": "onnx", "path": "", "checksum": "abc"}
    page = admin.post(path, wrong)
    assert page.status_code == 422
    assert wrong_fields(page) == {"model_version", "path", "checksum"}
    outside = {"model_version": "v1.2.0+finbert", "kind": "onnx", "path": "../etc"}
    page = admin.post(path, outside)
    assert page.status_code == 422
    shows(page, "It cannot be used")
    assert fields_of(page, "/register")["path"] == "../etc"


def test_a_server_without_a_folder_for_models_says_so() -> None:
    with Engine.memory() as engine, in_process(engine) as backend:
        with pages_of(backend, filled=False) as office, as_role(office, "admin") as admin:
            has_folder = office.service.runtime.settings.data is not None
            said = "This server has no folder for models" in text_of(
                admin.get(f"{MODELS}/register")
            )
            assert said != has_folder


# --- what is shown -------------------------------------------------------------------------------


def job(**changes: object) -> Job:
    made = Job(
        job_id="01ARZ3NDEKTSV4RRFFQ69G5FAV",
        model_version=LINEAR,
        old_version=VADER,
        since=NOW - timedelta(hours=10),
        until=NOW,
        cursor=NOW - timedelta(hours=10),
        ttl_timestamp=NOW + ARTICLE_LIFE,
    )
    return made.model_copy(update=changes)


@pytest.mark.parametrize(
    ("changes", "progress"),
    [
        ({}, 0.0),
        ({"cursor": NOW - timedelta(hours=4)}, 60.0),
        ({"cursor": None}, 0.0),
        ({"state": "compared"}, 100.0),
        ({"state": "cancelled", "cursor": NOW - timedelta(hours=5)}, 50.0),
        # All articles follow, whatever time was compared.
        ({"state": "promoting", "flipped_at": NOW, "cursor": NOW - ARTICLE_LIFE / 2}, 50.0),
        ({"state": "promoted", "flipped_at": NOW}, 100.0),
    ],
)
def test_progress_is_of_the_time_that_is_gone_through(
    changes: dict[str, object], progress: float
) -> None:
    assert job_line(job(**changes)).progress == pytest.approx(progress)


def comparison(matrix: dict[str, dict[str, int]], kappa: str = "0.5") -> Comparison:
    return Comparison(agreement=Decimal(1), kappa=Decimal(kappa), matrix=matrix, changed=0)


def test_a_matrix_has_all_labels_and_shades_by_the_share_of_a_row() -> None:
    rows = matrix_of(comparison({"positive": {"positive": 3, "negative": 1}}))
    assert [row.label for row in rows] == ["positive", "neutral", "negative"]
    cells = [(cell.new, cell.articles, cell.share, cell.same) for cell in rows[0].cells]
    assert cells == [
        ("positive", 3, 75.0, True),
        ("neutral", 0, 0.0, False),
        ("negative", 1, 25.0, False),
    ]
    assert [cell.shade for cell in rows[0].cells] == [3, 0, 1]
    assert [row.articles for row in rows] == [4, 0, 0]


@pytest.mark.parametrize(
    ("kappa", "words"), [("0.9", "almost perfect"), ("0.5", "moderate"), ("-0.2", "slight, if any")]
)
def test_kappa_in_words(kappa: str, words: str) -> None:
    assert kappa_words(comparison({}, kappa)) == words
