"""From a request to a result: load inputs, plan, check, run."""
