"""Templates: the tables of a model, and who may do what with them, in the words of other tools.

``cloudformation`` (with ``sam``) and ``terraform`` describe everything that runs in an account:
tables, scaling, alarms, policies, network. ``iam`` makes the policies. ``workbench`` writes
models for NoSQL Workbench.
"""
