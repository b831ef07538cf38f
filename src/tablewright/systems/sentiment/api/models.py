"""``/models``: those that can be used, and the one in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Response

from tablewright.service.auth import Principal
from tablewright.service.limits import Rate
from tablewright.service.problem_answers import refusals
from tablewright.systems.sentiment.bodies.models import ModelIn, ModelOut, ModelsOut, model_out

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Each reads a folder of hundreds of megabytes and loads it.
_REGISTRATIONS = Rate(10)


def router(newsroom: Newsroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/models", tags=["models"])
    admin = Depends(newsroom.runtime.auth.require("admin"))

    @routes.get("")
    async def list_models(_: Principal = admin) -> ModelsOut:
        """All models, those that come with the program too."""
        active = (await newsroom.setup.current()).active_model
        found = await newsroom.models.list()
        return ModelsOut(items=[model_out(each, active) for each in found])

    @routes.post(
        "",
        status_code=201,
        responses={
            200: {"model": ModelOut, "description": "It was registered before."},
            **refusals(
                {
                    409: "`MODEL_EXISTS`: another one has this version; "
                    "`MODEL_UNAVAILABLE`: what it runs on is not installed.",
                    422: "`BAD_MODEL`: the folder, its checksum or the labels; or `INVALID`.",
                }
            ),
        },
    )
    async def register_model(body: ModelIn, response: Response, by: Principal = admin) -> ModelOut:
        """Take a folder for a model: it is loaded, tried, and known by its checksum from now on."""
        await newsroom.runtime.limits.check("models", by.id, _REGISTRATIONS)
        saved = await newsroom.models.register(body, by)
        response.status_code = 201 if saved.created else 200
        return model_out(saved.model, (await newsroom.setup.current()).active_model)

    return routes
