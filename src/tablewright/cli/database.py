"""What `tablewright engine` does: open the database, serve it, say so.

Free of cyclopts, so that :mod:`tablewright.cli.shortcut` can get here without it.
"""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

from tablewright.cli.demo import ensure_demo
from tablewright.cli.engine_options import DEFAULT_DATA, Options
from tablewright.cli.terminal import Failure
from tablewright.cli.welcome import Welcome
from tablewright.engine import Engine, FolderError, Realism
from tablewright.server import Credentials, SeparateEngines, serve

CREDENTIALS_VARIABLE = "TABLEWRIGHT_CREDENTIALS"


def run(options: Options) -> None:
    """Open the database and serve it until a signal comes."""
    if options.memory and options.data is not None:
        raise Failure("--memory and --data exclude each other.", "Leave one of them out.")
    keys = _credentials(options)
    names = [key.access_key for key in keys]
    folder = None if options.memory else (options.data or DEFAULT_DATA)
    realism = _realism(options.realism)
    welcome = Welcome(
        host=options.host,
        region=options.region,
        folder=folder,
        durability=options.durability,
        access_keys=names,
        separate=options.separate,
        demo=options.demo,
    )
    listening = False

    wording = options.error_wording

    def open_engine(name: str, region: str) -> Engine:
        """The engine of the folder, or of the one called `name` inside it."""
        if folder is None:
            return Engine.memory(region=region, realism=realism, error_wording=wording)
        durability = options.durability
        return Engine(
            folder / name,
            durability=durability,
            region=region,
            realism=realism,
            error_wording=wording,
        )

    def announce(url: str) -> None:
        nonlocal listening
        listening = True
        print(welcome.json(url) if options.json else welcome.text(url), flush=True)

    region = options.region
    try:
        database = SeparateEngines(open_engine) if options.separate else open_engine("", region)
        if options.demo:
            _add_demo(database, names[0] if names else "local", region)
        serve(
            database,
            options.host,
            options.port,
            credentials=keys,
            region=region,
            on_start=announce,
        )
    except FolderError as error:
        raise Failure(str(error)) from None
    except OSError as error:
        if listening:
            raise
        raise _cannot_listen(options.host, options.port, error) from None


def _add_demo(database: Engine | SeparateEngines, access_key: str, region: str) -> None:
    """Create the demo table where the first key will look for it."""
    engine = database if isinstance(database, Engine) else database(access_key, region)
    assert isinstance(engine, Engine)
    ensure_demo(engine)


def _realism(file: Path | None) -> Realism | None:
    """What the file says shall go wrong."""
    if file is None:
        return None
    try:
        return Realism.load(file)
    except OSError as error:
        raise Failure(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise Failure(f"{file}: {error}") from None


def _credentials(options: Options) -> list[Credentials]:
    """The keys of all three sources: option, file, environment."""
    file = options.credentials_file
    texts = [*options.credentials, *os.environ.get(CREDENTIALS_VARIABLE, "").split()]
    if file is not None:
        try:
            lines = file.read_text().splitlines()
        except OSError as error:
            raise Failure(f"{file} cannot be read: {error.strerror}.") from None
        texts += [line for line in map(str.strip, lines) if line and not line.startswith("#")]
        if not texts:
            raise Failure(f"{file} holds no credentials.", "One KEY:SECRET per line is expected.")
    try:
        return [Credentials.parse(text) for text in texts]
    except ValueError as error:
        # Not the text itself: it may hold a secret.
        raise Failure(f"The {error}.") from None


def _cannot_listen(host: str, port: int, error: OSError) -> Failure:
    """Why the port could not be opened, in words."""
    if error.errno == errno.EADDRINUSE:
        return Failure(
            f"Port {port} on {host} is in use by another program.",
            "Stop that one, or choose another port with --port (0 takes any free one).",
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return Failure(f"This user may not listen on port {port}.", "Choose one above 1023.")
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return Failure(f"This machine has no address {host}.", "Give another one with --host.")
    return Failure(f"Cannot listen on {host}:{port}: {error}.")
