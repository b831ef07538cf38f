"""The first page: what this is, and the ways into it."""

from __future__ import annotations

import re

from tests.console.support import Browser, signed_in
from tests.service.support import Running

from tablewright.console.home_routes import WAYS

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
