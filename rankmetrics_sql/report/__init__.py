"""A page about runs: filled from public results (``gathering``), in ``sentences`` and charts, written by ``page``."""
