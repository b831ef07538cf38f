"""Switching realism on, off and over, while requests come in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.engine.realism.delays import TableDelays
from tablewright.engine.realism.faults import Faults
from tablewright.engine.realism.lag import Lag, is_left
from tablewright.engine.realism.settings import Realism
from tablewright.engine.realism.throttle import Throttle
from tablewright.engine.storage.transaction import Transaction
from tablewright.engine.tables.backfill import clear_garbage

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


def switch(engine: Engine, old: Realism, new: Realism) -> None:
    """Make the engine behave as ``new`` says; what has not changed keeps its state."""
    if (new.throughput, new.partitions, new.burst) != (old.throughput, old.partitions, old.burst):
        wanted = new.throughput or new.partitions
        engine.throttle = (
            Throttle(engine.clock, new.throughput, new.partitions, new.burst) if wanted else None
        )
    if new.table_delay != old.table_delay:
        engine.catalog.delays = (
            TableDelays(engine.clock, new.table_delay) if new.table_delay else None
        )
    if new.lag != old.lag:
        _switch_lag(engine, new.lag)
    if (new.faults, new.seed) != (old.faults, old.seed):
        before = engine.faults
        engine.faults = (
            Faults(new.faults, new.seed, engine.clock, engine._submit) if new.faults else None
        )
        if before is not None:
            before.close()


def settle_leftovers(engine: Engine) -> None:
    """Bring a folder that was last used with a lag into the state it has without one."""
    if is_left(engine):
        _switch_lag(engine, 1.0)
        _switch_lag(engine, 0.0)


def _switch_lag(engine: Engine, seconds: float) -> None:
    lag = engine.lag
    if lag is None:
        _start(engine, Lag(engine, seconds))
        return
    lag.catch_up()
    if seconds:
        lag.seconds = seconds
    else:
        _end(engine, lag)


def _start(engine: Engine, lag: Lag) -> None:
    def work(transaction: Transaction) -> None:
        lag.start(transaction)
        transaction.after_commit(lambda: _install(engine, lag))

    engine.store.run(work)


def _end(engine: Engine, lag: Lag) -> None:
    def work(transaction: Transaction) -> None:
        lag.end(transaction)
        transaction.after_commit(lambda: _install(engine, None))
        transaction.after_commit(lambda: clear_garbage(engine))

    engine.store.run(work)


def _install(engine: Engine, lag: Lag | None) -> None:
    engine.lag = lag
    engine.store.lag = lag
