"""The text of statements: what decides it, and the templates that it is made of."""
