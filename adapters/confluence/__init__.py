"""Confluence Cloud and Data Center as wikis."""
