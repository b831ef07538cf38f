"""`tablewright template`: the model as a template of another tool."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.cli.files import write_text
from tablewright.cli.terminal import Failure

Format: TypeAlias = Literal["cloudformation", "sam", "terraform", "iam", "workbench"]


def template(
    model: str,
    *,
    format: Format = "cloudformation",
    env: str = "",
    prefix: str = "",
    out: Path | None = None,
    json: bool = False,
    yaml: bool = False,
    scale: Annotated[int, Parameter(validator=Number(gte=1))] = 10,
    no_alarms: bool = False,
    policies: bool = False,
    vpc_endpoint: bool = False,
    access_log: bool = False,
    component: str | None = None,
    feed: tuple[str, ...] = (),
    region: str = "us-east-1",
    account: str = "000000000000",
) -> None:
    """Write the model as a template.

    Parameters
    ----------
    model
        A system's name, or package.module:name of a model.
    format
        cloudformation, sam and terraform describe everything in an account; iam is a policy for
        each component; workbench is a model for NoSQL Workbench, which `tablewright import` reads.
    env
        The environment; it stands in the names of the tables. In prod, tables are protected
        from deletion and can be recovered to a point in time.
    prefix
        What the name of every table begins with.
    out
        The file to write; standard output without it.
    json
        CloudFormation and SAM as JSON.
    yaml
        CloudFormation and SAM as YAML, which is the default.
    scale
        Provisioned units may grow to so many times what is declared; 1 is no scaling.
    no_alarms
        Leave the CloudWatch alarms out.
    policies
        Add a managed policy for each component. SAM has them always.
    vpc_endpoint
        Add a gateway for a VPC, through which only these tables are reached.
    access_log
        Add a trail of every request, in a bucket of its own.
    component
        Of iam: only this component's policy, ready for the AWS CLI.
    feed
        COMPONENT=TABLE: the component follows the table's changes, beside what the model's
        module access says; repeatable.
    region
        Of iam: the region of the tables.
    account
        Of iam: the account of the tables.
    """
    if json and yaml:
        raise Failure("--json and --yaml are given; one of them has to go")
    from tablewright.cli.templating import Wanted, template_of

    wanted = Wanted(
        model=model,
        format=format,
        env=env,
        prefix=prefix,
        json=json,
        scale=scale,
        alarms=not no_alarms,
        policies=policies,
        vpc_endpoint=vpc_endpoint,
        access_log=access_log,
        component=component,
        feeds=feed,
        region=region,
        account=account,
    )
    _write(template_of(wanted), out)


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
        return
    write_text(out, text)
    print(f"wrote {out}", file=sys.stderr)
