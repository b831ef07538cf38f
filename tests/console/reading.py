"""Reading pages as people do: texts, forms, and what is marked as wrong."""

from __future__ import annotations

import html
import re

import httpx2


def shows(page: httpx2.Response, *texts: str) -> None:
    """That the texts are on the page, as people see them."""
    plain = text_of(page)
    for each in texts:
        assert each in plain, f"{each!r} is not on the page: {plain}"


def text_of(page: httpx2.Response) -> str:
    """What people read, on one line."""
    inner = page.text.partition("<main")[2].partition("</main>")[0]
    without = re.sub(r"<(script|style)\b.*?</\1>", " ", inner, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", without)).split())


def fields_of(page: httpx2.Response, form: str) -> dict[str, str]:
    """What a form would send as it is: the form whose action ends so."""
    found = re.search(
        rf'<form[^>]*action="[^"]*{re.escape(form)}"[^>]*>(.*?)</form>', page.text, re.S
    )
    assert found is not None, f"there is no form {form}"
    inner = found[1]
    values: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", inner):
        name = _attribute(tag, "name")
        if name and (_attribute(tag, "type") != "checkbox" or " checked" in tag):
            values[name] = _attribute(tag, "value") or ""
    for name, options in re.findall(r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', inner, re.S):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        first = re.search(r'<option value="([^"]*)"', options)
        values[name] = html.unescape((chosen or first or ["", ""])[1])
    for name, text in re.findall(
        r'<textarea[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>', inner, re.S
    ):
        values[name] = html.unescape(text)
    return values


def _attribute(tag: str, name: str) -> str | None:
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return html.unescape(found[1]) if found else None


def wrong_fields(page: httpx2.Response) -> set[str]:
    """The fields that are marked as wrong."""
    tags = re.findall(r"<(?:input|select|textarea)[^>]*aria-invalid=\"true\"[^>]*>", page.text)
    return {name for tag in tags if (name := _attribute(tag, "name"))}
