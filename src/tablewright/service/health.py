"""Whether the process lives, and whether its systems can do their work.

``/health/live`` says that the process answers. ``/health/ready`` (and ``/health``) asks every
system, each with a time limit, and is 503 if one cannot work or the process is about to end: a load
balancer then sends requests elsewhere. The open answer says which; the text of what is wrong is for
those who may read the metrics too. Askers within a second share one look.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

_log = logging.getLogger(__name__)

Check = Callable[[], Awaitable[str]]

#: A system that does not say in time that it is well is not.
TIMEOUT_SECS = 2.0
_SHARED_SECS = 1.0


class Health:
    """The state of a process."""

    def __init__(
        self,
        checks: Mapping[str, Check | None],
        timeout: float | None = None,
        warnings: Mapping[str, Callable[[], Sequence[str]] | None] | None = None,
    ) -> None:
        self._checks = dict(checks)
        self._warnings = dict(warnings or {})
        self._timeout = TIMEOUT_SECS if timeout is None else timeout
        self._looked = float("-inf")
        self._found: dict[str, str] = {}
        self._looking: asyncio.Task[dict[str, str]] | None = None
        #: Set once the process no longer wants requests.
        self.stopping = False

    async def look(self) -> dict[str, str]:
        """What is wrong, by system; "" is nothing."""
        if time.monotonic() - self._looked < _SHARED_SECS:
            return self._found
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        # Who goes away does not take the answer from the others.
        return await asyncio.shield(self._looking)

    async def _look(self) -> dict[str, str]:
        texts = await asyncio.gather(*(self._ask(name) for name in self._checks))
        self._found = dict(zip(self._checks, texts, strict=True))
        self._looked = time.monotonic()
        return self._found

    async def _ask(self, name: str) -> str:
        check = self._checks[name]
        if check is None:
            return ""
        try:
            async with asyncio.timeout(self._timeout):
                return await check()
        except TimeoutError:
            return f"no answer within {self._timeout:g} s"
        except Exception as error:
            _log.warning("the health check of %s failed", name, exc_info=error)
            return f"the check failed: {type(error).__name__}"

    def _warned(self, name: str) -> list[str]:
        """What a system warns of: it works, and its operator has something to mend."""
        warnings = self._warnings.get(name)
        return [] if warnings is None else list(warnings())

    async def report(self, *, details: bool) -> tuple[int, dict[str, object]]:
        """The status and the body of the answer."""
        state = await self.look()
        systems = {
            name: {
                "status": "failing" if wrong else "ok",
                **({"detail": wrong} if details and wrong else {}),
                **({"warnings": found} if details and (found := self._warned(name)) else {}),
            }
            for name, wrong in state.items()
        }
        well = not any(state.values()) and not self.stopping
        text = "stopping" if self.stopping else "ok" if well else "failing"
        return (200 if well else 503), {"status": text, "systems": systems}
