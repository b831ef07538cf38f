"""Tables as Terraform resources, with the scaling of their units."""

from __future__ import annotations

from typing import Any

from tablewright.deploy.naming import ENV
from tablewright.deploy.templates.hcl import Block, Raw, quoted
from tablewright.deploy.templates.scaling import (
    SCALE_IN_AFTER,
    SCALE_OUT_AFTER,
    UTILISATION,
    Target,
    scalable,
)
from tablewright.deploy.templates.settings import Settings, snake
from tablewright.model.table import Billing, Index, OnDemand, Provisioned, Table
from tablewright.model.tables import include_of


class TerraformNames:
    """Names of resources as a configuration refers to its own."""

    def table(self, name: str) -> Raw:
        return Raw(f"aws_dynamodb_table.{snake(name)}.arn")

    def index(self, name: str, index: str) -> Raw:
        return Raw(f'"${{aws_dynamodb_table.{snake(name)}.arn}}/index/{index}"')

    def streams(self, name: str) -> Raw:
        return Raw(f'"${{aws_dynamodb_table.{snake(name)}.arn}}/stream/*"')

    def backups(self, name: str) -> Raw:
        return Raw(f'"${{aws_dynamodb_table.{snake(name)}.arn}}/backup/*"')


def table_block(table: Table, wanted: Settings) -> Block:
    """One table."""
    attributes: dict[str, Any] = {"name": _name(table.name, wanted)}
    provisioned = isinstance(table.billing, Provisioned)
    attributes["billing_mode"] = "PROVISIONED" if provisioned else "PAY_PER_REQUEST"
    attributes |= _units(table.billing)
    attributes["hash_key"] = table.pk.name
    if table.sk is not None:
        attributes["range_key"] = table.sk.name
    attributes["table_class"] = table.table_class
    attributes["deletion_protection_enabled"] = table.deletion_protection
    if table.stream is not None:
        attributes |= {"stream_enabled": True, "stream_view_type": table.stream}
    if table.tags:
        attributes["tags"] = {key: _tag(value) for key, value in table.tags.items()}
    return Block(
        "resource",
        ("aws_dynamodb_table", snake(table.name)),
        attributes,
        [*_parts(table), _lifecycle(table, wanted)],
    )


def _name(table: str, wanted: Settings) -> Raw:
    env = "${var.environment}-" if wanted.naming.env else ""
    return Raw(f'"${{var.name_prefix}}{env}{wanted.naming.own_name(table)}"')


def _tag(value: str) -> str | Raw:
    return Raw(quoted(value).replace(ENV, "${var.environment}")) if ENV in value else value


def _parts(table: Table) -> list[Block]:
    made = [
        Block("attribute", attributes={"name": each.name, "type": each.type})
        for each in table.key_attributes()
    ]
    made += _ceilings(table.billing)
    made += [_index(table, index) for index in table.indexes.values()]
    if table.ttl is not None:
        made.append(Block("ttl", attributes={"attribute_name": table.ttl, "enabled": True}))
    if table.pitr:
        recovery: dict[str, Any] = {"enabled": True}
        if table.pitr is not True:
            recovery["recovery_period_in_days"] = table.pitr
        made.append(Block("point_in_time_recovery", attributes=recovery))
    return made


def _index(table: Table, index: Index) -> Block:
    attributes: dict[str, Any] = {"name": index.name}
    several = len(index.partition) > 1 or len(index.sort) > 1
    blocks: list[Block] = []
    if index.local:
        attributes["range_key"] = index.sort[0].name
    elif several:
        blocks = [_schema(each.name, "HASH") for each in index.partition]
        blocks += [_schema(each.name, "RANGE") for each in index.sort]
    else:
        attributes["hash_key"] = index.partition[0].name
        if index.sort:
            attributes["range_key"] = index.sort[0].name
    attributes["projection_type"] = index.projection
    if index.projection == "INCLUDE":
        attributes["non_key_attributes"] = list(include_of(table, index))
    if index.local:
        return Block("local_secondary_index", attributes=attributes)
    own = index.billing or (table.billing if isinstance(table.billing, Provisioned) else None)
    if own is not None:
        attributes |= _units(own)
        blocks += _ceilings(own)
    return Block("global_secondary_index", attributes=attributes, blocks=blocks)


def _schema(name: str, kind: str) -> Block:
    return Block("key_schema", attributes={"attribute_name": name, "key_type": kind})


def _units(billing: Billing) -> dict[str, int]:
    if not isinstance(billing, Provisioned):
        return {}
    return {"read_capacity": billing.read_units, "write_capacity": billing.write_units}


def _ceilings(billing: Billing) -> list[Block]:
    if not isinstance(billing, OnDemand):
        return []
    ceilings = {
        "max_read_request_units": billing.max_read_units,
        "max_write_request_units": billing.max_write_units,
    }
    given = {name: units for name, units in ceilings.items() if units is not None}
    return [Block("on_demand_throughput", attributes=given)] if given else []


def _lifecycle(table: Table, wanted: Settings) -> Block:
    attributes: dict[str, Any] = {"prevent_destroy": True}
    targets = list(scalable(table, wanted.scale))
    if targets:
        ignored = ["read_capacity", "write_capacity"]
        if any(target.index is not None for target in targets):
            # Terraform cannot ignore the units of an index and still see the rest of it.
            ignored.append("global_secondary_index")
        attributes["ignore_changes"] = [Raw(each) for each in ignored]
    return Block("lifecycle", attributes=attributes)


def output_blocks(table: Table) -> list[Block]:
    """The names that others need."""
    own = snake(table.name)
    values = {"name": "name", "arn": "arn"}
    if table.stream is not None:
        values["stream_arn"] = "stream_arn"
    return [
        Block("output", (f"{own}_{name}",), {"value": Raw(f"aws_dynamodb_table.{own}.{value}")})
        for name, value in values.items()
    ]


# --- scaling -------------------------------------------------------------------------------------


def scaling_blocks(table: Table, wanted: Settings) -> list[Block]:
    """A target and a policy for each side of the table and of its indexes."""
    made: list[Block] = []
    for target in scalable(table, wanted.scale):
        name = snake(f"{table.name} {target.index or ''} {target.side}")
        made += [_target(table, name, target), _policy(name, target)]
    return made


def _target(table: Table, name: str, target: Target) -> Block:
    place = f"table/${{aws_dynamodb_table.{snake(table.name)}.name}}"
    if target.index is not None:
        place += f"/index/{target.index}"
    return Block(
        "resource",
        ("aws_appautoscaling_target", name),
        {
            "service_namespace": "dynamodb",
            "resource_id": Raw(f'"{place}"'),
            "scalable_dimension": target.dimension,
            "min_capacity": target.least,
            "max_capacity": target.most,
        },
    )


def _policy(name: str, target: Target) -> Block:
    own = f"aws_appautoscaling_target.{name}"
    names = ("service_namespace", "resource_id", "scalable_dimension")
    metric = Block(
        "predefined_metric_specification",
        attributes={"predefined_metric_type": target.metric},
    )
    tracking = Block(
        "target_tracking_scaling_policy_configuration",
        attributes={
            "target_value": UTILISATION,
            "scale_out_cooldown": SCALE_OUT_AFTER,
            "scale_in_cooldown": SCALE_IN_AFTER,
        },
        blocks=[metric],
    )
    attributes = {
        "name": name,
        "policy_type": "TargetTrackingScaling",
        **{each: Raw(f"{own}.{each}") for each in names},
    }
    return Block("resource", ("aws_appautoscaling_policy", name), attributes, [tracking])
