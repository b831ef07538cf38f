"""Tables from the model: created, compared with what is deployed, migrated, removed.

``state`` is one description of a table, whether the model declares it or a database has it;
``looking`` reads it, ``differences`` compares two of them. ``setup``, ``planning`` and ``running``
change what is deployed; ``repairs`` and ``filling`` write what a new index needs into items that
are older than it. Everything that talks to a database is a flow (:mod:`tablewright.client.steps`).
"""
