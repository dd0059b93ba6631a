"""A page about runs: what is gathered of public results (``gathering``), said (``words``), drawn and written (``page``)."""
