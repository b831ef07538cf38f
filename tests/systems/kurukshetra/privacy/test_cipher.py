"""One text, sealed for one place: it opens there, unchanged, and nowhere else."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.service.key_files import new_key
from tablewright.service.keys import Key, KeyRing, Keys
from tablewright.systems.kurukshetra.plain import is_sealed
from tablewright.systems.kurukshetra.privacy.cipher import FieldCipher, Place
from tablewright.systems.kurukshetra.privacy.errors import BrokenSeal, NotSealed, UnknownKey

HERE = Place("EVENT#e#PARTICIPANT#p", "PROFILE", "email")
places = st.builds(Place, *(st.text(max_size=12) for _ in range(3)))


def cipher_of(*keys: Key) -> FieldCipher:
    return FieldCipher(KeyRing(lambda: keys))


CIPHER = cipher_of(new_key())


@given(st.text(), places)
def test_what_is_sealed_opens_at_its_place(text: str, place: Place) -> None:
    sealed = CIPHER.seal(text, place)
    assert is_sealed(sealed)
    assert CIPHER.open(sealed, place) == text


@given(st.text(max_size=20), places, places)
def test_a_text_that_was_moved_does_not_open(text: str, place: Place, other: Place) -> None:
    sealed = CIPHER.seal(text, place)
    if place != other:
        with pytest.raises(BrokenSeal, match="moved"):
            CIPHER.open(sealed, other)


def test_places_are_told_apart_wherever_their_parts_meet() -> None:
    assert Place("ab", "c", "d").authenticated() != Place("a", "bc", "d").authenticated()


SEALED = CIPHER.seal("Asha", HERE)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@given(st.integers(SEALED.rindex(".") + 1, len(SEALED) - 1), st.sampled_from(LETTERS))
def test_no_character_can_be_changed(at: int, other: str) -> None:
    changed = SEALED[:at] + other + SEALED[at + 1 :]
    if changed != SEALED:
        with pytest.raises(BrokenSeal):
            CIPHER.open(changed, HERE)


def test_the_unused_bits_at_the_end_cannot_be_changed_either() -> None:
    opened = []
    for letter in LETTERS:
        try:
            CIPHER.open(SEALED[:-1] + letter, HERE)
            opened.append(letter)
        except BrokenSeal:
            pass
    assert opened == [SEALED[-1]]


@pytest.mark.parametrize("cut", [1, 2, 3, 20, 37])
def test_a_text_that_was_cut_does_not_open(cut: int) -> None:
    with pytest.raises((BrokenSeal, NotSealed)):
        CIPHER.open(CIPHER.seal("Asha", HERE)[:-cut], HERE)


@pytest.mark.parametrize("text", ["", "Asha", "v1.k1.", "v2.k1.AAAA", "v1..AAAA", "v1.k.A A"])
def test_a_plain_text_is_not_opened(text: str) -> None:
    with pytest.raises(NotSealed) as raised:
        CIPHER.open(text, HERE)
    assert "Asha" not in str(raised.value)


def test_the_same_text_is_sealed_differently_each_time() -> None:
    assert CIPHER.seal("Asha", HERE) != CIPHER.seal("Asha", HERE)


def test_a_stranger_with_another_key_of_the_same_name_reads_nothing() -> None:
    mine, other = new_key(), new_key()
    sealed = cipher_of(mine).seal("Asha", HERE)
    with pytest.raises(BrokenSeal):
        cipher_of(Key(mine.kid, other.secret)).open(sealed, HERE)


def test_bytes_are_a_nonce_the_text_and_a_tag() -> None:
    data = CIPHER.seal("x" * 100, HERE).rpartition(".")[2]
    assert len(base64.urlsafe_b64decode(data + "==")) == 12 + 100 + 16


# --- rotation --------------------------------------------------------------------------------


def test_the_newest_key_seals_and_older_ones_open() -> None:
    old, new = new_key(), new_key()
    before = cipher_of(old).seal("Asha", HERE)
    both = cipher_of(new, old)
    after = both.seal("Asha", HERE)
    assert both.open(before, HERE) == both.open(after, HERE) == "Asha"
    assert (both.outdated(before), both.outdated(after)) == (True, False)


def test_a_key_that_was_retired_too_early_is_named() -> None:
    old, new = new_key(), new_key()
    sealed = cipher_of(old).seal("Asha", HERE)
    with pytest.raises(UnknownKey, match=old.kid):
        cipher_of(new).open(sealed, HERE)


def test_another_process_rotates_and_this_one_reads_at_once(tmp_path: Path) -> None:
    ours, theirs = (FieldCipher(Keys(tmp_path, {}).ring("fields")) for _ in range(2))
    assert theirs.open(ours.seal("before", HERE), HERE) == "before"
    keys = Keys(tmp_path, {})
    keys.rotate("fields")
    sealed = FieldCipher(keys.ring("fields")).seal("after", HERE)
    assert theirs.open(sealed, HERE) == "after"


def test_a_key_id_that_the_field_would_refuse_is_refused_here() -> None:
    with pytest.raises(UnknownKey, match="40"):
        cipher_of(Key("k" * 41, bytes(32))).seal("Asha", HERE)
