"""`config`, `admin`: a ladder from a file, compared, activated; who runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.systems.ladders.cli.placed import Placed

from tablewright.systems.ladders import reads
from tablewright.systems.ladders.rules.shipped import shipped_text
from tablewright.systems.ladders.service.company import Company

SMALL = "# Craft\n\n## Code\n\n1. Reads it.\n2. Writes it.\n"
FAULTY = "Hello\n\n# Craft\n\n## Code\n\n1. Reads it.\n3. Writes it.\n"


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    file = tmp_path / "ladder.md"
    file.write_text(SMALL)
    return file


def test_a_ladder_is_checked_without_a_place(placed: Placed, ladder: Path, tmp_path: Path) -> None:
    said = placed.bare("ladders", "config", "validate", str(ladder))
    assert (said.code, said.out) == (0, "1 category, 1 competency, 2 levels\n")
    ladder.write_text(FAULTY)
    said = placed.bare("ladders", "config", "validate", str(ladder))
    assert said.code == 1
    assert [line.split(" ")[0] for line in said.out.splitlines()[:-1]] == [
        f"{ladder}:1:",
        f"{ladder}:8:",
    ]
    assert "(text_outside)" in said.out
    assert "(level_gap)" in said.out
    assert placed.bare("ladders", "config", "validate", "absent.md").code == 2
    shipped = tmp_path / "shipped.md"
    shipped.write_text(shipped_text())
    said = placed.bare("ladders", "config", "validate", str(shipped), "--json")
    assert '"levels": 112' in said.out


def test_versions_are_uploaded_activated_and_rolled_back(
    placed: Placed, ladder: Path, tmp_path: Path
) -> None:
    assert "--shipped" in placed("config", "list").out
    assert "give a file" in placed.fails("config", "upload", "1.0.0")
    first = placed.json("config", "upload", "1.0.0", "--shipped", "--activate")
    assert (first["active"], first["levels"]) == (True, 112)
    second = placed.json("config", "upload", "1.1.0", str(ladder))
    assert (second["active"], second["competencies"]) == (False, 1)
    assert "take another number" in placed.fails("config", "upload", "1.1.0", str(ladder)).lower()
    assert "three numbers" in placed.fails("config", "upload", "1.1", str(ladder))
    assert "version 1.1.0 is active" in placed("config", "activate", "1.1.0").out.lower()
    rows = placed("config", "list").out.splitlines()
    assert [(row.split()[0], "active" in row) for row in rows[1:]] == [
        ("1.1.0", True),
        ("1.0.0", False),
    ]
    assert placed.json("config", "rollback")["version"] == "1.0.0"
    assert "config list" in placed.fails("config", "activate", "9.9.9")
    # What is exported is what was uploaded.
    out = tmp_path / "out.md"
    assert placed.json("config", "export", "--out", str(out))["bytes"] == out.stat().st_size
    assert out.read_text() == shipped_text()
    assert placed("config", "export", "1.1.0").out == SMALL
    assert "--out" in placed.json("config", "export", code=2)["errors"][0]["field"]


def test_ladders_are_compared(placed: Placed, ladder: Path) -> None:
    assert "No version" in placed.fails("config", "diff", "active", str(ladder))
    placed.json("config", "upload", "1.0.0", str(ladder), "--activate")
    assert placed("config", "diff", "1.0.0", str(ladder)).out == "They say the same.\n"
    ladder.write_text(f"{SMALL.replace('Reads', 'Understands')}\n## Tests\n\n1. Some.\n2. All.\n")
    said = placed("config", "diff", "active", str(ladder))
    assert said.out.splitlines() == [
        "+ Craft / Tests",
        "~ Craft / Code / 1",
        "  before  Reads it.",
        "  after   Understands it.",
    ]
    told = placed.json("config", "diff", str(ladder), "active")
    assert [each["competency"] for each in told["removed"]] == ["Tests"]
    assert told["reworded"][0]["after"] == "Reads it."
    ladder.write_text(FAULTY)
    assert f"{ladder}:8" in placed.fails("config", "upload", "2.0.0", str(ladder))


def test_the_first_administrator(placed: Placed) -> None:
    made = placed.json("admin", "grant", "--email", "Ines@Example.org", "--name", "Ines Okafor")
    assert made["roles"] == ["admin"]
    assert placed.json("admin", "grant", "--email", "ines@example.org") == made
    assert "ines" not in placed("admin", "grant", "--email", "ines@example.org").out.lower()
    assert "email" in placed.fails("admin", "grant", "--email", "nobody")

    async def known(company: Company) -> list[str]:
        found = company.db.iterate(reads.all_users())
        return [each.name async for each in found]

    assert placed.company(known) == ["Ines Okafor"]


def test_validation_notes_lines_that_are_left_out(placed: Placed, tmp_path: Path) -> None:
    file = tmp_path / "described.md"
    file.write_text("# Craft\n\nHow we build.\n\n## Code\n1. a\n2. b\n")
    said = placed.bare("ladders", "config", "validate", str(file))
    assert said.code == 0
    assert "3: Line 3 is left out: a category has a name only." in said.out
    assert '"notes": [{"line": 3' in placed.bare(
        "ladders", "config", "validate", str(file), "--json"
    ).out.replace("\n", "").replace("  ", "").replace('": [ {', '": [{')
