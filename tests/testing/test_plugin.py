"""The pytest plugin, as pytest runs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed plugins, ours among them, take seconds to load and may not be there at all."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def run(pytester: pytest.Pytester, source: str) -> pytest.RunResult:
    """Run a test file with the plugin and no other."""
    pytester.makepyfile(source)
    return pytester.runpytest_inprocess("-p", "tablewright.testing.plugin")


def test_all_fixtures_of_a_test_are_one_engine(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
        import urllib.request
        import pytest

        TABLE = {
            "TableName": "Music",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        }

        @pytest.mark.parametrize("again", [1, 2])
        def test_isolated(
            again, tablewright_engine, tablewright_client, tablewright_resource,
            tablewright_streams, tablewright_url,
        ):
            assert tablewright_engine.call("ListTables", {}) == {"TableNames": []}
            tablewright_client.create_table(**TABLE)
            assert [table.name for table in tablewright_resource.tables.all()] == ["Music"]
            assert len(tablewright_streams.list_streams()["Streams"]) == 1
            with urllib.request.urlopen(tablewright_url + "/healthz") as response:
                assert response.status == 200

        def test_over_http(tablewright_engine, tablewright_url):
            import boto3
            tablewright_engine.call("CreateTable", TABLE)
            client = boto3.client(
                "dynamodb", endpoint_url=tablewright_url, region_name="us-east-1",
                aws_access_key_id="a", aws_secret_access_key="b",
            )
            assert client.list_tables()["TableNames"] == ["Music"]

        def test_patched(tablewright_patched, tablewright_client):
            import boto3
            boto3.client("dynamodb").create_table(**TABLE)
            assert tablewright_client.list_tables()["TableNames"] == ["Music"]
        """,
    )
    result.assert_outcomes(passed=4)


def test_the_clock_is_the_engines_if_it_is_asked_for(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
        from tablewright.clock import SystemClock

        def test_moved(tablewright_engine, tablewright_clock):
            assert tablewright_engine.clock is tablewright_clock
            before = tablewright_clock.now()
            tablewright_clock.advance(3600)
            assert tablewright_engine.clock.now() == before + 3600

        def test_real(tablewright_engine):
            assert isinstance(tablewright_engine.clock, SystemClock)
        """,
    )
    result.assert_outcomes(passed=2)


def test_without_boto3_its_fixtures_say_what_is_missing(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
        import sys
        import pytest

        @pytest.fixture(autouse=True)
        def no_boto3(monkeypatch):
            monkeypatch.setitem(sys.modules, "boto3", None)

        def test_client(tablewright_client): ...
        def test_engine(tablewright_engine): ...
        """,
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*tablewright_client needs boto3*pip install boto3*"])


def test_the_plugin_imports_nothing_that_takes_time() -> None:
    """Every pytest run in an environment that has tablewright pays for what this imports."""
    code = (
        "import sys, tablewright.testing.plugin, tablewright.testing as t;"
        "heavy = {'apsw', 'orjson', 'boto3', 'botocore', 'uvloop', 'httptools', 'asyncio',"
        " 'http.client', 'tablewright.engine', 'tablewright.server'};"
        "print(sorted(heavy & set(sys.modules) - set(before)))"
    )
    # What pytest itself has imported does not count.
    result = subprocess.run(
        [sys.executable, "-c", "import sys, pytest; before = set(sys.modules);" + code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "[]"


def test_a_resource_made_at_import_time_works_in_every_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    result = run(
        pytester,
        """
        import boto3
        import pytest

        resource = boto3.resource("dynamodb")
        kept = []

        @pytest.fixture(autouse=True)
        def database(tablewright_patched):
            resource.create_table(
                TableName="Users",
                KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                BillingMode="PAY_PER_REQUEST",
            )

        @pytest.mark.parametrize("again", [1, 2, 3])
        def test_users(again):
            # Made in the first test, and kept.
            kept.append(kept[0] if kept else boto3.client("dynamodb"))
            assert resource.Table("Users").scan()["Count"] == 0
            resource.Table("Users").put_item(Item={"id": "ada"})
            assert kept[0].scan(TableName="Users")["Count"] == 1
        """,
    )
    result.assert_outcomes(passed=3)
