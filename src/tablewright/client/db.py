"""``Db`` and ``AsyncDb``: the two drivers. Everything they run is a flow.

Both take a transport and the same settings; ``Db`` may be shared by threads, ``AsyncDb`` by the
tasks of one event loop. See :class:`Context` for the settings.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, overload

from tablewright.client.context import Context, Hook, Names, Retries
from tablewright.client.flows import flow_of, found_or_raise, page_flow, query_of
from tablewright.client.pages import Page
from tablewright.client.reading import Reading, one_slice
from tablewright.client.setup import create_tables
from tablewright.client.steps import Flow, Pause, Step
from tablewright.client.transports.wire import (
    AsyncTransport,
    Failure,
    Preparing,
    Request,
    Transport,
    Unreachable,
)
from tablewright.clock import Clock, SystemClock
from tablewright.model.entity import Entity
from tablewright.model.model import Model
from tablewright.model.ops import (
    Batch,
    Delete,
    Get,
    InTransaction,
    Op,
    PageOp,
    Put,
    Transaction,
)
from tablewright.model.table import Table
from tablewright.values import Item

R = TypeVar("R")
T = TypeVar("T")
E = TypeVar("E", bound=Entity)
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
F = TypeVar("F")
G = TypeVar("G")
Carrier = TypeVar("Carrier")


class _Settings(Generic[Carrier]):
    """What both drivers are made from."""

    def __init__(
        self,
        transport: Carrier,
        *,
        names: Names | None = None,
        clock: Clock | None = None,
        retries: Retries | None = None,
        hook: Hook | None = None,
        cursor_key: bytes | str | None = None,
        page_limit: int = 100,
        max_pages: int = 1000,
    ) -> None:
        self._transport = transport
        given: dict[str, Any] = {}
        if cursor_key is not None:
            given["cursor_key"] = cursor_key.encode() if isinstance(cursor_key, str) else cursor_key
        self.context = Context(
            names=names,
            clock=clock or SystemClock(),
            retries=retries or Retries(),
            hook=hook,
            page_limit=page_limit,
            max_pages=max_pages,
            **given,
        )

    @property
    def transport(self) -> Carrier:
        """What carries the requests; for who wants to look on."""
        return self._transport

    def carry_by(self, transport: Carrier) -> None:
        """Have requests carried by another transport, from the next op on.

        For who looks on for a while: what is not being watched then costs nothing at all.
        """
        self._transport = transport


class Db(_Settings[Transport]):
    """Runs ops and waits for them.

    ``db.run(customer(customer_id))`` gives what the op promises. For reads of many results it is a
    page: ``limit`` counts results, ``cursor`` goes on where an earlier page ended.
    """

    @overload
    def run(
        self, op: PageOp[T], *, limit: int | None = None, cursor: str | None = None
    ) -> Page[T]: ...
    @overload
    def run(self, op: Op[R]) -> R: ...
    def run(self, op: Op[Any], *, limit: int | None = None, cursor: str | None = None) -> Any:
        """What the op promises; of reads of many results, a :class:`Page`."""
        if isinstance(op, PageOp) or limit is not None or cursor is not None:
            return self.drive(page_flow(self.context, op, limit, cursor))
        return self.drive(flow_of(self.context, op))

    def require(self, op: Op[T | None]) -> T:
        """What the op finds, or :class:`NotFound`."""
        return found_or_raise(op, self.run(op))

    def iterate(self, op: PageOp[T]) -> Iterator[T]:
        """All results, one by one; pages are read as they are needed, none ahead."""
        query = query_of(op)
        reading = Reading(self.context, query, query.selection)
        start: Item | None = None
        while True:
            found = self.drive(one_slice(reading, query, start))
            yield from found.results
            start = found.more
            if start is None:
                return

    @overload
    def transact(self, a: InTransaction[A], /, *, token: str | None = ...) -> tuple[A]: ...
    @overload
    def transact(
        self, a: InTransaction[A], b: InTransaction[B], /, *, token: str | None = ...
    ) -> tuple[A, B]: ...
    @overload
    def transact(
        self,
        a: InTransaction[A],
        b: InTransaction[B],
        c: InTransaction[C],
        /,
        *,
        token: str | None = ...,
    ) -> tuple[A, B, C]: ...
    @overload
    def transact(
        self,
        a: InTransaction[A],
        b: InTransaction[B],
        c: InTransaction[C],
        d: InTransaction[D],
        /,
        *,
        token: str | None = ...,
    ) -> tuple[A, B, C, D]: ...
    @overload
    def transact(
        self,
        a: InTransaction[A],
        b: InTransaction[B],
        c: InTransaction[C],
        d: InTransaction[D],
        e: InTransaction[F],
        /,
        *,
        token: str | None = ...,
    ) -> tuple[A, B, C, D, F]: ...
    @overload
    def transact(
        self,
        a: InTransaction[A],
        b: InTransaction[B],
        c: InTransaction[C],
        d: InTransaction[D],
        e: InTransaction[F],
        f: InTransaction[G],
        /,
        *,
        token: str | None = ...,
    ) -> tuple[A, B, C, D, F, G]: ...
    @overload
    def transact(
        self, /, *members: InTransaction[object], token: str | None = ...
    ) -> tuple[object, ...]: ...
    def transact(self, /, *members: InTransaction[Any], token: str | None = None) -> Any:
        """All of the members, or none of them; gives one result for each."""
        return self.drive(flow_of(self.context, Transaction[Any](members, token)))

    @overload
    def batch(self, ops: Iterable[Get[T]]) -> tuple[T | None, ...]: ...
    @overload
    def batch(self, ops: Iterable[Put[E]]) -> tuple[E, ...]: ...
    @overload
    def batch(self, ops: Iterable[Put[Any] | Delete[Any]]) -> tuple[object, ...]: ...
    def batch(self, ops: Iterable[Op[Any]]) -> tuple[Any, ...]:
        """Many gets, or many puts and deletes, in as few requests as possible; not atomic."""
        return self.drive(flow_of(self.context, Batch(tuple(ops))))

    def create_tables(self, *tables: Table | Model) -> list[str]:
        """Create the tables that are not there yet, wait for them, and name them."""
        return self.drive(create_tables(self.context, tables))

    def close(self) -> None:
        """Close the transport."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def drive(self, flow: Flow[R]) -> R:
        """Run a flow to its end."""
        send = self._transport.send
        try:
            step = next(flow)
            while True:
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    step = next(flow)
                    continue
                try:
                    response = send(step)
                except (Failure, Unreachable) as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(response)
        except StopIteration as done:
            result: R = done.value
            return result


