"""The page of each rule, made from the rule itself.

``python -m tablewright.review.pages docs/rules`` writes them all.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tablewright.review import design
from tablewright.review.design import Design
from tablewright.review.finding import Finding
from tablewright.review.rule import FAMILIES, Rule, all_rules


def example(text: str) -> Design:
    """The design that an example of a rule declares: its parts, or the whole of it."""
    source = text.strip()
    if source.startswith("Design.of"):
        made = eval(source, dict(vars(design)))
    else:
        made = Design.of("example", *eval(f"[{source}]", dict(vars(design))))
    assert isinstance(made, Design)
    return made


def page(rule: Rule) -> str:
    """The Markdown page of one rule."""
    shown = "\n".join(
        f"    {finding.severity} {finding.place}\n    {finding.message}" for finding in _found(rule)
    )
    return f"""# {rule.code}: {rule.title}

Family {rule.family}, severity {rule.severity}.

{rule.why}

**What to do.** {rule.fix}

## Example

```python
{rule.bad.strip()}
```

{shown}

Nothing is found in:

```python
{rule.good.strip()}
```

All rules: [the list](README.md). How to accept a finding: [the review](../review.md#accepting).
"""


def _found(rule: Rule) -> list[Finding]:
    return list(rule.findings(example(rule.bad)))


def contents() -> str:
    """The list of all rules."""
    lines = ["# The rules", ""]
    for letter, family in FAMILIES.items():
        rules = [rule for rule in all_rules() if rule.code[0] == letter]
        lines += [f"## {family.capitalize()}", "", "| | | |", "|---|---|---|"]
        lines += [
            f"| [{rule.code}]({rule.code}.md) | {rule.title} | {rule.severity} |" for rule in rules
        ]
        lines.append("")
    return "\n".join(lines)


def write(folder: Path) -> None:
    """Write all pages."""
    (folder / "README.md").write_text(contents())
    for rule in all_rules():
        (folder / f"{rule.code}.md").write_text(page(rule))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
