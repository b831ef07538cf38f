"""The models that can be used, and the one in use."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tablewright.model import together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.kit import audit
from tablewright.service.problems import Problem, conflict
from tablewright.service.remembered import Remembered
from tablewright.systems.sentiment import config_reads, writes
from tablewright.systems.sentiment.analysers import loading
from tablewright.systems.sentiment.analysers.analyser import Analyser, Verdict
from tablewright.systems.sentiment.analysers.explaining import Term, explain
from tablewright.systems.sentiment.analysers.folders import BadModel, NotInstalled
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.bodies.models import ModelIn
from tablewright.systems.sentiment.config import ModelVersion
from tablewright.systems.sentiment.rules.text import text_of

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: The one in use, the one that it is compared with, and the ones before them.
_LOADED = 4
_FOR_GOOD = float("inf")


class Registered(NamedTuple):
    """A model that can be used, and whether that is new."""

    model: ModelVersion
    created: bool


class Models:
    """The models that can be used, and the one in use."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        # A model takes seconds and memory to load: once for all who ask at the same time.
        self._loaded: Remembered[str, Analyser] = Remembered(
            self._load, newsroom.runtime.clock, secs=_FOR_GOOD, size=_LOADED
        )
        self._examining = asyncio.Semaphore(1)

    # --- using -----------------------------------------------------------------------------------

    async def active(self) -> Analyser:
        """The model in use, as it was set a few seconds ago at most."""
        return await self.loaded((await self._newsroom.setup.current()).active_model)

    async def loaded(self, version: str) -> Analyser:
        """A model, ready to judge; a problem 409 if it cannot be had in this process."""
        return await self._loaded.get(version)

    async def judge(self, version: str, texts: Sequence[str]) -> builtins.list[Verdict]:
        """A verdict on each text; the computing is done beside the loop."""
        analyser = await self.loaded(version)
        return await asyncio.to_thread(analyser.judge, texts)

    async def explain(self, article: Article) -> builtins.list[Term]:
        """The words that the model's verdict on an article comes from, the heaviest first.

        They stand in :func:`text_of` the article, and the model is the one that has judged it.
        """
        if article.model_version is None:
            raise conflict("NOT_ANALYZED", "No model has judged this article yet.")
        analyser = await self.loaded(article.model_version)
        return await asyncio.to_thread(explain, analyser, text_of(article))

    async def _load(self, version: str) -> Analyser:
        model = await self._known(version)
        if model is None:
            raise _unavailable(version, "it is not registered")
        try:
            return await asyncio.to_thread(loading.load, model, self.folder)
        except (BadModel, NotInstalled) as reason:
            raise _unavailable(version, str(reason)) from None

    async def _known(self, version: str) -> ModelVersion | None:
        """As it is registered; those that come with the program may not be yet."""
        found = await self._newsroom.db.run(config_reads.registered_model(version))
        own = (each for each in self.bundled() if each.model_version == version)
        return found or next(own, None)

    # --- registering -----------------------------------------------------------------------------

    @property
    def folder(self) -> Path | None:
        """Where models are looked for."""
        options, data = self._newsroom.options, self._newsroom.runtime.settings.data
        return options.models_folder or (data and data / "models")

    def bundled(self) -> builtins.list[ModelVersion]:
        """Those that come with the program."""
        now = self._newsroom.now()
        return [
            ModelVersion(
                model_version=each.version,
                kind=each.kind,
                checksum=each.checksum,
                description=each.description,
                registered_at=now,
            )
            for each in loading.bundled()
        ]

    async def list(self) -> builtins.list[ModelVersion]:
        """All that are registered, by their versions."""
        return [each async for each in self._newsroom.db.iterate(config_reads.models())]

    async def register(self, body: ModelIn, by: Principal) -> Registered:
        """Take a folder for a model. One transaction with its audit entry; its condition: there is
        none of this version. Who repeats it gets what is there; another one needs another version.
        """
        model = await self._examined(body)
        entry = audit.record(
            by,
            "model.register",
            f"model/{model.model_version}",
            at=model.registered_at,
            detail={"kind": model.kind, "path": model.path, "checksum": model.checksum},
        )
        try:
            await self._newsroom.db.run(together(writes.register_model(model), entry))
        except TransactionCancelled:
            return Registered(await self._same(model), created=False)
        return Registered(model, created=True)

    async def _examined(self, body: ModelIn) -> ModelVersion:
        async with self._examining:
            try:
                found = await asyncio.to_thread(
                    loading.examine,
                    body.model_version,
                    body.kind,
                    self.folder,
                    body.path,
                    body.checksum,
                )
            except BadModel as reason:
                raise Problem(422, "BAD_MODEL", f"It cannot be used: {reason}.") from None
            except NotInstalled as reason:
                raise _unavailable(body.model_version, str(reason)) from None
        return ModelVersion(
            model_version=body.model_version,
            kind=body.kind,
            checksum=found.checksum,
            path=found.path,
            description=body.description,
            registered_at=self._newsroom.now(),
        )

    async def _same(self, model: ModelVersion) -> ModelVersion:
        known = await self._newsroom.db.require(config_reads.registered_model(model.model_version))
        if (known.kind, known.checksum) != (model.kind, model.checksum):
            detail = f"Another model is registered as {model.model_version}; versions never change."
            raise conflict("MODEL_EXISTS", detail)
        return known


def _unavailable(version: str, why: str) -> Problem:
    return conflict("MODEL_UNAVAILABLE", f"The model {version} cannot be used: {why}.")
