"""Change streams: what is recorded of each change, and how it is read."""
