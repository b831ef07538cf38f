"""A snapshot, sorted by what its files are for, with what several rules need of each."""

from __future__ import annotations

import ast
import bisect
import re
import warnings
from collections.abc import Iterator
from functools import cached_property

from tablewright.systems.vibejudge.analysis import Severity
from tablewright.systems.vibejudge.repos.languages import PROGRAMMING
from tablewright.systems.vibejudge.repos.snapshot import Snapshot, SourceFile
from tablewright.systems.vibejudge.static.masking import Masked, mask
from tablewright.systems.vibejudge.static.notebooks import code_of
from tablewright.systems.vibejudge.static.results import MOST_EXCERPT, Finding
from tablewright.systems.vibejudge.static.roles import Role, is_vendored, role_of

_INLINE_TESTS = re.compile(r"^#\[cfg\(test\)\]", re.MULTILINE)
#: More than this of one file is not looked at by patterns; no code is written that long.
MOST_CHARS = 400_000


class Code:
    """One file of code."""

    def __init__(self, file: SourceFile, role: Role) -> None:
        self.file, self.role, self.path = file, role, file.path
        self.raw = file.text or ""
        notebook = file.language == "Notebook"
        self.language = "Python" if notebook else file.language or ""
        self.text = (code_of(self.raw) if notebook else self.raw)[:MOST_CHARS]

    @cached_property
    def masked(self) -> Masked:
        return mask(self.text, self.language)

    @property
    def code(self) -> str:
        return self.masked.code

    @property
    def bare(self) -> str:
        return self.masked.bare

    @cached_property
    def lines(self) -> list[str]:
        return self.raw.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def line_at(self, offset: int) -> int:
        return bisect.bisect_right(self._starts, offset)

    @cached_property
    def tree(self) -> ast.Module | None:
        """Of Python that parses."""
        if self.language != "Python":
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @cached_property
    def size(self) -> int:
        """Lines with something on them, comments aside."""
        return sum(1 for line in self.code.split("\n") if line.strip())

    @cached_property
    def tests_inside(self) -> int:
        """Lines of tests in a file of the product, as Rust has them."""
        found = _INLINE_TESTS.search(self.code) if self.language == "Rust" else None
        if found is None:
            return 0
        return sum(1 for line in self.code[found.start() :].split("\n") if line.strip())

    @cached_property
    def product_end(self) -> int:
        """Where the product ends and tests in the same file begin."""
        found = _INLINE_TESTS.search(self.code) if self.language == "Rust" else None
        return found.start() if found else len(self.text)

    def finding(self, kind: str, line: int, severity: Severity, message: str) -> Finding:
        return Finding(kind, self.path, line, severity, message, self.excerpt(line))

    def excerpt(self, line: int) -> str:
        return excerpt_of(self.lines, line)


def excerpt_of(lines: list[str], line: int) -> str:
    return lines[line - 1].strip()[:MOST_EXCERPT] if 0 < line <= len(lines) else ""


class Codebase:
    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.roles = {file.path: role_of(file) for file in snapshot.files}
        code = [
            Code(file, self.roles[file.path])
            for file in snapshot.files
            if file.text and file.language in PROGRAMMING and self.roles[file.path] != "aside"
        ]
        code = [each for each in code if each.text.strip()]
        self.tests = [each for each in code if each.role == "test"]
        around = [each for each in code if each.role == "around"]
        product = [each for each in code if each.role == "product"]
        # Where all there is lies below "demo" or "scripts", that is the product.
        few = sum(each.size for each in product) * 10 < sum(each.size for each in around)
        self.product = sorted([*product, *around], key=lambda each: each.path) if few else product
        self.around = [] if few else around

    @cached_property
    def product_lines(self) -> int:
        return sum(each.size - each.tests_inside for each in self.product)

    @cached_property
    def test_lines(self) -> int:
        inside = sum(each.tests_inside for each in self.product)
        return inside + sum(each.size for each in self.tests)

    @cached_property
    def languages(self) -> dict[str, int]:
        """Lines of the product by language, the most first."""
        found: dict[str, int] = {}
        for each in self.product:
            found[each.language] = found.get(each.language, 0) + each.size
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))

    @cached_property
    def own_files(self) -> list[SourceFile]:
        """All that is not aside, code or not."""
        return [each for each in self.snapshot.files if self.roles[each.path] != "aside"]

    @cached_property
    def vendored(self) -> list[str]:
        return [each.path for each in self.snapshot.files if is_vendored(each.path)]

    def named(self, *names: str) -> Iterator[SourceFile]:
        """Files of these names, in small letters, anywhere."""
        for each in self.own_files:
            if each.path.rpartition("/")[2].lower() in names:
                yield each

    def of(self, *languages: str) -> list[Code]:
        return [each for each in self.product if each.language in languages]

    @cached_property
    def readme(self) -> SourceFile | None:
        found = [
            each
            for each in self.snapshot.files
            if each.path.rpartition("/")[2].lower().partition(".")[0] == "readme"
            and each.text is not None
            and not is_vendored(each.path)
        ]
        return min(found, key=lambda each: (each.path.count("/"), each.path), default=None)
