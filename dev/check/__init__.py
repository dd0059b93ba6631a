"""Checks of what no test case is needed for: each rule yields a line for each finding."""
