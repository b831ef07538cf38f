"""What does not grow with the load: asking in loops, reading everything, waiting, handles that
stay open. For languages other than Python, by patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.systems.vibejudge.static.codebase import Code
from tablewright.systems.vibejudge.static.loops import Loop, asks_once_each, loops_of
from tablewright.systems.vibejudge.static.python_code import PythonFacts
from tablewright.systems.vibejudge.static.results import Finding

ASKS = "A request or query in each turn of a loop: make one for all of them"
READS_ALL = "All records are read at once: set a limit, or read page by page"
SLEEPS = "This sleep blocks all other requests: wait asynchronously, or in a worker"
LEFT_OPEN = "This file is not closed on every path: close it where it is opened"

_JS_ASKS = (
    r"(?<![\w.$])(?:fetch|axios(?:\.\w+)?|got)\(|\bprisma\.\w+\.\w+\("
    r"|\bawait\s+[\w.]{1,60}\.(?:findOne|findById|findMany|findUnique|findFirst|query|execute|save"
    r"|updateOne|insertOne|deleteOne)\("
)
_JVM_ASKS = (
    r"\b\w*(?:[rR]epository|[dD]ao|entityManager|jdbcTemplate|restTemplate|[sS]tatement)"
    r"\.(?:find\w*|get\w*|save|query\w*|execute\w*|delete\w*)\("
)
_ASKS = {
    **dict.fromkeys(("JavaScript", "TypeScript", "Vue", "Svelte"), re.compile(_JS_ASKS)),
    **dict.fromkeys(("Java", "Kotlin", "Scala", "Groovy"), re.compile(_JVM_ASKS)),
    "Go": re.compile(
        r"\bhttp\.(?:Get|Post)\(|\b(?:db|DB|tx|conn)\.(?:Query\w*|Exec\w*|First|Find|Create|Save)\("
    ),
    "PHP": re.compile(
        r"\bmysqli_query\(|->query\(|->execute\(|\bcurl_exec\(|\bfile_get_contents\(\s*[\"']http"
    ),
    "C#": re.compile(r"\bawait\s+_?\w*(?:[cC]ontext|[cC]lient|[dD]b)[\w.]*\.\w+Async\("),
    "Ruby": re.compile(
        r"\b(?:Net::HTTP|HTTParty|Faraday)\.\w+|\b[A-Z]\w+\.(?:find|where|find_by)\("
    ),
    "Rust": re.compile(r"\breqwest::get\(|\.fetch_(?:one|all|optional)\(|\.execute\(&"),
    "Swift": re.compile(r"URLSession\.shared\.\w+\("),
    "Dart": re.compile(r"\bawait\s+(?:http|dio|client)\.\w+\("),
}
_READS_ALL = {
    **dict.fromkeys(
        ("JavaScript", "TypeScript", "Vue", "Svelte"),
        re.compile(
            r"\.(?:find|findAll)\(\s*(?:\{\s*\})?\s*\)(?!\s*\.\s*(?:limit|skip|sort|cursor))"
            r"|\.findMany\(\s*\)"
        ),
    ),
    **dict.fromkeys(("Java", "Kotlin"), re.compile(r"\b\w*[rR]epository\.findAll\(\s*\)")),
    "Ruby": re.compile(r"(?m)=\s*[A-Z]\w+\.all\s*$"),
    "PHP": re.compile(r"\b[A-Z]\w+::all\(\)"),
    "C#": re.compile(r"\b_?\w*[cC]ontext\.\w+\.ToList(?:Async)?\(\)"),
    "Go": re.compile(r"\bioutil\.ReadAll\(r(?:eq)?\.Body\)"),
}
_SQL_ALL = re.compile(r"(?is)^[\"'`]\s*select\s+\*\s+from\s+[\w.`]+\s*;?\s*[\"'`]$")
#: Sleeps count where others are served.
_SERVES = re.compile(
    r"@(?:Rest)?Controller\b|http\.ResponseWriter|\bapp\.(?:get|post|use)\(|Route::|\$_(?:GET"
    r"|POST)\["
    r"|\[ApiController\]|< ApplicationController|\bgin\.Context\b|\basync fn\b"
)
_SLEEPS = {
    **dict.fromkeys(("Java", "Kotlin"), re.compile(r"\bThread\.sleep\(")),
    "Go": re.compile(r"\btime\.Sleep\("),
    "PHP": re.compile(r"(?<![\w>:$])sleep\("),
    "Ruby": re.compile(r"(?m)^[ \t]*sleep[ (]\s*\d"),
    "C#": re.compile(r"\bThread\.Sleep\("),
    "Rust": re.compile(r"\bthread::sleep\("),
    **dict.fromkeys(("JavaScript", "TypeScript"), re.compile(r"\b(?:Atomics\.wait|sleepSync)\(")),
}
#: What opens, and what a file of code must have somewhere to close it.
_OPENS = {
    "Java": (
        re.compile(
            r"(?<!\()\bnew (?:FileInputStream|FileOutputStream|FileReader|FileWriter|Scanner"
            r"\(new File|RandomAccessFile)\("
        ),
        re.compile(r"\.close\(\)|\btry\s*\("),
    ),
    "Go": (re.compile(r"\bos\.(?:Open|Create|OpenFile)\("), re.compile(r"\.Close\(\)")),
    "C": (re.compile(r"(?<!\w)fopen\("), re.compile(r"(?<!\w)fclose\(")),
    "PHP": (re.compile(r"(?<!\w)fopen\("), re.compile(r"(?<!\w)fclose\(")),
    "C#": (
        re.compile(r"\bnew (?:StreamReader|StreamWriter|FileStream)\("),
        re.compile(r"\busing\b[^;\n]{0,200}new |\.(?:Close|Dispose)\(\)"),
    ),
    "JavaScript": (re.compile(r"\bfs\.openSync\("), re.compile(r"\bcloseSync\(")),
    "Ruby": (re.compile(r"=\s*File\.(?:open|new)\("), re.compile(r"\.close\b|\bdo \|")),
}
_PYTHON_OPENS = re.compile(r"(?<![\w.])open\(|\.open\(")
_OPENS["C++"], _OPENS["TypeScript"] = _OPENS["C"], _OPENS["JavaScript"]


def scaling_of(code: Code, facts: PythonFacts | None) -> Iterator[Finding]:
    """What gets slow with more of everything."""
    if facts is not None:
        yield from _each(code, "io-in-loop", facts.io_in_loops, ASKS)
        yield from _each(code, "reads-all", facts.unbounded, READS_ALL)
        yield from _each(code, "sleep", facts.sleeps, SLEEPS)
        return
    text = code.code[: code.product_end]
    yield from _each(code, "io-in-loop", _asking(code, text), ASKS)
    yield from _each(code, "reads-all", _reading(code, text), READS_ALL)
    if _SERVES.search(text) and code.language in _SLEEPS:
        places = (found.start() for found in _SLEEPS[code.language].finditer(code.bare))
        yield from _each(code, "sleep", [code.line_at(at) for at in places], SLEEPS)


def opens_files(code: Code) -> bool:
    """Tell whether code opens files itself."""
    if code.language == "Python":
        return _PYTHON_OPENS.search(code.bare) is not None
    opens, _ = _OPENS.get(code.language, (None, None))
    return opens is not None and opens.search(code.bare) is not None


def wasting_of(code: Code, facts: PythonFacts | None) -> Iterator[Finding]:
    """Find files that are opened and never closed; ruff does so for Python."""
    if facts is not None:
        return
    opens, closes = _OPENS.get(code.language, (None, None))
    if opens is not None and closes is not None and not closes.search(code.bare):
        places = [code.line_at(found.start()) for found in opens.finditer(code.bare)]
        yield from _each(code, "open-handle", places, LEFT_OPEN)


def _each(code: Code, kind: str, lines: list[int], message: str) -> Iterator[Finding]:
    for line in sorted(set(lines)):
        yield code.finding(kind, line, "medium", message)


def _asking(code: Code, text: str) -> list[int]:
    rule = _ASKS.get(code.language)
    loops = [each for each in loops_of(code) if asks_once_each(each, code)] if rule else []
    if rule is None or not loops:
        return []
    return [
        code.line_at(found.start())
        for found in rule.finditer(text)
        if code.bare[found.start()] == text[found.start()] and _inside(found.start(), loops)
    ]


def _inside(at: int, loops: list[Loop]) -> bool:
    return any(each.start < at < each.end for each in loops)


def _reading(code: Code, text: str) -> list[int]:
    rule = _READS_ALL.get(code.language)
    places = [found.start() for found in rule.finditer(text)] if rule else []
    if code.language != "SQL":
        places += [
            start
            for start, end in code.masked.strings
            if 16 < end - start < 200 and _SQL_ALL.match(code.text[start:end])
        ]
    return [code.line_at(at) for at in places if at < code.product_end]
