"""``models ...``: the models that can be used, and the one in use."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from cyclopts import App

from tablewright.service.commands import Answer, Desk, columns
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.typed import checked, facts, moment
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.words import cut, example

app = App(name="models", help="Models that judge articles.")


@app.command(name="list", help_epilogue=example("models list"))
async def list_models(newsroom: Newsroom, /) -> Answer:
    """List all models; new articles are judged by the one that is active."""
    from tablewright.systems.sentiment.bodies.models import model_out

    await newsroom.setup.open()
    active = (await newsroom.setup.current()).active_model
    told = [model_out(each, active) for each in await newsroom.models.list()]
    rows = [
        (
            each.model_version,
            "active" if each.active else "",
            each.kind,
            moment(each.registered_at),
            cut(each.description, 50),
        )
        for each in told
    ]
    lines = columns(("model", "", "kind", "registered", "about"), rows)
    return Answer(lines, [each.model_dump(mode="json") for each in told])


@app.command(
    help_epilogue=example("models register v1.2.0+finbert --kind onnx --path finbert"),
)
async def register(
    newsroom: Newsroom,
    desk: Desk,
    /,
    version: str,
    *,
    kind: Literal["onnx", "transformers"],
    path: str,
    checksum: str | None = None,
    about: str = "",
) -> Answer:
    """Take a folder for a model: it is loaded, tried, and known by its checksum from now on.

    Nothing is downloaded. It judges nothing until it is promoted: see reanalyse.

    Parameters
    ----------
    version
        Such as v1.2.0+finbert; it never means another model.
    kind
        What the folder holds.
    path
        The model's folder, below the folder for models: DATA/models, or models_folder of the
        settings.
    checksum
        SHA-256 over its files, if you know it: what differs is refused.
    about
        A few words for the list.
    """
    from tablewright.systems.sentiment.bodies.models import ModelIn, model_out

    values = {
        "model_version": version,
        "kind": kind,
        "path": _below(newsroom, path),
        "checksum": checksum,
        "description": about,
    }
    body = checked(ModelIn, values)
    desk.tick(f"loading {path}")
    try:
        saved = await newsroom.models.register(body, desk.by)
    except Problem as problem:
        if problem.code == "BAD_MODEL":
            problem.extra["hint"] = f"Models are looked for in {newsroom.models.folder}."
        raise
    told = model_out(saved.model, (await newsroom.setup.current()).active_model)
    what = "is registered" if saved.created else "was registered already"
    lines = [
        f"The model {version} {what}.",
        *facts([("kind", told.kind), ("folder", told.path), ("checksum", told.checksum)]),
        f"Compare it with the active one: tablewright sentiment reanalyse {version}",
    ]
    return Answer(lines, told.model_dump(mode="json"))


def _below(newsroom: Newsroom, path: str) -> str:
    """The folder's name below the folder for models, however it was typed."""
    folder = newsroom.models.folder
    typed = Path(path)
    if folder is None or not typed.is_absolute():
        return path
    if not typed.resolve().is_relative_to(folder.resolve()):
        raise invalid(FieldError("--path", f"has to lie in {folder}"))
    return str(typed.resolve().relative_to(folder.resolve()))
