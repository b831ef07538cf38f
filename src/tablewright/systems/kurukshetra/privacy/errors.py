"""What can be wrong with sealed data.

.. code-block:: text

    PrivacyError
    ├── NotSealed      a plain text stands where only a sealed one may
    ├── UnknownKey     sealed under a key that the ring does not hold (any more)
    ├── BrokenSeal     changed since, or moved here from another item or attribute
    └── TooLong        more than the field can hold

None of them says what the text is.
"""

from __future__ import annotations


class PrivacyError(Exception):
    """Personal data that cannot be sealed or opened; the text says where and what to do."""


class NotSealed(PrivacyError):
    """A plain text stands where only a sealed one may."""


class UnknownKey(PrivacyError):
    """Sealed under a key that the ring does not hold."""


class BrokenSeal(PrivacyError):
    """Changed since it was sealed, or moved here from another item or attribute."""


class TooLong(PrivacyError):
    """More than the field can hold once it is sealed."""
