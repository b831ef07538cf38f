"""`tablewright engine` as a user starts it: a process of its own."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.client import Config
from botocore.exceptions import ClientError

pytestmark = pytest.mark.e2e

COMMAND = [sys.executable, "-m", "tablewright"]


def run(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@contextmanager
def started(*arguments: str, cwd: Path, **environment: str) -> Iterator[dict[str, Any]]:
    """The running command's first line, as JSON; it must end well."""
    process = subprocess.Popen(
        [*COMMAND, "engine", "--port", "0", "--json", *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def client(url: str, key: str = "local", secret: str = "local", region: str = "us-east-1") -> Any:
    return boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name=region,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        config=Config(retries={"max_attempts": 1}),
    )


TABLE = {
    "TableName": "things",
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


# --- running ---------------------------------------------------------------------------


def test_the_data_is_there_after_a_restart(tmp_path: Path) -> None:
    with started("--data", "d", cwd=tmp_path) as line:
        assert line["data"] == str(tmp_path / "d")
        assert (line["durability"], line["region"]) == ("full", "us-east-1")
        assert isinstance(line["pid"], int)
        db = client(line["url"])
        db.create_table(**TABLE)
        db.get_waiter("table_exists").wait(TableName="things")
        db.put_item(TableName="things", Item={"p": {"S": "x"}, "n": {"N": "1"}})
    with started("--data", "d", "--durability", "relaxed", cwd=tmp_path) as line:
        item = client(line["url"]).get_item(TableName="things", Key={"p": {"S": "x"}})["Item"]
        assert item == {"p": {"S": "x"}, "n": {"N": "1"}}


def test_the_default_folder(tmp_path: Path) -> None:
    with started(cwd=tmp_path):
        assert (tmp_path / "tablewright-data").is_dir()


def test_memory_leaves_nothing(tmp_path: Path) -> None:
    with started("--memory", cwd=tmp_path) as line:
        assert (line["data"], line["durability"]) == (None, None)
        client(line["url"]).create_table(**TABLE)
    assert list(tmp_path.iterdir()) == []


def test_the_demo_table_is_made_once(tmp_path: Path) -> None:
    for _ in range(2):
        with started("--data", "d", "--demo", cwd=tmp_path) as line:
            db = client(line["url"])
            assert db.scan(TableName="Demo")["Count"] == 8
            found = db.query(
                TableName="Demo",
                IndexName="ByStatus",
                KeyConditionExpression="#s = :s",
                ExpressionAttributeNames={"#s": "status"},
                ExpressionAttributeValues={":s": {"S": "open"}},
            )
            assert found["Count"] == 2


def test_the_region_is_the_given_one(tmp_path: Path) -> None:
    with started("--memory", "--region", "eu-west-1", cwd=tmp_path) as line:
        db = client(line["url"], region="eu-west-1")
        arn = db.create_table(**TABLE)["TableDescription"]["TableArn"]
        assert arn.startswith("arn:aws:dynamodb:eu-west-1:")


def test_realism_from_a_file(tmp_path: Path) -> None:
    settings = {"faults": [{"operations": ["DescribeLimits"], "error": "LimitExceededException"}]}
    (tmp_path / "realism.json").write_text(json.dumps(settings))
    with started("--memory", "--realism", "realism.json", cwd=tmp_path) as line:
        db = client(line["url"])
        assert db.list_tables()["TableNames"] == []
        with pytest.raises(db.exceptions.LimitExceededException):
            db.describe_limits()


def test_the_wording_of_errors_can_be_the_older_one(tmp_path: Path) -> None:
    for arguments, start in (
        ((), "1 validation error detected: "),
        (("--error-wording", "older"), ""),
        (("--error-wording=current",), "1 validation error detected: "),
    ):
        with started("--memory", *arguments, cwd=tmp_path) as line:
            with pytest.raises(ClientError) as caught:
                client(line["url"]).put_item(TableName="abc", Item={"pk": {"N": "abc"}})
            assert caught.value.response["Error"]["Message"] == (
                f"{start}The parameter cannot be converted to a numeric value: abc"
            )
    done = run("engine", "--memory", "--error-wording", "newest", cwd=tmp_path)
    assert done.returncode == 2


def test_endpoint_discovery_stays_on_this_machine(tmp_path: Path) -> None:
    with started("--memory", cwd=tmp_path) as line:
        (endpoint,) = client(line["url"]).describe_endpoints()["Endpoints"]
        assert f"http://{endpoint['Address']}" == line["url"]


def test_realism_that_makes_no_sense(tmp_path: Path) -> None:
    (tmp_path / "realism.json").write_text('{"lags": 1}')
    done = run("engine", "--memory", "--realism", "realism.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "no field 'lags'" in " ".join(done.stderr.split())
    missing = run("engine", "--memory", "--realism", "nowhere.json", cwd=tmp_path)
    assert "nowhere.json cannot be read" in " ".join(missing.stderr.split())


def test_credentials_from_every_source(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("# comment\n\nfile:s2\n")
    options = ("--memory", "--credentials", "option:s1", "--credentials-file", "keys")
    with started(*options, cwd=tmp_path, TABLEWRIGHT_CREDENTIALS="env1:s3 env2:s4") as line:
        assert line["credentials"] is True
        for key, secret in (("option", "s1"), ("file", "s2"), ("env1", "s3"), ("env2", "s4")):
            assert client(line["url"], key, secret).list_tables()["TableNames"] == []
        with pytest.raises(ClientError, match="InvalidSignatureException"):
            client(line["url"], "option", "wrong").list_tables()
        with pytest.raises(ClientError, match="UnrecognizedClientException"):
            client(line["url"], "other", "s1").list_tables()


@pytest.mark.parametrize("place", [["--memory"], ["--data", "d"]])
def test_separate_data_per_key_and_region(tmp_path: Path, place: list[str]) -> None:
    with started(*place, "--separate", "--demo", cwd=tmp_path) as line:
        client(line["url"], "ONE").create_table(**TABLE)
        assert client(line["url"], "ONE").list_tables()["TableNames"] == ["things"]
        assert client(line["url"], "ONE", region="eu-west-1").list_tables()["TableNames"] == []
        assert client(line["url"], "../two").list_tables()["TableNames"] == []
        assert client(line["url"], "local").list_tables()["TableNames"] == ["Demo"]
    assert [path.name for path in tmp_path.iterdir()] == place[1:]


# --- talking to people -----------------------------------------------------------------


def first_screen(*arguments: str, cwd: Path, terminal: bool, **environment: str) -> str:
    """What the command prints at the start, until its last line."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    process = subprocess.Popen(
        [*COMMAND, "engine", "--port", "0", *arguments],
        cwd=cwd,
        env={**os.environ, "TERM": "xterm", **environment},
        stdout=theirs,
    )
    os.close(theirs)
    try:
        text = ""
        deadline = time.monotonic() + 30
        while "Ctrl-C" not in text and time.monotonic() < deadline:
            text += os.read(ours, 4096).decode()
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 0
        return text
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_the_first_screen_shows_how_to_talk_to_it(tmp_path: Path) -> None:
    text = first_screen("--memory", "--demo", cwd=tmp_path, terminal=False)
    found = re.search(r"http://127\.0\.0\.1:\d+", text)
    assert found is not None
    url = found.group()
    assert f"aws dynamodb list-tables --endpoint-url {url} --region us-east-1" in text
    assert f"boto3.resource('dynamodb', endpoint_url='{url}'" in text
    assert f"aws dynamodb scan --table-name Demo --endpoint-url {url}" in text
    assert "AWS_ACCESS_KEY_ID=local" in text
    assert "\x1b" not in text
    assert "Whoever can reach" not in text


def test_secrets_are_not_printed(tmp_path: Path) -> None:
    options = ("--memory", "--credentials", "mykey:mysecret")
    text = first_screen(*options, cwd=tmp_path, terminal=False)
    assert "AWS_ACCESS_KEY_ID=mykey" in text
    assert "mysecret" not in text


def test_an_open_port_without_credentials_is_pointed_out(tmp_path: Path) -> None:
    open_port = ("--memory", "--host", "0.0.0.0")
    assert "Whoever can reach" in first_screen(*open_port, cwd=tmp_path, terminal=False)
    closed = (*open_port, "--credentials", "k:s")
    assert "Whoever can reach" not in first_screen(*closed, cwd=tmp_path, terminal=False)


def test_colour_only_where_it_is_wanted(tmp_path: Path) -> None:
    assert "\x1b[1m" in first_screen("--memory", cwd=tmp_path, terminal=True)
    plain = first_screen("--memory", cwd=tmp_path, terminal=True, NO_COLOR="1")
    assert "\x1b" not in plain


def test_help(tmp_path: Path) -> None:
    overview = run("--help", cwd=tmp_path)
    assert overview.returncode == 0
    assert "Run the database behind a port" in overview.stdout
    details = run("engine", "--help", cwd=tmp_path)
    for option in ("host", "port", "data", "memory", "durability", "credentials", "separate"):
        assert f"--{option}" in details.stdout
    assert "Example: tablewright engine --demo" in details.stdout
    assert run("--version", cwd=tmp_path).stdout.strip()


# --- failing ---------------------------------------------------------------------------


def test_a_taken_port(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        done = run("engine", "--memory", "--port", port, cwd=tmp_path)
    assert done.returncode == 2
    assert f"Port {port} on 127.0.0.1 is in use" in done.stderr
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_in_use_names_its_owner(tmp_path: Path) -> None:
    with started("--data", "d", cwd=tmp_path) as line:
        done = run("engine", "--port", "0", "--data", "d", cwd=tmp_path)
        assert done.returncode == 2
        assert str(line["pid"]) in done.stderr
        assert "Traceback" not in done.stderr
        assert client(line["url"]).list_tables()["TableNames"] == []


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--data", "/proc/nothing"], "/proc/nothing"),
        (["--data", "file"], "file"),
        (["--memory", "--data", "d"], "exclude each other"),
        (["--memory", "--host", "192.0.2.1"], "no address 192.0.2.1"),
        (["--memory", "--host", "nowhere.invalid"], "no address nowhere.invalid"),
        (["--memory", "--credentials", "half"], "KEY:SECRET"),
        (["--memory", "--credentials-file", "missing"], "missing cannot be read"),
        (["--memory", "--credentials-file", "empty"], "holds no credentials"),
        (["--port", "70000"], "65535"),
        (["--durability", "some"], "relaxed"),
        (["--prot", "1"], "--port"),
        (["extra"], "extra"),
    ],
)
def test_mistakes_are_explained(tmp_path: Path, arguments: list[str], text: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").write_text("# nothing\n")
    done = run("engine", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert text in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
