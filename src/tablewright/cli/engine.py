"""`tablewright engine`: the database behind a port."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tablewright.cli.demo import ensure_demo
from tablewright.cli.terminal import Failure
from tablewright.cli.welcome import Welcome
from tablewright.engine import Engine, FolderError
from tablewright.server import Credentials, SeparateEngines, serve

DEFAULT_DATA = Path("tablewright-data")
CREDENTIALS_VARIABLE = "TABLEWRIGHT_CREDENTIALS"
Durability = Literal["full", "relaxed"]


def engine(
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(name=["--port", "-p"])] = 8000,
    data: Annotated[Path | None, Parameter(name=["--data", "-d"])] = None,
    memory: Annotated[bool, Parameter(negative="")] = False,
    durability: Durability = "full",
    credentials: Annotated[list[str] | None, Parameter(negative="")] = None,
    credentials_file: Path | None = None,
    separate: Annotated[bool, Parameter(negative="")] = False,
    demo: Annotated[bool, Parameter(negative="")] = False,
    region: str = "us-east-1",
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Run the database behind a port, for every AWS SDK and the AWS CLI.

    For example, with a table to look at:

        tablewright engine --demo

        aws dynamodb scan --table-name Demo --endpoint-url http://127.0.0.1:8000

    Parameters
    ----------
    host
        Address to listen on. Other machines can connect only to an address that is not loopback.
    port
        Port to listen on; 0 takes a free one.
    data
        Folder to keep the data in; ./tablewright-data if neither this nor --memory is given.
    memory
        Keep nothing: the data is gone when the command ends.
    durability
        full: an acknowledged write is on disk. relaxed: a power failure may lose the last ones.
    credentials
        Accept only requests signed with this KEY:SECRET (or KEY:SECRET:TOKEN); repeatable.
        Without any, every signature is accepted. The variable TABLEWRIGHT_CREDENTIALS may hold
        several, separated by spaces.
    credentials_file
        The same from a file, one per line.
    separate
        Keep the data of each access key and region apart.
    demo
        Create a small table named Demo, with items, if there is none.
    region
        The region the database says it is in.
    json
        Print one line of JSON at the start instead of text.
    """
    if memory and data is not None:
        raise Failure("--memory and --data exclude each other.", "Leave one of them out.")
    keys = _credentials(credentials or [], credentials_file)
    folder = None if memory else (data or DEFAULT_DATA)
    names = [key.access_key for key in keys]
    welcome = Welcome(host, region, folder, durability, names, separate, demo)
    listening = False

    def open_engine(name: str, region: str) -> Engine:
        """The engine of the folder, or of the one called `name` inside it."""
        if folder is None:
            return Engine.memory(region=region)
        return Engine(folder / name, durability=durability, region=region)

    def announce(url: str) -> None:
        nonlocal listening
        listening = True
        print(welcome.json(url) if json else welcome.text(url), flush=True)

    try:
        database = SeparateEngines(open_engine) if separate else open_engine("", region)
        if demo:
            _add_demo(database, names[0] if names else "local", region)
        serve(database, host, port, credentials=keys, region=region, on_start=announce)
    except FolderError as error:
        raise Failure(str(error)) from None
    except OSError as error:
        if listening:
            raise
        raise _cannot_listen(host, port, error) from None


def _add_demo(database: Engine | SeparateEngines, access_key: str, region: str) -> None:
    """Create the demo table where the first key will look for it."""
    engine = database if isinstance(database, Engine) else database(access_key, region)
    assert isinstance(engine, Engine)
    ensure_demo(engine)


def _credentials(given: list[str], file: Path | None) -> list[Credentials]:
    """The keys of all three sources: option, file, environment."""
    texts = given + os.environ.get(CREDENTIALS_VARIABLE, "").split()
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
        raise Failure(f"{str(error).capitalize()}.") from None


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
