"""The public questions, a file each: a function with its docstring, and what answers it alone."""
