"""Certificates: issued beside requests, checked by everybody, printed when asked for.

==================  ========================================================================
``certificates``    :class:`Certificates`: asking for them, checking, printing, withdrawing
``issuing``         the job: who gets one, and one transaction for each
==================  ========================================================================
"""

from tablewright.systems.kurukshetra.service.certificates.certificates import (
    Certificates,
    CheckedCertificate,
)

__all__ = ["Certificates", "CheckedCertificate"]
