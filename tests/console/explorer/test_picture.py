"""The picture on the page: its names are links, and it has no style of its own."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from tests.console.explorer.flawed import model

from tablewright.console.explorer.findings import Reviewed
from tablewright.console.explorer.picture import PICTURES, PictureKind, picture_of

BASE = "/console/flawed/model"


@pytest.fixture(scope="module")
def reviewed() -> Reviewed:
    return Reviewed(model)


@pytest.mark.parametrize("kind", PICTURES)
def test_it_can_be_part_of_a_page(kind: PictureKind, reviewed: Reviewed) -> None:
    text = picture_of(model, reviewed, BASE, kind)
    assert ElementTree.fromstring(text).tag == "svg"
    assert "style" not in text, "the policy of our pages allows none"
    assert 'role="img"' not in text, "nobody could follow links in an image"


def test_entities_and_patterns_lead_to_their_pages(reviewed: Reviewed) -> None:
    text = picture_of(model, reviewed, BASE, "keys")
    links = set(re.findall(r'href="([^"]+)"', text))
    assert links == {f"{BASE}/entities/{name}" for name in model.entities} | {
        f"{BASE}/patterns/{name}" for name in model.patterns
    }


def test_what_was_found_stands_beside_the_name(reviewed: Reviewed) -> None:
    keys = picture_of(model, reviewed, BASE, "keys")
    assert ">⚠ 3<" in keys, "of Customer"
    assert ">all_orders ⚠ 1<" in keys
    assert ">add_customer<" in keys
    assert ">⚠ 2<" in picture_of(model, reviewed, BASE, "relations"), "of Order"
