"""The stand-in over HTTP, on this machine only."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from tablewright.service import stand_ins
from tablewright.systems.sentiment.stand_in.contract import CONTROL, PATH, Answer, StandIn

#: A control message is small.
_MOST_BYTES = 5 * 1024 * 1024


def serving(stand_in: StandIn, port: int = 0) -> AbstractContextManager[str]:
    """The address at which the stand-in can be asked; 0 takes a free port."""
    return stand_ins.serving(_Server(stand_in, port))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, stand_in: StandIn, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.stand_in = stand_in


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path != PATH:
            self._send(Answer(404, b'{"status":"error","code":"notFound"}'))
            return
        wanted = dict(parse_qsl(parts.query))
        self._send(self.server.stand_in.answer(wanted, self.headers.get("X-Api-Key")))

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if self.path != CONTROL or not 0 <= length <= _MOST_BYTES:
            self.close_connection = True
            self._send(Answer(404, b'{"status":"error","code":"notFound"}'))
            return
        self._send(self.server.stand_in.control(self.rfile.read(length)))

    def _send(self, answer: Answer) -> None:
        fault = answer.fault
        if fault.slow:
            time.sleep(fault.slow)
        if fault.drop:
            self.close_connection = True
            return
        body = answer.body[: len(answer.body) // 2] if fault.broken else answer.body
        try:
            self._write(answer, body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # who asked did not want to wait

    def _write(self, answer: Answer, body: bytes) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: addresses may have keys in them."""
