"""The sandbox over HTTP, on this machine only."""

from __future__ import annotations

import logging
import sqlite3
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import orjson

from tablewright.systems.kurukshetra.sandbox.bank import Bank
from tablewright.systems.kurukshetra.sandbox.entities import Document
from tablewright.systems.kurukshetra.sandbox.faults import Fault, Faults, told
from tablewright.systems.kurukshetra.sandbox.refusals import SERVER, Refusal, error
from tablewright.systems.kurukshetra.sandbox.routes import API, Asked, answer

_MOST_BYTES = 256 * 1024
_log = logging.getLogger(__name__)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # Hundreds may want to pay at once.
    request_queue_size = 256

    def __init__(self, bank: Bank, faults: Faults, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.bank = bank
        self.faults = faults


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer goes out whole: in two parts, the second would wait for the first to be confirmed.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        self._handle("GET", b"")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length") or "0"
        if not length.isascii() or not length.isdigit() or int(length) > _MOST_BYTES:
            self.close_connection = True
            self._write(413, Refusal("The request is too large.").document, Fault())
            return
        self._handle("POST", self.rfile.read(int(length)))

    def _handle(self, method: str, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(method, self.path, headers, body)
        # Payers are spared: what they do is the test's own doing.
        fault = self.server.faults.draw() if asked.parts()[0] == API else Fault()
        if fault.kind == "cut":
            self.close_connection = True
            return
        status, document = told(fault) if fault.before else self._answered(asked)
        if fault.slow:
            time.sleep(fault.slow)
        if fault.kind == "failed_after":
            status, document = told(fault)
        self._send(status, document, fault)

    def _answered(self, asked: Asked) -> tuple[int, Document]:
        try:
            return answer(self.server.bank, asked)
        except sqlite3.ProgrammingError:
            return 503, error("The sandbox is closed.", code=SERVER)
        except Exception:
            _log.exception("the sandbox failed at %s %s", asked.method, asked.parts())
            return 500, error("The sandbox failed; its log says how.", code=SERVER)

    def _send(self, status: int, document: Document, fault: Fault) -> None:
        if fault.kind == "cut_after":
            self.close_connection = True
            return
        try:
            self._write(status, document, fault)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # who asked did not want to wait

    def _write(self, status: int, document: Document, fault: Fault) -> None:
        body = orjson.dumps(document)
        if fault.kind == "garbled":
            body = body[: len(body) // 2]
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if fault.retry_after is not None:
            self.send_header("Retry-After", fault.retry_after)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Nothing: who asks has the keys in a header."""
