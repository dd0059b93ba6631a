"""What questions share: a request, its inputs made ready, the strategy, and the statements that run."""
