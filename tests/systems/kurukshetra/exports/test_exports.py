"""Exports: complete, inert in spreadsheets, masked unless production and a reason say otherwise."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from tests.systems.kurukshetra.erasing.support import paying
from tests.systems.kurukshetra.support import (
    ADMIN,
    AUDITOR,
    EVENT,
    FINANCE,
    ORGANIZER,
    VOLUNTEER,
    api_on,
    audited,
    caller,
    code_of,
    event_made,
    festival_on,
    refused,
    registered,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.service.kit import audit
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.service.exports import ExportKind
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing import Backend

FORMULA = '=HYPERLINK("http://evil.test","click")'
PRODUCTION = {
    "production": "true",
    "gateway": "razorpay",
    "razorpay_key_id": "rzp_live_x",
    "razorpay_key_secret": "secret",
    "razorpay_webhook_secret": "secret",
}


async def asked(festival: Festival, event_id: str = EVENT) -> None:
    """Two questions: one about the person, one not."""
    now = festival.now()
    for number, name, pii in ((1, "diet", True), (2, "motto", False)):
        question = m.Question(
            event_id=event_id,
            number=number,
            question_id=name,
            label=name,
            pii=pii,
            created_at=now,
            updated_at=now,
        )
        await festival.db.run(m.save_question(question))
    festival.events.forget(event_id)


async def rows(
    festival: Festival, kind: ExportKind = "registrations", **said: object
) -> list[dict[str, str]]:
    by = await caller(festival, ORGANIZER if kind != "payments" else FINANCE)
    pieces = await festival.exports.csv(by, kind, **said)  # type: ignore[arg-type]
    text = b"".join([each async for each in pieces]).decode()
    return list(csv.DictReader(io.StringIO(text)))


def of(found: Sequence[dict[str, str]], participant_id: str | None) -> dict[str, str]:
    return next(each for each in found if each["participant_id"] == participant_id)


def test_scenario_16_an_export_is_inert_and_masked(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """`=HYPERLINK` answer inert; non-production export masked."""

    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            for event_id in (EVENT, "spring-2027"):
                await event_made(festival, event_id)
                await asked(festival, event_id)
            answers = {"diet": "No nuts, I am allergic", "motto": FORMULA}
            asha = await registered(
                festival, EVENT, "asha", answers=answers, college="=cmd|'/c calc'!A1"
            )
            await registered(festival, "spring-2027", "asha")
            found = of(await rows(festival), asha.participant_id)
            assert found["answer_motto"] == "'" + FORMULA
            assert found["college"].startswith("'=")
            said = "\n".join(found.values())
            for personal in ("Asha", "Verma", "people.test", "allergic", "+9198"):
                assert personal not in said
            assert found["email"].endswith("@masked.invalid")
            # The same person has the same mask at the other event, and next time.
            assert of(await rows(festival), asha.participant_id) == found
            other = await caller(festival, ORGANIZER, "spring-2027")
            pieces = await festival.exports.csv(other, "registrations")
            text = b"".join([each async for each in pieces]).decode()
            assert found["email"] in text
            by = await caller(festival, ADMIN)
            in_full = festival.exports.csv(by, "registrations", full=True, reason="the badges")
            assert (await refused(in_full)).code == "MASKED_ONLY"

    run(main())


def test_in_production_people_leave_in_full_with_a_reason_that_is_kept(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock, opened=False, **PRODUCTION) as festival:
            await event_made(festival)
            await asked(festival)
            asha = await registered(festival, EVENT, "asha", answers={"diet": "No nuts"})
            masked = of(await rows(festival), asha.participant_id)
            assert masked["first_name"] == "Person"
            found = of(
                await rows(festival, full=True, reason="Badges are printed"), asha.participant_id
            )
            assert (found["first_name"], found["email"]) == ("Asha", "asha@people.test")
            assert found["phone"].startswith("'+91"), "a number is no formula"
            assert found["answer_diet"] == "No nuts"
            organizer, auditor = await caller(festival, ORGANIZER), await caller(festival, AUDITOR)
            export = festival.exports.csv
            assert (await refused(export(organizer, "registrations", full=True))).status == 422
            in_full = export(auditor, "registrations", full=True, reason="Curious")
            assert (await refused(in_full)).status == 403
            page = await audit.entries(festival.db, until=festival.now().timestamp() + 1)
            told = [each.detail for each in page if each.action == "export.csv"]
            assert {"kind": "registrations", "full": True, "reason": "Badges are printed"} in told

    run(main())


def test_teams_and_payments_leave_without_anybody_in_them(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            made, other = await team_made(festival, size=2), await team_made(festival, size=3)
            payment = await paying(festival, made)
            found = await rows(festival, "teams")
            assert {(each["team"], each["status"], each["members"]) for each in found} == {
                (made.team.name, "paid", "2"),
                (other.team.name, "unpaid", "3"),
            }
            [line] = await rows(festival, "payments")
            assert (line["payment_id"], line["amount"]) == (payment.payment_id, "99900")
            assert len(await rows(festival)) == 5
            assert [each for each, _ in await audited(festival)].count("export.csv") == 3

    run(main())


def test_who_may_have_which_export(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await event_made(api.festival)
            await registered(api.festival, EVENT, "asha")
            path = f"/events/{EVENT}/admin/export/csv"
            may = {
                ORGANIZER: {"registrations": 200, "teams": 200, "payments": 403},
                FINANCE: {"registrations": 403, "teams": 200, "payments": 200},
                AUDITOR: {"registrations": 200, "teams": 200, "payments": 200},
                VOLUNTEER: {"registrations": 403, "teams": 403, "payments": 403},
            }
            for who, kinds in may.items():
                for kind, status in kinds.items():
                    answer = await api.as_(who)("GET", f"{path}?kind={kind}")
                    assert answer.status_code == status, (who.name, kind)
            answer = await api.as_(ORGANIZER)("GET", path)
            assert answer.headers["content-type"].startswith("text/csv")
            assert f"{EVENT}-registrations.csv" in answer.headers["content-disposition"]
            assert "@masked.invalid" in answer.text
            answer = await api.as_(ORGANIZER)("GET", f"{path}?full=true&reason=x")
            assert code_of(answer) == (403, "MASKED_ONLY")

    run(main())


def test_a_question_that_turns_out_to_be_personal_is_masked_from_then_on(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """What was answered before lies there as it was said."""

    async def main() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            await asked(festival)
            asha = await registered(festival, EVENT, "asha", answers={"motto": "I am Asha"})
            assert (await rows(festival))[0]["answer_motto"] == "I am Asha"
            (_, motto) = (await festival.events.setup_now(EVENT)).questions
            changed = motto.model_copy(update={"pii": True})
            await festival.db.run(m.save_question(changed))
            festival.events.forget(EVENT)
            assert "Asha" not in (await rows(festival))[0]["answer_motto"]
            by = await caller(festival, AUDITOR)
            shown = await festival.people.read(by, asha.participant())
            assert shown.answers is not None
            assert "Asha" not in str(shown.answers["motto"])

    run(main())
