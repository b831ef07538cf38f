"""The five documents that the models came from, as designs: word by word, mistakes included.

Each module declares what its document says and nothing that it does not say. What a document
leaves to its reader, and how that was read, stands in a comment beside it.
"""
