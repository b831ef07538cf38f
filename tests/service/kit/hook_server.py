"""A receiver of webhooks, over real HTTP, which can fail in all the ways that receivers do."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    """What it got, and how it answers."""

    url: str = ""
    #: Head and body of each request.
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    #: One for each request; the last one goes on. A number, "drop", or seconds to wait before 200.
    answers: list[int | str | float] = field(default_factory=lambda: [200])
    headers: dict[str, str] = field(default_factory=dict)

    def next_answer(self) -> int | str | float:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def hook_server(**behaviour: object) -> Iterator[Receiver]:
    receiver = Receiver(**behaviour)  # type: ignore[arg-type]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append(({k.lower(): v for k, v in self.headers.items()}, body))
            answer = receiver.next_answer()
            if answer == "drop":
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            if isinstance(answer, float):
                time.sleep(answer)
                answer = 200
            self.send_response(int(answer))
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
