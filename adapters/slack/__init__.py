"""Slack, by slack-bolt and slack_sdk."""
