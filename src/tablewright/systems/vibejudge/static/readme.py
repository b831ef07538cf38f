"""What a README tells, and what a visitor could try."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tablewright.systems.vibejudge.repos.snapshot import SourceFile
from tablewright.systems.vibejudge.static.codebase import Codebase

LEAST_CHARS = 500
_MOST = 60_000
_HEADING = re.compile(
    r"(?m)^(?:#{1,6}[ \t]*(?P<md>[^\n]{1,120})|(?P<rst>[^\n]{2,80})\n(?:[=~^-]{3,})[ \t]*$)"
)
_INSTALL = re.compile(
    r"(?i)\binstall|\bset[ -]?up\b|getting started|\bsetup\b|prerequisites|requirements"
    r"|quick ?start"
    r"|\bbuild(?:ing)?\b|how to run|deployment"
)
_INSTALL_COMMAND = re.compile(
    r"(?m)\b(?:pip3? install|npm (?:i|install|ci)\b|yarn(?: install| add|$)|pnpm (?:i|install|add)"
    r"|go get|go install|"
    r"cargo (?:install|add|build)|bundle install|gem install|composer (?:install|require)"
    r"|docker(?:-| )compose up|"
    r"mvn |gradlew|pod install|flutter pub get|brew install|poetry install|uv (?:sync|pip|add)"
    r"|git clone)"
)
_USAGE = re.compile(
    r"(?i)\busage|\bhow to (?:use|run|play)|\bexamples?\b|running|getting started|\bdemo\b"
    r"|quick ?start"
    r"|features|tutorial|a simple|using |how it works|user ?guide|hello"
)
_DESIGN = re.compile(
    r"(?i)architecture|\bdesign|how it works|how we built|built with|tech(?:nolog|nical| stack"
    r"|s\b)|\bstack\b|structure"
    r"|overview|implementation|\bmodel\b|under the hood|system|why |features|philosophy|tools"
    r"|frameworks"
)
_IMAGE = re.compile(
    r"(?i)!\[[^\]\n]{0,200}\]\((?!https?://(?:img\.shields\.io|badge"
    r"|github\.com/[^)\n]{0,100}/(?:workflows|actions)))"
    r"|<img\b(?![^>\n]{0,200}(?:shields\.io|badge))|\.\. (?:image|figure)::(?![^\n]{0,100}badge)"
)
_LICENCE = re.compile(r"(?i)\blicen[sc]e")
_LINK = re.compile(
    r"https?://(?!(?:img\.shields\.io|localhost|127\.0\.0\.1|0\.0\.0\.0|your"
    r"|example))[\w-]{1,80}\.[\w.-]{2,80}"
)
_LIVE = re.compile(
    r"(?i)(?:live|demo|deployed|website|try it|hosted|play|visit|video|site|app|docs?"
    r"|documentation)\b[^\n]{0,80}"
    r"https?://(?!localhost|127\.|github\.com/[\w-]{1,80}/[\w.-]{1,80}\.git)[\w.-]{3,80}"
    r"|https?://[\w.-]{1,80}\.(?:vercel\.app|netlify\.app|herokuapp\.com|github\.io|web\.app"
    r"|firebaseapp\.com|onrender\.com"
    r"|streamlit\.app|pages\.dev|fly\.dev|hf\.space|railway\.app|surge\.sh|readthedocs\.io"
    r"|devpost\.com|youtube\.com|youtu\.be)"
    r"|https?://(?:www\.)?(?:devpost\.com|youtube\.com|youtu\.be|loom\.com|docs\.rs|pkg\.go\.dev"
    r"|vimeo\.com)/"
)
_RUN = re.compile(
    r"(?m)\b(?:python3? [\w./-]{1,60}\.py|python3? -m [\w.]{2,40}|flask (?:run|--app)"
    r"|uvicorn [\w.]|streamlit run|npm (?:run )?(?:start|dev)\b"
    r"|yarn (?:start|dev|run)|pnpm (?:start|dev|run)|npx [\w@]|node [\w./-]{1,60}|go run|cargo run"
    r"|docker run|docker(?:-| )compose up"
    r"|rails s|ruby [\w./-]{1,60}\.rb|bundle exec|php artisan serve|php -S|mvn spring-boot:run"
    r"|gradlew (?:run|bootRun)|dotnet run|flutter run"
    r"|make (?:run|start|up)|expo start|java -jar|manage\.py runserver|jupyter (?:notebook|lab)"
    r"|\./[\w-]{2,40}\.sh)"
)
_SAMPLE = re.compile(
    r"(?i)(?:^|/)(?:samples?|examples?|demos?|seeds?|fixtures|sample[-_]data|example[-_]data|data"
    r"|dataset)/[^\n]+\.\w+$"
    r"|(?:^|/)(?:seeds?|sample\w*|example\w*|demo\w*)\.(?:json|csv|sql|ts|js|py|rb|ya?ml|txt"
    r"|ipynb)$"
)
_PICTURE = re.compile(r"(?i)\.(?:png|jpe?g|gif|webp|mp4|mov|svg)$")
_CONTAINER = frozenset(
    [
        "dockerfile",
        "containerfile",
        "docker-compose.yml",
        "docker-compose.yaml",
        "compose.yml",
        "compose.yaml",
    ]
)


@dataclass(frozen=True, slots=True)
class Checks:
    #: What was looked for, and whether it is there, in a fixed order.
    found: Mapping[str, bool]

    @property
    def absent(self) -> list[str]:
        return [name for name, there in self.found.items() if not there]

    @property
    def count(self) -> int:
        return sum(self.found.values())


def readme_checks(base: Codebase) -> Checks | None:
    """None without a README."""
    file = base.readme
    if file is None or file.text is None:
        return None
    text = file.text[:_MOST]
    headings = " \n ".join(found["md"] or found["rst"] for found in _HEADING.finditer(text))
    licence = any(
        each.path.lower().partition(".")[0] in ("license", "licence", "copying", "unlicense")
        or each.path.lower().startswith(("license", "licence"))
        for each in base.snapshot.files
    )
    return Checks(
        {
            "what it is": _says_what(text),
            "how to install it": bool(_INSTALL.search(headings) or _INSTALL_COMMAND.search(text)),
            "how to use it": bool(_USAGE.search(headings) or _RUN.search(text)),
            "how it is built": bool(_DESIGN.search(headings)),
            "an image": bool(_IMAGE.search(text)),
            "a licence": licence or bool(_LICENCE.search(text)),
            f"{LEAST_CHARS} characters": len(_prose(text)) >= LEAST_CHARS,
            "links": bool(_LINK.search(text)),
        }
    )


def _says_what(text: str) -> bool:
    """A sentence of its own near the top, not only a title."""
    for line in text.split("\n")[:60]:
        said = line.strip()
        if len(said.split()) >= 6 and not said.startswith(
            ("#", "[!", "![", "<", "```", "|", "..", ":")
        ):
            return True
    return False


def _prose(text: str) -> str:
    return re.sub(
        r"\s+", " ", re.sub(r"<[^>\n]{1,300}>|!?\[[^\]\n]{0,200}\]\([^)\n]{0,300}\)", " ", text)
    )


def demo_checks(base: Codebase) -> Checks:
    text = ((base.readme.text if base.readme else "") or "")[:_MOST]
    own = base.own_files
    return Checks(
        {
            "a command to run it": bool(_RUN.search(text)) or _start_script(base),
            "a container": any(each.path.rpartition("/")[2].lower() in _CONTAINER for each in own),
            "an address to look at": bool(_LIVE.search(text)),
            "sample data": any(_SAMPLE.search(each.path) for each in own),
            "an image": bool(_IMAGE.search(text)) or any(_is_picture(each) for each in own),
        }
    )


def _start_script(base: Codebase) -> bool:
    manifests = base.named("package.json", "makefile", "procfile")
    rule = re.compile(r"\"(?:start|dev)\"\s*:|(?m:^(?:run|start|up|web):)")
    return any(rule.search(each.text or "") for each in manifests)


def _is_picture(file: SourceFile) -> bool:
    name = file.path.lower()
    return bool(_PICTURE.search(name)) and bool(re.search(r"screen|demo|preview|shot|banner", name))
