"""Where messages go: files, the log, mail servers and webhooks, real ones that also fail."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import stat
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.utils import format_datetime
from ipaddress import ip_address
from pathlib import Path

import orjson
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.service.kit.hook_server import hook_server
from tests.service.kit.mail_server import mail_server

from tablewright.clock import ManualClock
from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.signing import is_signed, signature
from tablewright.service.kit.outbox.sinks import SendFailed, Sink, sinks_of
from tablewright.service.kit.outbox.sinks import webhook as webhook_module
from tablewright.service.kit.outbox.sinks.files import ConsoleSink, FileSink
from tablewright.service.kit.outbox.sinks.smtp import MailServer, SmtpSink
from tablewright.service.kit.outbox.sinks.webhook import WebhookSink
from tablewright.service.settings import Settings, SettingsError

AT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
ID = "01KAGM5W000000000000000001"
SECRET = "a secret of the tests"


def message(kind: str = "alert.reached", **body: object) -> Message:
    given = {"title": "80 % used", "text": "Grüße: 80 of 100 USD", **body}
    return Message(ID, "shop", kind, "org/1", AT, given)  # type: ignore[arg-type]


def send(sink: Sink, *messages: Message) -> None:
    async def main() -> None:
        try:
            for each in messages:
                assert sink.takes(each)
                await sink.send(each)
        finally:
            await sink.close()

    asyncio.run(main())


def failure(sink: Sink, given: Message) -> SendFailed:
    with pytest.raises(SendFailed) as failed:
        send(sink, given)
    return failed.value


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


# --- messages for people -------------------------------------------------------------------------


def test_what_is_not_written_for_people_is_shown_as_it_is() -> None:
    plain = Message(ID, "shop", "order.paid", "order/7", AT, {"total": 12})
    assert plain.title == "order.paid: order/7"
    assert orjson.loads(plain.text) == {"total": 12}
    assert plain.to == ()
    assert message(title="two\r\nlines").title == "two lines"
    assert message(to="a@example.org").to == ("a@example.org",)


# --- files ---------------------------------------------------------------------------------------


def test_file(tmp_path: Path) -> None:
    file = tmp_path / "outbox" / "messages.jsonl"
    sink = FileSink(file, sender="shop@example.org")
    send(sink, message(), message(to=["ada@example.org"], html="<b>80 %</b>"))

    lines = [orjson.loads(line) for line in file.read_bytes().splitlines()]
    assert [line["id"] for line in lines] == [ID, ID]
    assert lines[0] == {
        "id": ID,
        "system": "shop",
        "kind": "alert.reached",
        "subject": "org/1",
        "at": "2026-11-20T09:30:00.000Z",
        "body": {"title": "80 % used", "text": "Grüße: 80 of 100 USD"},
    }
    mail = message_from_bytes((file.parent / f"{ID}.eml").read_bytes(), policy=policy.default)
    assert (mail["To"], mail["Subject"]) == ("ada@example.org", "80 % used")
    assert mail.get_body(("html",)).get_content().strip() == "<b>80 %</b>"  # type: ignore[attr-defined]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "outbox").write_text("in the way")
    failed = failure(FileSink(tmp_path / "outbox" / "messages.jsonl", sender="s@x"), message())
    assert not failed.permanent


def test_a_line_that_a_full_disk_cuts_off_is_no_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of it fits: the message was not sent, and the next one has a line of its own."""
    file = tmp_path / "outbox" / "messages.jsonl"
    sink = FileSink(file, sender="shop@example.org")
    write = os.write
    monkeypatch.setattr(os, "write", lambda target, line: write(target, line[: len(line) // 2]))
    assert not failure(sink, message()).permanent
    monkeypatch.undo()
    send(sink, message())
    first, second = file.read_bytes().splitlines()
    assert orjson.loads(second)["id"] == ID
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(first)


def test_the_log_says_that_there_was_a_message_but_not_what(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    send(ConsoleSink(), message())
    assert ID in caplog.text
    assert "USD" not in caplog.text


# --- mail ----------------------------------------------------------------------------------------


def smtp(port: int, url: str = "smtp://127.0.0.1:{}", to: tuple[str, ...] = ()) -> SmtpSink:
    server = MailServer.parse(url.format(port))
    return SmtpSink(server, sender="Shop <shop@example.org>", to=to)


def test_mail() -> None:
    with mail_server() as box:
        send(smtp(box.port), message(to=["ada@example.org", "bo@example.org"]))
    ((sender, to, mail),) = box.got
    assert sender == "shop@example.org"
    assert to == ("ada@example.org", "bo@example.org")
    assert mail["Subject"] == "80 % used"
    assert mail["Message-ID"] == f"<{ID}@shop.tablewright>"
    assert mail["Date"].datetime == AT
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail.get_content().strip() == "Grüße: 80 of 100 USD"


def test_mails_that_name_nobody_go_to_the_operators() -> None:
    with mail_server() as box:
        send(smtp(box.port, to=("ops@example.org",)), message())
        assert not smtp(box.port).takes(message())
    assert box.got[0][1] == ("ops@example.org",)


def test_a_user_and_a_password() -> None:
    with mail_server() as box:
        send(smtp(box.port, "smtp://us%40er:p%2Fw@127.0.0.1:{}"), message(to="a@example.org"))
    assert box.logins == [("us@er", "p/w")]


@pytest.mark.parametrize(
    ("behaviour", "permanent"),
    [
        ({"refused": {"a@example.org": "550 no such user"}}, True),
        ({"refused": {"a@example.org": "451 try later"}}, False),
        ({"answer": "554 this is spam"}, True),
        ({"answer": "452 no space"}, False),
        ({"hang_up": True}, False),
    ],
)
def test_mail_that_is_refused(behaviour: dict[str, object], permanent: bool) -> None:
    with mail_server(**behaviour) as box:
        failed = failure(smtp(box.port), message(to="a@example.org"))
    assert failed.permanent is permanent
    assert box.got == []


def test_a_wrong_password_may_be_put_right() -> None:
    with mail_server(login_answer="535 wrong") as box:
        failed = failure(smtp(box.port, "smtp://me:secret@127.0.0.1:{}"), message(to="a@x.org"))
    assert not failed.permanent
    assert "secret" not in str(failed)


def test_some_of_the_recipients() -> None:
    """Who got it must not get it again because of the others."""
    with mail_server(refused={"b@example.org": "550 no such user"}) as box:
        send(smtp(box.port), message(to=["a@example.org", "b@example.org"]))
    assert box.got[0][1] == ("a@example.org",)


def test_nobody_is_there() -> None:
    assert not failure(smtp(free_port()), message(to="a@example.org")).permanent


@pytest.mark.parametrize(
    "address",
    [
        "a@example.org\r\nBcc: all@example.org",
        "a@example.org\n",
        "a@example.org,b@example.org",
        "A <a@example.org>",
        "nobody",
    ],
)
def test_an_address_brings_nothing_along(address: str) -> None:
    with mail_server() as box:
        assert failure(smtp(box.port), message(to=[address])).permanent
    assert box.got == []


def test_a_server_that_cannot_prove_who_it_is(tmp_path: Path) -> None:
    with mail_server(tls=self_signed(tmp_path)) as box:
        failed = failure(smtp(box.port, "smtp://me:secret@127.0.0.1:{}"), message(to="a@x.org"))
    assert "certificate" in str(failed).lower()
    assert (box.logins, box.got) == ([], [])


def test_a_password_goes_out_encrypted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with mail_server(tls=self_signed(tmp_path)) as box:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "pem"))
        send(smtp(box.port, "smtp://me:secret@127.0.0.1:{}"), message(to="a@example.org"))
    assert box.logins == [("me", "secret")]
    assert box.encrypted == [True]
    assert len(box.got) == 1


def self_signed(folder: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "pem").write_bytes(private + certificate.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "pem")
    return context


@pytest.mark.parametrize("url", ["http://host", "smtp://", "smtp:host:25"])
def test_addresses_that_are_no_mail_server(url: str) -> None:
    with pytest.raises(ValueError, match="smtp://host:port"):
        MailServer.parse(url)


def test_the_usual_ports() -> None:
    assert MailServer.parse("smtp://host").port == 587
    assert MailServer.parse("smtps://host").port == 465


# --- webhooks ------------------------------------------------------------------------------------


def test_a_webhook_is_signed() -> None:
    clock = ManualClock(AT.timestamp())
    with hook_server() as receiver:
        send(WebhookSink(receiver.url, SECRET, clock), message(), message())
    head, body = receiver.got[0]
    assert orjson.loads(body)["body"]["title"] == "80 % used"
    assert head["tablewright-message-id"] == ID
    assert head["tablewright-kind"] == "alert.reached"
    assert head["content-type"] == "application/json"
    assert is_signed(SECRET, head["tablewright-signature"], body, clock.now())
    assert [got[0]["tablewright-message-id"] for got in receiver.got] == [ID, ID]


def test_signatures() -> None:
    now, body = AT.timestamp(), b'{"id":1}'
    header = signature(SECRET, body, now)
    assert is_signed(SECRET, header, body, now + 299)
    assert is_signed(SECRET, header, body, now - 299)
    assert is_signed(["a new secret of theirs", SECRET], header, body, now)
    assert is_signed(SECRET, f"{header},v1=00,v2=x", body, now)
    # Sent again later, changed, under another secret, or not a signature at all.
    assert not is_signed(SECRET, header, body, now + 301)
    assert not is_signed(SECRET, header, body, now - 301)
    assert not is_signed(SECRET, header, body + b" ", now)
    assert not is_signed("another secret", header, body, now)
    assert not is_signed([], header, body, now)
    moved = header.replace(f"t={int(now)}", f"t={int(now) + 1}")
    assert not is_signed(SECRET, moved, body, now)
    for odd in ("", "t=", "v1=", "t=x,v1=y", f"t=1,{header}", "t=²,v1=é", header + ",t=1"):
        assert not is_signed(SECRET, odd, body, now)


@pytest.mark.parametrize(
    ("answer", "permanent"),
    [(500, False), (404, False), (401, False), (429, False), (410, True), (302, False)],
)
def test_a_webhook_that_refuses(answer: int, permanent: bool) -> None:
    with hook_server() as other, hook_server(answers=[answer]) as receiver:
        receiver.headers["Location"] = other.url
        failed = failure(WebhookSink(receiver.url, SECRET, ManualClock()), message())
    assert failed.permanent is permanent
    assert str(answer) in str(failed)
    assert other.got == [], "what we signed was carried to another address"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("120", 120), (format_datetime(AT + timedelta(seconds=90)), 90), ("soon", None)],
)
def test_a_webhook_that_wants_to_be_left_alone(header: str, seconds: float | None) -> None:
    with hook_server(answers=[503], headers={"Retry-After": header}) as receiver:
        sink = WebhookSink(receiver.url, SECRET, ManualClock(AT.timestamp()))
        assert failure(sink, message()).retry_after == seconds


