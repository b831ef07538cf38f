"""Certificates: one tagged page with its fonts inside, and nothing in it but text."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import date
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject

from tablewright.service.typesetting import FONTS, CannotPrint
from tablewright.systems.kurukshetra.certificates.press import Press, Printed, printable_name
from tablewright.systems.kurukshetra.rules.crockford import BadCode

PRESS = Press()
ASHA = Printed(
    name="Asha Sharma",
    event="CodeKurukshetra 2026",
    kind="participation",
    code="7H2K9QZM4T0VXW3B",
    starts=date(2026, 12, 5),
    ends=date(2026, 12, 6),
    issued=date(2026, 12, 7),
    address="https://example.org/kurukshetra/certificates/7H2K9QZM4T0VXW3B",
)


def printed(**changes: Any) -> PdfReader:
    return PdfReader(BytesIO(PRESS.pdf(replace(ASHA, **changes))))


def elements(node: Any) -> list[DictionaryObject]:
    """The elements of the structure tree, in the order in which they are read out."""
    node = node.get_object()
    if isinstance(node, ArrayObject):
        return [found for each in node for found in elements(each)]
    if not isinstance(node, DictionaryObject):
        return []
    below = elements(node["/K"]) if "/K" in node else []
    return [node, *below] if "/S" in node else below


def test_it_says_who_what_and_where() -> None:
    reader = printed()
    assert len(reader.pages) == 1
    text = reader.pages[0].extract_text()
    for said in (
        *("Certificate of Participation", "Asha Sharma", "CodeKurukshetra 2026"),
        *("5 to 6 December 2026", "7 December 2026", "7H2K-9QZM-4T0V-XW3B", ASHA.address),
    ):
        assert said in text


def test_it_can_be_read_out() -> None:
    reader = printed()
    root = reader.root_object
    assert root["/MarkInfo"]["/Marked"] is not None
    assert bool(root["/MarkInfo"]["/Marked"])
    assert root["/Lang"] == "en"
    assert b"pdfuaid" in root["/Metadata"].get_object().get_data()
    assert reader.metadata is not None
    assert reader.metadata.title == "Certificate of Participation: Asha Sharma"
    tags = elements(root["/StructTreeRoot"])
    names = [each["/S"] for each in tags]
    assert names.count("/H1") == 1
    assert "/Link" in names
    (figure,) = (each for each in tags if each["/S"] == "/Figure")
    assert figure["/Alt"]


def test_its_fonts_are_inside() -> None:
    fonts = printed().pages[0]["/Resources"]["/Font"].values()
    kinds = [each.get_object()["/DescendantFonts"][0].get_object() for each in fonts]
    assert kinds
    assert all("/FontFile2" in each["/FontDescriptor"].get_object() for each in kinds)


@pytest.mark.parametrize("kind", ["participation", "completion", "winner"])
def test_each_kind_has_its_words(kind: str) -> None:
    others = {"participation": "took part", "completion": "completed", "winner": "winner"}
    text = printed(kind=kind).pages[0].extract_text()
    assert [each for each, words in others.items() if words in text] == [kind]


def test_a_name_in_devanagari_is_set_and_read_as_hindi() -> None:
    name = "क्षितिजा ज्ञानेश्वर त्रिपाठी"
    reader = printed(name=name)
    assert reader.metadata is not None
    assert str(reader.metadata.title).endswith(name)
    tags = elements(reader.root_object["/StructTreeRoot"])
    assert [each["/S"] for each in tags if each.get("/Lang") == "hi"] == ["/P"]


@pytest.mark.parametrize("name", ["Jiří Öztürk", "Nguyễn Thị Ánh", "Иван Ωμέγας"])
def test_other_letters_that_are_here(name: str) -> None:
    assert name.split()[0] in printed(name=name).pages[0].extract_text()


@pytest.mark.skipif(
    not (FONTS / "scripts").exists(), reason="the fonts of other scripts are missing: make assets"
)
@pytest.mark.parametrize(
    "name",
    [
        *("கார்த்திக் சுப்பிரமணியன்", "শ্রেয়া চট্টোপাধ্যায়", "వెంకటేశ్వర్లు కృష్ణమూర్తి", "ಶ್ರೀನಿವಾಸ ಹೆಗ್ಡೆ"),
        *("ശ്രീകുമാർ നമ്പൂതിരി", "કૃષ્ણકાંત પટેલ", "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ", "ଶ୍ରୀକାନ୍ତ ମହାପାତ୍ର"),
        *("محمد عارف قریشی", "ක්‍රිෂ්ණ ජයවර්ධන", "श्रीकृष्ण त्रिपाठी", "Asha கார்த்திக்"),
    ],
)
def test_name_in_a_script_of_india_and_its_neighbours_is_printed(name: str) -> None:
    assert PRESS.can_print(name)
    reader = printed(name=name)
    assert reader.metadata is not None
    assert str(reader.metadata.title).endswith(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Asha \U0001f680", "Asha"),
        ("\U0001f469\u200d\U0001f680 Asha \U0001f44d\U0001f3fd Verma", "Asha Verma"),
        ("Asha \u2764\ufe0f", "Asha"),
        ("ක්\u200dරිෂ්ණ", "ක්\u200dරිෂ්ණ"),
        ("\U0001f680", ""),
    ],
)
def test_emoji_are_left_out_of_a_name(name: str, expected: str) -> None:
    assert printable_name(name) == expected
    assert PRESS.can_print(name) == bool(expected)


@pytest.mark.parametrize("name", ["王小明", "ᚠᚢᚦ"])
def test_letters_that_no_font_has_are_refused_without_telling_them(name: str) -> None:
    with pytest.raises(CannotPrint, match="font") as raised:
        PRESS.pdf(replace(ASHA, name=name))
    assert not set(name[:2]) & set(str(raised.value)) - set("Ash ")
    assert raised.value.__cause__ is None


MARKUP = ['#read("/etc/passwd")', "$x$ *b* _i_ `c`", "= Heading", "\\ #pagebreak()", '"quoted"']


@pytest.mark.parametrize("name", MARKUP)
def test_a_name_is_a_text_and_no_markup(name: str) -> None:
    reader = printed(name=name)
    assert len(reader.pages) == 1
    assert name.split()[-1] in reader.pages[0].extract_text()


@settings(max_examples=8, deadline=None)
@given(st.text(st.characters(codec="latin-1"), max_size=121), st.integers(1, 120))
def test_any_name_fits_on_the_page_or_is_refused(name: str, width: int) -> None:
    try:
        assert len(printed(name=name, event="W" * width).pages) == 1
    except CannotPrint:
        assert not any(each.isprintable() and not each.isspace() for each in name)


def test_a_long_name_stays_within_the_frame() -> None:
    left: list[float] = []

    def seen(text: str, cm: Any, tm: Any, font: Any, size: Any) -> None:
        if "W" in text:
            left.append(tm[4] * cm[0] + cm[4])

    printed(name="W" * 121).pages[0].extract_text(visitor_text=seen)
    assert left
    assert min(left) > 62  # points: the inner line of the frame is at 11 mm


def test_a_wrong_code_is_not_printed() -> None:
    with pytest.raises(BadCode):
        PRESS.pdf(replace(ASHA, code="7H2K"))


@pytest.mark.parametrize("name", ["", "  \n", "\u200b", "x" * 131])
def test_a_name_is_needed_that_has_room(name: str) -> None:
    with pytest.raises(CannotPrint):
        PRESS.pdf(replace(ASHA, name=name))


def test_the_same_certificate_is_the_same_file() -> None:
    assert PRESS.pdf(ASHA) == Press().pdf(ASHA)
    assert PRESS.pdf(ASHA) != PRESS.pdf(replace(ASHA, name="Ravi Iyer"))


def test_threads_wait_for_each_other() -> None:
    made: dict[int, bytes] = {}

    def make(number: int) -> None:
        made[number] = PRESS.pdf(replace(ASHA, name=f"Person {number}"))

    threads = [threading.Thread(target=make, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert made == {n: PRESS.pdf(replace(ASHA, name=f"Person {n}")) for n in range(6)}
