"""Settings from a file and the environment, and errors that say which of them to change.

A settings class is a Pydantic model. Its section of a TOML file gives values, and variables of the
environment win over it::

    [service]                 TABLEWRIGHT_PORT=8080
    port = 8080
    [service.issuer]          TABLEWRIGHT_ISSUER_URL=https://id.example.org
    url = "https://..."
    [pricekeeper]             TABLEWRIGHT_PRICEKEEPER_PRICES_SOURCE=aws
    prices_source = "aws"

A field may have a second variable, by which the world knows it:
``Field(json_schema_extra={"variable": "SENTIMENT_NEWSAPI_KEY"})``; a system may have such names for
settings of the process, ``System(variables=...)``. A list is written with commas in a variable. A
secret may be in a file of its own, as containers have them:
``TABLEWRIGHT_METRICS_TOKEN_FILE=/run/secrets/metrics``. Nothing is guessed: a name that is not a
setting is an error.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

import orjson
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from tablewright.service.setting_words import (
    advice,
    allowed,
    is_secret,
    message,
    nearest,
    shape,
    shown,
)
from tablewright.service.toml_lines import line_of

S = TypeVar("S", bound=BaseModel)
#: Where a setting stands: ``("issuer", "url")``.
Names = tuple[str, ...]

PREFIX = "TABLEWRIGHT_"
#: The section that is about the process; its variables have no further name in them.
SERVICE = "service"
#: Variables that other parts of the program read; keys are named ``TABLEWRIGHT_KEY_…``.
OTHERS = frozenset({"credentials", "settings"})


class SettingsError(Exception):
    """Settings that cannot be used: one line for each, with its place and what is allowed."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def load(
    kind: type[S],
    section: str,
    *,
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
    sections: Collection[str] = (),
    variables: Mapping[str, str] | None = None,
) -> S:
    """The settings of a section, from the file if there is one, and from the environment.

    ``sections`` names all other sections that there may be; without it, a section or variable that
    is not known is left to whom it belongs, unless it looks like one of these misspelt.
    ``variables`` are further names for settings: ``{"LADDERS_OIDC_ISSUER": "issuer_url"}``.
    """
    environ = os.environ if environ is None else environ
    source = _Source(kind, section, file, environ, sections)
    source.variables |= source.renamed(environ, variables or {})
    values = source.values()
    try:
        found = kind.model_validate(values)
    except ValidationError as error:
        problems = [source.explain(each) for each in error.errors(include_url=False)]
        raise SettingsError(*dict.fromkeys(problems)) from None
    return found


