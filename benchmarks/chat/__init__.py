"""What the measurements of the bot have in common on every chat platform."""
