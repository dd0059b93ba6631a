"""One evaluation: its statement, the checks of its inputs, its numbers, and why two profiles give two of them."""
