"""Pages over HTTP: the frame, forms, errors, and what browsers may do with them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.console.gallery import WRONG
from tests.console.support import Browser, gallery, signed_in
from tests.service.support import Running

from tablewright.console.assets import Assets
from tablewright.engine import Engine
from tablewright.testing.backends import in_process

PAGES = [
    "/",
    "/gallery/",
    "/gallery/paintings",
    "/gallery/paintings/new",
    "/console/gallery/model",
    "/console/gallery/model?picture=relations",
    "/console/gallery/model/items",
    "/console/gallery/model/review",
    "/console/gallery/model/entities/Painting",
    "/console/gallery/model/patterns",
    "/console/gallery/model/patterns/hang",
    "/console/gallery/model/browse",
    "/console/gallery/model/partiql",
    "/console/gallery/capacity",
    "/console/gallery/api",
]


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_the_frame(keeper: Browser, path: str) -> None:
    page = keeper.get(path)
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["cache-control"] == "no-store"
    policy = page.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    for part in ("<title>", 'lang="en"', 'href="#content"', 'id="content"', "Demo keeper"):
        assert part in page.text
    assert page.text.count("<h1") == 1
    assert page.text.count("<main") == 1
    assert '"allowEval": false' in page.text


@pytest.mark.parametrize("path", PAGES)
def test_ids_are_there_once_and_labels_lead_somewhere(keeper: Browser, path: str) -> None:
    text = keeper.get(path).text
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    wanted = set(re.findall(r'\bfor="([^"]+)"', text))
    for names in re.findall(r'aria-(?:labelledby|describedby|controls)="([^"]+)"', text):
        wanted |= set(names.split())
    assert wanted <= set(ids)


def test_everything_a_page_asks_for_is_there_for_good(keeper: Browser) -> None:
    text = keeper.get("/gallery/").text
    files = set(re.findall(r'(?:src|href)="(/assets/[^"#]+)', text))
    files |= set(re.findall(r'data-chart="([^"]+)"', text))
    assert len(files) >= 8
    for file in files:
        found = keeper.get(file)
        assert found.status_code == 200, file
        assert "immutable" in found.headers["cache-control"]
        assert found.headers["vary"] == "Accept-Encoding"
        plain = keeper.client.get(file, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.content == found.content


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("gzip;q=0.001", True),
        ("gzip;q=0", False),
        ("br, gzip; q=0.000", False),
        ("x-gzip-like", False),
        ("", False),
    ],
)
def test_files_are_packed_for_who_takes_them_so(
    keeper: Browser, accepted: str, packed: bool
) -> None:
    found = re.search(r'src="(/assets/[^"#]+)', keeper.get("/gallery/").text)
    assert found is not None
    answer = keeper.client.get(found[1], headers={"Accept-Encoding": accepted})
    assert answer.status_code == 200
    assert ("content-encoding" in answer.headers) == packed


def test_a_file_that_is_not_there_is_a_problem(keeper: Browser) -> None:
    answer = keeper.get("/assets/console.css")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


# --- who sees what -------------------------------------------------------------------------


def test_nobody_is_asked_to_sign_in_and_comes_back_to_where_they_were(service: Running) -> None:
    browser = Browser(service)
    answer = browser.get("/gallery/paintings?cursor=x")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?next=%2Fgallery%2Fpaintings%3Fcursor%3Dx"
    page = browser.get(answer.headers["location"])
    assert 'name="next" value="/gallery/paintings?cursor=x"' in page.text
    assert "Demo keeper" in page.text


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_signing_in_never_leads_elsewhere(service: Running, target: str) -> None:
    page = Browser(service).get("/sign-in", params={"next": target})
    assert 'name="next" value="/"' in page.text
    assert "evil" not in page.text


def test_the_first_page_without_signing_in_shows_what_there_is(service: Running) -> None:
    page = Browser(service).get("/")
    assert page.status_code == 200
    assert "Gallery" in page.text
    assert "Your systems" not in page.text


def test_a_visitor_sees_no_page_of_keepers(service: Running) -> None:
    with signed_in(service, "demo-visitor") as visitor:
        assert "Hang one</span>" not in visitor.get("/gallery/paintings").text
        page = visitor.get("/gallery/paintings/new")
        assert page.status_code == 403
        assert "You may not do that" in page.text
        assert visitor.get("/console/gallery/model").status_code == 200


def test_signing_out_ends_it(service: Running) -> None:
    with signed_in(service, "demo-keeper") as browser:
        assert browser.post("/auth/sign-out", {}).status_code == 303
        assert browser.get("/gallery/").status_code == 303
        assert "Signed in as" not in browser.get("/").text


def test_who_is_signed_in_has_no_business_at_the_sign_in(keeper: Browser) -> None:
    answer = keeper.get("/sign-in?next=/gallery/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/gallery/")


def test_what_is_wrong_with_a_system_is_on_the_first_page(keeper: Browser) -> None:
    assert "Working" in keeper.get("/").text
    WRONG["text"] = "The roof leaks."
    page = keeper.get("/").text
    assert "Not working" in page
    assert "The roof leaks." in page


def test_with_an_issuer_people_sign_in_there(assets: Assets) -> None:
    issuer = {
        "url": "https://id.example.org",
        "audience": "tablewright",
        "client_id": "console",
        "client_secret": "0123456789abcdef",
    }
    url = "https://here.example.org"
    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        gallery(
            backend,
            assets=assets,
            local=False,
            issuer=issuer,
            base_url=url,
            hosts=["127.0.0.1"],
        ) as service,
    ):
        browser = Browser(service)
        home = browser.get("/")
        assert (home.status_code, home.headers["location"]) == (303, "/sign-in")
        page = browser.get("/sign-in?next=/gallery/")
        assert "Sign in with id.example.org" in page.text
        assert 'href="/auth/sign-in?next=%2Fgallery%2F"' in page.text
        assert "Demo keeper" not in page.text
        assert "this machine only" not in page.text


# --- errors --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/nowhere", 404, "There is nothing here"),
        ("/gallery/nowhere", 404, "There is nothing here"),
        ("/console/gallery/model/patterns/nope", 404, "There is no such access pattern."),
        ("/console/gallery/model/entities/nope", 404, "There is no such entity."),
        ("/gallery/broken", 500, "Something went wrong"),
    ],
)
def test_people_get_a_page(keeper: Browser, path: str, status: int, text: str) -> None:
    page = keeper.get(path)
    assert page.status_code == status
    assert text in page.text
    assert page.headers["x-request-id"] in page.text
    assert "a frame fell" not in page.text
    assert "Traceback" not in page.text


@pytest.mark.parametrize("path", ["/nowhere", "/gallery/nowhere", "/gallery/broken"])
def test_programs_get_a_document(keeper: Browser, path: str) -> None:
    answer = keeper.client.get(path, headers={"Accept": "application/json"})
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] in ("NOT_FOUND", "INTERNAL")


def test_the_api_answers_browsers_with_documents_too(keeper: Browser) -> None:
    answer = keeper.get("/gallery/api/v1/paintings/nope")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


# --- forms ---------------------------------------------------------------------------------


def test_a_refused_form_comes_back_with_what_was_typed_and_what_is_wrong(keeper: Browser) -> None:
    typed = {"name": 'a "b" <c>', "price": "12", "wall": "north", "story": "<long>"}
    page = keeper.post("/gallery/paintings/new", typed)
    assert page.status_code == 422
    assert 'value="a &#34;b&#34; &lt;c&gt;"' in page.text
    assert "&lt;long&gt;</textarea>" in page.text
    assert '<option value="north" selected>' in page.text
    assert "Letters and digits only." in page.text
    assert page.text.count('aria-invalid="true"') == 1
    assert "framed" in page.text
    assert "checked" not in page.text.partition('name="framed"')[2].partition(">")[0]


def test_a_form_as_it_comes_first_has_the_values_of_the_page(keeper: Browser) -> None:
    text = keeper.get("/gallery/paintings/new").text
    assert '<option value="south" selected>' in text
    assert "aria-invalid" not in text
    assert " checked" in text.partition('name="framed"')[2].partition(">")[0]


def test_a_form_that_did_its_work_says_so_once_on_the_next_page(keeper: Browser) -> None:
    answer = keeper.post("/gallery/paintings/new", {"name": "aurora", "price": "3"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/gallery/paintings")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    first, second = keeper.get("/gallery/paintings"), keeper.get("/gallery/paintings")
    assert "aurora hangs." in first.text
    assert "aurora hangs." not in second.text
    keeper.post("/gallery/paintings/aurora/remove", {})


@pytest.mark.parametrize("cookie", ["", "x", "eyJ4Ijox", "WzEsMl0", "bnVsbA", "a" * 5000])
def test_a_message_that_is_none_is_passed_over(keeper: Browser, cookie: str) -> None:
    keeper.client.cookies.set("tw_flash", cookie)
    assert keeper.get("/gallery/paintings").status_code == 200


def test_a_form_without_its_token_does_nothing(keeper: Browser) -> None:
    answer = keeper.post("/gallery/paintings/new", {"name": "forged", "price": "3"}, token=False)
    assert answer.status_code == 403
    assert "forged" not in keeper.get("/gallery/paintings").text


# --- lists and parts -----------------------------------------------------------------------


def test_pages_of_a_list_lead_to_the_next_one(keeper: Browser) -> None:
    seen: list[str] = []
    path: str | None = "/gallery/paintings"
    while path:
        text = keeper.get(path).text
        seen += re.findall(r'<th scope="row">(number\d\d)', text)
        found = re.search(r'class="btn btn-plain" href="([^"]+)" hx-get', text)
        path = found[1].replace("&amp;", "&") if found else None
    assert seen == [f"number{number:02}" for number in range(7)]


def test_a_cursor_that_somebody_made_up_is_refused_with_a_page(keeper: Browser) -> None:
    page = keeper.get("/gallery/paintings?cursor=nonsense")
    assert page.status_code == 400
    assert "That cannot be read" in page.text


def test_a_part_of_a_page_has_no_frame(keeper: Browser) -> None:
    assert keeper.get("/gallery/count").text.strip() == "<p>7 paintings on the wall.</p>"


def test_the_theme_is_what_the_cookie_says(keeper: Browser) -> None:
    assert 'data-bs-theme="auto"' in keeper.get("/").text
    keeper.client.cookies.set("tw_theme", "dark")
    assert 'data-bs-theme="dark"' in keeper.get("/").text
    keeper.client.cookies.set("tw_theme", '"><script>')
    assert 'data-bs-theme="auto"' in keeper.get("/").text


# --- without assets ------------------------------------------------------------------------


def test_without_assets_pages_say_what_to_do_and_all_else_works(tmp_path: Path) -> None:
    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        gallery(backend, paintings=1, assets=Assets(tmp_path)) as service,
        signed_in(service, "demo-keeper") as browser,
    ):
        for path in ("/", "/sign-in", "/gallery/", "/console/gallery/model", "/nowhere"):
            page = browser.get(path, follow_redirects=True)
            assert page.status_code == 503
            assert "make assets" in page.text
        style = re.search(r'href="(/assets/plain-[^"]+)"', browser.get("/").text)
        assert style is not None
        assert browser.get(style[1]).status_code == 200
        assert browser.get("/gallery/api/v1/paintings/number00").json()["name"] == "number00"
        assert browser.get("/health").status_code == 200
