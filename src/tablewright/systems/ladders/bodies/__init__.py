"""What is sent and answered, as JSON."""
