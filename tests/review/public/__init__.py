"""Data models that others have published, as designs: as literally as the form allows.

Names, keys and values are those of the source, which each module names. How a gap in it was read
stands in a comment beside it.
"""
