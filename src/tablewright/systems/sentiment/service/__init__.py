"""The use cases of sentiment, one module for each subject."""
