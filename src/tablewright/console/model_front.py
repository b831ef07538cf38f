"""The console around one model, of which nothing runs here: what `tablewright explore` shows.

It has the same pages about the model as every system has, and none of those about a process that
works: no capacity, no REST API, nobody to sign in as.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter

from tablewright.console.assets import Assets
from tablewright.console.entrance import entrance_routes
from tablewright.console.explorer.practice import EmptyDatabase
from tablewright.console.explorer.views import Explorer
from tablewright.console.frame import Place
from tablewright.console.front import MODEL_AREAS, Console
from tablewright.console.tools import Tools
from tablewright.model.demo import Demo
from tablewright.model.model import Model
from tablewright.review import Suppression
from tablewright.review.beside import Fact
from tablewright.service.runtime import Runtime
from tablewright.service.system import Parts, System

_MOST_CHARACTERS = 40


@dataclass(frozen=True)
class Subject:
    """A model to explore, with what its author has given beside it."""

    model: Model
    about: str
    demo: Demo | None = None
    #: Findings of the review that are so on purpose.
    accepted: Sequence[Suppression] = ()
    #: What its author states for the review beside it.
    facts: Sequence[Fact] = ()
    #: Where it is deployed, there is the table that every system has.
    has_kit: bool = False

    def system(self) -> System:
        """As the pages know it. It has no roles: nobody can be given one, or signed in as one."""
        return System(
            name=path_name(self.model.name),
            title=self.model.name,
            about=self.about,
            model=self.model,
            build=_no_parts,
            roles=(),
            icon="database",
        )


class ModelConsole(Console):
    """The front of a process that shows one model to whoever has its key."""

    areas = MODEL_AREAS

    def __init__(
        self,
        subject: Subject,
        runtime: Runtime,
        key: str,
        *,
        assets: Assets | None = None,
        empty: EmptyDatabase | None = None,
    ) -> None:
        systems = {subject.system(): (runtime, Parts(routers=()))}
        super().__init__(systems, runtime.settings, assets, empty)
        self._subject = subject
        self._auth = runtime.auth
        self._key = key

    def _place(self, system: System, parts: Parts) -> Place:
        return Place(system, None, runs=False)

    def _home(self) -> APIRouter:
        place = self._places[0]
        return entrance_routes(place, self._renderer, self._visitors, self._auth, self._key)

    def _tools(self, system: System, runtime: Runtime) -> Tools:
        about = self._subject
        explorer = Explorer(about.model, about.demo, about.accepted, about.facts)
        practice = self._practice(about.model, about.demo)
        return Tools(
            system,
            runtime,
            self._renderer,
            practice,
            explorer,
            about.has_kit,
            # Whoever explores has come with credentials of their own, which may only read.
            audited=False,
        )


def path_name(name: str) -> str:
    """A model's name as a part of paths: small letters, digits and ``-``."""
    found = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_MOST_CHARACTERS].strip("-")
    return found if found[:1].isalpha() else f"model-{found}".rstrip("-")


def _no_parts(_: Runtime) -> Parts:
    return Parts(routers=())
