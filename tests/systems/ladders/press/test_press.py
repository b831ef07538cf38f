"""The printed report: tagged, selectable, and nothing in it but text."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject
from tests.systems.ladders.press.samples import ASHA, CRAFT, largest
from tests.timing import at_most

from tablewright.systems.ladders.press.press import Press
from tablewright.systems.ladders.press.printed import (
    PrintedCategory,
    PrintedCompetency,
    PrintedRating,
    PrintedReport,
)

PRESS = Press()


def printed(report: PrintedReport) -> PdfReader:
    return PdfReader(BytesIO(PRESS.pdf(report)))


@cache
def asha() -> PdfReader:
    return printed(ASHA)


def pages(reader: PdfReader) -> list[str]:
    return [" ".join(each.extract_text().split()) for each in reader.pages]


def with_evidence(text: str) -> PrintedReport:
    rating = PrintedRating(3, "Ships it.", text, text)
    category = PrintedCategory("Craft", (PrintedCompetency("Design", rating, rating),), 3, 3)
    return replace(ASHA, categories=(category,), way_forward=text)


def elements(node: Any) -> list[DictionaryObject]:
    """The elements of the structure tree, in the order in which they are read out."""
    node = node.get_object()
    if isinstance(node, ArrayObject):
        return [found for each in node for found in elements(each)]
    if not isinstance(node, DictionaryObject):
        return []
    below = elements(node["/K"]) if "/K" in node else []
    return [node, *below] if "/S" in node else below


def test_scenario_19_the_pdf_has_three_pages_or_more_of_selectable_text() -> None:
    """PDF >= 3 pages, selectable text."""
    cover, *inner, growth = pages(asha())
    assert inner
    for said in (
        *("Asha Sharma", "Payments", "2026-H1", "Ravi Iyer", "Version 1.2.0", "3 July 2026"),
        *("5 of 7", "Staff", "Principal", "Acknowledged", "2 of 4"),
    ):
        assert said in cover
    for said in ("Level 6", "Lead the payments split.", "Give a talk", "1 September 2026", "Done"):
        assert said in growth
    assert "acknowledged this report on 8 July 2026. I agree with the goal." in growth


def test_both_sides_stand_beside_each_other_with_flags_and_what_is_unmatched() -> None:
    said = " ".join(pages(asha())[1:])
    for row in (
        *("Design 3 5 Flag +2", "Testing 4 4 Agree", "Planning 3 4 +1"),
        *("Estimation – 4 Manager only", "Feedback 5 2 Flag \u22123", "Hiring 2 – Self only"),
        *("Estimation (Delivery): level 4 by the manager",),
        *("Hiring (Collaboration): level 2 by the self-assessment",),
        *("What I did for Design.", "What I saw of Design.", "More of Design."),
    ):
        assert row in said


def test_the_furthest_apart_stand_first_on_the_cover() -> None:
    cover = pages(asha())[0]
    assert cover.index("Feedback Collaboration 5 2") < cover.index("Design Craft 3 5")


def test_it_can_be_read_out() -> None:
    root = asha().root_object
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    assert b"pdfuaid" in root["/Metadata"].get_object().get_data()
    metadata = asha().metadata
    assert metadata is not None
    assert metadata.title == "Career ladder report: Asha Sharma, 2026-H1"
    tags = elements(root["/StructTreeRoot"])
    names = [each["/S"] for each in tags]
    assert names.count("/H1") == 4
    assert names.count("/Table") == 6  # two on the cover, three categories, the actions
    assert names.count("/THead") == 6
    (figure,) = (each for each in tags if each["/S"] == "/Figure")
    assert "Delivery: self 3, manager 4" in figure["/Alt"]


def test_its_fonts_are_inside() -> None:
    fonts = [font for page in asha().pages for font in page["/Resources"]["/Font"].values()]
    below = [each.get_object()["/DescendantFonts"][0].get_object() for each in fonts]
    assert below
    for each in below:
        assert {"/FontFile2", "/FontFile3"} & each["/FontDescriptor"].get_object().keys()


def test_with_nothing_written_there_are_three_pages() -> None:
    bare = PrintedCategory("Craft", (PrintedCompetency("Design"),))
    silent = replace(ASHA, categories=(bare,), level_names=(), way_forward="", actions=())
    early = replace(silent, status="generated", released=None, acknowledged=None, comment="")
    said = pages(printed(early))
    assert len(said) == 3
    assert "Not released yet" in said[0]
    assert "Design – – Not rated" in said[1]
    assert "Not acknowledged yet." in said[2]


MARKUP = '#read("/etc/passwd") *bold* _it_ $x^2$ `raw` <label> @ref [a]{b} \\u{41} // not a comment'


def test_what_people_wrote_is_text_and_no_markup() -> None:
    named = replace(ASHA, name=f"= {MARKUP}", team="#pagebreak()", categories=(CRAFT,))
    cover = pages(printed(named))[0]
    assert MARKUP in cover
    assert "#pagebreak()" in cover
    said = pages(printed(with_evidence(f"= {MARKUP}\n- \", {{}} '")))
    assert f"= {MARKUP} - \", {{}} '" in said[-1]
    assert len(said) == 3


def test_letters_that_no_font_has_are_told_and_noted() -> None:
    said = " ".join(pages(printed(with_evidence("Done \U0001f389\U0001f44d\U0001f3fd 王さん Ｗ"))))
    assert "Done [party popper][thumbs up sign] □□□ W" in said
    assert "Some letters" in said
    assert "Some letters" not in " ".join(pages(asha()))


@settings(max_examples=5, deadline=None)
@given(st.text(max_size=120))
def test_any_text_is_printed(text: str) -> None:
    strange = replace(with_evidence(text), name=text, team=text, plan=text, level_names=(text,) * 7)
    odd = PrintedCategory(text, (PrintedCompetency(text, PrintedRating(1, text, "Said.")),))
    assert len(printed(replace(strange, categories=(odd,) * 3)).pages) >= 3


def test_long_texts_flow_and_stay_within_the_page() -> None:
    reader = printed(with_evidence("W" * 600 + "\n" + "Words that flow. " * 150))
    lines = [line for page in reader.pages for line in page.extract_text().splitlines()]
    whole_width = 57  # of this letter, over both columns
    assert 20 < max(line.count("W") for line in lines if "WW" in line) <= whole_width
    assert sum(line.count("W") for line in lines if "WW" in line) == 5 * 600
    assert sum(page.count("Words that flow.") for page in pages(reader)) > 5 * 150 * 0.95


def test_the_same_report_is_the_same_file() -> None:
    assert PRESS.pdf(ASHA) == Press().pdf(ASHA)
    assert PRESS.pdf(ASHA) != PRESS.pdf(replace(ASHA, name="Ravi Iyer"))


@pytest.mark.slow
def test_the_largest_report_takes_less_than_three_seconds() -> None:
    """Both assessments as large as they may be stored; seconds of the processor, since others may
    be using it."""
    report = largest("Some evidence of it. " * 58)
    PRESS.pdf(ASHA)
    with at_most(3):
        made = PRESS.pdf(report)
    assert len(PdfReader(BytesIO(made)).pages) > 100
