"""``sandbox``: a gateway to try things with, as a process of its own."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.service.commands import Answer, Desk, Needs, needs
from tablewright.service.problems import FieldError, invalid

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.gateway import Credentials
    from tablewright.systems.kurukshetra.sandbox import Misbehaviour, SandboxSettings

#: The name of each secret, where kurukshetra looks for it.
_NAMES = {
    "key_id": "RAZORPAY_KEY_ID",
    "key_secret": "RAZORPAY_KEY_SECRET",
    "webhook_secret": "RAZORPAY_WEBHOOK_SECRET",
}
_URL = "TABLEWRIGHT_KURUKSHETRA_SANDBOX_URL"


@needs(Needs.NOWHERE)
async def sandbox(
    desk: Desk,
    /,
    *,
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 0,
    file: Path | None = None,
    webhook: str | None = None,
    seed: int = 1,
    fault: tuple[str, ...] = (),
) -> Answer:
    """Run the sandbox gateway until Ctrl-C: Razorpay's contract, without any money.

    Its keys are made up, and shown as variables for the process that pays there. kurukshetra brings
    a sandbox along by itself; this one can be stopped, started and made to misbehave.

    Parameters
    ----------
    port
        Port to listen on, on this machine only; 0 takes a free one.
    file
        Where its books are kept, with its keys beside them; else all ends with it.
    webhook
        Where events are delivered: the address of kurukshetra's /payment/webhook.
    seed
        What is left to chance follows from it.
    fault
        How often something goes wrong, as drop=0.2. It can be given several times: delay,
        delay_secs, duplicate, reorder, drop, fail, corrupt, fail_refund.
    """
    from tablewright.systems.kurukshetra.sandbox.running import run

    settings = _settings(file, webhook, seed, fault)

    def ready(url: str) -> None:
        told = _told(settings, url)
        text = json.dumps(told, indent=2) if desk.json else _lines(told, file)
        desk.stdout.write(f"{text}\n".encode())
        desk.stdout.flush()

    try:
        run(settings, port=port, ready=ready)
    except (OSError, OverflowError) as error:
        raise invalid(FieldError("--port", f"{port}: {error}")) from None
    except RuntimeError as error:
        raise invalid(FieldError("--file", str(error))) from None
    # What it is was told when it was ready.
    return Answer()


def _settings(
    file: Path | None, webhook: str | None, seed: int, faults: tuple[str, ...]
) -> SandboxSettings:
    from tablewright.service.settings import SettingsError
    from tablewright.systems.kurukshetra.sandbox import SandboxSettings

    try:
        return SandboxSettings(
            credentials=_credentials(file),
            webhook_url=webhook,
            path=file,
            seed=seed,
            misbehaviour=_misbehaviour(faults),
        )
    except SettingsError as error:
        raise invalid(FieldError("sandbox", str(error))) from None


def _misbehaviour(faults: tuple[str, ...]) -> Misbehaviour:
    from dataclasses import fields

    from tablewright.systems.kurukshetra.sandbox import Misbehaviour

    known = [each.name for each in fields(Misbehaviour)]
    said: dict[str, float] = {}
    for each in faults:
        name, _, share = each.partition("=")
        try:
            said[name] = float(share)
        except ValueError:
            raise invalid(FieldError("--fault", f"{each!r}: say it as drop=0.2")) from None
        if name not in known:
            raise invalid(FieldError("--fault", f"{name!r} is none of {', '.join(known)}"))
    return Misbehaviour(**said)


def _credentials(file: Path | None) -> Credentials:
    """Random ones; kept beside the books, if there are any."""
    from pydantic import SecretStr

    from tablewright.systems.kurukshetra.gateway import Credentials

    found = None if file is None else _kept(file)
    if found is None:
        found = {
            "key_id": f"rzp_test_{secrets.token_hex(7)}",
            "key_secret": secrets.token_urlsafe(32),
            "webhook_secret": secrets.token_urlsafe(32),
        }
        if file is not None:
            _keep(file, found)
    return Credentials(
        found["key_id"], SecretStr(found["key_secret"]), SecretStr(found["webhook_secret"])
    )


def _keys_beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.keys")


def _kept(file: Path) -> dict[str, str] | None:
    place = _keys_beside(file)
    try:
        found = json.loads(place.read_text())
        return {name: str(found[name]) for name in _NAMES}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise invalid(FieldError("--file", f"{place} cannot be read: {error}")) from None


def _keep(file: Path, found: dict[str, str]) -> None:
    """For its owner alone, and whole or not at all."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.keys.new")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
            out.write(json.dumps(found))
        fresh.replace(_keys_beside(file))
    except OSError as error:
        raise invalid(FieldError("--file", f"{file}: {error.strerror or error}")) from None


def _told(settings: SandboxSettings, url: str) -> dict[str, str]:
    keys = settings.credentials
    return {
        _URL: url,
        _NAMES["key_id"]: keys.key_id,
        _NAMES["key_secret"]: keys.key_secret.get_secret_value(),
        _NAMES["webhook_secret"]: keys.webhook_secret.get_secret_value(),
    }


def _lines(told: dict[str, str], file: Path | None) -> str:
    kept = "" if file is None else f" Its books are in {file}."
    shown = [f"The sandbox is running at {told[_URL]}.{kept} For kurukshetra:", ""]
    shown += [f"  export {name}={value}" for name, value in told.items()]
    return "\n".join([*shown, "", "Ctrl-C stops it."])
