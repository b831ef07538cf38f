"""The rules, one in each module, named by their codes."""
