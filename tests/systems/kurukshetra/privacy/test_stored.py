"""Sealed people in a real database: nothing to read in a dump, nothing to move about."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import attr, put, update
from tablewright.model.errors import RequestError
from tablewright.service.keys import Keys
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.demo_items import MAIN, NOW, TODAY, person, uuid
from tablewright.systems.kurukshetra.fields import Moment
from tablewright.systems.kurukshetra.plain import Plain, answered, text_of
from tablewright.systems.kurukshetra.privacy.errors import BrokenSeal
from tablewright.systems.kurukshetra.privacy.opening import privacy_of

PRIVACY = privacy_of(Keys(None, {}))
TEXTS = {
    "first_name": "Zenobia",
    "last_name": "Quagmire",
    "email": "zenobia@quagmire.example",
    "phone": "+919123456780",
}


@contextmanager
def database() -> Iterator[tuple[Db, Engine]]:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(m.model)
        yield db, engine


def registered(number: int) -> m.Participant:
    blind = PRIVACY.blind
    changes = {
        **dict.fromkeys(("github_username", "linkedin")),
        **{name: Plain(text) for name, text in TEXTS.items()},
        "email_hash": blind.email(f"{number}{TEXTS['email']}"),
        "phone_hash": blind.phone(TEXTS["phone"]),
        "firebase_uid": blind.uid(f"user-{number}"),
    }
    return person(number).model_copy(update=changes)


def answer() -> m.Answer:
    return m.Answer(
        event_id=MAIN,
        participant_id=uuid(1, 900),
        question_id="allergies",
        value=answered("walnuts", personal=True),
        created_at=NOW,
        updated_at=NOW,
    )


def test_a_registration_is_written_sealed_or_not_at_all() -> None:
    vault, now = PRIVACY.vault, Moment(NOW, TODAY)
    with database() as (db, engine):
        with pytest.raises(RequestError, match="first_name"):
            db.run(m.register(registered(900), [vault.sealed(answer())], now))
        with pytest.raises(RequestError, match="value"):
            db.run(m.register(vault.sealed(registered(900)), [answer()], now))
        db.run(m.register(vault.sealed(registered(900)), [vault.sealed(answer())], now))
        found = vault.opened(db.require(m.participant(MAIN, uuid(1, 900))))
        assert {name: text_of(getattr(found, name)) for name in TEXTS} == TEXTS
        dump = json.dumps(engine.call("Scan", {"TableName": m.table.name})).lower()
        assert '"v1.' in dump
        for text in (*TEXTS.values(), "walnuts", "9123456780"):
            assert text.lower() not in dump


def test_a_text_that_was_moved_to_somebody_else_does_not_open() -> None:
    vault = PRIVACY.vault
    with database() as (db, _):
        mine, other = (vault.sealed(registered(number)) for number in (900, 901))
        db.run(put(mine))
        db.run(put(other))
        stored = db.require(m.participant(MAIN, other.participant_id))
        db.run(update(stored).do(attr(m.Participant.email).set(mine.email)))
        with pytest.raises(BrokenSeal, match="email of EVENT#"):
            vault.opened(db.require(m.participant(MAIN, other.participant_id)))


def test_no_update_writes_a_plain_text_either() -> None:
    with database() as (db, _):
        db.run(put(PRIVACY.vault.sealed(registered(900))))
        with pytest.raises(RequestError):
            db.run(update(person(900)).do(attr(m.Participant.email).set(Plain("a@b.example"))))
