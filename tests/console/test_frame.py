"""Navigation, crumbs, and whose system a page belongs to."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest
from tests.console.gallery import model

from tablewright.console.frame import NavGroup, Place, crumbs, navigation, place_of, seen_by
from tablewright.service.auth import Principal
from tablewright.service.runtime import Runtime
from tablewright.service.system import NavItem, Parts, System


def build(runtime: Runtime) -> Parts:
    raise NotImplementedError


def place(name: str = "gallery") -> Place:
    system = System(name=name, title=name.title(), about="", model=model, build=build)
    return Place(
        system,
        (
            NavItem("Overview", "", "gauge"),
            NavItem("Paintings", "paintings", "columns"),
            NavItem("Hang one", "paintings/new", "plus", frozenset({"keeper"})),
            NavItem("Shop", "shop", "coins", public=True),
        ),
    )


def somebody(*grants: str) -> Principal:
    return Principal("ann", "Ann", "user", grants=frozenset(grants))


def current(groups: tuple[NavGroup, ...]) -> list[str]:
    return [entry.title for group in groups for entry in group.entries if entry.current]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/gallery/", "gallery"),
        ("/gallery/paintings", "gallery"),
        ("/console/gallery/model", "gallery"),
        ("/console", None),
        ("/", None),
        ("/gallery2/", None),
    ],
)
def test_the_system_of_a_path(path: str, name: str | None) -> None:
    found = place_of(path, [place("other"), place()])
    assert (found.name if found else None) == name


def test_only_systems_in_which_one_has_a_role_are_seen() -> None:
    places = [place("gallery"), place("other")]
    assert [each.name for each in seen_by(places, somebody("gallery:visitor"))] == ["gallery"]
    assert len(seen_by(places, somebody("*:visitor"))) == 2
    assert seen_by(places, somebody()) == ()
    assert seen_by(places, None) == ()


def test_a_system_may_be_for_who_has_no_role() -> None:
    open_to_all = Place(place().system, (NavItem("Mine", "mine", "user", signed_in=True),))
    assert seen_by([open_to_all], somebody()) == (open_to_all,)
    assert seen_by([open_to_all], None) == ()
    (group,) = navigation(open_to_all, somebody(), "/gallery/mine")
    assert [entry.title for entry in group.entries] == ["Mine"]
    assert navigation(open_to_all, None, "/gallery/") == ()


def test_pages_for_other_roles_are_not_in_the_navigation() -> None:
    def titles(visitor: Principal | None, own: Collection[str] = ()) -> list[str]:
        groups = navigation(place(), visitor, "/gallery/", own)
        return [entry.title for group in groups for entry in group.entries]

    assert "Hang one" in titles(somebody("gallery:keeper"))
    assert "Hang one" not in titles(somebody("gallery:visitor"))
    # Who has no role sees what everybody does, and nothing of the inside.
    assert titles(somebody("other:keeper")) == ["Shop"]
    assert titles(None) == ["Shop"]
    # A system may know of roles that the sign-in does not.
    assert titles(somebody("other:keeper"), {"keeper"}) == ["Hang one", "Shop"]


def test_tool_roles_hide_the_pages_about_the_system_from_others() -> None:
    known = place()
    hidden = replace(known, system=replace(known.system, tool_roles=frozenset({"keeper"})))

    def groups(place: Place, visitor: Principal) -> list[str]:
        return [group.title for group in navigation(place, visitor, "/gallery/")]

    assert "Inside" in groups(known, somebody("gallery:visitor"))
    assert "Inside" not in groups(hidden, somebody("gallery:visitor"))
    assert "Inside" in groups(hidden, somebody("gallery:keeper"))


@pytest.mark.parametrize(
    ("path", "titles"),
    [
        ("/gallery/", ["Overview"]),
        ("/gallery/paintings", ["Paintings"]),
        ("/gallery/paintings/42", ["Paintings"]),
        ("/gallery/paintings/new", ["Hang one"]),
        ("/gallery/paintingsx", []),
        ("/gallery/nowhere", []),
        ("/console/gallery/model/patterns", ["Data model"]),
    ],
)
def test_the_entry_that_is_marked(path: str, titles: list[str]) -> None:
    assert current(navigation(place(), somebody("gallery:keeper"), path)) == titles


def test_crumbs_lead_from_the_first_page() -> None:
    assert crumbs(None, "/", ()) == ()
    assert crumbs(place(), "/gallery/", ()) == (("Systems", "/"),)
    assert crumbs(place(), "/gallery/x", [("X", "/gallery/x")]) == (
        ("Systems", "/"),
        ("Gallery", "/gallery/"),
        ("X", "/gallery/x"),
    )


def test_crumbs_lead_nobody_to_where_one_has_to_sign_in() -> None:
    assert crumbs(place(), "/gallery/shop", (), signed_in=False) == ()
    own = [("Shop", "/gallery/shop")]
    assert crumbs(place(), "/gallery/shop/1", own, signed_in=False) == tuple(own)
    assert crumbs(None, "/sign-in", (), signed_in=False) == (("Systems", "/"),)
