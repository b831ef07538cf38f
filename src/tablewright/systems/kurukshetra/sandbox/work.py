"""One transaction of the bank: where it writes, by which rules, and when."""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.systems.kurukshetra.sandbox.chance import Chance
from tablewright.systems.kurukshetra.sandbox.settings import SandboxSettings
from tablewright.systems.kurukshetra.sandbox.store import Store


@dataclass(frozen=True, slots=True)
class Work:
    store: Store
    settings: SandboxSettings
    chance: Chance
    now: float
