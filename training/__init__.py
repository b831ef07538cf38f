"""How the models that ship were made. Not part of what is installed."""
