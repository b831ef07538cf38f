"""`tablewright template`: the model as a template of another tool."""

from __future__ import annotations

import json as json_text
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.cli.files import read_text, write_text
from tablewright.cli.models import Named, find_access, find_deployed, find_model, own_names
from tablewright.cli.terminal import Failure
from tablewright.deploy.naming import Naming
from tablewright.deploy.templates.cloudformation import cloudformation
from tablewright.deploy.templates.iam import Access, Account, policies
from tablewright.deploy.templates.sam import sam
from tablewright.deploy.templates.settings import Settings
from tablewright.deploy.templates.terraform import terraform
from tablewright.deploy.templates.workbench import export_model, import_model
from tablewright.deploy.templates.yaml import to_yaml
from tablewright.model.errors import TablewrightError

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
    import_: Annotated[bool, Parameter(name="--import")] = False,
) -> None:
    """Write the model as a template.

    Parameters
    ----------
    model
        A system's name, or package.module:name of a model; with --import, a file of NoSQL
        Workbench.
    format
        cloudformation, sam and terraform describe everything in an account; iam is a policy for
        each component; workbench is a model for NoSQL Workbench.
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
    import_
        Read a file of NoSQL Workbench, and write the Python source of a model.
    """
    if json and yaml:
        raise Failure("--json and --yaml are given; one of them has to go")
    try:
        if import_:
            text = import_model(read_text(Path(model)))
        else:
            naming = Naming(prefix, env, own_names(model))
            # A model for people to look at is the system's own; what is deployed has its kit too.
            named = find_model(model) if format == "workbench" else find_deployed(model)
            settings = Settings(
                naming=naming,
                scale=scale,
                alarms=not no_alarms,
                policies=policies,
                vpc_endpoint=vpc_endpoint,
                access_log=access_log,
                access=_access(model, feed),
                calls=named.calls,
            )
            where = Account(region, account, settings.before, own=naming.own)
            text = _rendered(named, format, settings, json, where, component)
    except TablewrightError as error:
        raise Failure(str(error)) from None
    _write(text, out)


def _rendered(
    named: Named,
    format: Format,
    settings: Settings,
    json: bool,
    where: Account,
    component: str | None,
) -> str:
    if format == "terraform":
        return terraform(named.model, settings)
    if format == "iam":
        return _policies(named, settings, where, component)
    if format == "workbench":
        return json_text.dumps(export_model(named.model, named.items), indent=2) + "\n"
    document = (sam if format == "sam" else cloudformation)(named.model, settings)
    return json_text.dumps(document, indent=2) + "\n" if json else to_yaml(document)


def _policies(named: Named, settings: Settings, where: Account, component: str | None) -> str:
    made = policies(named.model, where, settings.calls, settings.access)
    if component is None:
        return json_text.dumps(made, indent=2) + "\n"
    if component not in made:
        raise Failure(
            f"{named.model.name} has no component {component!r}; it has {', '.join(made)}"
        )
    return json_text.dumps(made[component], indent=2) + "\n"


def _access(model: str, feeds: tuple[str, ...]) -> Access:
    """What the author says, and what the command line adds to it."""
    told = find_access(model)
    return replace(told, feeds={**told.feeds, **_feeds(feeds)})


def _feeds(given: tuple[str, ...]) -> dict[str, list[str]]:
    feeds: dict[str, list[str]] = {}
    for text in given:
        component, equals, table = text.partition("=")
        if not (component and equals and table):
            raise Failure(f"--feed {text}: write COMPONENT=TABLE")
        feeds.setdefault(component, []).append(table)
    return feeds


def _write(text: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(text)
        return
    write_text(out, text)
    print(f"wrote {out}", file=sys.stderr)
