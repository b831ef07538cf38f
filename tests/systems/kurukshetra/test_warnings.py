"""What an operator is warned of."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.systems.kurukshetra.support import festival_on, run

from tablewright.clock import ManualClock
from tablewright.service.health import Health
from tablewright.testing import Backend


@pytest.mark.parametrize(
    ("local", "smtp_url", "warned"),
    [(True, None, False), (False, None, True), (False, "smtp://mail.test:587", False)],
)
def test_operator_is_warned_when_a_deployment_sends_no_mail(
    engine_backend: Backend, clock: ManualClock, local: bool, smtp_url: str | None, warned: bool
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock) as festival:
            settings = festival.runtime.settings
            festival.runtime = replace(
                festival.runtime,
                settings=settings.model_copy(update={"local": local, "smtp_url": smtp_url}),
            )
            found = festival.warnings()
            assert bool(found) == warned
            assert all("smtp_url" in each for each in found)

    run(main())


def test_health_with_warnings_is_ok_and_names_them() -> None:
    async def main() -> None:
        health = Health({"shelf": None}, warnings={"shelf": lambda: ["No mail server is set."]})
        expected = {"status": "ok", "warnings": ["No mail server is set."]}
        status, body = await health.report(details=True)
        assert (status, body["status"], body["systems"]) == (200, "ok", {"shelf": expected})
        _, open_answer = await health.report(details=False)
        assert open_answer["systems"] == {"shelf": {"status": "ok"}}

    run(main())
