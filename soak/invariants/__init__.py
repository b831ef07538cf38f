"""What must be true of what is stored: pure functions over an image, a journal, or a log."""
