"""Vibejudge's own settings: the section ``[vibejudge]``, ``TABLEWRIGHT_VIBEJUDGE_…``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from tablewright.service.settings import is_secure


class Options(BaseModel):
    """What an operator may choose."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # --- repositories ---
    #: Repositories of this machine, below ``local_root``, can be submitted: for demos and tests.
    allow_local_paths: bool = False
    local_root: Path | None = None
    #: Servers of this machine, by http, can be asked for repositories: for demos and tests.
    allow_local_servers: bool = False

    # --- organisers ---
    #: Of one address.
    registrations_per_minute: int = Field(default=20, ge=1, le=1_000_000)

    # --- submissions ---
    #: Of one address without sign-in: so many at once, then as many in ten minutes.
    public_submissions: int = Field(default=10, ge=1, le=1_000_000)
    #: Whether the host is asked for a repository when it is handed in; off where none is reached.
    check_repositories: bool = True

    # --- the table ---
    #: It takes whatever comes, so that files of many submissions are stored while one waits.
    on_demand: bool = False

    #: With it, GitHub is asked how the checks of a repository have gone.
    github_token: SecretStr | None = Field(
        default=None, min_length=1, json_schema_extra={"variable": "VIBEJUDGE_GITHUB_TOKEN"}
    )
    github_url: str = "https://api.github.com"

    # --- analysis ---
    #: Whether this process analyses submissions; others may do it instead.
    analyse: bool = True
    #: Repositories that are read and measured at once, each in a process of its own.
    processes: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1, le=64)
    #: Submissions in work at once; most of them wait for a model.
    concurrent: int = Field(default=8, ge=1, le=64)
    #: For one submission, all told.
    task_secs: float = Field(default=600.0, ge=10, le=3600)
    #: For how long a submission is one process's without a sign of life of it.
    lease_secs: int = Field(default=120, ge=4, le=120)

    # --- models ---
    bedrock_region: str | None = None
    bedrock_endpoint: str | None = None
    openai_url: str | None = None
    openai_key: SecretStr | None = Field(
        default=None, min_length=1, json_schema_extra={"variable": "VIBEJUDGE_OPENAI_KEY"}
    )
    #: For agents that a hackathon names no model for.
    default_model: str | None = None
    service_tier: Literal["standard", "flex"] = "standard"
    #: Rates of one's own, which go before those that come with the program.
    rates_file: Path | None = None
    model_secs: float = Field(default=60.0, gt=0, le=600)

    # --- pricekeeper ---
    #: Which model an agent may still afford, and who is told what was spent. Its address ends
    #: with ``/pricekeeper``; each agent is an app there, by its own name.
    pricekeeper_url: str | None = None
    pricekeeper_org: str | None = None
    #: Absent: the organisation's own client, which reaches all of its apps.
    pricekeeper_client_id: str | None = None
    pricekeeper_client_secret: SecretStr | None = Field(
        default=None, min_length=1, json_schema_extra={"variable": "VIBEJUDGE_PRICEKEEPER_SECRET"}
    )

    # --- blobs ---
    #: What models answered, whole, for 90 days: ``s3://bucket/prefix``, else in the data folder.
    blobs: str | None = None

    @model_validator(mode="after")
    def _can_be_linked(self) -> Self:
        if self.pricekeeper_url is None:
            return self
        if self.pricekeeper_org is None or self.pricekeeper_client_secret is None:
            raise ValueError(
                "pricekeeper_url needs a pricekeeper_org and a pricekeeper_client_secret as well"
            )
        if not is_secure(self.pricekeeper_url):
            raise ValueError("pricekeeper_url must begin with https://")
        return self
