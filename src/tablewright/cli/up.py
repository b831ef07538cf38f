"""`tablewright up`: its options, for cyclopts to read and to explain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.cli.terminal import not_installed


def up(
    *systems: str,
    host: str | None = None,
    port: Annotated[int | None, Parameter(validator=Number(gte=0, lte=65535))] = None,
    data: Path | None = None,
    memory: bool = False,
    endpoint: str | None = None,
    aws: bool = False,
    region: str | None = None,
    profile: str | None = None,
    prefix: str | None = None,
    env: str | None = None,
    demo: Annotated[bool, Parameter(negative="--no-demo")] = False,
    config: Path | None = None,
    json: bool = False,
) -> None:
    """Run systems with their REST APIs, workers and web console.

    Parameters
    ----------
    systems
        The systems to run; all of them if none is named.
    host
        Address to listen on, 127.0.0.1 by default. An address that other machines can reach needs
        an issuer, with which people sign in (see docs).
    port
        Port to listen on, 8080 if nothing is said; 0 takes a free one.
    data
        Folder to keep everything in: the database, keys, outgoing messages; ./tablewright-data if
        neither this nor another place is given.
    memory
        Keep nothing: everything is gone when the command ends.
    endpoint
        Use the database at this URL: tablewright engine, DynamoDB Local, any that speaks DynamoDB.
    aws
        Use DynamoDB on AWS.
    region
        The region; otherwise AWS_REGION, or what the profile says.
    profile
        A profile of the AWS configuration.
    prefix
        Stands before all table names: --prefix osem --env prod makes osem-prod-Users.
    env
        The environment, part of all table names.
    demo
        Fill a system whose tables are new with something to look at.
    config
        A TOML file with settings: [service], and a section for each system. The variables
        TABLEWRIGHT_... win over it, and options over both.
    json
        Print one line of JSON at the start instead of text.
    """
    try:
        from tablewright.cli.up_process import Options, run
    except ModuleNotFoundError as error:
        raise not_installed("Running systems needs", error) from None
    run(
        Options(
            systems=systems,
            host=host,
            port=port,
            data=data,
            memory=memory,
            endpoint=endpoint,
            aws=aws,
            region=region,
            profile=profile,
            prefix=prefix,
            env=env,
            demo=demo,
            config=config,
            json=json,
        )
    )
