"""What is new, and how it is shown."""

from __future__ import annotations

from decimal import Decimal

import pytest
from tests.systems.vibejudge.static.support import facts_of, file_of

from tablewright.systems.vibejudge.static import innovation
from tablewright.systems.vibejudge.static.manifests import manifests_of
from tablewright.systems.vibejudge.static.rarity import dated, level_of

README = (
    """# Thing

Thing finds lost socks in the laundry of a whole town, in seconds.

![It at work](docs/shot.png)

## Install

    pip install thing

## Usage

    python thing.py

## Architecture

A model looks at pictures of socks, and a graph pairs them. See https://thing.vercel.app for more.

## License

MIT
"""
    + "It is good. " * 30
)


def test_novelty_is_the_mean_of_rarities() -> None:
    assert innovation.technical_novelty(facts_of({"a.py": "x = 1\n"})).score is None
    common = {"requirements.txt": "flask\nrequests\n"}
    assert innovation.technical_novelty(facts_of(dict(common))).score == 1
    mixed = {
        "requirements.txt": "flask\nsome-rare-thing\n",
        "a.py": "from rare_thing import magic\n",
    }
    found = innovation.technical_novelty(facts_of(dict(mixed)))
    assert found.score == Decimal("4.5")
    assert [each.line for each in found.findings] == [2]


def test_novelty_credits_neither_tools_nor_packages_that_no_code_imports() -> None:
    text = "flask\nmypy\npython-dotenv\nsome-rare-thing\n"
    facts = facts_of({"requirements.txt": text, "a.py": "from flask import Flask\n"})
    found = innovation.technical_novelty(facts)
    assert (found.score, found.findings) == (1, ())


def test_the_list_has_a_date_and_stands_for_many() -> None:
    assert dated().startswith("20")
    assert level_of("npm", "react") == "everywhere"
    assert level_of("npm", "@radix-ui/react-dialog") == "common"
    assert level_of("pypi", "no-such-thing-at-all") == "uncommon"


@pytest.mark.parametrize(
    ("path", "text", "names", "pinned"),
    [
        (
            "requirements.txt",
            "# x\nFlask==3.0\n-r b.txt\na[b]>=1 ; x\n",
            ["flask", "a"],
            [True, False],
        ),
        (
            "pyproject.toml",
            '[project]\ndependencies = ["a~=1.0", "b"]\n',
            ["a", "b"],
            [True, False],
        ),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3"\na = "^1"\n', ["a"], [True]),
        ("Pipfile", '[packages]\na = "*"\nb = "==1"\n', ["a", "b"], [False, True]),
        ("setup.py", "setup(install_requires=['a==1', 'b'])\n", ["a", "b"], [True, False]),
        (
            "environment.yml",
            "dependencies:\n  - numpy=1.2\n  - pandas\n",
            ["numpy", "pandas"],
            [True, False],
        ),
        (
            "package.json",
            '{"dependencies": {"a": "^1.0.0", "b": "latest", "@types/c": "1"},'
            ' "devDependencies": {"d": "1"}}',
            ["a", "b"],
            [True, False],
        ),
        (
            "Cargo.toml",
            '[dependencies]\na = "1.0"\nb = { path = "../b" }\nc = { version = "2" }\n',
            ["a", "c"],
            [True, True],
        ),
        (
            "go.mod",
            "module x\nrequire (\n\tgithub.com/a/b/v2 v2.1.0\n"
            "\tgithub.com/c/d v1.0.0 // indirect\n)\n",
            ["github.com/a/b"],
            [True],
        ),
        (
            "Gemfile",
            "gem 'a', '~> 1.0'\ngem \"b\"\ngem 'c', path: 'c'\n",
            ["a", "b"],
            [True, False],
        ),
        ("composer.json", '{"require": {"php": ">=8", "a/b": "^1.0"}}', ["a/b"], [True]),
        (
            "pom.xml",
            "<dependency><groupId>g</groupId><artifactId>a</artifactId><version>1.0</version></dependency>",
            ["g:a"],
            [True],
        ),
        ("build.gradle", "dependencies {\n    implementation 'g:a:1.0'\n}\n", ["g:a"], [True]),
        ("App.csproj", '<PackageReference Include="A" Version="1.0" />', ["a"], [True]),
        ("Package.swift", '.package(url: "https://x.y/z/Kit.git", from: "1.0.0")', ["kit"], [True]),
        (
            "pubspec.yaml",
            "dependencies:\n  flutter:\n    sdk: flutter\n  http: ^1.0.0\n",
            ["http"],
            [True],
        ),
        ("mix.exs", '{:a, "~> 1.0"}', ["a"], [True]),
    ],
)
def test_manifests(path: str, text: str, names: list[str], pinned: list[bool]) -> None:
    (manifest,) = manifests_of([file_of(path, text)])
    assert [each.name for each in manifest.dependencies] == names
    assert [each.pinned for each in manifest.dependencies] == pinned


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"dependencies": [1]}', "[" * 100_000])
def test_manifests_that_are_none(text: str) -> None:
    for name in ("package.json", "pyproject.toml", "composer.json", "Cargo.toml", "pom.xml"):
        (manifest,) = manifests_of([file_of(name, text)])
        assert manifest.dependencies == ()


def test_two_for_each_technique() -> None:
    text = "ws = new WebSocket(url)\n// new Worker('x')\nconst t = 'dijkstra';\n"
    found = innovation.creative_problem_solving(facts_of({"a.js": text}))
    assert found.score == 2
    assert [each.line for each in found.findings] == [1]
    assert found.findings[0].excerpt == "ws = new WebSocket(url)"
    more = {"a.py": "import asyncio\nasyncio.gather(a)\n\n@lru_cache\ndef dijkstra(): pass\n"}
    assert innovation.creative_problem_solving(facts_of(dict(more))).score == 6
    part = {"a.py": "def my_dijkstra_like_thing(): pass\n"}
    assert innovation.creative_problem_solving(facts_of(dict(part))).score == 0


def test_elegance_is_a_mean() -> None:
    assert innovation.architecture_elegance(Decimal(8), Decimal(9)).score == Decimal("8.5")
    assert innovation.architecture_elegance(None, Decimal(9)).score == 9
    assert innovation.architecture_elegance(None, None).score is None


def test_readme() -> None:
    assert innovation.readme_quality(facts_of({"README.md": README})).score == 10
    assert innovation.readme_quality(facts_of({"a.py": "x = 1\n"})).score == 0
    poor = innovation.readme_quality(facts_of({"README.md": "# Thing\n"}))
    assert poor.score == 0
    assert poor.findings[0].file == "README.md"
    one = facts_of({"README": "Thing finds lost socks in the laundry.\n", "LICENSE": "MIT\n"})
    assert innovation.readme_quality(one).score == Decimal("2.5")
    badge = "# T\n\n![ci](https://img.shields.io/x.svg)\n"
    assert innovation.readme_quality(facts_of({"README.md": badge})).score == 0


def test_demo() -> None:
    assert innovation.demo_potential(facts_of({"a.py": "x = 1\n"})).score == 0
    found = innovation.demo_potential(
        facts_of({"README.md": README, "Dockerfile": "FROM x\n", "data/sample.csv": "a\n"})
    )
    assert found.score == 10
