"""What became of one report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tablewright.service.problems import FieldError, Problem, conflict
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.cost import micros
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.spend import Ledger

Result: TypeAlias = Literal["recorded", "duplicate", "rejected"]

NO_FLAGS: frozenset[str] = frozenset()
#: How long callers of a busy or absent store should wait.
RETRY_SECS = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one report: ``row`` is what is in the ledger, ``problem`` why it is not."""

    request_id: str
    result: Result
    row: Ledger | None = None
    flags: frozenset[str] = NO_FLAGS
    problem: Problem | None = None


def rejected(usage: Usage, problem: Problem) -> Outcome:
    return Outcome(usage.request_id, "rejected", problem=problem)


def repeated(account: Account, usage: Usage, stored: object) -> Outcome:
    """The answer to an id that is in the ledger: the same again, or something else."""
    if not isinstance(stored, Ledger):
        return rejected(usage, unreadable())
    if stored.kind == "USAGE" and stored.payload_hash == usage.payload_hash():
        flags = flags_of(account, usage, stored)
        return Outcome(usage.request_id, "duplicate", stored, flags)
    return rejected(usage, mismatch())


def flags_of(account: Account, usage: Usage, row: Ledger) -> frozenset[str]:
    """What the caller should know about how a report was counted."""
    flags: list[str] = []
    claimed = usage.cost_usd_micros
    if row.cost_source == "UNPRICED":
        flags.append("unpriced")
    elif row.cost_source == "PRICE" and claimed not in (None, micros(row.cost_usd_picos)):
        flags.append("cost_mismatch")
    if row.label not in account.ordering:
        flags.append("outside_ordering")
    return frozenset(flags) if flags else NO_FLAGS


# --- problems ------------------------------------------------------------------------------------


def unknown_label(label: str) -> Problem:
    shown = label if label.isascii() and label.isprintable() else "of this kind"
    return Problem(400, "UNKNOWN_LABEL", f"There is no label {shown}.")


def outside_window(late_hours: int) -> Problem:
    detail = f"It lies more than {late_hours} hours ago, or more than 5 minutes ahead."
    error = FieldError("timestamp", detail)
    return Problem(422, "OUTSIDE_WINDOW", f"timestamp: {detail}", errors=[error])


def too_large() -> Problem:
    detail = "The ids of app, label, model and price are too long together for a ledger row."
    return Problem(422, "RECORD_TOO_LARGE", detail)


def mismatch() -> Problem:
    detail = "This request_id is in the ledger with another payload. Nothing was counted."
    return conflict("REQUEST_ID_REUSED", detail)


def unreadable() -> Problem:
    detail = "This request_id is in the ledger, in a form that cannot be read. Nothing was counted."
    return conflict("RECORD_UNREADABLE", detail)


def unavailable() -> Problem:
    detail = (
        "The store did not confirm this record in time. Send it again under the same id: if it "
        "was counted after all, the answer will be that it is a duplicate."
    )
    headers = {"Retry-After": str(RETRY_SECS)}
    return Problem(503, "STORE_UNAVAILABLE", detail, headers=headers)


def stopping() -> Problem:
    detail = "This process is about to end and takes no more records. Send it again."
    return Problem(503, "SHUTTING_DOWN", detail, headers={"Retry-After": "1"})


def overloaded() -> Problem:
    detail = "Too many records wait to be written. Send it again a little later."
    return Problem(503, "OVERLOADED", detail, headers={"Retry-After": str(RETRY_SECS)})


def defect() -> Problem:
    detail = "This record could not be written, for a reason that the service did not foresee."
    return Problem(500, "INTERNAL", detail)
