"""All Markdown of the project as static pages: ``make docs`` writes them to ``build/docs``.

    python -m scripts.build_docs [FOLDER]

The pages keep their places (``docs/plan.md`` becomes ``docs/plan.html``, a ``README.md`` the
``index.html`` of its folder), links between them are turned to the new names, and files that they
link to or show are copied. The navigation is the list in ``docs/README.md``. Broken links, and
pages that nothing leads to, are told and end the run with 1.
"""

from __future__ import annotations

import html
import posixpath
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

ROOT = Path(__file__).resolve().parents[1]
#: The page that newcomers see first, and the one that leads to all others.
HOME, INDEX = "README.md", "docs/README.md"
BESIDE = ("training/*/README.md", "src/**/MODEL_CARD.md")

STYLE = """
:root { color-scheme: light dark; --ink: #1b2a2f; --soft: #5a6a70; --paper: #fff; --line: #d8e0e2;
  --code: #f3f6f7; --accent: #0b6e66; }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe7e9; --soft: #9aaab0; --paper: #14191c;
  --line: #2f3a3f; --code: #1d2427; --accent: #5fc9bd; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: .9rem;
  position: sticky; top: 0; height: 100vh; overflow-y: auto; }
nav h2 { font-size: .8rem; color: var(--soft); margin: 1.2rem 0 .3rem; border: 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .15rem .5rem; border-radius: 4px; text-decoration: none; }
nav a.part { padding-left: 1.5rem; }
nav a[aria-current] { background: var(--code); font-weight: 600; }
main { padding: 1.5rem 2rem 4rem; max-width: 60rem; }
a { color: var(--accent); } img { max-width: 100%; height: auto; }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
code { font: .88em ui-monospace, monospace; background: var(--code); padding: .1em .3em;
  border-radius: 3px; }
pre { background: var(--code); padding: .8rem 1rem; overflow-x: auto; border-radius: 6px; }
pre code { background: none; padding: 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; margin: 1rem 0; }
th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left;
  vertical-align: top; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: .5rem; top: .5rem; }
@media (max-width: 50rem) { body { display: block; } main { padding: 1rem; }
  nav { position: static; height: auto; max-height: 40vh; border: 0;
    border-bottom: 1px solid var(--line); } }
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{up}docs.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Pages">
{navigation}
</nav>
<main id="content" tabindex="-1">
{body}
</main>
</body>
</html>
"""


@dataclass
class Document:
    """One page: where it is, what it says, where it leads."""

    name: str  # from the root of the project: "docs/plan.md"
    tokens: list[Token]
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)  # as they are written

    @property
    def title(self) -> str:
        pairs = pairwise(self.tokens)
        found = (text.content for head, text in pairs if head.type == "heading_open")
        return next(found, self.name)

    def place(self, target: str) -> str:
        """Where a link leads, from the root of the project."""
        path = unquote(target.partition("#")[0])
        folder = posixpath.dirname(self.name)
        return posixpath.normpath(posixpath.join(folder, path)) if path else self.name


def sources(root: Path = ROOT) -> list[str]:
    """The names of all pages."""
    found = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    # Those that stand beside what they are about.
    found += [path for each in BESIDE for path in root.glob(each)]
    return sorted(path.relative_to(root).as_posix() for path in found)


def address(name: str) -> str:
    """Where a page is written: docs/README.md becomes docs/index.html."""
    path = Path(name)
    stem = "index" if path.name == "README.md" else path.stem
    return path.with_name(f"{stem}.html").as_posix() if path.suffix == ".md" else name


def outside(target: str) -> bool:
    return re.match(r"[a-z][a-z0-9+.-]*:", target) is not None


# --- reading -------------------------------------------------------------------------------------


def slug(heading: str, taken: set[str]) -> str:
    """What a heading is called in links, as GitHub makes it."""
    plain = re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
    names = (plain if number == 0 else f"{plain}-{number}" for number in range(1000))
    return next(each for each in names if each not in taken)


def inline(tokens: Sequence[Token]) -> Iterator[Token]:
    """All tokens, those inside of texts included."""
    for token in tokens:
        yield token
        yield from inline(token.children or [])


def read(root: Path, name: str, markdown: MarkdownIt) -> Document:
    # Comments are marks for programs, not for readers.
    text = re.sub(r"^<!--.*?-->$", "", (root / name).read_text(), flags=re.MULTILINE | re.DOTALL)
    page = Document(name, markdown.parse(text))
    for head, text in pairwise(page.tokens):
        if head.type == "heading_open":
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text.content)
            head.attrSet("id", slug(plain, page.anchors))
            page.anchors.add(str(head.attrGet("id")))
    for token in inline(page.tokens):
        target = token.attrGet("href") or token.attrGet("src")
        if target and not outside(str(target)):
            page.links.append(str(target))
    return page


# --- checking ------------------------------------------------------------------------------------


