"""The use cases, for the signatures of commands.

cyclopts looks up every annotation when a command is declared, and the use cases take longer to
import than a page of help to show. Only type checkers need to know what they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company
else:
    Company = object

__all__ = ["Company"]
