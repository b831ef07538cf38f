"""Quality, security, tests, errors and dependencies."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tests.systems.vibejudge.static.support import facts_of

from tablewright.systems.vibejudge.static import bug_hunter

SIMPLE = "def plain(a):\n    return a + 1\n\n\n"
BRANCHES = "".join(f"    if a == {n}:\n        return {n}\n" for n in range(12))
#: 117 functions of two lines that are no copies of each other.
DIFFERENT = [f"def plain_{n}(a_{n}):\n    return a_{n} + {n}\n\n\n" for n in range(117)]
COMPLEX = f"def knot(a):\n{BRANCHES}    return a\n\n\n"


def test_code_quality_takes_up_to_six_for_lines_in_complex_functions() -> None:
    assert bug_hunter.code_quality(facts_of({"a.py": SIMPLE})).score == 10
    # 26 of 26 + 2 x 117 = 260 lines of functions are in a complex one: 9 x 0.1.
    found = bug_hunter.code_quality(facts_of({"a.py": COMPLEX, "b.py": "".join(DIFFERENT)}))
    assert found.score == Decimal("9.1")
    assert (found.findings[0].line, found.findings[0].kind) == (1, "complex")
    assert bug_hunter.code_quality(facts_of({"a.py": COMPLEX})).score == 4


def test_code_quality_takes_four_for_copies() -> None:
    body = "".join(f"    total_{n} = first_{n} * second_{n} + third_{n}\n" for n in range(20))
    one = f"def first():\n{body}"
    two = f"\n\ndef second():\n{body}"
    found = bug_hunter.code_quality(facts_of({"a.py": one, "b.py": two}))
    # Of 42 lines, some 20 are the second copy: 15 x 0.5 is more than the 4 that copies can take.
    assert found.score == 6
    (copy,) = found.findings
    assert (copy.file, copy.kind) == ("b.py", "copied")
    assert "a.py:" in copy.message


@pytest.mark.parametrize("name", ["node_modules/x/a.js", "dist/a.js", "lib/jquery-3.1.0.min.js"])
def test_code_of_others_does_not_count(name: str) -> None:
    facts = facts_of({"a.py": SIMPLE, name: "eval(x);\n" * 30})
    assert bug_hunter.security(facts).score == 10
    assert facts.base.product_lines == 2


@pytest.mark.parametrize(
    ("name", "line", "takes"),
    [
        ("a.py", "x = eval(given)", "2"),
        ("a.py", "import os; os.system('ls ' + given)", "2"),
        ("a.py", "db.execute(f'SELECT * FROM t WHERE id = {given}')", "2"),
        ("a.py", "import yaml; yaml.load(given)", "1"),
        ("a.py", "import hashlib; hashlib.md5(given)", "0.3"),
        ("a.js", "const x = eval(given);", "2"),
        ("a.js", "exec(`rm ${given}`);", "2"),
        ("a.js", "db.query(`SELECT * FROM t WHERE id = ${given}`);", "2"),
        ("a.ts", 'db.query("DELETE FROM t WHERE id = " + given);', "2"),
        ("a.php", '<?php $r = $db->query("SELECT a FROM t WHERE id = $id");', "2"),
        ("a.php", "<?php echo $_GET['name'];", "1"),
        ("A.java", 's.execute("SELECT a FROM t WHERE id = " + id);', "2"),
        ("a.go", 'db.Query(fmt.Sprintf("SELECT a FROM t WHERE id = %s", id))', "2"),
        ("a.rb", 'User.find_by_sql("SELECT a FROM t WHERE id = #{id}")', "2"),
        ("a.c", "gets(buffer);", "2"),
        ("A.cs", 'var q = $"SELECT a FROM t WHERE id = {id}";', "2"),
        ("a.kt", 'db.rawQuery("SELECT a FROM t WHERE id = $id")', "2"),
    ],
)
def test_security_finds(name: str, line: str, takes: str) -> None:
    found = bug_hunter.security(facts_of({name: f"\n{line}\n"}))
    assert found.score == 10 - Decimal(takes)
    (finding,) = found.findings
    assert (finding.file, finding.line, finding.excerpt) == (name, 2, line)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.py", "x = 'eval(given)'  # eval(given)"),
        ("a.py", "db.execute('SELECT * FROM t WHERE id = ?', (given,))"),
        ("a.js", "// eval(given)"),
        ("a.js", "const text = 'never eval(given)';"),
        ("a.js", "model.eval(given);"),
        ("a.js", "sql`SELECT a FROM t WHERE id = ${given}`;"),
        ("a.js", 'db.query("SELECT a FROM t WHERE id = ?", [given]);'),
        ("a.php", "<?php $q = 'SELECT a FROM t WHERE id = $id';"),
        ("a.php", '<?php $q = "SELECT a FROM $this->table WHERE id = :id";'),
        ("a.go", 'db.Query("SELECT a FROM t WHERE id = $1", id)'),
        ("a.rb", 'puts "selected #{name} from the list"'),
        ("tests/test_a.py", "x = eval(given)"),
    ],
)
def test_security_leaves_alone(name: str, line: str) -> None:
    facts = facts_of({name: f"{line}\n", "b.py": SIMPLE})
    assert bug_hunter.security(facts).findings == ()


def test_coverage_by_lines() -> None:
    source = "x = 1\n" * 100
    assert bug_hunter.test_coverage(facts_of({"a.py": source})).score == 0
    some = facts_of({"a.py": source, "tests/test_a.py": "assert 1\n" * 25})
    assert bug_hunter.test_coverage(some).score == 6
    many = facts_of({"a.py": source, "test_a.py": "assert 1\n" * 80})
    assert bug_hunter.test_coverage(many).score == 10
    assert bug_hunter.test_coverage(facts_of({"README.md": "text"})).score is None


def test_coverage_counts_tests_inside_of_rust_files() -> None:
    text = (
        "fn a() {}\n" * 100 + "#[cfg(test)]\nmod tests {\n" + "// t\nassert!(true);\n" * 50 + "}\n"
    )
    found = bug_hunter.test_coverage(facts_of({"src/lib.rs": text}))
    assert found.score == 10


@pytest.mark.parametrize(
    ("name", "dropped", "met"),
    [
        (
            "a.py",
            "try:\n    go()\nexcept ValueError:\n    pass\n",
            "try:\n    go()\nexcept ValueError as error:\n    log(error)\n",
        ),
        ("a.js", "try { go() } catch (e) { /* hm */ }\n", "try { go() } catch (e) { report(e) }\n"),
        ("a.ts", "go().catch(() => {});\n", "go().catch((e) => report(e));\n"),
        ("A.java", "try { go(); } catch (E e) { }\n", "try { go(); } catch (E e) { throw e; }\n"),
        ("a.go", "x, _ := f(y)\n", "if err != nil {\n\treturn err\n}\n"),
        ("a.rs", "let x = f().unwrap();\n", "let x = f()?;\n"),
        ("a.rb", "begin\n  go\nrescue E\nend\n", "begin\n  go\nrescue E => e\n  log e\nend\n"),
        (
            "a.php",
            "<?php try { go(); } catch (E $e) {}\n",
            "<?php try { go(); } catch (E $e) { log($e); }\n",
        ),
        ("a.swift", "let x = try? go()\n", "do { try go() } catch { log(error) }\n"),
        ("A.cs", "try { Go(); } catch (E) { }\n", "try { Go(); } catch (E e) { Log(e); }\n"),
    ],
)
def test_errors_that_are_dropped(name: str, dropped: str, met: str) -> None:
    assert bug_hunter.error_handling(facts_of({name: met})).score == 10
    found = bug_hunter.error_handling(facts_of({name: dropped}))
    assert found.score == 0
    assert len(found.findings) == 1
    ending = name.partition(".")[2]
    mixed = facts_of({name: dropped, f"b.{ending}": met})
    assert bug_hunter.error_handling(mixed).score == 5


def test_no_errors_are_met() -> None:
    assert bug_hunter.error_handling(facts_of({"a.py": SIMPLE})).score == 5
    asked = "try:\n    import fast\nexcept ImportError:\n    pass\n"
    assert bug_hunter.error_handling(facts_of({"a.py": asked})).score == 10


@pytest.mark.parametrize(
    ("files", "score"),
    [
        ({}, "2"),
        ({"requirements.txt": "flask==3.0\n"}, "7"),
        ({"requirements.txt": "flask==3.0\nrequests\n"}, "6"),
        ({"requirements.txt": "flask\n"}, "5"),
        ({"package.json": '{"dependencies": {"a": "^1.2.3"}}', "yarn.lock": "a"}, "10"),
        ({"package.json": '{"dependencies": {"a": "*"}}', "package-lock.json": "{}"}, "10"),
        ({"package.json": "{", "package-lock.json": "{}"}, "10"),
        ({"pyproject.toml": '[project]\ndependencies = ["a>=1,<2"]\n', "uv.lock": "a"}, "10"),
        ({"node_modules/a/index.js": "x"}, "0"),
    ],
)
def test_dependency_hygiene(files: dict[str, str], score: str) -> None:
    found = bug_hunter.dependency_hygiene(facts_of({"a.py": SIMPLE, **files}))
    assert found.score == Decimal(score)


def test_unpinned_dependency_with_a_lower_bound_is_not_called_unbounded() -> None:
    text = "certifi>=2023.5.7\nrequests\n"
    found = bug_hunter.dependency_hygiene(facts_of({"a.py": SIMPLE, "requirements.txt": text}))
    messages = [each.message for each in found.findings]
    assert messages == [
        "certifi has no upper version (>=2023.5.7): add one, or commit a lockfile",
        "requests has no version: name one, or commit a lockfile",
    ]
    locked = {"a.py": SIMPLE, "requirements.txt": text, "requirements.lock": "certifi==2024.2.2\n"}
    assert bug_hunter.dependency_hygiene(facts_of(dict(locked))).findings == ()


@pytest.mark.parametrize("ending", ["tsx", "jsx"])
def test_complex_component_is_reported_at_the_line_that_begins_it(ending: str) -> None:
    branches = "".join(f"  if (kind === {n}) {{ return <b>{n}</b>; }}\n" for n in range(12))
    head = "".join(
        f"export const Part{n} = () => (\n  <div>\n    {{names.map((name) => (\n"
        "      <li\n        key={name}\n        onClick={() => go(name)}\n      >\n"
        "        It's {name}\n      </li>\n    ))}\n  </div>\n);\n\n"
        for n in range(6)
    )
    text = f"{head}export function Knot({{ kind }}) {{\n{branches}  return null;\n}}\n"
    found = bug_hunter.code_quality(facts_of({f"a.{ending}": text}))
    (knot,) = [each for each in found.findings if each.kind == "complex"]
    assert knot.excerpt == "export function Knot({ kind }) {"
    assert knot.line == 1 + text[: text.index("export function Knot")].count("\n")


def test_dependencies_do_not_apply_to_everything() -> None:
    assert bug_hunter.dependency_hygiene(facts_of({"main.c": "int main() {}\n"})).score is None
