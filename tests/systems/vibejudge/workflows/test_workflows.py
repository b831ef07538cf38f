"""What GitHub tells of a repository's checks, and what becomes of it when it does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.systems.vibejudge.support import courtroom_on, hackathon, organizer, run, submission

from tablewright.clock import ManualClock
from tablewright.service.settings import SettingsError
from tablewright.service.stand_ins import serving
from tablewright.systems.vibejudge.demo_hackathons import REPO_META
from tablewright.systems.vibejudge.entities import RepoMeta
from tablewright.testing.backends import Backend

Answer = tuple[int, bytes]
_RUNS = ["success", "success", "failure", "cancelled", None]
GOOD = json.dumps(
    {"total_count": 240, "workflow_runs": [{"conclusion": each} for each in _RUNS]}
).encode()


@pytest.fixture
def asked(
    engine_backend: Backend, clock: ManualClock
) -> Callable[[Answer, str], tuple[RepoMeta, list[BaseHTTPRequestHandler]]]:
    """What is known of a repository whose host gives this answer, and what it was asked."""

    def ask(answer: Answer, url: str) -> tuple[RepoMeta, list[BaseHTTPRequestHandler]]:
        seen: list[BaseHTTPRequestHandler] = []

        class Host(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                seen.append(self)
                self.send_response(answer[0])
                self.send_header("Location", "http://127.0.0.1:9/elsewhere")
                self.send_header("Content-Length", str(len(answer[1])))
                self.end_headers()
                self.wfile.write(answer[1])

            def log_message(self, *_: object) -> None:
                pass

        async def main() -> RepoMeta:
            with serving(ThreadingHTTPServer(("127.0.0.1", 0), Host)) as base:
                options = {"github_url": base, "github_token": "ghp_secret"}
                async with courtroom_on(engine_backend, clock, **options) as courtroom:
                    made = await hackathon(courtroom, await organizer(courtroom))
                    one = await submission(courtroom, made, repo_url=url)
                    return await courtroom.workflows.added(one, REPO_META)

        return run(main()), seen

    return ask


def test_the_host_tells(
    asked: Callable[..., tuple[RepoMeta, list[BaseHTTPRequestHandler]]],
) -> None:
    found, (seen,) = asked((200, GOOD), "https://github.com/larks/board")
    assert (found.workflow_run_count, found.workflow_success_rate) == (240, Decimal("0.6667"))
    assert seen.path.startswith("/repos/")
    assert seen.headers["Authorization"] == "Bearer ghp_secret"


@pytest.mark.parametrize(
    "answer",
    [(404, b"{}"), (302, b""), (200, b"not json"), (200, b"[]"), (200, b'{"total_count": "x"}')],
)
def test_what_the_host_does_not_tell_is_absent(
    asked: Callable[..., tuple[RepoMeta, list[BaseHTTPRequestHandler]]], answer: Answer
) -> None:
    found, seen = asked(answer, "https://github.com/larks/board")
    assert (found, len(seen)) == (REPO_META, 1)


def test_others_are_not_asked(
    asked: Callable[..., tuple[RepoMeta, list[BaseHTTPRequestHandler]]],
) -> None:
    assert asked((200, GOOD), "https://gitlab.com/larks/board") == (REPO_META, [])


def test_the_token_goes_to_nobody_in_the_clear(engine_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with courtroom_on(engine_backend, clock, github_url="http://api.github.com"):
            pass

    with pytest.raises(SettingsError, match="https://"):
        run(main())
