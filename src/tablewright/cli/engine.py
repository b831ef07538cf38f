"""`tablewright engine`: its options, for cyclopts to read and to explain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from tablewright.cli.engine_options import Durability, ErrorWording, Options

app = App(
    name="engine",
    help="Run the database behind a port, for every AWS SDK and the AWS CLI.",
    help_epilogue="Example: tablewright engine --demo --port 8000",
)


@app.default
def engine(
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 8000,
    data: Path | None = None,
    memory: bool = False,
    durability: Durability = "full",
    credentials: tuple[str, ...] = (),
    credentials_file: Path | None = None,
    separate: bool = False,
    demo: bool = False,
    region: str = "us-east-1",
    realism: Path | None = None,
    error_wording: ErrorWording = "current",
    json: bool = False,
) -> None:
    """Run the database behind a port.

    Parameters
    ----------
    host
        Address to listen on. Other machines can connect only to one that is not loopback.
    port
        Port to listen on; 0 takes a free one.
    data
        Folder to keep the data in; ./tablewright-data if neither this nor --memory is given.
    memory
        Keep nothing: the data is gone when the command ends.
    durability
        full: an acknowledged write is on disk. relaxed: nothing is synced, so a
        power failure may lose writes or damage the data; for tests.
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
    realism
        A JSON file that says what shall go wrong: stale reads, throttling, injected faults.
    error_wording
        current: validation errors as AWS words them now. older: as it did until May 2026,
        for client test suites that expect those texts.
    json
        Print one line of JSON at the start instead of text.
    """
    from tablewright.cli.database import run

    run(
        Options(
            host=host,
            port=port,
            data=data,
            memory=memory,
            durability=durability,
            credentials=credentials,
            credentials_file=credentials_file,
            separate=separate,
            demo=demo,
            region=region,
            realism=realism,
            error_wording=error_wording,
            json=json,
        )
    )


@app.command(help_epilogue="Example: tablewright engine verify --data tablewright-data")
def verify(
    *,
    data: Path | None = None,
    endpoint: str | None = None,
    accept_loss: bool = False,
    json: bool = False,
) -> None:
    """Check a database for damage; exits with 1 if there is any.

    Every page is verified by its checksum, and everything that is derived from items (indexes,
    counts, expiry) is computed again and compared. A folder that is in use is checked by the
    process that uses it, beside requests.

    Parameters
    ----------
    data
        The data folder; ./tablewright-data if neither this nor --endpoint is given.
    endpoint
        The URL of a running `tablewright engine`, to be checked while it runs. Requests are signed
        with the credentials of the AWS configuration.
    accept_loss
        Go on without writes that are missing from the log, so that the folder opens again. What is
        missing cannot be brought back afterwards.
    json
        Print the result as JSON.
    """
    from tablewright.cli.engine_verify import verify_engine

    verify_engine(data=data, endpoint=endpoint, accept_loss=accept_loss, json=json)
