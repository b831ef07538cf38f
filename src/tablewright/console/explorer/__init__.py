"""The model explorer: a model as pages that one can look at, try and measure.

=================  ==========================================================================
``views``          tables, entities, patterns and the requests they make, as plain values
``picture``        the model drawn, with links and what the review found
``findings``       the review: which finding is shown beside which place
``stored``         the demo's items as a table and its indexes store them
``layout``         items laid out by partition; ``items`` is the page of them
``practice``       a database of the model's own demo items, to run patterns on
``grounds``        where something is run: on the practice tables, or on the live ones
``parameters``     a pattern's parameters as the fields of a form
``arguments``      what was typed into them, as typed values; ``jsonable`` is values as JSON
``recording``      a transport that keeps every request with its answer
``running``        one run of a pattern; ``outcomes`` and ``explaining`` tell what came of it
``browsing``       what is asked of a table or an index, and the items there
``statements``     which PartiQL may be run where; ``executing`` runs it
``planning``       the plan for one setting after another; ``plan_settings`` is what is set,
                   ``plan_outlook`` the same for the plan, ``plan_view`` what is shown,
                   ``plan_controls`` the sliders
``model_routes``   pages: tables, entities, patterns
``item_routes``    pages: items by partition
``review_routes``  pages: all findings
``plan_routes``    pages: the plan, and the heat of partitions
``run_routes``     pages: running a pattern
``browse_routes``  pages: the table browser and PartiQL
=================  ==========================================================================

Everything comes from the model and its demo; no page knows a system by name.
"""
