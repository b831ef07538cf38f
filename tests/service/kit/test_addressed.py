"""Messages to the webhook that they name: checked each time, signed for each alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.service.kit.hook_server import hook_server
from tests.service.kit.test_sinks import AT, ID, failure, message, send

from tablewright.clock import ManualClock
from tablewright.service.keys import Keys
from tablewright.service.kit.outbox.signing import HEADER, is_signed
from tablewright.service.kit.outbox.sinks.addressed import AddressedSink, secret_for
from tablewright.service.outbound import Outbound

CLOCK = ManualClock(AT.timestamp())
KEYS = Keys(None, {})


def sink(*, allow_local: bool = True) -> AddressedSink:
    return AddressedSink(KEYS, CLOCK, Outbound(allow_local=allow_local))


def test_it_goes_where_it_says() -> None:
    with hook_server() as one, hook_server() as other:
        send(sink(), message(webhook=one.url), message(webhook=other.url))
        for receiver in (one, other):
            ((head, body),) = receiver.got
            found = {name.lower(): value for name, value in head.items()}
            assert found["tablewright-message-id"] == ID
            signed = found[HEADER.lower()]
            assert is_signed(secret_for(KEYS, receiver.url), signed, body, CLOCK.now())
            elsewhere = other.url if receiver is one else one.url
            assert not is_signed(secret_for(KEYS, elsewhere), signed, body, CLOCK.now())


def test_others_are_for_other_sinks() -> None:
    assert not sink().takes(message())
    assert not sink().takes(message(webhook=None))


@pytest.mark.parametrize(
    ("status", "permanent"), [(500, False), (429, False), (302, False), (410, True)]
)
def test_what_the_receiver_refuses(status: int, permanent: bool) -> None:
    with hook_server(answers=[status]) as hook:
        failed = failure(sink(), message(webhook=hook.url))
        assert failed.permanent is permanent
        assert len(hook.got) == 1


@pytest.mark.parametrize(
    "url", ["http://hooks.example/", "https://127.0.0.1/", "file:///etc/hosts"]
)
def test_addresses_that_lead_home_are_given_up(url: str) -> None:
    failed = failure(sink(allow_local=False), message(webhook=url))
    assert failed.permanent


def test_an_address_is_looked_up_with_every_message() -> None:
    """What was public when somebody configured it may lead home by now."""
    answers = [["10.0.0.7"]]

    async def resolver(host: str, port: int) -> Sequence[str]:
        return answers[0]

    careful = AddressedSink(KEYS, CLOCK, Outbound(resolver=resolver))
    failed = failure(careful, message(webhook="https://hooks.example/"))
    assert (failed.permanent, "10.0.0.7" in str(failed)) == (True, False)


def test_nobody_there_is_tried_again() -> None:
    with hook_server() as hook:
        url = hook.url
    failed = failure(sink(), message(webhook=url))
    assert not failed.permanent
