"""All that is about ladders, in one place."""

from __future__ import annotations

from tablewright.systems.ladders.service.configs.activating import Activating
from tablewright.systems.ladders.service.configs.uploading import Uploading


class Configs(Uploading, Activating):
    """Versions of the ladder: written, read, compared, activated, rolled back."""
