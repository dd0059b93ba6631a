"""What a user calls a run, judgments or a query list, made into relations with columns of known meaning."""
