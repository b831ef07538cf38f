"""What holds at a hackathon, without any input or output."""
