"""Write the software bill of materials from the locks: `make sbom`.

CycloneDX 1.6 as JSON: every locked package with its hashes, its licence, what it is needed for and
what needs it. The same locks give the same bytes: there is no moment in it, and its serial number
is made from its content. It holds no download address, as the locks hold none. A package has one
hash for each file it is published in (one for each kind of machine).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from licences import Policy, Shipped, UnknownLicence, licence_of, policy
from locked import CORE, DEV, EXTRA, ROOT, Package, packages

SPEC_VERSION = "1.6"
#: What a package is to whoever runs Tablewright.
_SCOPES = {CORE: "required", EXTRA: "optional", DEV: "excluded"}
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "tablewright.invalid")

Part = dict[str, Any]


def bill(found: Sequence[Package], rules: Policy, version: str) -> Part:
    """The whole document."""
    ours = f"pkg:pypi/tablewright@{version}"
    components = [_component(each, rules) for each in found]
    components += [_shipped(each) for each in rules.shipped]
    made: Part = {
        "bomFormat": "CycloneDX",
        "specVersion": SPEC_VERSION,
        "version": 1,
        "metadata": {
            "component": _ourselves(ours, version),
            "lifecycles": [{"phase": "pre-build"}],
        },
        "components": components,
        "dependencies": _dependencies(ours, found, rules.shipped),
    }
    text = json.dumps(made, sort_keys=True)
    return made | {"serialNumber": f"urn:uuid:{uuid.uuid5(_NAMESPACE, text)}"}


def _ourselves(ref: str, version: str) -> Part:
    return {
        "type": "application",
        "bom-ref": ref,
        "name": "tablewright",
        "version": version,
        "purl": ref,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }


def _component(package: Package, rules: Policy) -> Part:
    # npm's scopes are groups in CycloneDX.
    group, _, name = package.name.rpartition("/")
    made: Part = {"type": "library", "bom-ref": package.purl, "name": name}
    if group:
        made["group"] = group
    made |= {
        "version": package.version,
        "scope": _SCOPES[package.use],
        "hashes": [{"alg": each.algorithm, "content": each.content} for each in package.hashes],
        "licenses": _licences(licence_of(package, rules)),
        "purl": package.purl,
    }
    if package.marker:
        made["properties"] = [{"name": "tablewright:marker", "value": package.marker}]
    return made


def _licences(expression: str) -> list[Part]:
    plain = re.fullmatch(r"(?!LicenseRef-)[A-Za-z0-9.+-]+", expression)
    return [{"license": {"id": expression}} if plain else {"expression": expression}]


def _shipped(each: Shipped) -> Part:
    return {
        "type": "file",
        "bom-ref": f"shipped:{each.name}",
        "name": each.name,
        "version": each.version,
        "scope": "optional",
        "licenses": [{"license": {"id": each.licence}}],
    }


def _dependencies(ours: str, found: Sequence[Package], shipped: Iterable[Shipped]) -> list[Part]:
    """Who needs whom, with every part named once; a package of two versions is two parts."""
    needs: dict[str, set[str]] = {ours: {f"shipped:{each.name}" for each in shipped}}
    named: dict[tuple[str, str], list[str]] = {}
    for each in found:
        needs[each.purl] = set()
        named.setdefault((each.ecosystem, each.name), []).append(each.purl)
    for each in found:
        for parent in each.wanted_by:
            at = [ours] if parent == "tablewright" else named[each.ecosystem, parent]
            for ref in at:
                needs[ref].add(each.purl)
    return [{"ref": ref, "dependsOn": sorted(needs[ref])} for ref in sorted(needs)]


def version_of(root: Path = ROOT) -> str:
    text = (root / "src" / "tablewright" / "__init__.py").read_text()
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if found is None:
        raise ValueError("src/tablewright/__init__.py names no version")
    return found[1]


def written(root: Path = ROOT) -> str:
    """The file's text."""
    made = bill(packages(root), policy(), version_of(root))
    return json.dumps(made, indent=1, sort_keys=True) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "sbom.json")
    chosen = parser.parse_args(words)
    try:
        text = written()
    except UnknownLicence as error:
        print(error, file=sys.stderr)
        return 1
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    chosen.output.write_text(text)
    count = len(json.loads(text)["components"])
    print(f"{chosen.output}: {count} parts.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
