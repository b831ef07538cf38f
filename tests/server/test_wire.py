"""What the server says: answers, errors, health, CORS."""

from __future__ import annotations

import pytest
from tests.server.standin import AUTHORIZATION, Client, Response, StandIn, request

from tablewright.engine.errors import AwsError, DropConnection
from tablewright.server import ServerThread


def test_an_operation_reaches_the_engine_and_its_answer_comes_back(
    client: Client, engine: StandIn
) -> None:
    answer = client.ask(request("GetItem", b'{"TableName":"t"}'))
    assert (answer.status, answer.body) == (200, b'{"TableName":"t"}')
    assert answer.headers["content-type"] == "application/x-amz-json-1.0"
    assert engine.calls == [("GetItem", b'{"TableName":"t"}')]


def test_streams_have_their_own_target(client: Client, engine: StandIn) -> None:
    target = "DynamoDBStreams_20120810.GetRecords"
    assert client.ask(request(x_amz_target=target)).status == 200
    assert engine.calls == [("GetRecords", b"{}")]
    assert client.ask(request("GetRecords")).type == "UnknownOperationException"


def test_an_empty_answer_is_an_empty_body() -> None:
    with (
        ServerThread(StandIn(lambda *_: b"")) as server,
        Client(server.port) as client,
    ):
        answer = client.ask(request("TagResource"))
        assert (answer.status, answer.body) == (200, b"")


def test_request_ids_differ(client: Client) -> None:
    ids = {client.ask(request()).headers["x-amzn-requestid"] for _ in range(50)}
    assert len(ids) == 50


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ("application/x-amz-json-1.0", "application/x-amz-json-1.0"),
        ("application/x-amz-json-1.1", "application/x-amz-json-1.1"),
        ("application/json", "application/json"),
        ("  application/json  ;   charset=utf-8", "application/json"),
        ("application/x-amz-json-1.0;blah", "application/x-amz-json-1.0"),
    ],
)
def test_content_types(client: Client, sent: str, answered: str) -> None:
    answer = client.ask(request(content_type=sent))
    assert answer.status == 200
    assert answer.headers["content-type"] == answered


@pytest.mark.parametrize("sent", [None, "whatever", "application/jsonasdf", "text/plain"])
def test_other_content_types_are_not_found(client: Client, sent: str | None) -> None:
    answer = client.ask(request(content_type=sent))
    assert (answer.status, answer.body) == (404, b"<UnknownOperationException/>\n")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_not_found(client: Client, method: str) -> None:
    answer = client.ask(request(None, b"", method=method))
    assert (answer.status, answer.body) == (404, b"<UnknownOperationException/>\n")


def test_other_paths_are_not_found(client: Client) -> None:
    assert client.ask(request(path="/tables")).status == 404
    assert client.ask(request(method="GET", path="/index.htm", body=b"")).status == 404


def test_an_absolute_url_is_understood(client: Client) -> None:
    assert client.ask(request(path="http://localhost:8000/")).status == 200
    assert client.ask(request(path="http://localhost:8000")).status == 200


def test_head_has_no_body(client: Client) -> None:
    assert client.ask(request(None, b"", method="HEAD")).status == 404
    assert client.ask(request()).status == 200


@pytest.mark.parametrize("host", ["localhost:8000", "db.internal", "[::1]:8000"])
def test_describe_endpoints_names_the_address_the_client_used(
    client: Client, engine: StandIn, host: str
) -> None:
    answer = client.ask(request("DescribeEndpoints", host=host))
    (endpoint,) = answer.json()["Endpoints"]
    assert endpoint == {"Address": host, "CachePeriodInMinutes": 1440}
    assert engine.calls == []
    unsigned = client.ask(request("DescribeEndpoints", authorization=None))
    assert unsigned.type == "MissingAuthenticationTokenException"
    assert client.ask(request("DescribeEndpoints", body=b"{")).type == "SerializationException"


# --- refusals --------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b"hi", b"{", b'{"a":}', b"\xff\xfe"])
def test_unparsable_json_comes_before_target_and_authentication(
    client: Client, body: bytes
) -> None:
    expected = {"__type": "com.amazon.coral.service#SerializationException"}
    for unknown in ({"x_amz_target": None}, {"authorization": None}):
        answer = client.ask(request(body=body, **unknown))
        assert (answer.status, answer.json()) == (400, expected)


