"""``mock_dynamodb``: ``patched()`` as a decorator of functions and classes, and as a block."""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from tablewright.testing.sdk import patched

if TYPE_CHECKING:
    from tablewright.engine import Engine

T = TypeVar("T", bound=Callable[..., Any])


@overload
def mock_dynamodb(target: T) -> T: ...
@overload
def mock_dynamodb(target: None = None) -> MockDynamoDb: ...
def mock_dynamodb(target: Any = None) -> Any:
    """Give each decorated test an empty engine, to which every DynamoDB client is sent.

    ``@mock_dynamodb`` stands before a function, a coroutine function, a generator fixture or a
    class, with or without parentheses; ``with mock_dynamodb() as engine:`` is a block. Of a class,
    each test method gets an engine of its own, which ``setUp`` or ``setup_method`` sees too.
    """
    mock = MockDynamoDb()
    return mock if target is None else mock(target)


class MockDynamoDb:
    """What ``mock_dynamodb()`` gives: a decorator and a context manager."""

    def __init__(self) -> None:
        self._open: list[AbstractContextManager[Engine]] = []

    def __enter__(self) -> Engine:
        block = patched()
        engine = block.__enter__()
        self._open.append(block)
        return engine

    def __exit__(self, *error: Any) -> None:
        self._open.pop().__exit__(*error)

    def __call__(self, target: T) -> T:
        decorate = _decorated_class if isinstance(target, type) else _decorated_function
        return cast("T", decorate(target))


def _decorated_function(function: Any) -> Any:
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def coroutine(*arguments: Any, **options: Any) -> Any:
            with patched():
                return await function(*arguments, **options)

        return coroutine
    if inspect.isasyncgenfunction(function):

        @wraps(function)
        async def async_generator(*arguments: Any, **options: Any) -> Any:
            with patched():
                async for value in function(*arguments, **options):
                    yield value

        return async_generator
    if inspect.isgeneratorfunction(function):

        @wraps(function)
        def generator(*arguments: Any, **options: Any) -> Any:
            with patched():
                yield from function(*arguments, **options)

        return generator

    @wraps(function)
    def plain(*arguments: Any, **options: Any) -> Any:
        with patched():
            return function(*arguments, **options)

    return plain


def _decorated_class(cls: Any) -> Any:
    if issubclass(cls, unittest.TestCase):
        return _decorated_case(cls)
    if not hasattr(cls, "setup_method"):
        # Without a set-up of its own, each test can be wrapped by itself.
        for name, value in list(vars(cls).items()):
            if name.startswith("test") and inspect.isfunction(value):
                setattr(cls, name, _decorated_function(value))
        return cls
    set_up, tear_down = cls.setup_method, getattr(cls, "teardown_method", None)

    def setup_method(self: Any, method: Any) -> None:
        self._mock_dynamodb = patched()
        self._mock_dynamodb.__enter__()
        try:
            _call(set_up, self, method)
        except BaseException:
            self._mock_dynamodb.__exit__(None, None, None)
            raise

    def teardown_method(self: Any, method: Any) -> None:
        try:
            if tear_down is not None:
                _call(tear_down, self, method)
        finally:
            self._mock_dynamodb.__exit__(None, None, None)

    cls.setup_method, cls.teardown_method = setup_method, teardown_method
    return cls


def _call(function: Any, self: Any, method: Any) -> None:
    """Call a set-up of pytest, which may or may not want to know the test."""
    if len(inspect.signature(function).parameters) > 1:
        function(self, method)
    else:
        function(self)


def _decorated_case(cls: Any) -> Any:
    set_up = cls.setUp

    @wraps(set_up)
    def with_engine(self: Any) -> None:
        block = patched()
        block.__enter__()
        # Called after tearDown, and if setUp fails.
        self.addCleanup(block.__exit__, None, None, None)
        set_up(self)

    cls.setUp = with_engine
    return cls
