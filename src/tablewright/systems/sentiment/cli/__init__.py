"""``tablewright sentiment ...``: the use cases, typed.

==============  ==========================================================================
``demo``        something to look at; ``standing_in``: a NewsAPI of its own
``ingesting``   ingest; what it brought is analysed by ``analysing``, if nobody else does
``replaying``   replay a file of records, which ``record_files`` reads
``topics``      watch
``sources``     sources; ``alert_rules``: alert-rules
``waiting``     stuck, requeue
``models``      models
``comparing``   reanalyse, compare, promote
``books``       recount, fsck, shards
``exporting``   export; ``tailing``: tail
``deploying``   iam, cost
``benching``    bench: ``bursting`` articles, ``asking`` questions
==============  ==========================================================================

What help shows is imported for every one of them, so these modules import what they work with when
they are called, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from tablewright.systems.sentiment.cli import (
    alert_rules,
    benching,
    books,
    comparing,
    demo,
    deploying,
    exporting,
    ingesting,
    models,
    replaying,
    sources,
    tailing,
    topics,
    waiting,
)
from tablewright.systems.sentiment.cli.words import example

if TYPE_CHECKING:
    from tablewright.service.runtime import Runtime

__all__ = ["app", "given"]

app = App(name="sentiment", help="Topics, articles, models and counts of sentiment.")
app.command(demo.demo, help_epilogue=example("demo --with-newsapi --data tablewright-data"))
app.command(ingesting.ingest, help_epilogue=example("ingest saltmarsh-gazette"))
app.command(replaying.replay, help_epilogue=example("replay articles.jsonl --rate 20/s"))
app.command(topics.app)
app.command(sources.app)
app.command(alert_rules.app)
app.command(tailing.tail, help_epilogue=example("tail --follow --tag AI"))
app.command(waiting.stuck, help_epilogue=example("stuck --limit 100"))
app.command(waiting.requeue, help_epilogue=example("requeue --all"))
app.command(models.app)
app.command(comparing.reanalyse, help_epilogue=example("reanalyse v1.2.0+finbert --from 7d"))
app.command(comparing.compare, help_epilogue=example("compare --all"))
app.command(
    comparing.promote, help_epilogue=example("promote 01KA3V8Q0Z6T4R2W9YB7C5D1EF --no-wait")
)
app.command(books.recount, help_epilogue=example("recount --from 7d --fix"))
app.command(books.fsck, help_epilogue=example("fsck"))
app.command(books.shards, help_epilogue=example("shards 32"))
app.command(exporting.export, help_epilogue=example("export --tag AI --from 7d --out articles.csv"))
app.command(deploying.iam, help_epilogue=example("iam ingest --region eu-west-1 --env prod"))
app.command(deploying.cost, help_epilogue=example("cost --region eu-west-1"))
app.command(benching.app)


def given(runtime: Runtime) -> dict[str, object]:
    """What commands are given, by name."""
    from tablewright.systems.sentiment.service.newsroom import Newsroom

    return {"newsroom": Newsroom(runtime)}