def test_an_empty_body_is_refused_last(client: Client, engine: StandIn) -> None:
    assert client.ask(request(body=b"")).type == "SerializationException"
    answer = client.ask(request(body=b"", authorization=None))
    assert answer.type == "MissingAuthenticationTokenException"
    assert client.ask(request(None, b"", authorization=None)).type == "UnknownOperationException"
    assert engine.calls == []


@pytest.mark.parametrize(
    "target",
    [
        None,
        "",
        "whatever",
        "DynamoDB_20120810",
        "DynamoDB_20120810.",
        "DynamoDB_20120810.ListTable",
        "DynamoDB_20111205.ListTables",
        "DynamoDB_20120810.listtables",
        "DynamoDB_20120810.ListTables.x",
    ],
)
def test_unknown_targets(client: Client, target: str | None) -> None:
    answer = client.ask(request(x_amz_target=target))
    expected = {"__type": "com.amazon.coral.service#UnknownOperationException"}
    assert (answer.status, answer.json()) == (400, expected)


def refused(client: Client, data: bytes) -> tuple[str, object]:
    answer = client.ask(data)
    assert answer.status == 400
    return answer.type, answer.json()["message"]


@pytest.mark.parametrize("value", [None, "AWS4", "X", "Bearer abc", ""])
def test_a_missing_authorization(client: Client, value: str | None) -> None:
    assert refused(client, request(authorization=value)) == (
        "MissingAuthenticationTokenException",
        "Request is missing Authentication Token",
    )


def test_both_ways_of_authorization(client: Client) -> None:
    assert refused(client, request(path="/?X-Amz-Algorithm", authorization="X")) == (
        "InvalidSignatureException",
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    )


def test_incomplete_authorization_headers(client: Client) -> None:
    bare = request(authorization="AWS4-", x_amz_date=None)
    assert refused(client, bare) == (
        "IncompleteSignatureException",
        "Authorization header requires 'Credential' parameter. "
        "Authorization header requires 'Signature' parameter. "
        "Authorization header requires 'SignedHeaders' parameter. "
        "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        "Authorization=AWS4-",
    )
    for joined in ("Signature=b Credential=a", "Signature=b,Credential=a"):
        data = request(authorization=f"AWS4- {joined}", x_amz_date=None, Date="a")
        assert refused(client, data) == (
            "IncompleteSignatureException",
            f"Authorization header requires 'SignedHeaders' parameter. "
            f"Authorization=AWS4- {joined}",
        )
    kind, message = refused(client, request(authorization="AWS4-HMAC-SHA256 Credential"))
    assert kind == "IncompleteSignatureException"
    assert "'Credential' not a valid key=value pair (missing equal-sign)" in str(message)


def test_incomplete_presigned_queries(client: Client) -> None:
    everything = ("Algorithm", "Credential", "Signature", "SignedHeaders", "Date")
    wanted = [f"AWS query-string parameters must include 'X-Amz-{name}'. " for name in everything]
    closing = "Re-examine the query-string parameters."
    data = request(path="/?X-Amz-Algorithm", authorization=None)
    assert refused(client, data) == ("IncompleteSignatureException", "".join(wanted) + closing)
    path = "/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d"
    assert refused(client, request(path=path, authorization=None)) == (
        "IncompleteSignatureException",
        wanted[3] + closing,
    )


@pytest.mark.parametrize(
    "value",
    [
        AUTHORIZATION,
        AUTHORIZATION.replace(", ", ","),
        AUTHORIZATION.replace(", ", " "),
        "AWS4-HMAC-SHA256 SignedHeaders=a, Signature=b, Credential=anything",
    ],
)
def test_any_complete_authorization_is_accepted_without_keys(client: Client, value: str) -> None:
    assert client.ask(request(authorization=value)).status == 200
    assert client.ask(request(authorization=value, x_amz_date=None, Date="x")).status == 200


# --- errors of the engine --------------------------------------------------------------


def failing(error: Exception) -> Response:
    def raise_it(operation: str, body: bytes) -> bytes:
        raise error

    with ServerThread(StandIn(raise_it)) as server, Client(server.port) as client:
        answer = client.ask(request())
        # The connection lives on after an error.
        assert client.ask(request("PutItem", b"", authorization=None)).status == 400
        return answer


