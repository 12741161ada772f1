"""Answers to "Who …?" about people who are only mentioned, and the cost of a rename, on both flavours."""