class _Source:
    """One section of one file, and the variables that stand for it."""

    def __init__(
        self,
        kind: type[BaseModel],
        section: str,
        file: Path | None,
        environ: Mapping[str, str],
        sections: Collection[str],
    ) -> None:
        self.section = section
        self.file = file
        self.sections = sections
        self.prefix = PREFIX if section == SERVICE else f"{PREFIX}{section.upper()}_"
        self.leaves = {"_".join(path): (path, info) for path, info in _leaves(kind)}
        self.text = _read(file)
        self.variables = {
            name: text for name, text in environ.items() if name.startswith(self.prefix)
        }
        self.variables |= self._other_names(environ)

    def values(self) -> dict[str, Any]:
        """What is set; raises if a name is not known."""
        table = self._table()
        given = dict(self._from_environment())
        problems = [*self._unknown_in_file(table, ()), *self._unknown_variables()]
        if problems:
            raise SettingsError(*problems)
        for path, value in given.items():
            _put(table, path, value)
        return table

    # --- the file ------------------------------------------------------------------------

    def _table(self) -> dict[str, Any]:
        try:
            whole = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(f"{self.file}: this is not TOML: {error}") from None
        self._check_sections(whole)
        table = whole.get(self.section, {})
        if not isinstance(table, dict):
            raise SettingsError(f"{self._place(())}: must be a section, [{self.section}]")
        return table

    def _check_sections(self, whole: dict[str, Any]) -> None:
        known = [SERVICE, self.section, *self.sections]
        for name in whole:
            if name not in known and (self.sections or nearest(name, known)):
                line = line_of(self.text, (name,))
                told = advice(name, known, "[{}]".format)
                raise SettingsError(f"{self._line(line)}: there is no section [{name}]; {told}")

    def _unknown_in_file(self, table: dict[str, Any], above: Names) -> Iterator[str]:
        paths = {path[: len(above) + 1] for path, _ in self.leaves.values()}
        names = [path[-1] for path in paths if path[:-1] == above]
        for name, value in table.items():
            path = (*above, name)
            if name not in names:
                yield f"{self._place(path)}: there is no such setting; {advice(name, names)}"
            elif isinstance(value, dict) and path not in (own for own, _ in self.leaves.values()):
                yield from self._unknown_in_file(value, path)

    def _place(self, path: Names) -> str:
        """``tablewright.toml, line 4, service.port``."""
        whole = (self.section, *path)
        return f"{self._line(line_of(self.text, whole))}, {'.'.join(whole)}"

    def _line(self, number: int | None) -> str:
        return f"{self.file}" if number is None else f"{self.file}, line {number}"

    # --- the environment -----------------------------------------------------------------

    def _other_names(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Variables under the names that the world knows them by, where ours are not set."""
        found = {}
        for name, (_, info) in self.leaves.items():
            extra = info.json_schema_extra
            known_as = extra.get("variable") if isinstance(extra, dict) else None
            ours = self.prefix + name.upper()
            set_here = {ours, f"{ours}_FILE"} & self.variables.keys()
            if isinstance(known_as, str) and environ.get(known_as) and not set_here:
                found[ours] = environ[known_as]
        return found

    def renamed(self, environ: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
        """The same for names that say as much as ours: two that differ are a mistake."""
        found = {}
        for known_as, name in names.items():
            ours, text = self.prefix + name.upper(), environ.get(known_as)
            if text and self.variables.get(ours, text) != text:
                told = "are the same setting and say different things; leave one of them out"
                raise SettingsError(f"{known_as} and {ours} {told}")
            if text:
                found[ours] = text
        return found

    def _from_environment(self) -> Iterator[tuple[Names, object]]:
        for variable, text in self.variables.items():
            name = variable[len(self.prefix) :].lower()
            if name in self.leaves:
                path, info = self.leaves[name]
                yield path, _parsed(variable, text, info)
            elif (leaf := self._secret_file(name)) is not None:
                yield leaf, _file_text(variable, text)

    def _secret_file(self, name: str) -> Names | None:
        path, info = self.leaves.get(name.removesuffix("_file"), ((), None))
        return path if name.endswith("_file") and info is not None and is_secret(info) else None

    def _unknown_variables(self) -> Iterator[str]:
        for variable in self.variables:
            name = variable[len(self.prefix) :].lower()
            ours = name in self.leaves or self._secret_file(name) is not None
            if not ours and self._is_wrong(name):
                told = advice(name, self.leaves, lambda each: self.prefix + each.upper())
                yield f"{variable}: there is no such setting; {told}"

    def _is_wrong(self, name: str) -> bool:
        """Whether nobody else can have meant it."""
        if self.section != SERVICE:
            return True
        if name in OTHERS or name.startswith("key_"):
            return False
        if any(name.startswith(f"{section}_") for section in self.sections):
            return False
        return bool(self.sections) or nearest(name, self.leaves) is not None

    # --- errors --------------------------------------------------------------------------

    def explain(self, error: ErrorDetails) -> str:
        """One problem of validation, as the person who wrote the setting knows it."""
        path = tuple(str(part) for part in error["loc"])
        name, info = self._leaf_at(path)
        said = message(error)
        if info is None:
            places = [self._place(path)] if self.text else []
            where = ", ".join((*places, *self._variables_below(path)))
            return f"{where or self.section}: {said}"
        variable = self.prefix + name.upper()
        wanted = f"{allowed(info)}. Now: {shown(error, info)}"
        if error["type"] == "missing":
            return f"{variable}, or {'.'.join(path)} in [{self.section}]: is needed as well"
        if variable in self.variables:
            return f"{variable}: {said}; allowed: {wanted}"
        if f"{variable}_FILE" in self.variables:
            return f"{variable}_FILE: {said}; allowed: {wanted}"
        return f"{self._place(path)}: {said}; allowed: {wanted}"

    def _leaf_at(self, path: Names) -> tuple[str, FieldInfo | None]:
        """The setting that a place in the values belongs to: a list's, for one of its members."""
        for name, (own, info) in self.leaves.items():
            if path[: len(own)] == own:
                return name, info
        return "", None

    def _variables_below(self, path: Names) -> list[str]:
        names = [name for name, (own, _) in self.leaves.items() if own[: len(path)] == path]
        set_here = [self.prefix + name.upper() for name in names]
        return [variable for variable in set_here if variable in self.variables]


def _leaves(kind: type[BaseModel], above: Names = ()) -> Iterator[tuple[Names, FieldInfo]]:
    """All settings, those of nested classes with the name of what they are in."""
    for name, info in kind.model_fields.items():
        nested = _nested(info.annotation)
        if nested is None:
            yield (*above, name), info
        else:
            yield from _leaves(nested, (*above, name))


def _nested(annotation: object) -> type[BaseModel] | None:
    if get_origin(annotation) in (Union, UnionType):
        found = [_nested(each) for each in get_args(annotation)]
        return next((each for each in found if each is not None), None)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return None


def _read(file: Path | None) -> str:
    if file is None:
        return ""
    try:
        return file.read_text("utf-8")
    except FileNotFoundError:
        raise SettingsError(f"{file}: there is no such settings file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: cannot be read: {error}") from None


def _file_text(variable: str, path: str) -> str:
    try:
        return Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{variable}: cannot read {path!r}: {error}") from None


def _put(table: dict[str, Any], path: Names, value: object) -> None:
    for name in path[:-1]:
        inner = table.setdefault(name, {})
        if not isinstance(inner, dict):
            inner = table[name] = {}
        table = inner
    table[path[-1]] = value


def _parsed(variable: str, text: str, info: FieldInfo) -> object:
    """A variable's text, as a value that validation understands."""
    kinds = shape(info)
    if "array" not in kinds and "object" not in kinds:
        return None if text == "" and "null" in kinds else text
    if text.lstrip()[:1] in ("[", "{"):
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise SettingsError(f"{variable}: this is not JSON: {error}") from None
    return [part.strip() for part in text.split(",") if part.strip()]
