"""Vibejudge's own settings: the section ``[vibejudge]``, ``TABLEWRIGHT_VIBEJUDGE_…``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class Options(BaseModel):
    """What an operator may choose."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # --- repositories ---
    #: Repositories of this machine, below ``local_root``, can be submitted: for demos and tests.
    allow_local_paths: bool = False
    local_root: Path | None = None
    #: Servers of this machine, by http, can be asked for repositories: for demos and tests.
    allow_local_servers: bool = False

    # --- analysis ---
    #: Whether this process analyses submissions; others may do it instead.
    analyse: bool = True
    #: Repositories that are read and measured at once, each in a process of its own.
    processes: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1, le=64)
    #: Submissions in work at once; most of them wait for a model.
    concurrent: int = Field(default=8, ge=1, le=64)
    #: For one submission, all told.
    task_secs: float = Field(default=600.0, ge=10, le=3600)

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
    #: A file of rates instead of the one that comes with the program.
    rates_file: Path | None = None
    model_secs: float = Field(default=60.0, gt=0, le=600)

    # --- pricekeeper ---
    #: Which model an agent may still afford, and who is told what was spent.
    pricekeeper_url: str | None = None
    pricekeeper_org: str | None = None
    pricekeeper_client_id: str | None = None
    pricekeeper_client_secret: SecretStr | None = Field(
        default=None, min_length=1, json_schema_extra={"variable": "VIBEJUDGE_PRICEKEEPER_SECRET"}
    )

    # --- blobs ---
    #: What models answered, whole, for 90 days: ``s3://bucket/prefix``, else in the data folder.
    blobs: str | None = None
