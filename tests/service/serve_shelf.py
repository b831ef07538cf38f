"""The made-up system in a process of its own: ``python -m tests.service.serve_shelf PORT``."""

from __future__ import annotations

import asyncio
import sys

from tests.service.shelf import system

from tablewright.client import AsyncEmbedded
from tablewright.engine import Engine
from tablewright.service import logs
from tablewright.service.app import assemble
from tablewright.service.kit import kit_model
from tablewright.service.process import runtime_of
from tablewright.service.serving import run
from tablewright.service.settings import Settings


def main() -> None:
    settings = Settings(port=int(sys.argv[1]), log_format="json", stop_timeout_secs=10)
    logs.configure(settings)
    with Engine.memory() as engine:
        runtime = runtime_of(system, AsyncEmbedded(engine), settings, environ={})
        asyncio.run(runtime.db.create_tables(system.model, kit_model))
        app = assemble({system: (runtime, system.build(runtime))})
        run(app, settings, lambda url: print(url, flush=True))
    print("clean", flush=True)


if __name__ == "__main__":
    main()
