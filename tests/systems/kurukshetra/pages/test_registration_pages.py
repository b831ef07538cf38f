"""Registering step by step, without a script; what is typed is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.kurukshetra.pages.support import (
    Ground,
    code_of,
    done,
    pages_of,
    register,
    signed_in,
)
from tests.systems.kurukshetra.support import ADMIN, NOW, caller, moment

from tablewright.service.limits import Rate
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.bodies.organising import QuestionsIn
from tablewright.testing.backends import Backend

QUESTIONS = [
    {
        "question_id": "shirt",
        "label": "Which shirt?",
        "kind": "choice",
        "choices": ["S", "M"],
        "required": True,
    },
    {
        "question_id": "nights",
        "label": "Which nights?",
        "kind": "multi",
        "choices": ["Fri", "Sat"],
    },
    {"question_id": "bus", "label": "By bus <b>", "kind": "bool"},
]


def asked(ground: Ground, event_id: str) -> None:
    """The event asks something."""

    async def ask() -> None:
        by = await caller(ground.festival, ADMIN, event_id)
        setup = await ground.festival.events.setup_now(event_id)
        said = Precondition(if_match=f'"{setup.config.version}"')
        body = QuestionsIn.model_validate({"questions": QUESTIONS}, strict=False)
        await ground.festival.events.questions.save(by, body, said)

    ground.do(ask())


def test_the_steps_keep_what_was_typed(ground: Ground, asha: Browser) -> None:
    event = ground.event("step-day")
    asked(ground, "step-day")
    ground.clock.advance(5)  # questions may be known for two seconds
    you, team, terms = (f"{event}/register/{step}" for step in ("you", "team", "terms"))
    shows(asha.get(you), "asha@example.org", "Which shirt?", "By bus <b>")
    # A step that is not done comes first.
    done(asha.get(terms), you)
    shows(asha.get(you), "First tell us who you are.")
    bad = {"first_name": "", "phone": "12", "github_username": "a b", "answers.nights.1": "Sat"}
    refused = asha.post(you, bad)
    wrong = {"first_name", "phone", "github_username", "answers.shirt"}
    assert (refused.status_code, wrong_fields(refused)) == (422, wrong)
    assert fields_of(refused, you)["answers.nights.1"] == "Sat"
    assert "student_status" not in fields_of(asha.get(you), you)
    good = {"first_name": "Asha <b>", "phone": "98765 43210", "answers.shirt": "M"}
    done(asha.post(you, good), team)
    kept = fields_of(asha.get(you), you)
    assert (kept["first_name"], kept["answers.shirt"]) == ("Asha <b>", "M")
    # What is not ticked any more is not kept.
    assert "answers.nights.1" not in kept
    done(asha.post(terms, {"terms": "1"}), team)
    done(asha.post(team, {"mode": "later"}), terms)
    shows(asha.get(terms), "Asha <b>", "You decide later")
    assert "Asha <b>" not in asha.get(terms).text
    assert wrong_fields(asha.post(terms, {})) == {"terms"}
    done(asha.post(terms, {"terms": "1"}), f"{event}/team")
    shows(asha.get(f"{event}/team"), "You are registered.", "Join a team", "Found a team")
    done(asha.get(you), f"{event}/team")
    done(asha.post(terms, {"terms": "1"}), f"{event}/team")


def test_what_is_typed_is_saved_meanwhile(ground: Ground, asha: Browser) -> None:
    event = ground.event("draft-day")
    saved = asha.post(f"{event}/register/draft?step=you", {"first_name": "As", "phone": "1"})
    assert saved.status_code == 204
    saved = asha.post(f"{event}/register/draft?step=team", {"mode": "found", "name": "X"})
    assert saved.status_code == 204
    assert fields_of(asha.get(f"{event}/register/you"), "/register/you")["first_name"] == "As"
    assert fields_of(asha.get(f"{event}/register/team"), "/register/team")["name"] == "X"
    refused = asha.post(f"{event}/register/draft", {"first_name": "Eve"}, token=False)
    assert refused.status_code == 403


def test_a_team_is_founded_or_joined_on_the_way(
    ground: Ground, asha: Browser, ravi: Browser, meera: Browser
) -> None:
    event = ground.event("team-day")
    team = f"{event}/register/team"
    done(asha.post(f"{event}/register/you", {"first_name": "Asha"}))
    wrong = asha.post(team, {"mode": "found", "name": "?", "track": "no", "emails": "nobody"})
    assert wrong_fields(wrong) == {"name", "track", "emails"}
    assert wrong_fields(asha.post(team, {"mode": "join", "code": "12"})) == {"code"}
    register(asha, event, "Asha", mode="found", name="Owls", emails="meera@example.org")
    shows(asha.get(f"{event}/team"), "Owls", "1 person is missing", "meera@example.org")
    # By the code, which comes along.
    code = code_of(asha, event)
    led = ravi.get(f"{event}/join", params={"code": code}).headers["location"]
    hidden = fields_of(ravi.get(led), "/register/you")
    assert (hidden["mode"], hidden["code"]) == ("join", code)
    done(ravi.post(f"{event}/register/you", {**hidden, "first_name": "Ravi"}))
    assert fields_of(ravi.get(team), "/register/team")["code"] == code
    done(ravi.post(team, {"mode": "join", "code": code.lower()}))
    done(ravi.post(f"{event}/register/terms", {"terms": "1"}), f"{event}/team")
    # By an invitation: the mail names the team.
    team_id = ground.do(_team_of(ground, "team-day", "Owls"))
    done(meera.post(f"{event}/register/you", {"first_name": "Meera", "team": team_id}))
    shows(meera.get(team), "Join the team that invited you")
    done(meera.post(team, {"mode": "invited"}))
    done(meera.post(f"{event}/register/terms", {"terms": "1"}), f"{event}/team")
    shows(meera.get(f"{event}/team"), "Asha", "Ravi", "Meera (you)", "3 of 4 people")


async def _team_of(ground: Ground, event_id: str, name: str) -> str:
    lock = await ground.festival.db.run(reads.team_name(event_id, name.lower()))
    assert lock is not None
    return lock.owner


def test_a_name_that_is_taken_is_said_at_its_step(
    ground: Ground, asha: Browser, ravi: Browser
) -> None:
    event = ground.event("name-day")
    register(asha, event, "Asha", mode="found", name="Larks")
    done(ravi.post(f"{event}/register/you", {"first_name": "Ravi"}))
    taken = {"mode": "found", "name": "LARKS", "track": "ai-ml"}
    refused = ravi.post(f"{event}/register/team", taken)
    assert (refused.status_code, wrong_fields(refused)) == (409, {"name"})
    # It may be taken after the step: then they are registered, and found another one.
    done(ravi.post(f"{event}/register/terms", {"terms": "1"}), f"{event}/team")
    shows(ravi.get(f"{event}/team"), "not in a team yet. Another team has this name")


@pytest.mark.parametrize(
    ("event_id", "config", "why"),
    [
        ("domain-day", {"allowed_domains": ["iit.ac.in"]}, "Addresses at iit.ac.in can register"),
        ("shut-day", {"registration_open": False}, "Registration is closed"),
        ("over-day", {"registration_end": moment(NOW - timedelta(hours=1))}, "Registration is"),
    ],
)
def test_who_cannot_register_is_told_first(
    ground: Ground, asha: Browser, event_id: str, config: dict[str, object], why: str
) -> None:
    event = ground.event(event_id, **config)
    for page in (
        asha.get(f"{event}/register/you"),
        asha.post(f"{event}/register/you", {"first_name": "Asha"}),
        asha.post(f"{event}/register/terms", {"terms": "1"}),
    ):
        assert page.status_code == 403
        shows(page, why)
    assert "Asha" not in text_of(asha.get(f"{event}/team"))


def test_only_who_has_signed_in_registers(ground: Ground, visitor: Browser, asha: Browser) -> None:
    event = ground.event("door-day")
    for rest in ("/register/you", "/team", "/join?code=1", "/pay", "/ticket", "/details"):
        led = visitor.get(f"{event}{rest}")
        assert led.headers["location"].startswith("/sign-in?next="), rest
    for rest in ("/register/terms", "/team/found", "/pay", "/details"):
        assert asha.post(f"{event}{rest}", {"terms": "1"}, token=False).status_code == 403, rest
    with signed_in(ground, "organizer") as organizer:
        shows(organizer.get(event), "Run the event", "Door")
    shows(asha.get(event), "Register")
    assert "Run the event" not in text_of(asha.get(event))


def test_pages_and_programs_register_under_one_limit(engine_backend: Backend) -> None:
    """Of one internet address; who uses both ways has no more than others."""
    often = {"TABLEWRIGHT_KURUKSHETRA_REGISTRATIONS_PER_MINUTE_FROM_ADDRESS": "1"}
    with pages_of(engine_backend, **often) as ground, signed_in(ground, "asha") as asha:
        event = ground.event("rush-day")
        register(asha, event, "Asha", mode="later")
        limits = ground.service.runtime.limits
        with pytest.raises(Problem) as caught:
            ground.do(limits.check("register-address", "127.0.0.1", Rate(1)))
        assert caught.value.code == "RATE_LIMITED"