def test_an_error_has_its_type_status_and_extras() -> None:
    answer = failing(AwsError("ConditionalCheckFailedException", "no", Item={"a": {"S": "ä"}}))
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/x-amz-json-1.0"
    assert answer.json() == {
        "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
        "message": "no",
        "Item": {"a": {"S": "ä"}},
    }
    assert failing(AwsError("InternalServerError", "oops")).status == 500


def test_an_unexpected_failure_is_an_internal_error_that_tells_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = failing(RuntimeError("secret detail"))
    assert answer.status == 500
    assert answer.type == "InternalServerError"
    assert b"secret" not in answer.body
    assert "secret detail" in caplog.text


def test_an_engine_that_raises_at_once_is_answered_too() -> None:
    class Raising(StandIn):
        def submit_json(self, operation: str, body: bytes):  # type: ignore[no-untyped-def]
            raise AwsError("ValidationException", "bad")

    with ServerThread(Raising()) as server, Client(server.port) as client:
        assert client.ask(request()).json()["message"] == "bad"


def test_a_dropped_connection_answers_what_was_before_it_and_nothing_else() -> None:
    def drop(operation: str, body: bytes) -> bytes:
        if operation == "DeleteItem":
            raise DropConnection
        return body

    with ServerThread(StandIn(drop)) as server, Client(server.port) as client:
        client.send(request(body=b"[1]") + request("DeleteItem") + request(body=b"[2]"))
        assert client.read().body == b"[1]"
        assert client.at_end()


# --- health and CORS -------------------------------------------------------------------


def test_health_names_the_host_it_was_asked_as(client: Client) -> None:
    answer = client.ask(request(None, b"", method="GET", authorization=None))
    assert answer.body.startswith(b"healthy: ")
    assert answer.body.endswith(b" ")
    assert len(answer.body) > len(b"healthy:  ")


def test_health_for_machines() -> None:
    with (
        ServerThread(StandIn(), region="eu-west-1") as server,
        Client(server.port) as client,
    ):
        health = client.ask(request(None, b"", method="GET", path="/healthz")).json()
        assert (health["status"], health["region"]) == ("ok", "eu-west-1")


def cors(answer: Response) -> dict[str, str]:
    return {n: v for n, v in answer.headers.items() if n.startswith("access-control-")}


def test_without_an_origin_there_is_no_cors(client: Client) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        assert cors(client.ask(request(method=method))) == {}


def test_an_origin_is_allowed_whatever_the_answer(client: Client) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        for target in ("DynamoDB_20120810.GetItem", None):
            data = request(method=method, x_amz_target=target, origin="http://example.com")
            headers = cors(client.ask(data))
            assert headers["access-control-allow-origin"] == "*"
            assert "x-amzn-RequestId" in headers["access-control-expose-headers"]
            assert ("access-control-max-age" in headers) == (method == "OPTIONS")


def test_a_preflight_echoes_what_is_asked(client: Client) -> None:
    asked = {
        "access_control_request_headers": "a, b, c",
        "access_control_request_method": "POST",
    }
    answer = client.ask(request(None, b"", "OPTIONS", authorization=None, origin="x", **asked))
    assert (answer.status, answer.body) == (200, b"")
    headers = cors(answer)
    assert headers["access-control-max-age"] == "172800"
    assert headers["access-control-allow-headers"] == "a, b, c"
    assert headers["access-control-allow-methods"] == "POST"
    others = cors(client.ask(request(origin="x", **asked)))
    assert "access-control-allow-methods" not in others


def test_web_pages_can_be_kept_out() -> None:
    """Neither a preflight nor a request of a page gets anywhere, and programs are served on."""
    engine = StandIn()
    with ServerThread(engine, browsers=False) as server, Client(server.port) as client:
        for method in ("GET", "POST", "OPTIONS"):
            for origin in ("http://example.com", "null", f"http://127.0.0.1:{server.port}"):
                answer = client.ask(request(method=method, origin=origin))
                assert answer.status == 403
                assert cors(answer) == {}
                assert answer.json()["__type"].endswith("#AccessDeniedException")
        assert engine.calls == []
        assert client.ask(request()).status == 200
