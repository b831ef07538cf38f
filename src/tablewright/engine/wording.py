"""Which of AWS's two wordings of a refused request an engine uses.

The errors of values and expressions know both texts (``current`` is AWS's of today). An operation
whose validation AWS has replaced passes what its requests are refused with through here, and
everything else keeps the older text. What depends on the table is worded as before, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablewright.engine.errors import AwsError, as_aws_error, validation
from tablewright.engine.handler import Request
from tablewright.engine.items.changes import TOO_LARGE
from tablewright.engine.shapes import nesting
from tablewright.engine.shapes.current import ONE_ERROR

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


def reword_refusal(engine: Engine, error: BaseException) -> AwsError:
    """A refusal of a request that reads, in the engine's wording."""
    if engine.error_wording == "older":
        return as_aws_error(error)
    return _current(error)


def reword_write_refusal(
    engine: Engine, operation: str, request: Request, error: BaseException
) -> AwsError:
    """A refusal of a request that writes one item, in the engine's wording.

    AWS counts these errors as it counts those of the request's shape, but not the size of an item.
    """
    if engine.error_wording == "older" or nesting.is_far_too_deep(operation, request):
        return as_aws_error(error)
    refusal = _current(error)
    if refusal.code != "ValidationException" or refusal.message == TOO_LARGE:
        return refusal
    return validation(ONE_ERROR + refusal.message)


def _current(error: BaseException) -> AwsError:
    message: Any = getattr(error, "current", None)
    return as_aws_error(error) if message is None else validation(message)
