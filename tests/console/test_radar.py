"""Values around a middle."""

from __future__ import annotations

from tablewright.console.radar import HEIGHT, REACH, WIDTH, radar


def test_the_greatest_value_is_at_the_end_of_its_axis() -> None:
    drawn = radar(["Up", "Right", "Down", "Left"], [{"name": "One", "values": [10, 5, 0, 20]}], 10)
    middle = (WIDTH / 2, HEIGHT / 2)
    up, right, down, left = drawn.shapes[0].dots
    assert up == drawn.ends[0] == (middle[0], middle[1] - REACH)
    assert right == (middle[0] + REACH / 2, middle[1])
    assert down == middle
    # What cannot be is drawn at the end, and not outside.
    assert left == drawn.ends[3]


def test_names_stand_beside_their_axes_and_are_cut() -> None:
    drawn = radar(["A", "Two words of a name", "x" * 60], [], 1)
    assert [each.anchor for each in drawn.names] == ["middle", "start", "end"]
    assert [len(each.lines) for each in drawn.names] == [1, 2, 2]
    assert drawn.names[2].full == "x" * 60
    assert drawn.names[2].lines[1].endswith("…")
    assert all(0 < each.y < HEIGHT for each in drawn.names)
