"""XML that may be parsed: in an encoding that we know, and without declarations.

A document type can declare entities that stand for each other a billion times over, or for a file
of this machine. One that only names a public document type, as RSS 0.91 does, is taken out; one
that declares anything is refused. So the bytes are decoded here, searched, and handed on in UTF-8
without a word about encodings: the parser sees what was searched and nothing else.
"""

from __future__ import annotations

import codecs
import re

from tablewright.systems.sentiment.fetching.failures import Refused

#: Those that feeds come in. UTF-7 and EBCDIC, which hide a declaration from searching, do not.
_KNOWN = re.compile(
    r"utf-?(8|16|32)(-?[bl]e)?|us-ascii|ascii|iso-?8859-?\d{1,2}|latin-?\d|windows-?125\d|cp125\d"
    r"|koi8-[ru]|shift[-_]jis|euc-(jp|kr)|gb2312|gbk|gb18030|big5"
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: Encodings of which Western ones may be meant.
_PLAIN = frozenset({"utf-8", "ascii", "iso8859-1"})
#: How ``<?`` or ``<r`` begins without a mark.
_LOOKS = (
    (re.compile(rb"<\x00\x00\x00"), "utf-32-le"),
    (re.compile(rb"\x00\x00\x00<"), "utf-32-be"),
    (re.compile(rb"<\x00"), "utf-16-le"),
    (re.compile(rb"\x00<"), "utf-16-be"),
)
_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_DECLARATION = re.compile(r"\s*<\?xml\s[^>]*\?>")
#: ``<!DOCTYPE rss PUBLIC "…" "…">`` before the first element; it declares nothing by itself.
_PUBLIC_TYPE = re.compile(r"\A((?:\s|<!--(?:(?!--).)*-->)*)<!DOCTYPE\s[^<>\[\]]*>", re.I | re.S)
_SKIPPED = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}


def safe_xml(body: bytes, charset: str | None = None) -> bytes:
    """The document in UTF-8; :class:`Refused` if it is none that may be parsed."""
    text = _decoded(body, charset)
    text = _DECLARATION.sub("", text, count=1) if _DECLARATION.match(text) else text
    text = _PUBLIC_TYPE.sub(r"\1", text, count=1)
    if declares(text):
        raise Refused("UNSAFE_FEED", "it has a document type declaration, which is not read")
    return text.encode("utf-8", "replace")


def declares(text: str) -> bool:
    """Whether there is a declaration, outside of comments and quoted text.

    What does not end is taken for one: a parser might see its end elsewhere.
    """
    at = text.find("<")
    while at >= 0:
        end = next((ends for starts, ends in _SKIPPED.items() if text.startswith(starts, at)), None)
        if end is None and text.startswith("<!", at):
            return True
        ended = at + 1 if end is None else text.find(end, at + 2)
        if ended < 0:
            return True
        at = text.find("<", ended)
    return False


def _decoded(body: bytes, charset: str | None) -> str:
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    for looks, encoding in _LOOKS:
        if looks.match(body):
            return body.decode(encoding, "replace")
    declared = _DECLARED.match(body)
    name = declared[1].decode() if declared else charset or "utf-8"
    try:
        codec = codecs.lookup(name.strip().lower())
        known = _KNOWN.fullmatch(name.strip().lower()) is not None
    except LookupError:
        known = False
    if not known:
        raise Refused("UNREADABLE_FEED", f"it is written in {name[:40]}, which is not read")
    # Declared as two bytes a character, but it is not: its declaration could be read.
    first = "utf-8" if codec.name.startswith(("utf-16", "utf-32")) else name
    # Many feeds say nothing, or UTF-8, and are in the encoding of Western Windows.
    for encoding in (first, "utf-8"):
        try:
            return body.decode(encoding)
        except UnicodeDecodeError:
            continue
    return body.decode("windows-1252" if codec.name in _PLAIN else name, "replace")
