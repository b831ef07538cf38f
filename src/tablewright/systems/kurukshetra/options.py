"""Kurukshetra's own settings: the section ``[kurukshetra]``, ``TABLEWRIGHT_KURUKSHETRA_…``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    field_validator,
    model_validator,
)

from tablewright.service.email_addresses import parse_email
from tablewright.service.settings import is_secure


def _secret(variable: str) -> SecretStr | None:
    """A setting that an environment variable of its own may hold."""
    secret: SecretStr | None = Field(
        default=None, min_length=1, json_schema_extra={"variable": variable}
    )
    return secret


class Options(BaseModel):
    """What an operator may choose."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Real money moves, and personal data leaves in full. Without it: test keys and the sandbox.
    production: bool = False

    # --- payments ---
    gateway: Literal["sandbox", "razorpay"] = Field(
        default="sandbox", json_schema_extra={"variable": "KURUKSHETRA_GATEWAY"}
    )
    #: Of a sandbox that runs elsewhere; without it, the process brings its own.
    sandbox_url: str | None = None
    #: How badly the sandbox behaves, and what follows from it.
    sandbox_seed: int = 1
    sandbox_faults: dict[str, float] = Field(default={})
    razorpay_key_id: str | None = Field(
        default=None, json_schema_extra={"variable": "RAZORPAY_KEY_ID"}
    )
    razorpay_key_secret: SecretStr | None = _secret("RAZORPAY_KEY_SECRET")
    razorpay_webhook_secret: SecretStr | None = _secret("RAZORPAY_WEBHOOK_SECRET")
    razorpay_webhook_secret_previous: SecretStr | None = _secret("RAZORPAY_WEBHOOK_SECRET_PREVIOUS")
    gateway_secs: float = Field(default=10.0, gt=0, le=60)

    # --- people ---
    #: Of one user, or of one address that nobody has signed in from.
    requests_per_minute: int = Field(default=100, ge=1, le=1_000_000)
    #: Of somebody with a role.
    admin_requests_per_minute: int = Field(default=1000, ge=1, le=1_000_000)
    #: Of one user.
    registrations_per_minute: int = Field(default=5, ge=1, le=1_000_000)
    #: Of one internet address, which a whole campus may share.
    registrations_per_minute_from_address: int = Field(default=600, ge=1, le=1_000_000)
    #: E-mail addresses of administrators of all events, for sign-ins that bring no roles. They have
    #: to be verified by the sign-in.
    admins: tuple[str, ...] = ()
    #: Where a telephone number without a country comes from.
    country: str = Field(default="IN", pattern="^[A-Z]{2}$")
    #: Mails of a day, all events together.
    mails_per_day: int = Field(default=50_000, ge=1)

    # --- keys ---
    #: Keys of personal data are wrapped by this key of KMS instead of lying in the data folder.
    kms_key: str | None = None
    kms_region: str | None = None

    # --- certificates ---
    #: Folders with fonts, for names in scripts that those of certificates do not have.
    certificate_fonts: tuple[Path, ...] = ()

    # --- vibejudge ---
    #: Its address ends with ``/vibejudge``. Absent: the one in the same process, on one's own
    #: machine.
    vibejudge_url: str | None = None
    vibejudge_key: SecretStr | None = _secret("KURUKSHETRA_VIBEJUDGE_KEY")

    @model_validator(mode="after")
    def _has_keys(self) -> Self:
        keys = (self.razorpay_key_id, self.razorpay_key_secret, self.razorpay_webhook_secret)
        if self.gateway == "razorpay" and not all(keys):
            raise ValueError(
                "gateway razorpay needs RAZORPAY_KEY_ID, RAZORPAY_KEY_SECRET and "
                "RAZORPAY_WEBHOOK_SECRET"
            )
        return self

    @field_validator("admins")
    @classmethod
    def _addresses(cls, admins: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(parse_email(each) for each in admins)

    @model_validator(mode="after")
    def _has_way(self) -> Self:
        if self.vibejudge_url is None:
            return self
        if self.vibejudge_key is None:
            raise ValueError("vibejudge_url needs a vibejudge_key as well")
        if not is_secure(self.vibejudge_url):
            raise ValueError("vibejudge_url must begin with https://")
        return self
