"""Registering, loading, judging and explaining, on every backend."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.systems.sentiment.models.support import onnx_folder
from tests.systems.sentiment.support import ADMIN, NOW, article, newsroom_on, refused

from tablewright.clock import ManualClock
from tablewright.service.kit import audit
from tablewright.systems.sentiment.analysers import loading
from tablewright.systems.sentiment.analysers.linear import Linear
from tablewright.systems.sentiment.analysers.vader import Vader
from tablewright.systems.sentiment.bodies.models import ModelIn
from tablewright.systems.sentiment.rules.text import text_of
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.writes import activate_model, register_model
from tablewright.testing.backends import Backend

VADER, LINEAR, WORDS = "v3.3.2+vader", "v1.0.0+linear", "v1.0.0+words"

Test = Callable[[Newsroom], Awaitable[None]]
Run = Callable[[Test], None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "models"
    made.mkdir()
    return made


@pytest.fixture
def run(tablewright_backend: Backend, clock: ManualClock, root: Path) -> Run:
    """A newsroom that has started, and looks for models in ``root``."""

    async def opened(test: Test) -> None:
        async with newsroom_on(
            tablewright_backend, clock, opened=True, models_folder=root
        ) as newsroom:
            await test(newsroom)

    return lambda test: asyncio.run(opened(test))


def body(path: str = "words", version: str = WORDS, **more: object) -> ModelIn:
    return ModelIn.model_validate({"model_version": version, "kind": "onnx", "path": path, **more})


# --- what comes with the program -----------------------------------------------------------------


def test_bundled_models_are_registered_once(run: Run) -> None:
    async def test(newsroom: Newsroom) -> None:
        first = await newsroom.models.list()
        assert [(each.model_version, each.kind) for each in first] == [
            (LINEAR, "linear"),
            (VADER, "vader"),
        ]
        await newsroom.setup.open()
        assert await newsroom.models.list() == first

    run(test)


def test_the_active_model_follows_the_settings(run: Run, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom) -> None:
        assert isinstance(await newsroom.models.active(), Vader)
        await newsroom.db.run(activate_model(LINEAR))
        clock.advance(10)
        assert isinstance(await newsroom.models.active(), Linear)
        assert await newsroom.models.active() is await newsroom.models.loaded(LINEAR)

    run(test)


def test_a_bundled_model_needs_no_registration(engine_backend: Backend, clock: ManualClock) -> None:
    """A process that starts beside the first may ask before the other has written it down."""

    async def test() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            assert await newsroom.models.list() == []
            verdicts = await newsroom.models.judge(VADER, ["A great day", "A terrible day"])
            assert [each.label for each in verdicts] == ["positive", "negative"]

    asyncio.run(test())


def test_a_model_of_another_release_is_not_available(run: Run) -> None:
    async def test(newsroom: Newsroom) -> None:
        known = {each.kind: each for each in newsroom.models.bundled()}
        old = known["linear"].model_copy(update={"model_version": "v0.9.0+linear"})
        await newsroom.db.run(register_model(old))
        problem = await refused(newsroom.models.loaded("v0.9.0+linear"))
        assert (problem.status, problem.code) == (409, "MODEL_UNAVAILABLE")
        assert "release" in problem.detail
        unknown = await refused(newsroom.models.loaded("v9.9.9"))
        assert (unknown.code, "not registered" in unknown.detail) == ("MODEL_UNAVAILABLE", True)

    run(test)


def test_files_that_differ_from_the_registered_ones_are_not_used(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def test() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            (linear,) = (each for each in newsroom.models.bundled() if each.kind == "linear")
            other = linear.model_copy(update={"checksum": "0" * 64})
            await newsroom.db.run(register_model(other))
            problem = await refused(newsroom.models.loaded(LINEAR))
            assert (problem.code, "other files" in problem.detail) == ("MODEL_UNAVAILABLE", True)

    asyncio.run(test())


# --- what people bring ---------------------------------------------------------------------------


def test_a_registered_model_judges(run: Run, root: Path) -> None:
    onnx_folder(root / "words")

    async def test(newsroom: Newsroom) -> None:
        made = await newsroom.models.register(body(description="Three words."), ADMIN)
        assert made.created
        assert made.model in await newsroom.models.list()
        assert (made.model.path, made.model.registered_at) == ("words", NOW)
        verdicts = await newsroom.models.judge(WORDS, ["good", "bad"])
        assert [each.label for each in verdicts] == ["positive", "negative"]
        (entry,) = await audit.entries(newsroom.db, until=newsroom.now().timestamp() + 1)
        assert (entry.action, entry.subject) == ("model.register", f"model/{WORDS}")

    run(test)


def test_who_registers_again_gets_what_is_there(run: Run, root: Path) -> None:
    onnx_folder(root / "words")
    onnx_folder(root / "other", {"good": (9, 9, 9)})

    async def test(newsroom: Newsroom) -> None:
        answers = await asyncio.gather(*(newsroom.models.register(body(), ADMIN) for _ in range(3)))
        assert sorted(each.created for each in answers) == [False, False, True]
        assert len({each.model.checksum for each in answers}) == 1
        again = await newsroom.models.register(body(checksum=answers[0].model.checksum), ADMIN)
        assert again == (answers[0].model, False)
        problem = await refused(newsroom.models.register(body("other"), ADMIN))
        assert (problem.status, problem.code) == (409, "MODEL_EXISTS")
        assert len(await audit.entries(newsroom.db, until=NOW.timestamp() + 1)) == 1

    run(test)


@pytest.mark.parametrize("version", [VADER, LINEAR])
def test_nobody_takes_the_place_of_a_bundled_model(run: Run, root: Path, version: str) -> None:
    onnx_folder(root / "words")

    async def test(newsroom: Newsroom) -> None:
        problem = await refused(newsroom.models.register(body(version=version), ADMIN))
        assert problem.code == "MODEL_EXISTS"

    run(test)


def test_a_folder_that_has_changed_is_another_model(run: Run, root: Path) -> None:
    folder = onnx_folder(root / "words")

    async def test(newsroom: Newsroom) -> None:
        await newsroom.models.register(body(), ADMIN)
        original = (folder / "config.json").read_bytes()
        (folder / "config.json").write_bytes(original + b" ")
        problem = await refused(newsroom.models.loaded(WORDS))
        assert (problem.status, problem.code) == (409, "MODEL_UNAVAILABLE")
        assert "changed" in problem.detail
        (folder / "config.json").write_bytes(original)
        assert (await newsroom.models.loaded(WORDS)).version == WORDS

    run(test)


def test_a_folder_that_is_gone_or_elsewhere_by_now_is_not_read(run: Run, root: Path) -> None:
    folder = onnx_folder(root / "words")

    async def test(newsroom: Newsroom) -> None:
        await newsroom.models.register(body(), ADMIN)
        folder.rename(root.parent / "away")
        assert (await refused(newsroom.models.loaded(WORDS))).code == "MODEL_UNAVAILABLE"
        folder.symlink_to(root.parent / "away")
        assert (await refused(newsroom.models.loaded(WORDS))).code == "MODEL_UNAVAILABLE"

    run(test)


def test_what_cannot_be_used_is_refused(run: Run, root: Path) -> None:
    onnx_folder(root / "stars", labels=("1 star", "3 stars", "5 stars"))
    (root / "empty").mkdir()
    onnx_folder(root / "words")
    onnx_folder(root.parent / "outside")

    async def test(newsroom: Newsroom) -> None:
        before = await newsroom.models.list()
        for bad in (
            body("stars"),
            body("empty"),
            body("none"),
            body("../outside"),
            body(str(root.parent / "outside")),
            body(checksum="0" * 64),
            body(kind="transformers"),
        ):
            problem = await refused(newsroom.models.register(bad, ADMIN))
            assert (problem.status, problem.code) == (422, "BAD_MODEL"), bad
            assert str(root.parent) not in problem.detail.replace(bad.path, "")
        assert await newsroom.models.list() == before

    run(test)


def test_without_the_extra_it_says_what_to_install(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    onnx_folder(root / "words")

    async def test(newsroom: Newsroom) -> None:
        await newsroom.models.register(body(), ADMIN)
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
        for work in (
            newsroom.models.register(body(version="v2.0.0"), ADMIN),
            newsroom.models.judge(WORDS, ["good"]),
        ):
            problem = await refused(work)
            assert (problem.status, problem.code) == (409, "MODEL_UNAVAILABLE")
            assert "tablewright[onnx]" in problem.detail
        assert (await newsroom.models.active()).version == VADER

    run(test)


def test_a_model_is_loaded_once_for_all_who_wait(
    engine_backend: Backend, clock: ManualClock, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    real = loading.load

    def slowly(model: object, folder: Path | None) -> object:
        assert threading.current_thread() is not threading.main_thread()
        loaded.append(model.model_version)  # type: ignore[attr-defined]
        return real(model, folder)  # type: ignore[arg-type]

    monkeypatch.setattr(loading, "load", slowly)
    onnx_folder(root / "words")

    async def test() -> None:
        async with newsroom_on(engine_backend, clock, opened=True, models_folder=root) as newsroom:
            await newsroom.models.register(body(), ADMIN)
            found = await asyncio.gather(*(newsroom.models.loaded(WORDS) for _ in range(20)))
            assert len({id(each) for each in found}) == 1
            assert loaded == [WORDS]

    asyncio.run(test())


# --- explaining ----------------------------------------------------------------------------------


def test_the_words_of_an_article_are_explained_by_the_model_that_judged_it(
    run: Run, root: Path
) -> None:
    onnx_folder(root / "words")

    async def test(newsroom: Newsroom) -> None:
        await newsroom.models.register(body(), ADMIN)
        pending = article("a-good-and-terrible-day")
        for version, word in ((VADER, "terrible"), (WORDS, "good")):
            (verdict,) = await newsroom.models.judge(version, [text_of(pending)])
            said = verdict.analysis(version, NOW)
            judged = pending.model_copy(
                update={"status": "analyzed", "model_version": said.model_version}
            )
            terms = await newsroom.models.explain(judged)
            assert word in {term.word for term in terms}
            assert all(text_of(judged)[each.start : each.end] == each.word for each in terms)

    run(test)


def test_an_article_that_no_model_has_judged_has_no_explanation(run: Run) -> None:
    async def test(newsroom: Newsroom) -> None:
        problem = await refused(newsroom.models.explain(article("a-good-day")))
        assert (problem.status, problem.code) == (409, "NOT_ANALYZED")
        gone = article("a-good-day", model_version="v7.0.0+gone")
        assert (await refused(newsroom.models.explain(gone))).code == "MODEL_UNAVAILABLE"

    run(test)
