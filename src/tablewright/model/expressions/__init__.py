"""Conditions and changes, built from fields: ``attr(Order.status) == "new"``.

``places`` says where a value stands, ``attributes`` lifts it to something that can be compared and
changed, ``conditions`` and ``changes`` are what comes of that, ``placeholders`` its wire form.
"""
