"""A table's streams, encryption and table class: what may be asked for, and how it is kept."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from tablewright.engine.errors import invalid, validation
from tablewright.engine.handler import Request
from tablewright.engine.schema import Body
from tablewright.engine.storage.transaction import Transaction
from tablewright.engine.streams import recording as streams
from tablewright.engine.tables.describe import moment

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


STANDARD = "STANDARD"
#: The key that the service itself manages for an account.
_OWN_KEY = "alias/aws/dynamodb"

_NOT_OFFERED = {
    "ReplicaUpdates": "global tables",
    "MultiRegionConsistency": "global tables",
    "GlobalTableWitnessUpdates": "global tables",
    "GlobalTableSettingsReplicationMode": "global tables",
    "GlobalTableSourceArn": "global tables",
    "DisassociationProtectionEnabled": "global tables",
    "VectorIndexes": "vector indexes",
    "VectorIndexUpdates": "vector indexes",
}


def check_offered(request: Request) -> None:
    """Refuse what the service can do and this engine cannot, instead of ignoring it."""
    for name, what in _NOT_OFFERED.items():
        if request.get(name):
            raise invalid(f"{name} is not supported by this engine, which has no {what}")


# --- streams -----------------------------------------------------------------------------


def check_new_stream(request: Request) -> None:
    """Check CreateTable's StreamSpecification."""
    wanted = request.get("StreamSpecification")
    if wanted is None:
        return
    view = wanted.get("StreamViewType")
    if wanted["StreamEnabled"] and view is None:
        raise invalid("Table is being created with a stream enabled, UpdateViewType is required")
    if not wanted["StreamEnabled"] and view is not None:
        raise invalid(
            "Table is being created with a stream disabled, UpdateViewType should not be specified"
        )


def check_changed_stream(request: Request) -> None:
    """Check UpdateTable's StreamSpecification, whatever the table is like."""
    wanted = request.get("StreamSpecification")
    if wanted is None:
        return
    view = wanted.get("StreamViewType")
    if wanted["StreamEnabled"] and view is None:
        raise invalid("If stream is being enabled then UpdateViewType is required")
    if not wanted["StreamEnabled"] and view is not None:
        raise invalid("If stream is being disabled, then UpdateViewType must not be specified")


def check_stream_state(body: Body, request: Request) -> None:
    """A stream is enabled once and disabled once; its view cannot be changed in between."""
    wanted = request.get("StreamSpecification")
    if wanted is None:
        return
    enabled = bool((body.get("StreamSpecification") or {}).get("StreamEnabled"))
    if wanted["StreamEnabled"] and enabled:
        raise validation(f"Table already has an enabled stream: TableName: {body['TableName']}")
    if not wanted["StreamEnabled"] and not enabled:
        raise validation(f"Table has no stream to disable: TableName: {body['TableName']}")


def set_stream(engine: Engine, transaction: Transaction, body: Body, request: Request) -> None:
    """Give the table a stream or take it away, as the request asks."""
    wanted = request.get("StreamSpecification")
    if wanted is None:
        return
    if wanted["StreamEnabled"]:
        streams.enable(transaction, engine.catalog, body, wanted["StreamViewType"])
    else:
        streams.disable(transaction, body)


# --- encryption --------------------------------------------------------------------------


def check_encryption(request: Request) -> None:
    """Check an SSESpecification by itself."""
    wanted = request.get("SSESpecification")
    if wanted is None:
        return
    kind = wanted.get("SSEType")
    if wanted.get("Enabled") is False:
        for name in ("SSEType", "KMSMasterKeyId"):
            if name in wanted:
                raise invalid(f"{name} can not be specified if Enabled is false")
    if kind == "AES256":
        raise invalid("SSEType AES256 is not supported")
    if "KMSMasterKeyId" in wanted and kind != "KMS":
        raise invalid("SSEType KMS is required if KMSMasterKeyId is specified")


def check_encryption_state(engine: Engine, body: Body, request: Request) -> None:
    """Refuse a change of encryption that would change nothing."""
    wanted = request.get("SSESpecification")
    if wanted is None:
        return
    kept = body.get("SSEDescription")
    if kept is None and not _encrypts(wanted):
        raise invalid("Table is already encrypted by default")
    if kept is not None and wanted.get("KMSMasterKeyId") == kept["KMSMasterKeyArn"]:
        raise invalid(
            "Table is already encrypted with given KMSMasterKeyId. "
            "Use KMSMasterKeyId parameter if you want to change Master Key"
        )


def set_encryption(engine: Engine, body: Body, request: Request) -> None:
    """Note how the table is said to be encrypted."""
    wanted = request.get("SSESpecification")
    if wanted is None:
        return
    body.pop("SSEDescription", None)
    body["SSESpecification"] = dict(wanted)
    if _encrypts(wanted):
        body["SSEDescription"] = {
            "Status": "ENABLED",
            "SSEType": "KMS",
            "KMSMasterKeyArn": _key_arn(engine, wanted.get("KMSMasterKeyId", _OWN_KEY)),
        }


def _encrypts(wanted: Request) -> bool:
    return bool(wanted.get("Enabled") or wanted.get("SSEType") == "KMS")


def _key_arn(engine: Engine, key: str) -> str:
    if key.startswith("arn:"):
        return key
    if key.startswith("alias/"):
        # There is no key service to ask: an alias always stands for the same key.
        key = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{engine.account}/{key}"))
    return f"arn:aws:kms:{engine.region}:{engine.account}:key/{key}"


# --- table class -------------------------------------------------------------------------


def set_table_class(body: Body, request: Request, now: float | None) -> None:
    """Note the table class; nothing is said of a table that never left the standard one."""
    wanted = request.get("TableClass")
    if wanted is None or (wanted == STANDARD and "TableClassSummary" not in body):
        return
    summary: Body = {"TableClass": wanted}
    if now is not None:
        summary["LastUpdateDateTime"] = moment(now)
    body["TableClassSummary"] = summary
