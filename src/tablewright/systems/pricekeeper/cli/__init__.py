"""``tablewright pricekeeper ...``: the use cases, typed.

==============  ==========================================================================
``orgs``        organisations, apps (``apps``), labels (``labels``)
``access``      rotate, secret; keys for programs (``keys``)
``selecting``   select
``recording``   record a file of usage: ``usage_files`` reads it, ``importing`` records it
``spending``    totals
``books``       reconcile, reprice, export (``exporting``)
``prices``      refresh, import, list, approve, reject
``controls``    override, correct, alerts, audit, revoke
``benching``    bench
``demo``        something to look at
==============  ==========================================================================

What help shows is imported for every one of them, so these modules import what they work with when
they are called, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from tablewright.systems.pricekeeper.cli import (
    access,
    apps,
    benching,
    books,
    controls,
    demo,
    exporting,
    keys,
    labels,
    orgs,
    prices,
    recording,
    selecting,
    spending,
)
from tablewright.systems.pricekeeper.cli.words import example

if TYPE_CHECKING:
    from tablewright.service.runtime import Runtime

__all__ = ["app", "given"]

app = App(name="pricekeeper", help="Limits, prices, usage and spend of pricekeeper.")
app.command(demo.demo, help_epilogue=example("demo --data tablewright-data"))
for group in (orgs.app, apps.app, labels.app):
    app.command(group)
app.command(access.rotate, help_epilogue=example("rotate Acme web --grace-hours 48"))
app.command(access.secret, help_epilogue=example("secret -  (and paste the token)"))
app.command(selecting.select, help_epilogue=example("select Acme web"))
app.command(recording.record, help_epilogue=example("record usage.jsonl --org Acme --app web"))
app.command(spending.totals, help_epilogue=example("totals Acme --period 2026-11"))
app.command(books.reconcile, help_epilogue=example("reconcile Acme --fix"))
app.command(books.reprice, help_epilogue=example("reprice Acme --from 2026-11-01 --apply"))
app.command(prices.app)
app.command(exporting.export, help_epilogue=example("export Acme --kind ledger --out ledger.csv"))
app.command(benching.bench, help_epilogue=example("bench --seconds 3"))
app.command(keys.app)
app.command(
    controls.override,
    help_epilogue=example("override Acme web --close premium --reason 'Provider is down'"),
)
app.command(
    controls.correct,
    help_epilogue=example("correct Acme web ID --output-tokens -500 --reason 'Counted twice'"),
)
app.command(controls.alerts, help_epilogue=example("alerts Acme"))
app.command(controls.audit, help_epilogue=example("audit --action org.change"))
app.command(controls.revoke, help_epilogue=example("revoke Acme web"))


def given(runtime: Runtime) -> dict[str, object]:
    """What commands are given, by name."""
    from tablewright.systems.pricekeeper.service.keeper import Keeper

    return {"keeper": Keeper(runtime)}
