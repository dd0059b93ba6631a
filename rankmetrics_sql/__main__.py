"""``python -m rankmetrics_sql`` is ``rankmetrics``, where the script is not on the path."""

from .cli import main

if __name__ == "__main__":
    main(prog_name="rankmetrics")
