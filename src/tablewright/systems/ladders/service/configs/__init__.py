"""Ladders: versions, one of which is active.

==============  ==========================================================================
``looking``     versions, who may read them, and what one changes in another
``uploading``   new versions, and what is wrong with a text
``activating``  which version is active
``refusals``    why something is not done
==============  ==========================================================================
"""

from tablewright.systems.ladders.service.configs.configs import Configs
from tablewright.systems.ladders.service.configs.looking import ActiveVersion, Versions

__all__ = ["ActiveVersion", "Configs", "Versions"]
