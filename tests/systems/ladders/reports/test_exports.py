"""Reports as files."""

from __future__ import annotations

import csv
import io

from pypdf import PdfReader
from tests.systems.ladders.assessments.reviews import all_at, change, review_made, saving
from tests.systems.ladders.support import api_on, audited, run

from tablewright.clock import ManualClock
from tablewright.testing.backends import Backend

FORMULA = "=1+1"


def test_scenario_19_exports(engine_backend: Backend, clock: ManualClock) -> None:
    """PDF >= 3 pages, selectable text; CSV `=1+1` inert."""

    async def work() -> None:
        # As real moments are: a PDF has its time in whole seconds.
        clock.advance(0.123)
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            await review.save(all_at(3))
            await review.save(saving(change("Craft", "Coding", 3, evidence=FORMULA)))
            await api.company.assessments.submit(review.member, review.id())
            await review.submitted("manager", 4)
            plan_id, member_id = review.plan.plan_id, review.member.user_id
            await api.company.reports.build(review.manager, plan_id, member_id)
            await api.company.reports.release(review.manager, review.report_id)
            member, path = api.as_(review.member), f"/reports/{review.report_id}/export"

            # Members of tests are called "User-7".
            short = review.member.user.name.lower()
            pdf = await member("POST", f"{path}?format=pdf")
            assert pdf.headers["content-type"] == "application/pdf"
            assert pdf.headers["content-disposition"] == (
                f'attachment; filename="report-{short}-2026-h2.pdf"'
            )
            pages, text = read_pdf(pdf.content)
            assert pages >= 3
            for said in (FORMULA, "Did Design at work.", review.member.user.name, "Ownership"):
                assert said in text

            table = await member("POST", f"{path}?format=csv")
            assert table.headers["content-type"].startswith("text/csv")
            rows = list(csv.DictReader(io.StringIO(table.content.decode())))
            assert [row["competency"] for row in rows] == [
                "Coding",
                "Design",
                "Planning",
                "Ownership",
            ]
            assert rows[0]["self_evidence"] == f"'{FORMULA}"
            assert {row["report_team_member"] for row in rows} == {review.member.user.name}

            data = (await member("POST", f"{path}?format=json")).json()
            assert data["rows"][0]["self_evidence"] == FORMULA
            assert data["member_name"] == review.member.user.name
            assert await member.refused("POST", f"{path}?format=docx") == (422, "INVALID")
            assert (await review.report()).exported_at == api.company.now()
            noted = [action for action, _ in await audited(api.company)]
            assert noted.count("report.export") == 3

    run(work())


def read_pdf(content: bytes) -> tuple[int, str]:
    """How many pages it has, and its text as somebody selects it."""
    found = [page.extract_text() for page in PdfReader(io.BytesIO(content)).pages]
    return len(found), "\n".join(found)