class AsyncDb(_Settings[AsyncTransport]):
    """The same with ``await``: ``await db.run(customer(customer_id))``."""

    @overload
    async def run(
        self, op: PageOp[T], *, limit: int | None = None, cursor: str | None = None
    ) -> Page[T]: ...
    @overload
    async def run(self, op: Op[R]) -> R: ...
    async def run(self, op: Op[Any], *, limit: int | None = None, cursor: str | None = None) -> Any:
        """What the op promises; of reads of many results, a :class:`Page`."""
        if isinstance(op, PageOp) or limit is not None or cursor is not None:
            return await self.drive(page_flow(self.context, op, limit, cursor))
        return await self.drive(flow_of(self.context, op))

    async def require(self, op: Op[T | None]) -> T:
        """What the op finds, or :class:`NotFound`."""
        return found_or_raise(op, await self.run(op))

    async def iterate(self, op: PageOp[T]) -> AsyncIterator[T]:
        """All results, one by one; pages are read as they are needed, none ahead."""
        query = query_of(op)
        reading = Reading(self.context, query, query.selection)
        start: Item | None = None
        while True:
            found = await self.drive(one_slice(reading, query, start))
            for result in found.results:
                yield result
            start = found.more
            if start is None:
                return

    @overload
    async def transact(self, a: InTransaction[A], /, *, token: str | None = ...) -> tuple[A]: ...
    @overload
    async def transact(
        self, a: InTransaction[A], b: InTransaction[B], /, *, token: str | None = ...
    ) -> tuple[A, B]: ...
    @overload
    async def transact(
        self,
        a: InTransaction[A],
        b: InTransaction[B],
        c: InTransaction[C],
        /,
        *,
        token: str | None = ...,
    ) -> tuple[A, B, C]: ...
    @overload
    async def transact(
        self,
        a: InTransaction[A],
        b: InTransaction[B],
        c: InTransaction[C],
        d: InTransaction[D],
        /,
        *,
        token: str | None = ...,
    ) -> tuple[A, B, C, D]: ...
    @overload
    async def transact(
        self,
        a: InTransaction[A],
        b: InTransaction[B],
        c: InTransaction[C],
        d: InTransaction[D],
        e: InTransaction[F],
        /,
        *,
        token: str | None = ...,
    ) -> tuple[A, B, C, D, F]: ...
    @overload
    async def transact(
        self,
        a: InTransaction[A],
        b: InTransaction[B],
        c: InTransaction[C],
        d: InTransaction[D],
        e: InTransaction[F],
        f: InTransaction[G],
        /,
        *,
        token: str | None = ...,
    ) -> tuple[A, B, C, D, F, G]: ...
    @overload
    async def transact(
        self, /, *members: InTransaction[object], token: str | None = ...
    ) -> tuple[object, ...]: ...
    async def transact(self, /, *members: InTransaction[Any], token: str | None = None) -> Any:
        """All of the members, or none of them; gives one result for each."""
        return await self.drive(flow_of(self.context, Transaction[Any](members, token)))

    @overload
    async def batch(self, ops: Iterable[Get[T]]) -> tuple[T | None, ...]: ...
    @overload
    async def batch(self, ops: Iterable[Put[E]]) -> tuple[E, ...]: ...
    @overload
    async def batch(self, ops: Iterable[Put[Any] | Delete[Any]]) -> tuple[object, ...]: ...
    async def batch(self, ops: Iterable[Op[Any]]) -> tuple[Any, ...]:
        """Many gets, or many puts and deletes, in as few requests as possible; not atomic."""
        return await self.drive(flow_of(self.context, Batch(tuple(ops))))

    async def create_tables(self, *tables: Table | Model) -> list[str]:
        """Create the tables that are not there yet, wait for them, and name them."""
        return await self.drive(create_tables(self.context, tables))

    async def close(self) -> None:
        """Close the transport."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def begin(self, flow: Flow[Any]) -> Step:
        """Bring a flow to its first step, and that as far as it comes without being sent.

        So a request can be made while another one is on its way; :meth:`drive` goes on from there.
        """
        step = next(flow)
        if isinstance(step, Request) and isinstance(self._transport, Preparing):
            return self._transport.prepare(step)
        return step

    async def drive(self, flow: Flow[R], step: Step | None = None) -> R:
        """Run a flow to its end; ``step`` is what :meth:`begin` gave, if it has begun."""
        send = self._transport.send
        try:
            if step is None:
                step = next(flow)
            while True:
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                    step = next(flow)
                    continue
                try:
                    response = await send(step)
                except (Failure, Unreachable) as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(response)
        except StopIteration as done:
            result: R = done.value
            return result
