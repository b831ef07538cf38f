"""Time that a piece of code may take, measured so that nothing else in the process counts."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(secs: float, what: str = "") -> Iterator[None]:
    """Seconds of this thread's processor. Garbage is not collected meanwhile: of what thousands of
    tests have left behind, that may take longer than what is measured.
    """
    gc.disable()
    began = time.thread_time()
    try:
        yield
        took = time.thread_time() - began
    finally:
        gc.enable()
    assert took < secs, f"{took:.2f} s of processor time; {secs} are allowed. {what}"
