"""Masked exports: no person in them, the same stand-in each time, and still good data."""

from __future__ import annotations

from tablewright.model import definition
from tablewright.service.email_addresses import parse_email
from tablewright.systems.kurukshetra import demo_items
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.plain import Plain, text_of
from tablewright.systems.kurukshetra.privacy.masking import Masks
from tablewright.systems.kurukshetra.privacy.vault import sealed_fields

MASKS = Masks(bytes(range(32)))


def masked(number: int, event_id: str = demo_items.MAIN) -> dict[str, str]:
    person = demo_items.person(number, event_id)
    assert person.email_hash is not None
    shown = MASKS.masked(person, person.email_hash)
    return {field.name: text_of(getattr(shown, field.name)) for field in sealed_fields(type(shown))}


def test_a_person_has_the_same_mask_in_every_event() -> None:
    assert masked(1, demo_items.MAIN) == masked(1, demo_items.SMALL)


def test_people_are_told_apart() -> None:
    people = [tuple(masked(number).values()) for number in range(200)]
    assert len(set(people)) == 200


def test_nothing_of_the_person_is_left() -> None:
    whole = repr(masked(1)).lower()
    assert not any(part in whole for part in ("ravi", "iyer", "98765", "example.com", "v1."))


def test_masks_pass_for_what_they_stand_for() -> None:
    shown = masked(1)
    assert parse_email(shown["email"]).endswith(".invalid")
    assert shown["phone"].startswith("+999")
    assert len(shown["phone"]) == 13


def test_another_key_masks_otherwise() -> None:
    assert Masks(bytes(32)).text("email", "p") != MASKS.text("email", "p")


def test_what_is_empty_or_not_personal_stays() -> None:
    empty = demo_items.person(1).model_copy(update={"linkedin": None})
    assert MASKS.masked(empty, "p").linkedin is None
    public = next(each for each in demo_items.items() if isinstance(each, m.Answer))
    public = public.model_copy(update={"value": "size M"})
    assert MASKS.masked(public, "p") == public
    opened = public.model_copy(update={"value": Plain("coeliac")})
    assert text_of(MASKS.masked(opened, "p").value) == MASKS.text("value", "p")
    assert definition(public).name == "answer"
