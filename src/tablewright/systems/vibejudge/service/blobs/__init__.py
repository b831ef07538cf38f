"""What is too large for an item, for 90 days: files of the data folder, or a bucket.

==============  ==========================================================================
``blobs``       :class:`Blobs`: put, get, erase, sweep
``files``       in a folder
``bucket``      in Amazon S3
==============  ==========================================================================
"""

from tablewright.systems.vibejudge.service.blobs.blobs import Blobs, answers_key

__all__ = ["Blobs", "answers_key"]
