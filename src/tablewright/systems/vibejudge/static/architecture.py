"""How a product is built up: sizes, modules, imports, settings, a way in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tablewright.systems.vibejudge.repos.snapshot import SourceFile
from tablewright.systems.vibejudge.static.codebase import Code, Codebase

LARGEST_SHARE = 0.4
LEAST_MODULES = 3
_CONFIG_NAME = re.compile(
    r"(?i)(?:^|/)(?:_?config|_?settings|configuration|constants|appsettings|application|environment"
    r"|options|flags|defaults)(?:[._-]?\w{1,20})?\.(?:py|js|ts|json|ya?ml|toml|ini|properties|go"
    r"|rs|rb|php|java|kt|cs"
    r"|env|cfg)$|(?:^|/)\.env\.(?:example|sample|template|dist)$|(?:^|/)(?:config|settings)/[^/]+$"
)
_READS_ENV = re.compile(
    r"\bos\.(?:environ|getenv|Getenv|LookupEnv)\b|\bprocess\.env\b|\bimport\.meta\.env\b|\bgetenv\("
    r"|\bSystem\.getenv\(|\benv::var|Environment\.GetEnvironmentVariable|\bENV\[|\bENV\.fetch"
    r"|@Value\("
    r"|\bload_dotenv\(|ProcessInfo\.processInfo\.environment|\bstd::env\b|BuildConfig\.|\$_ENV\["
)
_ENTRY_NAME = re.compile(
    r"(?i)(?:^|/)(?:__main__|main|app|server|index|manage|run|cli|wsgi|asgi|Program|Application"
    r"|start"
    r"|streamlit_app)\.(?:py|js|jsx|ts|tsx|mjs|go|rs|rb|php|java|kt|cs|swift|c|cpp|html|dart"
    r"|ipynb)$"
    r"|(?:^|/)(?:config\.ru|Procfile)$|(?:^|/)app/page\.[jt]sx?$"
)
_ENTRY_CODE = re.compile(
    r"__name__\s*==\s*['\"]__main__['\"]|\bfunc main\(\)|\bfn main\(\)|\bstatic void main\s*\("
    r"|\bint main\s*\(|\bfun main\(|@main\b|@SpringBootApplication|\bstatic (?:async )?(?:void"
    r"|Task|int) Main\("
)
_ENTRY_MANIFEST = re.compile(
    r"\[project\.scripts\]|\[project\.gui-scripts\]|\bentry_points\b|\"(?:main|bin|exports)\"\s*:"
    r"|\"start\"\s*:|\[\[bin\]\]|\[lib\]|\bmainClass\b"
)
_MANIFESTS = (
    "package.json",
    "pyproject.toml",
    "setup.py",
    "cargo.toml",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
)


@dataclass(frozen=True, slots=True)
class Layout:
    largest: Code
    largest_share: float
    modules: int
    config_apart: bool
    entry_point: bool


def layout_of(base: Codebase) -> Layout:
    """Of a product that has code."""
    sizes = {each.path: each.size - each.tests_inside for each in base.product}
    largest = max(base.product, key=lambda each: (sizes[each.path], each.path))
    return Layout(
        largest=largest,
        largest_share=sizes[largest.path] / max(1, base.product_lines),
        # An empty file is none, and neither is one that only names others.
        modules=sum(size >= 5 for size in sizes.values()),
        config_apart=_config_apart(base),
        entry_point=_entry_point(base),
    )


def _config_apart(base: Codebase) -> bool:
    own = [each for each in base.own_files if base.roles[each.path] == "product"]
    if any(_CONFIG_NAME.search(each.path) and not _for_tools(each) for each in own):
        return True
    return any(_READS_ENV.search(each.bare[: each.product_end]) for each in base.product)


def _for_tools(file: SourceFile) -> bool:
    """Settings of linters and bundlers are not the product's."""
    name = file.path.rpartition("/")[2].lower()
    return bool(
        re.search(r"eslint|babel|webpack|tailwind|postcss|jest|vite|tsconfig|next\.config", name)
    )


def _entry_point(base: Codebase) -> bool:
    own = [each for each in base.own_files if base.roles[each.path] in ("product", "around")]
    if any(_ENTRY_NAME.search(each.path) for each in own):
        return True
    if any(_ENTRY_CODE.search(each.code) for each in base.product):
        return True
    if any(_ENTRY_MANIFEST.search(each.text or "") for each in base.named(*_MANIFESTS)):
        return True
    return _is_library(own)


def _is_library(own: list[SourceFile]) -> bool:
    """What others import has its way in where they import it from."""
    folders = {each.path.rpartition("/")[0] for each in own if each.path.endswith(".go")}
    modules = {each.path.rpartition("/")[0] for each in own if each.path.endswith("go.mod")}
    return bool(folders & modules) or any(
        each.path.endswith((".gemspec", "lib.rs")) for each in own
    )
