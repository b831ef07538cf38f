"""Exports: complete, inert in spreadsheets, masked unless production and a reason say otherwise."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import openpyxl
from tests.systems.kurukshetra.erasing.support import paying
from tests.systems.kurukshetra.support import (
    ADMIN,
    AUDITOR,
    EVENT,
    FINANCE,
    NOW,
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
from tablewright.systems.kurukshetra.bodies.refunds import RefundIn
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
    labels = ((1, "diet", "What do you not eat?", True), (2, "motto", "Your motto?", False))
    for number, name, label, pii in labels:
        question = m.Question(
            event_id=event_id,
            number=number,
            question_id=name,
            label=label,
            pii=pii,
            created_at=now,
            updated_at=now,
        )
        await festival.db.run(m.save_question(question))
    festival.events.forget(event_id)


async def rows(
    festival: Festival, kind: ExportKind = "registrations", **said: object
) -> list[dict[str, str]]:
    by = await caller(festival, FINANCE if kind in ("payments", "refunds") else ORGANIZER)
    pieces = await festival.exports.csv(by, kind, **said)  # type: ignore[arg-type]
    data = b"".join([each async for each in pieces])
    assert data.startswith(codecs.BOM_UTF8), "else Excel reads it in another encoding"
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))


async def sheet(
    festival: Festival, kind: ExportKind = "registrations", **said: object
) -> tuple[list[str], list[list[Any]]]:
    """Headings and rows of the workbook, as a spreadsheet reads them."""
    by = await caller(festival, FINANCE if kind in ("payments", "refunds") else ORGANIZER)
    pieces = await festival.exports.file(by, kind, "xlsx", **said)  # type: ignore[arg-type]
    book = openpyxl.load_workbook(io.BytesIO(b"".join([each async for each in pieces])))
    cells = list(book.worksheets[0].iter_rows())
    assert {each.data_type for row in cells for each in row} <= {"s", "n", "d"}, "no formula"
    head, *rest = ([each.value for each in row] for row in cells)
    return head, rest


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
            assert found["Your motto?"] == "'" + FORMULA
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
            assert found["What do you not eat?"] == "No nuts"
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
            assert (line["payment_id"], line["amount"]) == (payment.payment_id, "999.00")
            assert line["team"] == made.team.name
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
            assert (await rows(festival))[0]["Your motto?"] == "I am Asha"
            (_, motto) = (await festival.events.setup_now(EVENT)).questions
            changed = motto.model_copy(update={"pii": True})
            await festival.db.run(m.save_question(changed))
            festival.events.forget(EVENT)
            assert "Asha" not in (await rows(festival))[0]["Your motto?"]
            by = await caller(festival, AUDITOR)
            shown = await festival.people.read(by, asha.participant())
            assert shown.answers is not None
            assert "Asha" not in str(shown.answers["motto"])

    run(main())


def test_workbook_has_numbers_times_and_phones_as_texts(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock, opened=False, **PRODUCTION) as festival:
            await event_made(festival, zone="Asia/Kolkata")
            await asked(festival)
            answers = {"diet": "No nuts", "motto": FORMULA}
            await registered(
                festival, EVENT, "asha", phone="+919876543210", answers=answers, college="=1+1"
            )
            head, [row] = await sheet(festival, full=True, reason="Badges")
            found = dict(zip(head, row, strict=True))
            assert found["Phone"] == "+919876543210"
            assert (found["Your motto?"], found["College"]) == (FORMULA, "=1+1")
            assert found["Registered (Asia/Kolkata)"] == (
                NOW + timedelta(hours=5, minutes=30)
            ).replace(tzinfo=None)
            made = await team_made(festival, name="Code Warriors")
            await paying(festival, made)
            head, [row] = await sheet(festival, "payments")
            found = dict(zip(head, row, strict=True))
            assert (found["Team"], found["Amount"], found["Refunded"]) == ("Code Warriors", 999, 0)
            head, [row] = await sheet(festival, "teams", full=True, reason="Calls")
            found = dict(zip(head, row, strict=True))
            assert found["Leader"] == f"{made.leader.principal.name} Verma"
            assert found["Leader's e-mail"] == made.leader.email
            assert str(found["Leader's phone"]).startswith("+9198")
            assert (found["Fee"], found["Members"]) == (999, 2)

    run(main())


def test_exports_are_sorted_by_name(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock, opened=False, **PRODUCTION) as festival:
            await event_made(festival)
            names = ["zara", "Asha", "meera", "Élodie", "ravi"]
            for number, name in enumerate(names):
                await registered(festival, EVENT, f"p{number}", first_name=name)
            found = await rows(festival, full=True, reason="List")
            expected = sorted(names, key=str.casefold)
            assert [each["first_name"] for each in found] == expected
            for name in ("Zebra", "alpha", "Mid"):
                await team_made(festival, name=name)
            assert [each["team"] for each in await rows(festival, "teams")] == [
                "alpha",
                "Mid",
                "Zebra",
            ]

    run(main())


def test_refunds_are_exported_with_their_team_and_reason(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            made = await team_made(festival, name="Code Warriors")
            await paying(festival, made)
            assert await rows(festival, "refunds") == []
            body = RefundIn(reason="=They cannot come", amount=50_000)
            finance = await caller(festival, FINANCE)
            await festival.refunds.refund(finance, made.team_id, body, key="once")
            [found] = await rows(festival, "refunds")
            assert (found["team"], found["amount"], found["status"]) == (
                "Code Warriors",
                "500.00",
                "requested",
            )
            assert found["reason"] == "'=They cannot come"
            [payment] = await rows(festival, "payments")
            assert (payment["refundable"], payment["amount"]) == ("499.00", "999.00")

    run(main())


def test_finance_exports_teams_without_anybody_in_them(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            await team_made(festival)
            for who, contact in ((FINANCE, False), (AUDITOR, True)):
                pieces = await festival.exports.csv(await caller(festival, who), "teams")
                text = b"".join([each async for each in pieces]).decode("utf-8-sig")
                assert ("leader_phone" in text) == contact
                assert "Verma" not in text

    run(main())


def test_questions_with_the_label_of_a_column_have_columns_of_their_own(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            now = festival.now()
            for number, name in ((1, "one"), (2, "two")):
                question = m.Question(
                    event_id=EVENT,
                    number=number,
                    question_id=name,
                    label="Email",
                    created_at=now,
                    updated_at=now,
                )
                await festival.db.run(m.save_question(question))
            festival.events.forget(EVENT)
            await registered(festival, EVENT, "asha", answers={"one": "1", "two": "2"})
            [found] = await rows(festival)
            assert (found["Email (2)"], found["Email (3)"]) == ("1", "2")

    run(main())
