"""The model explorer: a model as pages that one can look at, try and measure.

================  ==========================================================================
``views``         tables, entities, patterns and the requests they make, as plain values
``practice``      a database of the model's own demo items, to run patterns on
``model_routes``  pages: tables, entities, patterns
================  ==========================================================================

Everything comes from the model and its demo; no page knows a system by name.
"""
