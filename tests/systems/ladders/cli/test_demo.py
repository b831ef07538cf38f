"""`demo seed`, and `report export` of what is there then."""

from __future__ import annotations

from pathlib import Path

from tests.systems.ladders.cli.placed import Placed

from tablewright.systems.ladders.live_demo.cast import CREWS, LINA, YUSUF
from tablewright.systems.ladders.service.company import Company

WHO = ("--email", LINA.email)


def test_a_company_is_made_and_its_reports_can_be_had(placed: Placed, tmp_path: Path) -> None:
    told = placed.json("demo", "seed")
    assert [each["team_name"] for each in told["teams"]] == sorted(each.name for each in CREWS)
    said = placed("demo", "seed")
    assert (said.code, "tablewright up ladders" in said.out) == (0, True)
    seasons = placed.company(_seasons)
    pdf = tmp_path / "lina.pdf"
    made = placed.json("report", "export", *WHO, "--season", seasons[0], "--out", str(pdf))
    assert pdf.read_bytes().startswith(b"%PDF-")
    assert made["bytes"] == pdf.stat().st_size
    csv = placed("report", "export", made["report_id"], "--format", "csv")
    assert (csv.code, len(csv.out.splitlines())) == (0, 17)
    _check_refusals(placed, seasons[0])


def _check_refusals(placed: Placed, season: str) -> None:
    for words, told in (
        ((), "--email and --season"),
        (("not-an-id",), "report"),
        ((*WHO, "--season", "1999-H1"), "no report"),
        (("--email", YUSUF.email, "--season", season), "no report"),
        (("--email", "nobody@example.org", "--season", season), "Nobody has this address"),
        (("--email", "nobody", "--season", season), "--email"),
    ):
        assert told in placed.fails("report", "export", *words), words
    assert placed.json("report", "export", *WHO, "--season", season, code=2)["code"] == "INVALID"


async def _seasons(company: Company) -> list[str]:
    lina = await company.people.caller(LINA.principal)
    return [each.season for each in await company.reports.of_member(lina, lina.user_id)]


def test_a_place_of_somebody_s_own_is_left_alone(placed: Placed) -> None:
    placed.json("config", "upload", "1.0.0", "--shipped", "--activate")
    assert placed.json("demo", "seed", code=2)["code"] == "NOT_EMPTY"
