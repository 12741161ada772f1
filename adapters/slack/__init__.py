"""Slack: what people see there. Rendering needs no SDK: it gives Block Kit's JSON."""
