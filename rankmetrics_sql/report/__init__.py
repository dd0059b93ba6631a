"""A page about runs: gathered of public results (``gathering``), said (``words``), drawn, and written (``page``)."""
