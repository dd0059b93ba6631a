"""Results of the public functions: tables, text and HTML."""
