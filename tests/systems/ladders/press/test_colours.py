"""Each side has the same colour on the page and in print."""

from __future__ import annotations

import colorsys
import re
from pathlib import Path

import tablewright

ROOT = Path(tablewright.__file__).parent
CSS = (ROOT / "console/own/console.css").read_text()
PRINT = (ROOT / "systems/ladders/press/drawing.typ").read_text()


def on_the_page(side: str) -> str:
    """The colour of a side's mark in the light theme."""
    series = re.search(rf"\.pair-{side} {{ [^}}]*var\((--tw-series-\d)\)", CSS)
    assert series is not None
    found = re.search(rf"{series[1]}: light-dark\((#[0-9a-f]{{6}})", CSS)
    assert found is not None
    return found[1]


def in_print(side: str) -> str:
    found = re.search(rf'#let {side}-colour = rgb\("(#[0-9a-f]{{6}})"\)', PRINT)
    assert found is not None
    return found[1]


def hue(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return colorsys.rgb_to_hls(*parts)[0] * 360


def test_manager_and_self_have_the_same_hue_on_the_page_and_in_print() -> None:
    for page, printed in (("manager", "manager"), ("self", "own")):
        apart = abs(hue(on_the_page(page)) - hue(in_print(printed)))
        assert min(apart, 360 - apart) < 15, page
    assert abs(hue(in_print("manager")) - hue(in_print("own"))) > 60
