"""Entities sealed and opened; forgetting either is an error, and never a leak."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tablewright.model import Entity, Personal, definition
from tablewright.model.errors import RequestError
from tablewright.service.key_files import new_key
from tablewright.service.keys import Key, KeyRing, Keys
from tablewright.systems.kurukshetra import demo_items
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.plain import Plain, StillSealed, answered, text_of
from tablewright.systems.kurukshetra.plain import given as given_text
from tablewright.systems.kurukshetra.privacy.cipher import FieldCipher
from tablewright.systems.kurukshetra.privacy.errors import BrokenSeal, NotSealed, TooLong
from tablewright.systems.kurukshetra.privacy.opening import privacy_of
from tablewright.systems.kurukshetra.privacy.vault import Vault, sealed_fields

NOW = datetime(2026, 11, 15, 6, 30, tzinfo=UTC)
NAMES = ("first_name", "last_name", "email", "phone", "github_username", "linkedin")


def vault_of(*keys: Key) -> Vault:
    return Vault(FieldCipher(KeyRing(lambda: keys)))


VAULT = vault_of(new_key())


def participant(**texts: str | None) -> m.Participant:
    plain = {name: given_text(text) for name, text in texts.items()}
    return demo_items.person(1).model_copy(update={**dict.fromkeys(NAMES), **plain})


def answer(value: str | Plain) -> m.Answer:
    return m.Answer(
        event_id="e",
        participant_id=demo_items.uuid(1, 1),
        question_id="diet",
        value=value,
        created_at=NOW,
        updated_at=NOW,
    )


@settings(max_examples=40)
@given(st.fixed_dictionaries({name: st.none() | st.text(max_size=60) for name in NAMES}))
def test_an_entity_comes_back_as_it_was(texts: dict[str, str | None]) -> None:
    sealed = VAULT.sealed(participant(**texts))
    stored = definition(m.Participant).decode(definition(m.Participant).encode(sealed))
    opened = VAULT.opened(stored)
    assert {name: text_of(getattr(opened, name)) for name in NAMES} == {
        name: text or "" for name, text in texts.items()
    }
    # And it is valid for whoever validates.
    assert m.Participant.model_validate(sealed.model_dump()) == sealed


def test_nothing_of_a_person_is_in_the_item() -> None:
    sealed = VAULT.sealed(participant(first_name="Asha", email="asha@example.com"))
    item = repr(definition(m.Participant).encode(sealed)) + repr(sealed)
    assert "Asha" not in item
    assert "asha@" not in item


def test_who_forgets_to_seal_writes_nothing() -> None:
    with pytest.raises(RequestError, match="first_name") as raised:
        definition(m.Participant).encode(participant(first_name="Asha"))
    assert "Asha" not in str(raised.value)


def test_who_opened_an_entity_cannot_write_it_back_by_mistake() -> None:
    opened = VAULT.opened(VAULT.sealed(participant(email="asha@example.com")))
    with pytest.raises(RequestError, match="email"):
        definition(m.Participant).encode(opened)
    assert VAULT.opened(VAULT.sealed(opened)) == opened


def test_who_forgets_to_open_shows_nothing() -> None:
    with pytest.raises(StillSealed):
        text_of(VAULT.sealed(participant(email="asha@example.com")).email)


def test_no_plain_text_gets_in_beside_the_mark() -> None:
    with pytest.raises(ValidationError) as refused:
        m.Participant.model_validate({**participant().model_dump(), "email": "asha@example.com"})
    assert "asha" not in str(refused.value)
    sneaked = participant().model_copy(update={"email": "asha@example.com"})
    with pytest.raises(NotSealed) as raised:
        VAULT.sealed(sneaked)
    assert "asha" not in str(raised.value)


def test_logs_show_no_opened_text() -> None:
    opened = VAULT.opened(VAULT.sealed(participant(first_name="Asha")))
    assert "Asha" not in f"{opened!r} {opened} {opened.first_name}"


def test_a_text_of_another_person_or_field_does_not_open() -> None:
    sealed = VAULT.sealed(participant(first_name="Asha", last_name="Sharma"))
    swapped = sealed.model_copy(update={"first_name": sealed.last_name})
    other = sealed.model_copy(update={"participant_id": demo_items.uuid(1, 2)})
    elsewhere = sealed.model_copy(update={"event_id": "another"})
    for moved in (swapped, other, elsewhere):
        with pytest.raises(BrokenSeal):
            VAULT.opened(moved)


def test_rotation_renews_what_is_outdated_and_leaves_the_rest() -> None:
    old, new = new_key(), new_key()
    sealed = vault_of(old).sealed(participant(first_name="Asha", email="asha@example.com"))
    vault = vault_of(new, old)
    assert vault.outdated(sealed)
    renewed = vault.renewed(sealed)
    assert not vault.outdated(renewed)
    assert vault.renewed(renewed) is renewed
    assert vault_of(new).opened(renewed) == vault_of(old).opened(sealed)


def test_what_has_nothing_sealed_goes_through() -> None:
    member = next(each for each in demo_items.items() if isinstance(each, m.Member))
    assert VAULT.sealed(member) is member is VAULT.opened(member)


def test_a_text_longer_than_its_field_is_refused_before_it_is_written() -> None:
    longest = VAULT.sealed(answer(Plain("\U0001f600" * 2000)))
    assert text_of(VAULT.opened(longest).value) == "\U0001f600" * 2000
    with pytest.raises(TooLong):
        VAULT.sealed(answer(Plain("\U0001f600" * 2100)))


# --- answers, of which only some are sealed --------------------------------------------------


@given(st.text(max_size=30) | st.just("v1.k1.AAAA"), st.booleans())
def test_answers_are_sealed_if_they_must_be_and_always_read(text: str, personal: bool) -> None:
    stored = VAULT.sealed(answer(answered(text, personal)))
    assert isinstance(stored.value, str)
    assert not personal or stored.value != text
    assert text_of(VAULT.opened(stored).value) == text


# --- the declaration -------------------------------------------------------------------------

SEALED = {
    "participant": set(NAMES),
    "answer": {"value"},
    "team": {"invite_code"},
    "invited": {"email"},
    "certificate": {"name"},
    "draft": {"data"},
    "role_holder": {"who"},
}


def test_the_fields_of_the_design_are_marked_and_no_others() -> None:
    marked = {
        known.name: {field.name for field in sealed_fields(known.cls)}
        for known in m.table.entities.values()
    }
    assert {name: fields for name, fields in marked.items() if fields} == SEALED


def test_whatever_is_personal_is_sealed() -> None:
    for known in m.table.entities.values():
        kind: type[Entity] = known.cls
        personal = {
            field.name
            for field in known.fields.values()
            if any(isinstance(mark, Personal) for mark in field.metadata)
        }
        assert personal <= {field.name for field in sealed_fields(kind)}


def test_the_keys_of_a_place_join_the_parts() -> None:
    privacy = privacy_of(Keys(None, {}))
    sealed = privacy.vault.sealed(participant(first_name="Asha"))
    assert text_of(privacy.vault.opened(sealed).first_name) == "Asha"
    assert privacy.blind.email("a@b.example") != privacy.masks.text("email", "a@b.example")
