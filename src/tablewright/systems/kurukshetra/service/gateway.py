"""The gateway that takes the money: Razorpay, or a sandbox that speaks like it.

Without production and without an address of a sandbox, the process brings one of its own: on a free
port of this machine, with its books in the data folder. It starts when it is first needed; if there
are books from before, with the process, since deliveries may be due.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pydantic import SecretStr

from tablewright.service.problems import Problem, not_found
from tablewright.service.settings import SettingsError, is_secure
from tablewright.systems.kurukshetra.gateway import (
    BASE_URL,
    Credentials,
    GatewayFailed,
    OutcomeUnknown,
    Razorpay,
    Throttled,
    check_place,
)
from tablewright.systems.kurukshetra.sandbox import (
    Misbehaviour,
    Running,
    SandboxSettings,
    sandbox,
)

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

#: What a payer can do at the sandbox.
Act: TypeAlias = Literal["succeed", "fail", "late", "close"]

#: Below the address of the process: where the gateway tells what happened.
WEBHOOK: Final = "/kurukshetra/api/v1/payment/webhook"
_ORDER: Final = re.compile(r"[A-Za-z0-9_]{1,80}")
_FAULTS: Final = frozenset(each.name for each in fields(Misbehaviour))
#: Of the time that a request has, what the gateway may take with all its tries: the rest is for us.
_SHARE: Final = 2 / 3


class Gateway:
    """Its client, its keys, and the sandbox if this process has one."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._client: Razorpay | None = None
        self._sandbox: Running | None = None
        #: Where the sandbox is, if another process of the same data folder has it.
        self._joined: str | None = None
        self._running = ExitStack()

    async def open(self) -> None:
        """Wrong settings are told before anything starts."""
        production = self._festival.options.production
        if production and self.is_sandbox:
            raise SettingsError("gateway in [kurukshetra]: production needs razorpay")
        check_place(self.credentials, self._address or "http://127.0.0.1", production=production)
        if self._address is None:
            path = self._sandbox_settings.path
            if path is not None and path.exists():
                self._start()

    async def close(self) -> None:
        client, self._client = self._client, None
        self._sandbox = self._joined = None
        if client is not None:
            await client.close()
        # Beside the loop: a delivery that is under way may be to this very process.
        await asyncio.to_thread(self._running.close)

    # --- asking ----------------------------------------------------------------------------------

    @property
    def client(self) -> Razorpay:
        """Asks the gateway."""
        if self._client is None:
            self._client = Razorpay(
                self.credentials,
                base_url=self._address or self._start(),
                timeout=self._festival.options.gateway_secs,
                clock=self._festival.runtime.clock,
            )
        return self._client

    @asynccontextmanager
    async def while_waited_for(self) -> AsyncIterator[None]:
        """Somebody waits for what is asked inside: OutcomeUnknown before their request ends."""
        seconds = self._festival.runtime.settings.request_timeout_secs * _SHARE
        try:
            async with asyncio.timeout(seconds) as limit:
                yield
        except TimeoutError as error:
            if not limit.expired():
                raise
            reason = f"the gateway does not answer: given up after {seconds:g} s"
            raise OutcomeUnknown("TIMEOUT", reason) from error

    @property
    def key_id(self) -> str:
        """What a browser shows to the gateway."""
        return self.credentials.key_id

    def secrets(self) -> tuple[str, ...]:
        """Those that deliveries are signed with, the current one first."""
        return self.credentials.webhook_secrets()

    @cached_property
    def credentials(self) -> Credentials:
        options = self._festival.options
        key_id, secret = options.razorpay_key_id, options.razorpay_key_secret
        hook = options.razorpay_webhook_secret
        if key_id is not None and secret is not None and hook is not None:
            return Credentials(key_id, secret, hook, options.razorpay_webhook_secret_previous)
        if options.sandbox_url is not None:
            return SandboxSettings().credentials
        return Credentials("rzp_test_sandbox", self._made_up("key"), self._made_up("webhook"))

    # --- the sandbox -----------------------------------------------------------------------------

    @property
    def is_sandbox(self) -> bool:
        """Whether no money moves."""
        return self._festival.options.gateway == "sandbox"

    def checkout_url(self, order_id: str) -> str | None:
        """Where a browser pays at the sandbox; None where it pays by Razorpay's own script."""
        if not self.is_sandbox:
            return None
        return f"{self._address or self._start()}/checkout/{_checked(order_id)}"

    async def pretend(self, order_id: str, act: Act, **said: object) -> tuple[int, dict[str, Any]]:
        """Do what a payer does at the sandbox: its status, and what a browser gets of it."""
        import httpx2

        url = self.checkout_url(order_id)
        if url is None:
            raise not_found("order")
        try:
            async with httpx2.AsyncClient(timeout=self._festival.options.gateway_secs) as http:
                answer = await http.post(f"{url}/{act}", json=said)
        except (httpx2.HTTPError, OSError):
            raise unavailable() from None
        return answer.status_code, answer.json()

    @property
    def sandbox(self) -> Running | None:
        """The process's own, if it runs."""
        return self._sandbox

    @property
    def idle(self) -> bool:
        """Whether nobody can have paid: our own sandbox has not been needed yet."""
        return not (self._address or self._sandbox or self._joined)

    @property
    def _address(self) -> str | None:
        """Where somebody else's gateway is; None if the process brings its own."""
        options = self._festival.options
        return options.sandbox_url if self.is_sandbox else BASE_URL

    def _start(self) -> str:
        """Where the sandbox is: this process's, or that of another one with the same folder."""
        if self._sandbox is None and self._joined is None:
            try:
                self._begin()
            except RuntimeError:
                # Its books are open in another process, such as the one that a command joins.
                self._joined = self._told_address()
                if self._joined is None:
                    raise
        return self._sandbox.url if self._sandbox is not None else self._joined or ""

    def _begin(self) -> None:
        settings = self._sandbox_settings
        opened = sandbox(settings, clock=self._festival.runtime.clock)
        self._sandbox = self._running.enter_context(opened)
        log.info("payments go to the sandbox at %s", self._sandbox.url)
        if settings.path is not None:
            settings.path.with_suffix(".url").write_text(self._sandbox.url)

    def _told_address(self) -> str | None:
        path = self._path()
        try:
            return None if path is None else path.with_suffix(".url").read_text()
        except OSError:
            return None

    @cached_property
    def _sandbox_settings(self) -> SandboxSettings:
        return SandboxSettings(
            credentials=self.credentials,
            webhook_url=self._webhook_url(),
            path=self._path(),
            seed=self._seed(),
            misbehaviour=_misbehaviour(self._festival.options.sandbox_faults),
        )

    def _webhook_url(self) -> str | None:
        url = self._festival.runtime.settings.url + WEBHOOK
        if is_secure(url):
            return url
        log.warning("the sandbox does not deliver to %s: orders are asked for instead", url)
        return None

    def _path(self) -> Path | None:
        data = self._festival.runtime.settings.data
        if data is None:
            return None
        folder = data / "kurukshetra"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / "sandbox.db"

    def _seed(self) -> int:
        """Ids follow from it. Without books from before, those of before must not come again."""
        options = self._festival.options
        if self._path() is not None or "sandbox_seed" in options.model_fields_set:
            return options.sandbox_seed
        made_up = self._made_up("seed").get_secret_value()
        return int(made_up[:8], 16)

    def _made_up(self, purpose: str) -> SecretStr:
        secret = self._festival.runtime.keys.secret("kurukshetra-sandbox")
        return SecretStr(hmac.new(secret, purpose.encode(), hashlib.sha256).hexdigest())


def unavailable(error: GatewayFailed | None = None) -> Problem:
    """Nothing can be paid now; a seat that is held stays held meanwhile."""
    secs = error.seconds if isinstance(error, Throttled) else None
    detail = "Payments are not possible at the moment. A seat that you hold stays held; try again."
    headers = {"Retry-After": str(max(1, round(secs or 5)))}
    return Problem(503, "GATEWAY_UNAVAILABLE", detail, headers=headers)


def _misbehaviour(faults: Mapping[str, float]) -> Misbehaviour:
    if unknown := faults.keys() - _FAULTS:
        known = ", ".join(sorted(_FAULTS))
        raise SettingsError(f"sandbox_faults in [kurukshetra]: {min(unknown)} is none of {known}")
    return Misbehaviour(**faults)


def _checked(order_id: str) -> str:
    """Some ids come from a browser: they must not lead elsewhere."""
    if not _ORDER.fullmatch(order_id):
        raise not_found("order")
    return order_id
