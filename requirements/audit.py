"""Check the licences and the known vulnerabilities of everything that is locked: `make audit`.

Exit status: 0 all is well; 1 a licence is not allowed, the page is out of date, or a vulnerability
is known; 2 the licences are fine, and the database of vulnerabilities could not be reached.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import date

import licences
import vulnerabilities
from locked import ROOT, Package, packages

FINE, BAD, UNKNOWN = 0, 1, 2


def check_licences(found: Sequence[Package], rules: licences.Policy) -> bool:
    """Say what is wrong with licences; whether nothing is."""
    wrong = licences.problems(found, rules)
    if not wrong and licences.PAGE.read_text() != licences.page(found, rules):
        place = licences.PAGE.relative_to(ROOT)
        wrong = [f"{place} is not what the locks say: run `make licences`"]
    for each in wrong:
        print(f"licence: {each}", file=sys.stderr)
    kinds = Counter(each.ecosystem for each in found)
    if not wrong:
        print(f"Licences: all {kinds['pypi']} Python and {kinds['npm']} npm packages are allowed.")
    return not wrong


def check_vulnerabilities(found: Sequence[Package], rules: licences.Policy, database: str) -> int:
    """Say what is known against them; the exit status."""
    try:
        known = vulnerabilities.known(found, database)
    except vulnerabilities.Unreachable as error:
        print(
            f"Vulnerabilities: NOT CHECKED. {error}\nRun this where it can be reached, or name a "
            f"mirror with ARGS='--osv URL'.",
            file=sys.stderr,
        )
        return UNKNOWN
    counting, remarks = vulnerabilities.concerning(known, rules.accepted, date.today())
    for remark in remarks:
        print(f"note: {remark}", file=sys.stderr)
    for each in counting:
        print(f"vulnerability: {each}", file=sys.stderr)
    if not counting:
        print(f"Vulnerabilities: none known, {len(known)} accepted.")
    return BAD if counting else FINE


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write docs/licences.md anew")
    parser.add_argument("--licences-only", action="store_true", help="ask no database")
    parser.add_argument("--osv", default=vulnerabilities.DATABASE, help="the database, or a mirror")
    chosen = parser.parse_args(words)
    found, rules = packages(), licences.policy()
    if chosen.write and not licences.problems(found, rules):
        licences.PAGE.write_text(licences.page(found, rules))
    fine = check_licences(found, rules)
    if chosen.licences_only or chosen.write:
        return FINE if fine else BAD
    status = check_vulnerabilities(found, rules, chosen.osv)
    return status if fine else BAD


if __name__ == "__main__":
    sys.exit(main())
