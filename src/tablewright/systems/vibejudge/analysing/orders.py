"""What an analysis is asked for and what it answers, between two processes."""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field

from tablewright.systems.vibejudge.entities import RepoMeta
from tablewright.systems.vibejudge.llm.context import Material
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.fetching import Access
from tablewright.systems.vibejudge.repos.limits import Limits
from tablewright.systems.vibejudge.repos.snapshot import Snapshot
from tablewright.systems.vibejudge.static.results import AgentResult
from tablewright.systems.vibejudge.static.window import Window
from tablewright.systems.vibejudge.table import Agent

#: Of the folder that an analysis works in.
PREFIX = "vibejudge-analysis-"


@dataclass(frozen=True, slots=True)
class Order:
    #: An address at a host, or a path below the folder that access allows.
    url: str
    #: None: the head of the default branch.
    sha: str | None = None
    window: Window | None = None
    access: Access = field(default_factory=Access)
    limits: Limits = field(default_factory=Limits)
    #: The files themselves are wanted as well.
    with_snapshot: bool = False
    #: Agents that ask a model: what each is to be shown is wanted as well.
    shown_to: tuple[Agent, ...] = ()


@dataclass(frozen=True, slots=True)
class Analysis:
    sha: str
    default_branch: str | None
    meta: RepoMeta
    results: Mapping[Agent, AgentResult]
    rules_version: str
    #: Lines of code that the scores rest on. Without any there is no score.
    code_lines: int
    notes: tuple[str, ...]
    #: Commits outside the dates: told, never held against anybody by itself.
    outside_window: int
    #: What the code is compared with others by (``rules.minhash``).
    fingerprint: bytes
    #: Flags for text that talks to graders, whoever they are.
    talks: tuple[str, ...] = ()
    snapshot: Snapshot | None = None
    material: Material | None = None


#: What may come back. The other process has read what strangers wrote; nothing that it sends makes
#: this one call anything else.
_OURS = ("tablewright.systems.vibejudge.",)
_OTHERS = frozenset(
    {
        ("datetime", "datetime"),
        ("datetime", "timedelta"),
        ("datetime", "timezone"),
        ("decimal", "Decimal"),
        ("pathlib", "PosixPath"),
        ("pathlib._local", "PosixPath"),
        ("builtins", "frozenset"),
    }
)
_KINDS = {
    "Order",
    "Analysis",
    "RepoMeta",
    "RepoError",
    "Access",
    "Limits",
    "Snapshot",
    "SourceFile",
    "Change",
    "Commit",
    "Diff",
    "Skipped",
    "AgentResult",
    "Evidence",
    "SubScoreNote",
    "Window",
    "Material",
    "Suspicion",
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        ours = module.startswith(_OURS) and name in _KINDS
        if not ours and (module, name) not in _OTHERS:
            raise pickle.UnpicklingError(f"{module}.{name} is not sent between processes")
        return super().find_class(module, name)


def packed(what: Order | Analysis | RepoError) -> bytes:
    return pickle.dumps(what, protocol=5)


def unpacked(data: bytes) -> object:
    return _Unpickler(io.BytesIO(data)).load()
