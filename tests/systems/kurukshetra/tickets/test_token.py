"""Tickets: checked with the public key alone, and by nobody to be forged."""

from __future__ import annotations

import re
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.service.keys import Keys
from tablewright.systems.kurukshetra.tickets.token import KEYS, Ticket, TicketReader, issue

SIGNING = Keys(None, {}).signing(KEYS)
READER = TicketReader.of_jwks(SIGNING.jwks())
TICKET = Ticket("kurukshetra-2026", "00000001-0000-4000-8000-000000000001", 1)
TEXT = issue(TICKET, SIGNING.current)

tickets = st.builds(
    Ticket,
    st.from_regex(r"[a-z0-9]{1,20}(-[a-z0-9]{1,10}){0,2}", fullmatch=True),
    st.uuids().map(str),
    st.integers(1, 10**9 - 1),
)


@given(tickets)
def test_a_ticket_is_read_as_it_was_issued(ticket: Ticket) -> None:
    assert READER.read(issue(ticket, SIGNING.current)) == ticket


def test_it_looks_as_the_design_says() -> None:
    person = TICKET.participant_id
    assert re.fullmatch(rf"CK1\.kurukshetra-2026\.{person}\.1\.[A-Za-z0-9_-]{{86}}", TEXT)


@given(st.integers(0, len(TEXT) - 1), st.characters())
def test_no_character_can_be_changed(at: int, other: str) -> None:
    changed = TEXT[:at] + other + TEXT[at + 1 :]
    assert (READER.read(changed) is not None) == (changed == TEXT)


@given(st.text(max_size=300))
def test_any_text_is_an_answer_not_an_error(text: str) -> None:
    assert READER.read(text) is None
    assert READER.read(f"{TICKET.signed}.{text}") is None


@given(st.integers(2, 10**9 - 1))
def test_a_signature_is_for_one_ticket(version: int) -> None:
    signature = TEXT.rpartition(".")[2]
    assert READER.read(f"{replace(TICKET, version=version).signed}.{signature}") is None


@pytest.mark.parametrize(
    "changed",
    [
        TEXT.replace("CK1", "CK2"),
        TEXT.replace(".1.", ".01."),
        TEXT.replace(".1.", ".+1."),
        TEXT + "=",
        TEXT + "\n",
        " " + TEXT,
        TEXT.upper(),
    ],
)
def test_there_is_one_text_for_a_ticket(changed: str) -> None:
    assert READER.read(changed) is None


def test_the_unused_bits_of_a_signature_are_no_second_ticket() -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    assert [each for each in letters if READER.read(TEXT[:-1] + each)] == [TEXT[-1]]


def test_who_has_another_key_issues_nothing() -> None:
    stranger = Keys(None, {}).signing(KEYS)
    assert READER.read(issue(TICKET, stranger.current)) is None


def test_tickets_outlive_a_rotation() -> None:
    old, new = "aa" * 32, "bb" * 32
    variable = "TABLEWRIGHT_KEY_KURUKSHETRA_TICKETS"
    before = Keys(None, {variable: f"k1:{old}"}).signing(KEYS)
    after = Keys(None, {variable: f"k2:{new},k1:{old}"}).signing(KEYS)
    reader = TicketReader.of_jwks(after.jwks())
    assert reader.read(issue(TICKET, before.current)) == TICKET
    assert reader.read(issue(TICKET, after.current)) == TICKET
    assert TicketReader.of_jwks(before.jwks()).read(issue(TICKET, after.current)) is None


@pytest.mark.parametrize(
    "wrong",
    [
        replace(TICKET, event_id="a.b"),
        replace(TICKET, event_id=""),
        replace(TICKET, participant_id="1"),
        replace(TICKET, participant_id=str(UUID(int=1)).upper().replace("0", "A")),
        replace(TICKET, version=0),
    ],
)
def test_what_could_not_be_read_is_not_issued(wrong: Ticket) -> None:
    with pytest.raises(ValueError, match="ticket"):
        issue(wrong, SIGNING.current)
