"""What cannot be the answer: rows, items and sentences about something else than the question."""
