"""The stand-in over HTTP, on this machine only."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

from tablewright.service import stand_ins
from tablewright.systems.vibejudge.stand_in.contract import StandIn
from tablewright.systems.vibejudge.stand_in.wires import Written, completions, converse

#: Where OpenAI's contract begins; Bedrock's is at the top.
OPENAI = "/v1"
_COMPLETIONS = f"{OPENAI}/chat/completions"
_MODEL, _CONVERSE = "/model/", "/converse"
_MOST_BYTES = 20 * 1024 * 1024


def serving(stand_in: StandIn, port: int = 0) -> AbstractContextManager[str]:
    """The address of Bedrock's contract; OpenAI's is below it at ``/v1``. 0 takes a free port."""
    return stand_ins.serving(_Server(stand_in, port))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Several agents of several submissions ask at once.
    request_queue_size = 128

    def __init__(self, stand_in: StandIn, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.stand_in = stand_in


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= _MOST_BYTES:
            self.close_connection = True
            self._send(Written(413, b"{}"))
            return
        self._send(self._answer(self.rfile.read(length)))

    def _answer(self, body: bytes) -> Written:
        authorization = self.headers.get("Authorization") or ""
        if self.path == _COMPLETIONS:
            return completions(self.server.stand_in, authorization, body)
        if self.path.startswith(_MODEL) and self.path.endswith(_CONVERSE):
            model_id = unquote(self.path.removeprefix(_MODEL).removesuffix(_CONVERSE))
            return converse(self.server.stand_in, model_id, authorization, body)
        return Written(404, b'{"message":"there is nothing here"}')

    def _send(self, written: Written) -> None:
        if written.slow:
            time.sleep(written.slow)
        if written.drop:
            self.close_connection = True
            return
        try:
            self._write(written)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # who asked did not want to wait

    def _write(self, written: Written) -> None:
        self.send_response(written.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(written.body)))
        for name, value in written.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(written.body)

    def log_message(self, *_: object) -> None:
        """Nothing: what was asked is somebody's repository."""
