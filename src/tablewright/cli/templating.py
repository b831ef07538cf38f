"""What `tablewright template` writes, before it is written."""

from __future__ import annotations

import json as json_text
from dataclasses import dataclass, replace

from tablewright.cli.models import (
    Named,
    find_access,
    find_deployed,
    find_metric_alarms,
    find_model,
    own_names,
)
from tablewright.cli.template import Format
from tablewright.cli.terminal import Failure
from tablewright.deploy.naming import Naming
from tablewright.deploy.templates.cloudformation import cloudformation
from tablewright.deploy.templates.iam import Access, Account, policies
from tablewright.deploy.templates.sam import sam
from tablewright.deploy.templates.settings import Settings
from tablewright.deploy.templates.terraform import terraform
from tablewright.deploy.templates.workbench import export_model
from tablewright.deploy.templates.yaml import to_yaml
from tablewright.model.errors import TablewrightError


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The options of `tablewright template`; :mod:`tablewright.cli.template` explains them."""

    model: str
    format: Format
    env: str
    prefix: str
    json: bool
    scale: int
    alarms: bool
    policies: bool
    vpc_endpoint: bool
    access_log: bool
    component: str | None
    feeds: tuple[str, ...]
    region: str
    account: str


def template_of(wanted: Wanted) -> str:
    """The text of the template."""
    try:
        return _template(wanted)
    except TablewrightError as error:
        raise Failure(str(error)) from None


def _template(wanted: Wanted) -> str:
    # A model for people to look at is the system's own; what is deployed has its kit too.
    find = find_model if wanted.format == "workbench" else find_deployed
    named = find(wanted.model)
    settings = _settings(wanted, named)
    if wanted.format == "terraform":
        return terraform(named.model, settings)
    if wanted.format == "iam":
        return _policies(wanted, named, settings)
    if wanted.format == "workbench":
        return _json(export_model(named.model, named.items))
    document = (sam if wanted.format == "sam" else cloudformation)(named.model, settings)
    return _json(document) if wanted.json else to_yaml(document)


def _settings(wanted: Wanted, named: Named) -> Settings:
    return Settings(
        naming=Naming(wanted.prefix, wanted.env, own_names(wanted.model)),
        scale=wanted.scale,
        alarms=wanted.alarms,
        metric_alarms=find_metric_alarms(wanted.model),
        policies=wanted.policies,
        vpc_endpoint=wanted.vpc_endpoint,
        access_log=wanted.access_log,
        access=_access(wanted.model, wanted.feeds),
        calls=named.calls,
    )


def _policies(wanted: Wanted, named: Named, settings: Settings) -> str:
    where = Account(wanted.region, wanted.account, settings.before, own=settings.naming.own)
    made = policies(named.model, where, settings.calls, settings.access)
    if wanted.component is None:
        return _json(made)
    if wanted.component not in made:
        raise Failure(
            f"{named.model.name} has no component {wanted.component!r}; it has {', '.join(made)}"
        )
    return _json(made[wanted.component])


def _json(document: object) -> str:
    return json_text.dumps(document, indent=2) + "\n"


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
