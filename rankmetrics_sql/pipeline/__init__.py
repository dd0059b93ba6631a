"""Answers a request: prepares inputs, chooses a strategy, runs statements, and makes results that several ask for."""
