"""The control plane: creating, altering, describing and deleting tables, and what hangs on them."""
