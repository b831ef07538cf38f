"""What `tablewright up` says when it has started: to people, or as one line of JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tablewright import __version__
from tablewright.cli.terminal import NO_ASSETS, styled
from tablewright.cli.up_place import Place
from tablewright.service.settings import Settings

ADMIN_KEY = Path("keys") / "admin.key"


@dataclass
class Welcome:
    """The facts; some of them are known only when everything is open."""

    settings: Settings
    place: Place
    #: Titles by name.
    systems: Mapping[str, str]
    #: The key for programs that was made on the first start; None if nobody may have one so.
    admin_key: str | None = field(default=None, repr=False)
    assets_missing: bool = False

    def say(self, *, json: bool) -> None:
        print(self.json() if json else self.text(), flush=True)

    @property
    def key_file(self) -> Path | None:
        folder = self.settings.data
        return folder / ADMIN_KEY if folder is not None and self.admin_key else None

    def json(self) -> str:
        """One line for programs that start the command and want to know where it listens."""
        folder = self.settings.data
        line = {
            "url": self.settings.url,
            "wire": self.place.wire or None,
            "pid": os.getpid(),
            "version": __version__,
            "systems": list(self.systems),
            "data": None if folder is None else str(folder.absolute()),
            "admin_key_file": None if self.key_file is None else str(self.key_file.absolute()),
            "local": self.settings.local,
        }
        return json.dumps(line)

    def text(self) -> str:
        """What a person needs to use what has just started."""
        url = styled(self.settings.url, "cyan", sys.stdout)
        name = styled(f"Tablewright {__version__}", "bold", sys.stdout)
        parts = [f"{name} is running at {url}", table_of(self._facts())]
        if self.assets_missing:
            parts.append(styled(NO_ASSETS, "yellow", sys.stdout))
        parts.append(styled("Ctrl-C stops it.", "dim", sys.stdout))
        return "\n\n".join(parts)

    def _facts(self) -> dict[str, str]:
        facts = {"systems": ", ".join(self.systems.values()), "data": self.place.where}
        if self.settings.local:
            facts["sign in"] = "as a demo user or by e-mail address; this machine only, no password"
        elif self.settings.issuer is not None:
            facts["sign in"] = f"by {self.settings.issuer.url}"
        else:
            facts["sign in"] = "not set up (no issuer); programs use API keys"
        if self.key_file is not None:
            facts["API key"] = f"an admin's is in {self.key_file}"
        elif self.admin_key:
            facts["API key"] = f"an admin's, until this ends: {self.admin_key}"
        if self.place.wire:
            facts["DynamoDB"] = f"{self.place.wire} (for the AWS CLI, SDKs and other commands)"
        return facts


def table_of(rows: dict[str, str]) -> str:
    """Facts with their names before them."""
    return "\n".join(
        "  " + styled(f"{name:10}", "bold", sys.stdout) + text for name, text in rows.items()
    )
