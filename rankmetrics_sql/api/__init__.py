"""The public functions, a file for each group, and the keywords that they share."""
