"""What the blocks of a ladder's text mean, and everything that is wrong with them.

An error is told once, where it is: what follows from it alone is not told. So the reader goes on
with what was most likely meant, and looks at a competency's count of levels only if their numbers
are in order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

from tablewright.service.names import clean_text, comparison_key
from tablewright.systems.ladders.fields import Ladder
from tablewright.systems.ladders.rules import markdown
from tablewright.systems.ladders.rules.ladder_blocks import Block, Item, Loose, Title
from tablewright.systems.ladders.rules.ladder_lines import MOST_ERRORS, Code, Line, LineError
from tablewright.systems.ladders.rules.ladder_parts import Group, Step, Steps, ladder_of

MOST_CATEGORIES: Final = 12
MOST_COMPETENCIES: Final = 12
MOST_LEVELS: Final = 10
LONGEST_NAME: Final = 80

_MARKER: Final = re.compile(r"[1-9]\d*\.")
_ITEM_IN_TEXT: Final = re.compile(r" {0,3}(\d{1,9})[.)] +\S")


class Reader:
    """Reads the blocks one after the other."""

    def __init__(self) -> None:
        self._errors: dict[tuple[int, Code], LineError] = {}
        self._notes: list[LineError] = []
        self._groups: list[Group] = []
        #: The names of the levels, then the levels of one competency after the other; None
        #: between a category's heading and its first competency.
        self._names = Steps(1)
        self._steps: Steps | None = self._names

    def read(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            match block:
                case Title():
                    self._title(block)
                case Item():
                    self._item(block)
                case Loose():
                    self._loose(block)
            if len(self._errors) >= MOST_ERRORS:
                return
        self._check_emptiness()
        self._check_counts()
        self._check_details()

    @property
    def errors(self) -> tuple[LineError, ...]:
        """By line."""
        return tuple(sorted(self._errors.values(), key=lambda each: each.line))

    @property
    def notes(self) -> tuple[LineError, ...]:
        """What is left out of the ladder, and is no fault."""
        return tuple(self._notes[:MOST_ERRORS])

    def ladder(self) -> Ladder:
        """What was read, if there is no error in it."""
        return ladder_of(self._names, self._groups)

    # --- headings --------------------------------------------------------------------------------

    def _title(self, title: Title) -> None:
        if title.depth > 2:
            self._wrong(
                title.line,
                "text_outside",
                "Use # for a category or ## for a competency; deeper headings are not read.",
            )
        elif title.depth == 1:
            self._open_group(title)
        else:
            self._open_competency(title)

    def _open_group(self, title: Title) -> None:
        named = [each for each in self._groups if not each.orphans]
        name = self._name(title.line, title.text, [each.name for each in named], "category")
        if len(named) >= MOST_CATEGORIES:
            most = f"A ladder has at most {MOST_CATEGORIES} categories."
            self._wrong(title.line, "too_large", most)
        self._groups.append(Group(title.line, name))
        self._steps = None

    def _open_competency(self, title: Title) -> None:
        if not self._groups:
            self._groups.append(Group(title.line, "", orphans=True))
        group = self._groups[-1]
        if group.orphans:
            orphan = "This competency has no category. Add a line such as “# Craft” above it."
            self._wrong(title.line, "orphan_competency", orphan)
        others = [each.name for each in group.competencies]
        name = self._name(title.line, title.text, others, "competency")
        if len(others) >= MOST_COMPETENCIES:
            most = f"A category has at most {MOST_COMPETENCIES} competencies."
            self._wrong(title.line, "too_large", most)
        self._steps = Steps(title.line, name)
        group.competencies.append(self._steps)

    def _name(self, line: int, text: str, others: Iterable[str], what: str) -> str:
        name = clean_text(markdown.plain(text))
        if markdown.html_in_line(text):
            self._wrong_html(line)
        elif not _says_something(name):
            self._wrong(line, "empty", f"This {what} has no name.")
        elif len(name) > LONGEST_NAME:
            longest = f"The name of this {what} has {len(name)} signs; {LONGEST_NAME} are the most."
            self._wrong(line, "name_too_long", longest)
        elif comparison_key(name) in map(comparison_key, others):
            self._wrong(line, "duplicate", f"There is a {what} “{name}” already.")
        return name

    # --- items -----------------------------------------------------------------------------------

    def _item(self, item: Item) -> None:
        if self._steps is None:
            outside = "These levels have no competency. Add a line such as “## Code” above them."
            self._wrong(item.list_line, "text_outside", outside)
            return
        self._number(self._steps, item)
        if self._steps is self._names:
            self._level_name(item)
        else:
            said = self._description(item)
            self._steps.steps.append(Step(item.number, item.line, said, list(item.rest)))

    def _number(self, steps: Steps, item: Item) -> None:
        if not _MARKER.fullmatch(item.marker) and item.marker != "0.":
            marker = f"Levels are written “1.”, “2.” and so on, not “{item.marker}”."
            self._wrong(item.line, "bad_marker", marker)
        expected = steps.last + 1
        if any(each.number == item.number for each in steps.steps):
            again = f"Level {item.number} is here already; numbers count as they are written."
            self._wrong(item.line, "duplicate", again)
            steps.sound = False
        elif item.number != expected:
            gap = f"Level {expected} comes next, not {item.number}."
            self._wrong(item.line, "level_gap", gap)
            steps.sound = False
        elif expected > MOST_LEVELS:
            most = f"A ladder has at most {MOST_LEVELS} levels."
            self._wrong(item.line, "level_count", most)
            steps.sound = False
        # A number that nobody can have meant is not what the next one is measured by; who counts
        # from 0 has one too many, and all others are right.
        if item.number > 0:
            steps.last = item.number if item.number <= MOST_LEVELS else expected

    def _level_name(self, item: Item) -> None:
        others = [each.said for each in self._names.steps]
        text = " ".join(each.text for each in item.first)
        name = self._name(item.line, text, others, "level")
        outside = next((each for each in item.rest if each.text.strip(" ")), None)
        if outside is not None and item.first:
            self._wrong(outside.number, "text_outside", "A level has a name here, and no more.")
        self._names.steps.append(Step(item.number, item.line, name))

    def _description(self, item: Item) -> str:
        words = [" ".join(re.split(" +", each.text.strip())) for each in item.first]
        text = " ".join(words)
        # Where the lines begin in it.
        begins = list(accumulate((len(each) + 1 for each in words), initial=0))
        for at in markdown.html_in_line(text):
            line = max(number for number, begin in enumerate(begins[:-1]) if begin <= at)
            self._wrong_html(item.first[line].number)
        if item.begins == "html_block":
            self._wrong_html(item.line)
        elif not _says_something(text):
            nothing = f"Level {item.number} has no description: it begins with a paragraph."
            self._wrong(item.line, "empty", nothing)
        return text

    # --- all the rest ----------------------------------------------------------------------------

    def _loose(self, block: Loose) -> None:
        steps = self._steps
        if block.kind == "hr":
            return
        if steps is not None:
            self._swallowed(steps, block)
        if steps is not None and steps is not self._names and steps.steps:
            steps.steps[-1].add(block.lines)
        elif steps is not None and block.bullets and not steps.steps:
            self._bullets(steps, block)
        elif block.kind == "html_block":
            self._wrong_html(block.line)
        elif steps is None:
            self._leave_out(block)
        else:
            outside = "This text belongs to no level. Move it below a level, or remove it."
            self._wrong(block.line, "text_outside", outside)

    def _leave_out(self, block: Loose) -> None:
        """Note text between a category and its first competency, which the model does not have."""
        for each in block.lines:
            if markdown.html_in_line(each.text):
                self._wrong_html(each.number)
        filled = [each.number for each in block.lines if each.text.strip()]
        first, last = filled[0], filled[-1]
        which = f"Line {first} is" if first == last else f"Lines {first} to {last} are"
        message = f"{which} left out: a category has a name only."
        self._notes.append(LineError(first, "left_out", message))

    def _swallowed(self, steps: Steps, block: Loose) -> None:
        """An item right below a line of text belongs to it, which nobody means."""
        if block.kind != "paragraph_open":
            return
        found = [(each.number, _ITEM_IN_TEXT.match(each.text)) for each in block.lines[1:]]
        items = [(line, int(item[1])) for line, item in found if item is not None]
        if items:
            needed = "A level needs an empty line between it and the text above."
            self._wrong(items[0][0], "bad_marker", needed)
            steps.last, steps.sound = items[-1][1], False

    def _bullets(self, steps: Steps, block: Loose) -> None:
        for line in block.bullets:
            self._wrong(line, "bad_marker", "Levels have numbers: “1.”, “2.” and so on.")
        steps.sound = False

    # --- when all is read ------------------------------------------------------------------------

    def _check_emptiness(self) -> None:
        if not self._groups:
            self._wrong(1, "empty", "The ladder has no category: a line such as “# Craft”.")
        for group in self._groups:
            if not group.competencies:
                self._wrong(
                    group.line,
                    "empty",
                    "This category has no competency. Add a line such as “## Code” below it.",
                )
            for each in group.competencies:
                if each.sound and not each.steps:
                    self._wrong(
                        each.line,
                        "empty",
                        "This competency has no levels. Add lines such as “1. Reads.” below it.",
                    )

    def _check_counts(self) -> None:
        """All have as many levels as most have."""
        competencies = [each for group in self._groups for each in group.competencies]
        counted = [each for each in (self._names, *competencies) if each.sound and each.steps]
        if not counted:
            return
        usual = Counter(each.last for each in counted).most_common(1)[0][0]
        for each in counted:
            if each.last != usual:
                line = each.steps[0].line if each is self._names else each.line
                count = f"Here are {each.last} levels, elsewhere {usual}. Add or remove some here."
                self._wrong(line, "level_count", count)

    def _check_details(self) -> None:
        for group in self._groups:
            for competency in group.competencies:
                for step in competency.steps:
                    self._check_detail(step.detail)

    def _check_detail(self, lines: Sequence[Line]) -> None:
        """By the text of the detail alone: it is the same however the ladder is written."""
        if not lines:
            return
        for token in markdown.tokens("\n".join(each.text for each in lines)):
            if token.map is None or len(self._errors) >= MOST_ERRORS:
                continue
            line = lines[token.map[0]].number
            if token.level > markdown.DEEPEST:
                self._wrong_depth(line)
            elif token.type == "heading_open" and token.tag in ("h1", "h2"):
                inside = "A heading inside a level has three # or more; others begin the line."
                self._wrong(line, "text_outside", inside)
            elif token.type == "html_block":
                self._wrong_html(line)
            for at in markdown.html_places(token):
                self._wrong_html(lines[token.map[0] + token.content.count("\n", 0, at)].number)

    # --- errors ----------------------------------------------------------------------------------

    def _wrong(self, line: int, code: Code, message: str) -> None:
        self._errors.setdefault((line, code), LineError(line, code, message))

    def _wrong_html(self, line: int) -> None:
        self._wrong(
            line, "html", "HTML is not taken; a “<” that is meant as such is written “\\<”."
        )

    def _wrong_depth(self, line: int) -> None:
        self._wrong(line, "too_large", "Lists and quotes are too deep inside of each other.")


def _says_something(text: str) -> bool:
    """Not only signs, which could also be a line across the page."""
    return any(map(str.isalnum, text))
