"""Language models behind any OpenAI-compatible chat server."""
