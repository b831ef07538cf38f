"""Least privilege: one IAM policy for each component, from the patterns it declares.

``needs`` says which requests a pattern sends, ``bodies`` what a pattern with a body may do beyond
its annotation, ``prefixes`` which partition keys it touches, ``access`` what its author adds, and
``policy`` joins all of a component's needs into as few statements as say the same. Nothing is ever
allowed by ``*`` alone.
"""

from tablewright.deploy.templates.iam.access import Access
from tablewright.deploy.templates.iam.arns import Account, Arns
from tablewright.deploy.templates.iam.needs import Need, needs_of
from tablewright.deploy.templates.iam.policy import (
    DEFAULT,
    components,
    document_of,
    policies,
    policy_of,
)

__all__ = [
    "DEFAULT",
    "Access",
    "Account",
    "Arns",
    "Need",
    "components",
    "document_of",
    "needs_of",
    "policies",
    "policy_of",
]
