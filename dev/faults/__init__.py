"""Commands that run over a bad network: how they end, and what they leave (``python -m dev.faults``)."""
