"""Who may ask the sandbox, whom it tells, and how badly it behaves."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path

from pydantic import SecretStr

from tablewright.service.settings import SettingsError, is_secure
from tablewright.systems.kurukshetra.gateway.credentials import Credentials


@dataclass(frozen=True, slots=True)
class Misbehaviour:
    """How often each thing goes wrong, from 0 (never) to 1 (always)."""

    #: An event is delivered up to ``delay_secs`` later.
    delay: float = 0.0
    delay_secs: float = 60.0
    #: An event is delivered two to five times, though it was taken.
    duplicate: float = 0.0
    #: An event is delivered after others that happened later.
    reorder: float = 0.0
    #: An event is never delivered.
    drop: float = 0.0
    #: A request fails, half of the time only after it was carried out.
    fail: float = 0.0
    #: A delivery has a wrong byte; its repeat is right.
    corrupt: float = 0.0
    #: A refund does not reach the payer, and its money comes back.
    fail_refund: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value < 0 or (value > 1 and each.name != "delay_secs"):
                raise SettingsError(f"sandbox: {each.name} is from 0 to 1, not {value}")


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """A sandbox."""

    credentials: Credentials = field(
        default_factory=lambda: Credentials(
            "rzp_test_sandbox", SecretStr("sandbox-key"), SecretStr("sandbox-webhook")
        )
    )
    #: Where events are delivered to; without it they are only kept.
    webhook_url: str | None = None
    #: Its SQLite file; without one, all ends with the process.
    path: Path | None = None
    seed: int = 1
    misbehaviour: Misbehaviour = field(default_factory=Misbehaviour)
    #: Seconds until a refund has reached the payer.
    refund_secs: float = 0.0
    #: Seconds until a late payment is captured: after a seat's hold and grace have gone.
    late_secs: float = 30 * 60.0

    def __post_init__(self) -> None:
        if self.credentials.live:
            raise SettingsError("sandbox: live keys have no business here")
        if self.webhook_url is not None and not is_secure(self.webhook_url):
            raise SettingsError(f"sandbox: {self.webhook_url}: must begin with https://")
