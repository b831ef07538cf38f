"""The data model of vibejudge: one table, 32 entities, and every way they are read and written.

``entities``, ``analysis``, ``judging`` and ``releases`` declare what there is; ``reads``,
``job_reads``, ``erasing_reads``, ``writes``, ``erasing_writes``, ``job_writes``, ``task_writes``,
``cost_writes``, ``judging_patterns``, ``release_patterns`` and ``audit_patterns`` what is done with
it. The docstring of a pattern ends with the access pattern [AP1] to [AP32] or the transaction [T1]
to [T12] that it belongs to.
"""

from __future__ import annotations

from tablewright.model import Model
from tablewright.systems.vibejudge import (
    analysis,
    audit_patterns,
    cost_writes,
    entities,
    erasing_reads,
    erasing_writes,
    job_reads,
    job_writes,
    judging,
    judging_patterns,
    reads,
    release_patterns,
    releases,
    task_writes,
    writes,
)
from tablewright.systems.vibejudge.analysis import *  # noqa: F403
from tablewright.systems.vibejudge.audit_patterns import *  # noqa: F403
from tablewright.systems.vibejudge.cost_writes import *  # noqa: F403
from tablewright.systems.vibejudge.entities import *  # noqa: F403
from tablewright.systems.vibejudge.erasing_reads import *  # noqa: F403
from tablewright.systems.vibejudge.erasing_writes import *  # noqa: F403
from tablewright.systems.vibejudge.job_reads import *  # noqa: F403
from tablewright.systems.vibejudge.job_writes import *  # noqa: F403
from tablewright.systems.vibejudge.judging import *  # noqa: F403
from tablewright.systems.vibejudge.judging_patterns import *  # noqa: F403
from tablewright.systems.vibejudge.reads import *  # noqa: F403
from tablewright.systems.vibejudge.release_patterns import *  # noqa: F403
from tablewright.systems.vibejudge.releases import *  # noqa: F403
from tablewright.systems.vibejudge.table import vibejudge as vibejudge
from tablewright.systems.vibejudge.task_writes import *  # noqa: F403
from tablewright.systems.vibejudge.writes import *  # noqa: F403

model = Model(
    "vibejudge",
    entities,
    analysis,
    judging,
    releases,
    reads,
    job_reads,
    erasing_reads,
    writes,
    erasing_writes,
    job_writes,
    task_writes,
    cost_writes,
    judging_patterns,
    release_patterns,
    audit_patterns,
)
