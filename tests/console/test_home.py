"""The first page: what this is, and the ways into it."""

from __future__ import annotations

import re

from tests.console.support import Browser, gallery, signed_in
from tests.service.support import Running

from tablewright.console.assets import Assets
from tablewright.console.home_routes import WAYS
from tablewright.engine import Engine
from tablewright.service.auth import Principal
from tablewright.testing.backends import in_process

TOOLS = "/console/gallery"


def test_on_ones_own_machine_it_leads_everywhere_before_anybody_signs_in(
    service: Running,
) -> None:
    page = Browser(service).get("/").text
    for path in ("/gallery/", f"{TOOLS}/api", *(TOOLS + way.path for way in WAYS)):
        assert f'href="{path}"' in page
    assert "tablewright explore" in page


def test_one_press_lets_look_around(service: Running) -> None:
    browser = Browser(service)
    form = re.search(
        r'action="/auth/sign-in">.*?name="user" value="([^"]+)"', browser.get("/").text
    )
    assert form is not None
    with signed_in(service, form[1]) as guide:
        page = guide.get("/").text
        assert "Look around" not in page
        assert f'href="{TOOLS}/model"' in page


def test_every_way_leads_somewhere(keeper: Browser) -> None:
    for way in WAYS:
        assert keeper.get(TOOLS + way.path).status_code == 200, way.title


# --- deployed --------------------------------------------------------------------------------

ISSUER = {
    "url": "https://id.example.org",
    "audience": "tablewright",
    "client_id": "console",
    "client_secret": "0123456789abcdef",
}


def test_deployed_site_with_one_system_opens_it_and_has_no_list_of_systems(
    assets: Assets,
) -> None:
    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        gallery(
            backend,
            assets=assets,
            local=False,
            issuer=ISSUER,
            base_url="https://gallery.example.org",
            hosts=["127.0.0.1"],
        ) as service,
    ):
        browser = Browser(service)
        assert browser.get("/").headers["location"] == "/sign-in"
        sessions = service.runtime.auth.identity.sessions
        who = Principal("ada", "Ada", "user", grants=frozenset({"gallery:keeper"}))
        _, cookie = sessions.start(who, now=service.runtime.clock.now())
        browser.client.cookies.set(service.runtime.auth.identity.cookie, cookie)
        opened = browser.get("/")
        assert (opened.status_code, opened.headers["location"]) == (303, "/gallery/")
        page = browser.get("/gallery/paintings").text
        assert ">Systems<" not in page
        assert "Ada" in page
