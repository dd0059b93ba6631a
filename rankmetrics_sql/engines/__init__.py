"""The databases that run the statements, one module each."""
