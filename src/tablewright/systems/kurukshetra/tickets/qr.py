"""QR codes, as SVG for pages and as PNG for mails."""

from __future__ import annotations

from io import BytesIO

import segno

#: Light modules around it, as the standard wants them.
_BORDER = 4


def svg(text: str, title: str) -> str:
    """A drawing for a page; ``title`` is what it is for those who do not see it."""
    drawn = _code(text).svg_inline(
        scale=4, border=_BORDER, light="#fff", title=title, omitsize=True, svgclass="qr"
    )
    # segno leaves it to the page to say that the title is the picture's name.
    return drawn.replace("<svg ", '<svg role="img" ', 1)


def png(text: str, scale: int = 8) -> bytes:
    """A picture, ``scale`` dots a module."""
    made = BytesIO()
    _code(text).save(made, kind="png", scale=scale, border=_BORDER)
    return made.getvalue()


def _code(text: str) -> segno.QRCode:
    # Medium correction: a cracked screen costs less than a finer pattern does at arm's length.
    return segno.make_qr(text, error="m", boost_error=False)
