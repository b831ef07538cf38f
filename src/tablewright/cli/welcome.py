"""What `tablewright engine` says when it has started: to people, or as one line of JSON."""

from __future__ import annotations

import ipaddress
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import orjson

from tablewright import __version__
from tablewright.cli.demo import TABLE
from tablewright.cli.terminal import styled


@dataclass(frozen=True, slots=True)
class Welcome:
    """The facts; :meth:`text` and :meth:`json` say them."""

    host: str
    region: str
    #: None: in memory.
    folder: Path | None
    durability: str
    #: The access keys that may sign; none means that any may.
    access_keys: list[str]
    separate: bool
    demo: bool

    def json(self, url: str) -> str:
        """One line for programs that start the command and want to know where it listens."""
        line = {
            "url": url,
            "pid": os.getpid(),
            "version": __version__,
            "data": None if self.folder is None else str(self.folder.absolute()),
            "durability": None if self.folder is None else self.durability,
            "region": self.region,
            "credentials": bool(self.access_keys),
            "separate": self.separate,
        }
        return orjson.dumps(line).decode()

    def text(self, url: str) -> str:
        """What a person needs to use what has just started."""
        name = styled(f"Tablewright {__version__}", "bold", sys.stdout)
        parts = [
            f"{name} is listening at {styled(url, 'cyan', sys.stdout)}",
            self._facts(),
            self._examples(url),
        ]
        if not self.access_keys and not _is_loopback(self.host):
            warning = "Whoever can reach this port can read and change the data: see --credentials."
            parts.append(styled(warning, "yellow", sys.stdout))
        parts.append(styled("Ctrl-C stops it.", "dim", sys.stdout))
        return "\n\n".join(parts)

    def _facts(self) -> str:
        return _table(
            {
                "data": self._kept() + (", apart per key and region" if self.separate else ""),
                "credentials": ", ".join(self.access_keys) or "any",
            }
        )

    def _kept(self) -> str:
        if self.folder is None:
            return "in memory, gone at the end"
        how = "every write synced" if self.durability == "full" else "relaxed durability"
        return f"{self.folder} ({how})"

    def _examples(self, url: str) -> str:
        key, secret = (self.access_keys[0], "...") if self.access_keys else ("local", "local")
        where = f"--endpoint-url {url} --region {self.region}"
        examples = {
            "AWS CLI": f"export AWS_ACCESS_KEY_ID={key} AWS_SECRET_ACCESS_KEY={secret}\n"
            f"aws dynamodb list-tables {where}",
            "boto3": f"boto3.resource('dynamodb', endpoint_url='{url}',\n"
            f"    region_name='{self.region}', aws_access_key_id='{key}',\n"
            f"    aws_secret_access_key='{secret}')",
        }
        if self.demo:
            examples["demo table"] = f"aws dynamodb scan --table-name {TABLE} {where}"
        return _table(examples)


def _table(rows: dict[str, str]) -> str:
    """Names on the left, their texts on the right, however many lines those have."""
    lines = []
    for name, text in rows.items():
        first, *others = text.split("\n")
        lines.append("  " + styled(f"{name:13}", "bold", sys.stdout) + first)
        lines += [" " * 15 + other for other in others]
    return "\n".join(lines)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
