"""The log: one line for each thing that happened, JSON for machines or text for a terminal.

Anything may log with the standard library, values beside the text: ``log.info("folded", extra={
"records": 12})``. Every line names the request it belongs to. Nothing that says who somebody is,
and nothing that opens a door, gets into a line: values under such names are left out, and texts
that look like them are blotted out, in traces too.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any

import orjson

from tablewright.service.exchange import Exchange, Interrupted, request_id
from tablewright.service.outages import is_outage, reason_of

if TYPE_CHECKING:
    from tablewright.service.settings import Settings

#: Names whose values are never logged; part of a longer name is enough: ``client_secret``.
NEVER = (
    "address",
    "authorization",
    "api_key",
    "apikey",
    "cookie",
    "credential",
    "csrf",
    "email",
    "ip",
    "mail",
    "passphrase",
    "password",
    "phone",
    "secret",
    "session",
    "signature",
    "token",
    "user_agent",
)
_PARTS = frozenset(NEVER)
_BLOT = "[not logged]"

#: What gives itself away by its looks. Quantifiers that could meet a long text twice are bounded.
_LOOKS = re.compile(
    r"""
      \beyJ[\w-]{8,}\.[\w-]+\.[\w-]*              # a JSON Web Token
    | \btwk_[\w.-]+                               # an API key
    | (?i:\b(?:bearer|basic|digest)\s{1,5})[\w.~+/=:-]{6,}
    | \$2[aby]\$\d\d\$[./\w]{20,}                 # hashes of secrets
    | \bh1\$[\w-]+\$[0-9a-fA-F]+
    | \$argon2\w*\$[^\s'"]+
    | (?<![\w.%+-])[\w.%+-]{1,64}@[\w-]+(?:\.[\w-]+)+      # a mail address
    | (?<=://)[^\s/@:]{1,100}:[^\s/@]{1,100}(?=@)          # user:password in an address
    | (?<=input_value=).{0,2000}?(?=,\ input_type=)        # what Pydantic was given
    """,
    re.VERBOSE,
)
#: ``password='hunter2'``, ``"client_secret": "..."``
_ASSIGNED = re.compile(
    r"""(?ix) ( (?<!\w) \w{0,40}?
        (?: authorization | cookie | csrf | email | passphrase | password | secret | signature
          | token )
        \w{0,40} ["']? \s{0,5} [:=] \s{0,5} )
        ( "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | [^\s,;)}\]]+ )"""
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
#: Longer texts are cut: nobody reads them.
_LONGEST = 20_000

_access = logging.getLogger("tablewright.access")


def scrub(text: str) -> str:
    """The text without what must not be logged."""
    return _ASSIGNED.sub(rf"\1{_BLOT}", _LOOKS.sub(_BLOT, text[:_LONGEST]))


def is_private(name: str) -> bool:
    """Whether values of this name are never logged."""
    plain = name.lower().replace("-", "_")
    return any(part in plain if len(part) > 4 else part in plain.split("_") for part in _PARTS)


def configure(settings: Settings, stream: IO[str] | None = None) -> None:
    """Let the whole process log as the settings say; to standard error, if nothing is given."""
    target = stream or sys.stderr
    as_text = settings.log_format == "text" or (settings.log_format == "auto" and target.isatty())
    handler = logging.StreamHandler(target)
    handler.setFormatter(TextLines() if as_text else JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    # Their own lines would say twice what ours say, or name whom we talk to.
    for name in ("uvicorn", "httpx", "httpx2", "httpcore", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    # What no line of ours shows need not be found out for each.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False


def _is_news(record: logging.LogRecord) -> bool:
    """The server reports an answer that broke off; what broke it is in the log already."""
    return not (record.exc_info and isinstance(record.exc_info[1], Interrupted))


def log_exchange(exchange: Exchange) -> None:
    """The line of a request: its route without the values in it, how it went, how long it took.

    There is one for every request, so it takes the short way: no caller to find, nothing to blot
    out, since nothing in it was sent by anybody.
    """
    level = logging.WARNING if exchange.status >= 500 or exchange.status == 0 else logging.INFO
    if _access.isEnabledFor(level):
        record = logging.LogRecord(_access.name, level, "", 0, "request", None, None)
        record.plain = {
            "method": exchange.method,
            "route": exchange.template,
            "status": exchange.status,
            "ms": round(exchange.seconds * 1000, 3),
        }
        _access.handle(record)


_STANDARD = frozenset(
    {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName", "color_message"}
)


class JsonLines(logging.Formatter):
    """``{"at": "2026-11-15T12:00:00.123Z", "level": "info", "event": ..., ...}``"""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": _moment(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.msg,
        }
        if request := request_id.get():
            line["request_id"] = request
        if (plain := getattr(record, "plain", None)) is not None:
            return orjson.dumps(line | plain).decode()
        line["event"] = scrub(record.getMessage())
        for name, value in _fields(record):
            line.setdefault(name, value)
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = type(record.exc_info[1]).__name__
            if is_outage(record.exc_info[1]):
                line["reason"] = scrub(reason_of(record.exc_info[1]))
            else:
                line["trace"] = scrub(self.formatException(record.exc_info))
        return orjson.dumps(line, default=_shown, option=orjson.OPT_NON_STR_KEYS).decode()


class TextLines(logging.Formatter):
    """``12:00:00.123 info request GET /health 200 0.4 ms``, for people."""

    def format(self, record: logging.LogRecord) -> str:
        moment = _moment(record.created)[11:-1]
        fields = " ".join(f"{name}={_plain(value)}" for name, value in _fields(record))
        parts = (moment, record.levelname.lower(), scrub(record.getMessage()), fields)
        line = _one_line(" ".join(part for part in parts if part))
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            if is_outage(error):
                line += _one_line(scrub(f": {reason_of(error)}"))
            else:
                trace = scrub(_trace(self, record))
                line = "\n".join((line, *map(_one_line, trace.split("\n"))))
        return line


def _one_line(text: str) -> str:
    """The text with what would begin a line of its own, or steer a terminal, spelled out."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _trace(form: logging.Formatter, record: logging.LogRecord) -> str:
    return form.formatException(record.exc_info) if record.exc_info else ""


def _fields(record: logging.LogRecord) -> Iterator[tuple[str, Any]]:
    """What was given beside the text."""
    if (plain := getattr(record, "plain", None)) is not None:
        yield from plain.items()
        return
    for name, value in vars(record).items():
        if name not in _STANDARD:
            yield name, _BLOT if is_private(name) else _clean(value)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, dict):
        return {str(k): _BLOT if is_private(str(k)) else _clean(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean(each) for each in value]
    return value


def _shown(value: object) -> str:
    return scrub(str(value))


def _plain(value: object) -> str:
    return value if isinstance(value, str) else _shown(value)


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
