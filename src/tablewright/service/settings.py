"""What an operator chooses about a process: the section ``[service]``, and ``TABLEWRIGHT_…``.

Every setting has a default with which a laptop runs. :func:`load` reads this class and the options
of the systems alike; see :mod:`tablewright.service.loading` for the file and the variables.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator

from tablewright.service.loading import SettingsError, load

__all__ = ["Issuer", "Settings", "SettingsError", "is_loopback", "is_secure", "load"]


def _url(text: str) -> str:
    """An address, kept to the letter: an issuer's is compared with what stands in tokens."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an address such as https://example.org")
    if parts.username or parts.password:
        raise ValueError("must have no user and no password")
    return text


def _base(text: str) -> str:
    """An address without anything behind it, so that paths can be put there; "" is none."""
    if text and (parts := urlsplit(_url(text))) and (parts.path.strip("/") or parts.query):
        raise ValueError("must be nothing but scheme, host and port")
    return text.rstrip("/")


Url = Annotated[str, AfterValidator(_url)]


class Issuer(BaseModel):
    """Who vouches for people: an OpenID Connect provider."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Url = Field(description="what stands in `iss`; its discovery document is below it")
    audience: str = Field(min_length=1, description="what must stand in `aud`")
    jwks_url: Url | None = Field(
        default=None, description="where its keys are; else its discovery document says"
    )
    client_id: str | None = Field(default=None, description="for signing in with the browser")
    client_secret: SecretStr | None = Field(default=None, description="goes with client_id")
    scopes: str = Field(
        default="openid profile email", description="what is asked for when people sign in"
    )
    roles_claim: str = Field(
        default="roles", min_length=1, description="the claim that holds roles: realm_access.roles"
    )


class Settings(BaseModel):
    """The settings of one process, whichever systems it runs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    local: bool = Field(
        default=True, description="this machine only: loopback, a database on it, demo users"
    )
    host: str = Field(default="127.0.0.1", min_length=1, description="address to listen on")
    port: int = Field(default=8080, ge=0, le=65_535, description="0 takes a free one")
    base_url: Annotated[str, AfterValidator(_base)] = Field(
        default="", description="the address that people use; else made from host and port"
    )
    hosts: tuple[str, ...] = Field(
        default=(), description="names in `Host` that are answered beside that of base_url"
    )
    trusted_proxies: tuple[str, ...] = Field(
        default=(), description="addresses whose X-Forwarded-For and -Proto are believed"
    )
    data: Path | None = Field(
        default=None, description="the folder for keys, outbox and run.json; else memory"
    )
    table_prefix: str = Field(
        default="", pattern=r"^[A-Za-z0-9_.-]*$", description="stands before all table names"
    )
    table_env: str = Field(
        default="", pattern=r"^[A-Za-z0-9_.-]*$", description="the environment, in all table names"
    )
    log_format: Literal["auto", "json", "text"] = Field(
        default="auto", description="auto is text on a terminal, else JSON lines"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="the least that is logged"
    )
    request_max_bytes: int = Field(
        default=1_048_576, ge=1024, le=1_073_741_824, description="the largest request body"
    )
    request_timeout_secs: float = Field(
        default=30.0, gt=0, le=3600, description="until the first byte of an answer"
    )
    stop_timeout_secs: float = Field(
        default=20.0, ge=0, le=3600, description="for requests in flight, when it is told to stop"
    )
    max_requests: int = Field(
        default=2000, ge=1, le=1_000_000, description="at once; beyond it 503 is answered"
    )
    explore_data: bool | None = Field(
        default=None,
        description="whether admins see stored items in the console; if not said, in local mode",
    )
    metrics_token: SecretStr | None = Field(
        default=None, description="who has it may read /metrics from elsewhere than this machine"
    )
    issuer: Issuer | None = Field(default=None, description="who vouches for people")
    session_hours: float = Field(
        default=8.0, gt=0, le=720, description="how long signing in with the browser lasts"
    )
    rate_limits: Literal["process", "store"] = Field(
        default="process", description="whether each process counts alone, or all together"
    )
    smtp_url: SecretStr | None = Field(
        default=None, description="smtp[s]://user:password@host:port sends the outbox by mail"
    )
    smtp_from: str = Field(
        default="tablewright@localhost", min_length=3, description="the sender of mails"
    )
    smtp_to: tuple[str, ...] = Field(
        default=(), description="who gets the mails that name nobody else"
    )
    webhook_url: Url | None = Field(
        default=None, description="gets each message of the outbox, signed"
    )
    webhook_secret: SecretStr | None = Field(
        default=None, min_length=16, description="signs what webhook_url gets"
    )
    allow_local_webhooks: bool = Field(
        default=False,
        description="webhooks that people name may be of this machine, by http: for demos",
    )
    outbox_file: Path | None = Field(
        default=None, description="where messages are written; else DATA/outbox/messages.jsonl"
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.local and not is_loopback(self.host):
            raise ValueError(
                f"local = true means this machine only, but host is {self.host}: "
                "take 127.0.0.1, or set local = false and an issuer"
            )
        if (self.webhook_url is None) != (self.webhook_secret is None):
            raise ValueError("webhook_url and webhook_secret go together: set both or neither")
        return self

    @property
    def url(self) -> str:
        """The address that people use, without a slash at its end."""
        return self.base_url or url_of(self.host, self.port)

    @property
    def https(self) -> bool:
        """Whether people come by HTTPS: cookies and headers depend on it."""
        return self.base_url.startswith("https:")

    def listening_on(self, port: int) -> Self:
        """The same with the port that was taken for 0."""
        return self.model_copy(update={"port": port})


def is_secure(url: str) -> bool:
    """Whether nobody on the way can change what an address answers."""
    parts = urlsplit(url)
    local = parts.scheme == "http" and is_loopback(parts.hostname or "")
    return bool(parts.hostname) and (local or parts.scheme == "https")


def is_loopback(host: str) -> bool:
    """Whether a host can be reached from this machine alone."""
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def url_of(host: str, port: int) -> str:
    """The URL to reach a server that listens on ``host``."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host).strip("[]")
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
