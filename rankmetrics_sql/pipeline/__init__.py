"""What answers a request: inputs made ready, a strategy, statements that run, and results that several ask for."""