def test_a_webhook_that_hangs_up() -> None:
    with hook_server(answers=["drop"]) as receiver:
        assert not failure(WebhookSink(receiver.url, SECRET, ManualClock()), message()).permanent


def test_a_webhook_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhook_module, "_TIMEOUT_SECS", 0.2)
    with hook_server(answers=[1.0]) as receiver:
        failed = failure(WebhookSink(receiver.url, SECRET, ManualClock()), message())
    assert "Timeout" in str(failed)


def test_no_webhook_at_all() -> None:
    url = f"http://user:password@127.0.0.1:{free_port()}/"
    failed = failure(WebhookSink(url, SECRET, ManualClock()), message())
    assert "password" not in str(failed)


# --- the settings' choice ------------------------------------------------------------------------


def test_which_sinks_the_settings_ask_for(tmp_path: Path) -> None:
    def names(**settings: object) -> list[str]:
        chosen = Settings.model_validate(settings)
        return [sink.name for sink in sinks_of(chosen, ManualClock())]

    hook = {"webhook_url": "https://example.org/hook", "webhook_secret": "0123456789abcdef"}
    assert names() == ["console"]
    assert names(data=tmp_path) == ["file"]
    assert names(data=tmp_path, **hook) == ["webhook"]
    assert names(smtp_url="smtps://mail.example.org", **hook) == ["smtp", "webhook"]
    assert names(outbox_file=tmp_path / "m", **hook) == ["webhook", "file"]


def test_a_mail_server_that_is_none() -> None:
    settings = Settings(smtp_url="mail.example.org:s3cret")
    with pytest.raises(SettingsError, match="TABLEWRIGHT_SMTP_URL") as wrong:
        sinks_of(settings, ManualClock())
    assert "s3cret" not in str(wrong.value)
