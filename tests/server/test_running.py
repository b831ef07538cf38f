"""Starting and stopping: threads, signals, separate engines, wake-ups."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from tests.server.standin import AUTHORIZATION, Client, StandIn, request

from tablewright.server import Limits, SeparateEngines, ServerThread
from tablewright.server.completions import Completions
from tablewright.server.running import url_of
from tablewright.server.separate import folder_name


def test_a_stop_answers_what_is_in_flight_and_takes_no_more(engine: StandIn) -> None:
    server = ServerThread(engine).start()
    busy, idle, partial = Client(server.port), Client(server.port), Client(server.port)
    busy.send(request("PutItem"))
    partial.send(request(body=b"[1]")[:-1])
    engine.wait_for(1)
    assert idle.ask(request()).status == 200
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    assert idle.at_end()
    with pytest.raises(ConnectionRefusedError):
        Client(server.port)
    partial.send(b"]")
    answer = partial.read()
    assert (answer.body, answer.headers["connection"]) == (b"[1]", "close")
    engine.commit(b"[2]")
    answer = busy.read()
    assert (answer.body, answer.headers["connection"]) == (b"[2]", "close")
    assert busy.at_end()
    stopping.join(5)
    assert not stopping.is_alive()
    assert not engine.closed  # it is the caller's
    server.stop()  # once more does no harm


def test_a_stop_does_not_wait_forever(engine: StandIn) -> None:
    server = ServerThread(engine, limits=Limits(stop_timeout=0.2)).start()
    with Client(server.port) as client:
        client.send(request("PutItem"))
        engine.wait_for(1)
        started = time.monotonic()
        server.stop()
        assert time.monotonic() - started < 3
        assert client.at_end()
    assert engine.commit() == 1  # too late, and harmless


def test_a_taken_port_is_an_os_error(engine: StandIn) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = ServerThread(engine, port=other.getsockname()[1])
        with pytest.raises(OSError, match="in use"):
            taken.start()


def test_urls() -> None:
    assert url_of("127.0.0.1", 1) == "http://127.0.0.1:1"
    assert url_of("0.0.0.0", 1) == "http://127.0.0.1:1"
    assert url_of("::", 1) == "http://[::1]:1"
    assert url_of("fe80::1", 1) == "http://[fe80::1]:1"
    assert url_of("localhost", 1) == "http://localhost:1"


SCRIPT = """
from tablewright.server import serve
from tests.server.standin import StandIn

class Engine(StandIn):
    def close(self):
        print("closed", flush=True)

serve(Engine(), port=0, on_start=lambda url: print(url, flush=True))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_ends_on_a_signal_and_closes_the_engine(number: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().rpartition(":")[2])
        with Client(port) as client:
            assert client.ask(request()).status == 200
            process.send_signal(number)
            assert client.at_end()
        assert process.stdout.read() == "closed\n"
        assert process.wait(5) == 0
    finally:
        process.kill()
        process.wait()


# --- the committing thread -------------------------------------------------------------


def test_a_group_of_completions_wakes_the_loop_once() -> None:
    loop = asyncio.new_event_loop()
    wakes = 0
    original = loop.call_soon_threadsafe

    def counting(*args, **options):  # type: ignore[no-untyped-def]
        nonlocal wakes
        wakes += 1
        return original(*args, **options)

    loop.call_soon_threadsafe = counting  # type: ignore[method-assign]
    completions = Completions(loop)
    done: list[int] = []

    class Waiter:
        def __init__(self, number: int) -> None:
            self.number = number

        def completed(self) -> None:
            done.append(self.number)

    for round_ in range(3):
        for number in range(100):
            completions.add(Waiter(number))
        loop.run_until_complete(asyncio.sleep(0))
        assert wakes == round_ + 1
        assert len(done) == 100 * (round_ + 1)
    loop.close()
    completions.add(Waiter(0))  # nobody there any more: no error


def test_no_completion_is_lost_between_threads(engine: StandIn) -> None:
    """Many connections write while another thread commits whatever is there."""
    rounds, connections = 40, 16
    over = threading.Event()

    def commit() -> None:
        while not over.is_set():
            engine.commit()
            time.sleep(0.0001)

    committer = threading.Thread(target=commit)
    with ServerThread(engine) as server:
        clients = [Client(server.port) for _ in range(connections)]
        committer.start()
        for _ in range(rounds):
            for client in clients:
                client.send(request("PutItem") * 2)
            for client in clients:
                assert [client.read().status, client.read().status] == [200, 200]
        over.set()
        committer.join()
        for client in clients:
            client.socket.close()


# --- separate engines ------------------------------------------------------------------


def test_keys_and_regions_have_separate_engines() -> None:
    made: dict[str, StandIn] = {}

    def make(name: str, region: str) -> StandIn:
        made[name] = StandIn(lambda *_: f'"{name} {region}"'.encode())
        return made[name]

    engines = SeparateEngines(make, limit=3)
    with ServerThread(engines) as server, Client(server.port) as client:

        def ask(key: str, region: str) -> bytes:
            scope = AUTHORIZATION.replace("AKID", key).replace("us-east-1", region)
            return client.ask(request(authorization=scope)).body

        assert ask("AKID", "us-east-1") == b'"AKID_us-east-1 us-east-1"'
        assert ask("AKID", "us-east-1") == b'"AKID_us-east-1 us-east-1"'
        assert ask("AKID", "eu-west-1") == b'"AKID_eu-west-1 eu-west-1"'
        assert ask("OTHER", "us-east-1") == b'"OTHER_us-east-1 us-east-1"'
        assert b"LimitExceededException" in ask("FOURTH", "us-east-1")
        assert len(made) == 3
    engines.close()
    assert all(engine.closed for engine in made.values())


def test_an_engine_that_cannot_be_made_is_an_internal_error() -> None:
    def make(name: str, region: str) -> StandIn:
        raise OSError("disk full")

    with ServerThread(SeparateEngines(make)) as server, Client(server.port) as client:
        answer = client.ask(request())
        assert (answer.status, answer.type) == (500, "InternalServerError")


def test_folder_names_are_safe_and_distinct() -> None:
    keys = [
        "AKID",
        "akid",
        "Akid",
        "../../etc",
        "a/b",
        "a\\b",
        "é",
        "",
        "A" * 500,
        "A_b",
        "..",
        "\0",
    ]
    names = [folder_name(key, region) for key in keys for region in ("us-east-1", "../x", "")]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert name not in ("", ".", "..")
        assert not set(name) & set("/\\.\0 ")
        assert len(name) < 120
