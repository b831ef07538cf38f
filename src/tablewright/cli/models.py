"""MODEL on the command line: a system's name, or ``package.module:name`` of somebody's own."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablewright.cli.terminal import Failure
from tablewright.systems import NAMES

if TYPE_CHECKING:
    from tablewright.deploy.templates.alarms import MetricAlarm
    from tablewright.deploy.templates.iam.access import Access
    from tablewright.model import Entity, Model, Op
    from tablewright.plan.costs import Costs

#: What every system has beside its own model.
KIT = "tablewright.service.kit:kit_model"


@dataclass(frozen=True)
class Named:
    """A model, with the items and calls that show it at work, if its author gave some."""

    model: Model
    #: Entities that belong together: samples for the tools, content for a first look.
    items: tuple[Entity, ...] = ()
    #: One op for each pattern, by its name, in an order in which they can be run.
    calls: Mapping[str, Op[Any]] = field(default_factory=dict)
    #: When the calls happen; None is any time.
    now: datetime | None = None

    def joined(self, other: Named) -> Named:
        """Both as one, under this one's name."""
        model = self.model.joined(other.model)
        return Named(model, self.items + other.items, {**self.calls, **other.calls}, self.now)


def find_model(text: str) -> Named:
    """The model that ``text`` names, or a :class:`Failure` that says what to give."""
    module, found = find_object(text)
    from tablewright.model import Model
    from tablewright.model.demo import Demo

    if not isinstance(found, Model):
        raise Failure(f"{text!r} is a {type(found).__name__}, not a tablewright.model.Model")
    demo = _told(module, "demo")
    if not isinstance(demo, Demo):
        return Named(found)
    return Named(found, tuple(demo.items), dict(demo.calls), demo.now)


def find_deployed(text: str) -> Named:
    """The model that ``text`` names with all that is deployed for it: a system's kit table too."""
    named = find_model(text)
    return named.joined(find_model(KIT)) if text in NAMES else named


def find_costs(text: str) -> Costs | None:
    """The bills that a model's author has written beside it."""
    from tablewright.plan.costs import Costs

    found = _told(find_object(text)[0], "costs")
    return found if isinstance(found, Costs) else None


def find_access(text: str) -> Access:
    """What components do beside their own patterns, as the model's author says."""
    from tablewright.deploy.templates.iam.access import Access

    found = _told(find_object(text)[0], "access")
    return found if isinstance(found, Access) else Access()


def find_metric_alarms(text: str) -> list[MetricAlarm]:
    """Return the alarms on metrics of its own that a model's author has declared beside it."""
    from tablewright.deploy.templates.alarms import MetricAlarm

    found = _told(find_object(text)[0], "alarms")
    given = found if isinstance(found, list) else []
    return [each for each in given if isinstance(each, MetricAlarm)]


def own_names(text: str) -> dict[str, str]:
    """The tables of a model that are called otherwise: each system has a kit table of its own."""
    return {"kit": f"{text}-kit"} if text in NAMES else {}


def find_object(text: str) -> tuple[str, object]:
    """What ``text`` names, whatever it is, and the name of its module."""
    module, _, name = text.partition(":")
    if text in NAMES:
        module, name = f"tablewright.systems.{text}.model", "model"
    elif not name:
        raise Failure(
            f"{text!r} is no model: give one of {', '.join(NAMES)}, or package.module:name of yours"
        )
    return module, _attribute(_imported(module), name, text)


def _imported(module: str) -> Any:
    # Like `python -m`: what lies in the current folder can be named.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise Failure(f"there is no module {module!r}: {error}") from None
    except Exception as error:
        raise _broken(f"module {module!r} cannot be imported", error) from error


def _broken(what: str, error: Exception) -> Failure:
    """Somebody's own code has failed: what it says, and where in their files."""
    return Failure(f"{what}: {type(error).__name__}: {error}", _last_place(error))


def _last_place(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return ""  # its text says where
    ours = str(Path(__file__).parents[1])
    frames = [
        each
        for each in traceback.extract_tb(error.__traceback__)
        if not each.filename.startswith((ours, "<frozen"))
    ]
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else ""


def _attribute(module: Any, name: str, text: str) -> object:
    try:
        found: object = getattr(module, name)
    except AttributeError:
        raise Failure(f"{text!r}: module {module.__name__} has no {name}") from None
    return found


def _told(module: str, name: str) -> object:
    """``demo`` or the like of the module itself, or of the module of that name beside it."""
    own = getattr(sys.modules[module], name, None)
    if own is not None and not isinstance(own, type(sys)):
        return _made(f"{name} of {module}", own)
    package = module.rpartition(".")[0]
    try:
        beside = importlib.import_module(f"{package}.{name}" if package else name)
    except ModuleNotFoundError:
        return None
    except Exception as error:
        raise _broken(f"what lies beside {module} cannot be imported", error) from error
    return _made(f"{name} beside {module}", getattr(beside, name, None))


def _made(what: str, own: object) -> object:
    if not callable(own):
        return own
    try:
        found: object = own()
    except Exception as error:
        raise _broken(f"{what} fails", error) from error
    return found
