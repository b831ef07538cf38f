"""Capacity, cost and heat of a model, before anything is deployed.

Theory of operation. A plan rests on one thing that is exact and two that are given. Exact are the
units of a call on known contents: :func:`units_of` runs the op's requests on items in memory
(:mod:`contents`, :mod:`service`, :mod:`calls`) and counts as DynamoDB does (:mod:`units`,
:mod:`entries`). Given are how often each pattern is called (:class:`Rate`) and what a unit costs
(:mod:`pricing`, a dated file). From these :mod:`month` makes the bill, for each way of paying, and
:mod:`heat` finds the partitions that would get too hot. :mod:`scenario` does the same for a design
that only exists as a document, and holds the document's figures against the right ones.
"""
