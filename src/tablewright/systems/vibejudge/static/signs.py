"""Signs that a machine wrote along: what it leaves in messages, files and comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tablewright.systems.vibejudge.repos.snapshot import Commit, SourceFile
from tablewright.systems.vibejudge.static.codebase import Code, excerpt_of
from tablewright.systems.vibejudge.static.results import Finding, many

_TRAILER = re.compile(
    r"(?im)^(?:co-authored-by|generated-by|assisted-by):[^\n]{0,80}\b(?:claude|copilot|cursor"
    r"|chatgpt|openai|codex|gemini"
    r"|aider|devin|windsurf|codeium|lovable|v0|replit|bolt|sweep|anthropic|jules|amp)\b"
    r"|generated (?:with|by) \[?(?:claude|copilot|cursor|chatgpt|codex|gemini|aider|lovable|v0"
    r"|bolt)\b"
)
_TOOL_FILE = re.compile(
    r"(?:^|/)(?:\.cursorrules|\.cursor/|\.windsurfrules|\.clinerules|CLAUDE(?:\.local)?\.md$"
    r"|\.claude/|AGENTS\.md$|GEMINI\.md$"
    r"|\.aider[\w.]*|\.github/copilot-instructions\.md|\.roo/|\.kiro/|\.bolt/|\.lovable|\.junie/"
    r"|\.specify/|\.codex/)"
)
_PHRASE = re.compile(
    r"(?i)as an ai (?:language )?model|certainly! here|sure!? here(?:'s| is) (?:the|a|an|your)"
    r"|i hope this helps|"
    r"in a real(?:-world)? (?:app|application|implementation|scenario|system|project)"
    r"|in production,? you (?:would|should|might)|"
    r"(?:this is a )?simplified (?:version|implementation) for (?:demo|the|this)"
    r"|replace (?:this )?with your actual|"
    r"your (?:implementation|code|logic) (?:goes )?here|rest of (?:the|your) (?:code"
    r"|component) (?:remains|stays|here)|"
    r"\.\.\. ?existing code ?\.\.\.|feel free to (?:modify|adjust|customize)"
)
LARGEST_SHARE = 0.8
#: Below this, one commit is all there is to write.
LEAST_LINES = 200


@dataclass(frozen=True, slots=True)
class Signs:
    #: What was seen, with a place if it has one.
    seen: dict[str, Finding | None]


def signs_of(
    commits: Sequence[Commit],
    files: Sequence[SourceFile],
    product: Sequence[Code],
    counts: Callable[[str], bool],
) -> Signs:
    seen: dict[str, Finding | None] = {}
    signed = sum(bool(_TRAILER.search(each.message)) for each in commits)
    if signed:
        seen[f"{many(signed, 'commit')} signed by a tool"] = None
    tool = next((each for each in files if _TOOL_FILE.search(each.path)), None)
    if tool is not None:
        seen["settings of a tool that writes code"] = _of_file(tool)
    phrase = _phrase(product)
    if phrase is not None:
        seen["phrases that tools write"] = phrase
    if _one_large(commits, counts):
        seen["one commit with more than 80 % of all lines"] = None
    return Signs(seen)


def _of_file(file: SourceFile) -> Finding | None:
    if not file.text:
        return None
    said = "Instructions for a tool that writes code: tell the judges how it was used"
    return Finding("ai-tool", file.path, 1, "info", said, excerpt_of(file.text.split("\n", 1), 1))


def _phrase(product: Sequence[Code]) -> Finding | None:
    said = "A stock phrase of tools that write code: finish what it stands for, or take it out"
    for code in product:
        found = _PHRASE.search(code.raw)
        if found is not None:
            line = code.raw.count("\n", 0, found.start()) + 1
            return code.finding("ai-phrase", line, "low", said)
    return None


def _one_large(commits: Sequence[Commit], counts: Callable[[str], bool]) -> bool:
    sizes = [
        sum(change.added for change in each.files_changed if counts(change.path))
        for each in commits
    ]
    whole = sum(sizes)
    return whole >= LEAST_LINES and max(sizes) > LARGEST_SHARE * whole
