"""The embedded DynamoDB: one object, one method that matters.

``Engine(path)`` keeps its data in a folder, ``Engine.memory()`` keeps nothing. Either answers
:meth:`Engine.call` with DynamoDB's own request and response shapes, and raises
:class:`~tablewright.engine.errors.AwsError` where AWS would answer with an error.

The way of a request: the wire shape is checked (``shapes``), then the operation's handler
validates it and looks the table up. A read answers at once from a reading connection. A write's
handler returns a *work*, which the store runs in its turn (see ``storage``).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias, get_args

import apsw
import orjson

from tablewright.clock import Clock, SystemClock
from tablewright.engine import shapes
from tablewright.engine.catalog import Catalog, Outdated
from tablewright.engine.errors import AwsError, EngineClosed, as_aws_error, serialization
from tablewright.engine.handler import Request, Response, Shape
from tablewright.engine.jobs import Jobs
from tablewright.engine.operations import OPERATIONS, SCHEMA, Operation, start_background
from tablewright.engine.pending import Pending
from tablewright.engine.realism import Realism
from tablewright.engine.realism.faults import Faults
from tablewright.engine.realism.lag import Lag
from tablewright.engine.realism.switch import settle_leftovers, switch
from tablewright.engine.realism.throttle import Throttle
from tablewright.engine.storage.folder import Folder, FolderError
from tablewright.engine.storage.store import Durability, Store
from tablewright.engine.storage.transaction import ANSWERS, Transaction, Work
from tablewright.engine.verify import Verification

#: What becomes of a response before it is handed out.
Encode: TypeAlias = Callable[[Response], Any]

#: These answer with an empty body rather than with an empty object.
_SILENT = frozenset({"TagResource", "UntagResource"})


def _silence(response: Response) -> bytes:
    return b""


def _as_it_is(response: Response) -> Response:
    return response


class Engine:
    """A DynamoDB in this process."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        durability: Durability = "full",
        clock: Clock | None = None,
        region: str = "us-east-1",
        account: str = "123456789012",
        realism: Realism | None = None,
        error_wording: shapes.Wording = "current",
    ) -> None:
        if error_wording not in get_args(shapes.Wording):
            raise ValueError(f"error_wording is 'current' or 'older', not {error_wording!r}")
        #: Whether errors are worded as AWS words them now, or as it did until May 2026.
        self.error_wording: shapes.Wording = error_wording
        self.clock: Clock = clock or SystemClock()
        self.region = region
        self.account = account
        #: What makes the engine as inconvenient as the service; None while it is not asked for.
        self.lag: Lag | None = None
        self.throttle: Throttle | None = None
        self.faults: Faults | None = None
        #: The last check of the data, if there was one.
        self.verification: Verification | None = None
        self._realism = Realism()
        self._closed = False
        self._closing = threading.RLock()
        self.jobs = Jobs()
        #: Where an engine in memory keeps its buckets, once it has any.
        self.buckets: Path | None = None
        self.folder = None if path is None else Folder(path)
        with ExitStack() as resources:
            if self.folder is not None:
                resources.callback(self.folder.release)
            try:
                self.store = Store(self.folder, durability, self.clock, SCHEMA)
                resources.callback(self.store.close)
                resources.callback(self.jobs.close)
                self.catalog = Catalog(self.store)
                if self.folder is not None and not (realism and realism.lag):
                    settle_leftovers(self)
                if realism is not None:
                    self.realism = realism
                start_background(self)
            except apsw.Error as error:
                if self.folder is None:
                    raise
                raise FolderError(f"{self.folder.database} cannot be opened: {error}") from None
            #: What is given back at the end, last come, first gone.
            self.resources = resources.pop_all()

    @classmethod
    def memory(
        cls,
        *,
        clock: Clock | None = None,
        region: str = "us-east-1",
        account: str = "123456789012",
        realism: Realism | None = None,
        error_wording: shapes.Wording = "current",
    ) -> Engine:
        """An engine that keeps nothing after it is closed."""
        return cls(
            None,
            durability="relaxed",
            clock=clock,
            region=region,
            account=account,
            realism=realism,
            error_wording=error_wording,
        )

    @property
    def realism(self) -> Realism:
        """Stale reads, throttling and failures, as tests may want them. Can be set at any time."""
        return self._realism

    @realism.setter
    def realism(self, realism: Realism) -> None:
        switch(self, self._realism, realism)
        self._realism = realism

    # --- requests --------------------------------------------------------------------

    def call(self, operation: str, request: Request) -> Response:
        """Answer one request; raises :class:`AwsError` as the service would."""
        if self.faults is not None:
            return self._call_with_faults(self.faults, operation, request)
        known = self._known(operation)
        try:
            prepared = self._prepare(known, operation, request, orjson.loads, plain=True)
            if known.reads(request):
                done: Response = prepared
            else:
                work = self._work(known, request, orjson.loads, prepared, _as_it_is)
                done = self.store.run(work)
            return done
        except ANSWERS as error:
            raise as_aws_error(error) from None

    def submit(
        self,
        operation: str,
        request: Request,
        *,
        owned: bool = False,
        read: Shape | None = None,
    ) -> Pending[Response]:
        """Take one request; the answer comes when it is durable. Reads are answered at once.

        ``owned`` says that nobody changes the request from now on, which saves a copy of it.
        ``read`` makes what is answered of the JSON text that is stored; by default, all of it.
        """
        shape = read or orjson.loads
        if self.faults is not None:
            return self.faults.submit(operation, request, shape)
        return self._submit(operation, request, shape, plain=owned)

    def prepare(self, operation: str, request: Request) -> Callable[[], Pending[Response]]:
        """Do all of a write that does not have to wait for its turn; calling the result submits it.

        So the next write can be made ready while the disk is busy with the one before. Nobody may
        change the request from now on.
        """
        later = partial(self.submit, operation, request, owned=True)
        if self.faults is not None:
            return later
        try:
            known = self._known(operation)
            if known.reads(request):
                return later
            prepared = self._prepare(known, operation, request, orjson.loads, plain=True)
        except ANSWERS:
            return later  # and be refused then
        work = self._work(known, request, orjson.loads, prepared, _as_it_is)
        return lambda: later() if self.faults is not None else self.store.submit(work)

    def submit_json(self, operation: str, body: bytes) -> Pending[bytes]:
        """The same for a request and a response as JSON text; stored items are spliced in."""
        try:
            request = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            reason = f"The request body is not valid JSON: {error.msg}, at {error.pos}"
            return Pending.failed(serialization(reason))
        encode = _silence if operation in _SILENT else orjson.dumps
        if self.faults is None:
            return self._submit(operation, request, orjson.Fragment, encode, plain=True)
        encoded: Pending[bytes] = Pending()
        answer = self.faults.submit(operation, request, orjson.Fragment)
        encoded.helper = answer.helper
        answer.add_done_callback(lambda done: _encode(done, encode, encoded))
        return encoded

    def call_json(self, operation: str, body: bytes) -> bytes:
        """Answer one request given as JSON text with JSON text."""
        return self.submit_json(operation, body).result()

    def close(self) -> None:
        """Finish what is under way, sync, and give the folder up. Does nothing the second time."""
        with self._closing:
            if self._closed:
                return
            if self.faults is not None:
                self.faults.close()
            self._closed = True
            if self.verification is not None:
                self.verification.stop()
            self.jobs.close()  # before anything it may be using goes
            self.resources.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- inside ----------------------------------------------------------------------

    def _known(self, operation: str) -> Operation:
        if self._closed:
            raise EngineClosed
        known = OPERATIONS.get(operation)
        if known is None:
            raise AwsError(
                "UnknownOperationException",
                f"Unknown operation: {operation} is not supported by this engine"
                if operation in shapes.OPERATIONS
                else f"Unknown operation: {operation}",
            )
        return known

    def _call_with_faults(self, faults: Faults, operation: str, request: Request) -> Response:
        try:
            return faults.submit(operation, request, orjson.loads).result()
        except ANSWERS as error:
            raise as_aws_error(error) from None

    def _submit(
        self,
        operation: str,
        request: Any,
        shape: Shape,
        encode: Encode = _as_it_is,
        *,
        plain: bool = False,
    ) -> Pending[Any]:
        try:
            known = self._known(operation)
            prepared = self._prepare(known, operation, request, shape, plain=plain)
            if known.reads(request):
                return Pending.of(encode(prepared))
        except ANSWERS as error:
            return Pending.failed(as_aws_error(error))
        return self.store.submit(self._work(known, request, shape, prepared, encode))

    def _prepare(
        self, known: Operation, operation: str, request: Any, shape: Shape, *, plain: bool
    ) -> Any:
        """The answer of a read, or the work of a write; ``plain`` allows the short way to it.

        The short way takes an item as it is, without a copy: nobody may change it before the
        work is done.
        """
        try:
            if plain and known.plain is not None:
                prepared = known.plain(self, request, shape)
                if prepared is not None:
                    return prepared
            shapes.check(operation, request, self.error_wording)
            return known.handler(self, request, shape)
        except apsw.SQLError:
            # The table or index was dropped in the middle of it: look again.
            return known.handler(self, request, shape)

    def _work(
        self, known: Operation, request: Any, shape: Shape, work: Work, encode: Encode
    ) -> Work:
        """A write's work, which is prepared again if its table is altered before its turn."""

        def attempt(transaction: Transaction) -> Any:
            try:
                try:
                    return encode(work(transaction))
                except Outdated:
                    # Nobody else can alter a table while this work has its turn.
                    return encode(known.handler(self, request, shape)(transaction))
            except ANSWERS as error:
                raise as_aws_error(error) from None

        return attempt


def _encode(done: Pending[Response], encode: Encode, encoded: Pending[bytes]) -> None:
    """Hand an answer that is there over as JSON text."""
    error = done.exception()
    if error is not None:
        encoded.set_exception(as_aws_error(error) if isinstance(error, ANSWERS) else error)
    else:
        encoded.set_result(encode(done.result()))