def broken(root: Path, pages: dict[str, Document]) -> list[str]:
    """Links to what is not there, as "page: link"."""
    return [
        f"{page.name}: {target}"
        for page in pages.values()
        for target in page.links
        if not _resolves(root, pages, page, target)
    ]


def _resolves(root: Path, pages: dict[str, Document], page: Document, target: str) -> bool:
    place, anchor = page.place(target), target.partition("#")[2]
    if place in pages:
        return not anchor or anchor in pages[place].anchors
    return not anchor and (root / place).is_file()


def orphans(pages: dict[str, Document], start: str = HOME) -> list[str]:
    """Pages that no chain of links leads to from the first one."""
    seen, waiting = {start}, [start]
    while waiting:
        page = pages[waiting.pop()]
        new = {page.place(target) for target in page.links} & pages.keys() - seen
        seen |= new
        waiting += new
    return sorted(pages.keys() - seen)


# --- writing -------------------------------------------------------------------------------------


def coloured(code: str, language: str, _: str) -> str:
    try:
        lexer = get_lexer_by_name(language or "text")
    except ClassNotFound:
        return html.escape(code)
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


def stylesheet() -> str:
    light = HtmlFormatter(style="default").get_style_defs("pre")
    dark = HtmlFormatter(style="github-dark").get_style_defs("pre")
    # The background is the page's own.
    rules = f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
    return rules + "pre { background: var(--code) !important; }\n" + STYLE


def relative(page: Document, target: str) -> str:
    """A link as it has to stand in the written page."""
    if outside(target) or target.startswith("#"):
        return target
    anchor = target.partition("#")[2]
    start = posixpath.dirname(page.name) or "."
    path = posixpath.relpath(address(page.place(target)), start)
    return f"{path}#{anchor}" if anchor else path


def navigation(index: Document, page: Document) -> str:
    """The headings and links of docs/README.md, seen from another page."""
    parts = [f'<a href="{relative(page, _from(page, HOME))}"><strong>Tablewright</strong></a>']
    column = 0
    for token, text in pairwise(index.tokens):
        column = 0 if token.type == "tr_open" else column + (token.type == "td_open")
        if token.type == "heading_open" and token.tag == "h2":
            parts.append(f"<h2>{html.escape(text.content)}</h2>")
        elif text.type == "inline" and token.type in ("td_open", "paragraph_open"):
            parts += _entries(index, page, text, " class=part" if column > 1 else "")
    return "\n".join(parts)


def _from(page: Document, name: str) -> str:
    return posixpath.relpath(name, posixpath.dirname(page.name) or ".")


def _entries(index: Document, page: Document, text: Token, kind: str) -> Iterator[str]:
    children = text.children or []
    for link, label in pairwise(children):
        target = str(link.attrGet("href") or "")
        place = index.place(target)
        if link.type == "link_open" and not outside(target) and place != HOME:
            here = ' aria-current="page"' if place == page.name else ""
            address = relative(page, _from(page, place))
            yield f'<a href="{address}"{here}{kind}>{html.escape(label.content)}</a>'


def rendered(page: Document, index: Document, markdown: MarkdownIt) -> str:
    for token in inline(page.tokens):
        for name in ("href", "src"):
            if target := token.attrGet(name):
                token.attrSet(name, relative(page, str(target)))
    body = markdown.renderer.render(page.tokens, markdown.options, {})
    # So that a wide table scrolls by itself; with the keyboard, too.
    body = body.replace("<table>", '<div class="scroll" tabindex="0"><table>')
    body = body.replace("</table>", "</table></div>")
    return PAGE.format(
        title=html.escape(page.title.replace("`", "")),
        up="../" * page.name.count("/"),
        navigation=navigation(index, page),
        body=body,
    )


def build(folder: Path, root: Path = ROOT) -> list[str]:
    """Write all pages; what is wrong with them, in words."""
    markdown = MarkdownIt("commonmark", {"html": False, "highlight": coloured}).enable("table")
    pages = {name: read(root, name, markdown) for name in sources(root)}
    index = read(root, INDEX, markdown)
    problems = [f"broken link: {each}" for each in broken(root, pages)]
    problems += [f"no page leads to {each}" for each in orphans(pages)]
    files = {page.place(target) for page in pages.values() for target in page.links} - pages.keys()
    for name in sorted(files):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, folder / name)
    for name, page in pages.items():
        path = folder / address(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rendered(page, index, markdown))
    (folder / "docs.css").write_text(stylesheet())
    return problems


def main(arguments: Sequence[str]) -> int:
    built = ROOT / "build" / "docs"
    folder = Path(arguments[0]) if arguments else built
    # Pages that are gone must not stay; what somebody else's folder holds is not ours to remove.
    if folder == built:
        shutil.rmtree(built, ignore_errors=True)
    problems = build(folder)
    print("\n".join([*problems, f"{len(sources())} pages in {folder}"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
