"""``make metric NAME=my_metric``: the two files of a new metric, to be filled in."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from rankmetrics_sql.definitions.catalogue import spellings
from rankmetrics_sql.errors import DataError
from rankmetrics_sql.root import sql_root

HEADER = """{#-
title   = ""
group   = ""                # what it is for: one of those in rankmetrics_sql/definitions/catalogue.py
summary = ""                # one sentence: what the number says
formula = ""                # h_k is the number of relevant items within the first k; see sql/README.md
range   = [0, 1]
source  = ""                # who defines it: paper or tool
parameters = ["k"]          # of those in sql/parameters.toml; any other has a table [params.NAME]
options = ["rel", "no_relevant"]

[[example]]
ranking = []                # grades in rank order; nothing retrieved here
missed  = [1]               # grades of judged items that are not retrieved
value   = ""                # a derivation such as "(1 + 2/3) / 2"
[[example]]
ranking = [1, 0]
value   = ""
[[example]]
ranking = [0, 1]
k       = 1                 # something beyond the cutoff
value   = ""
[[example]]
ranking = [1, 2]
rel     = 2                 # each parameter away from its default
value   = ""
-#}
{#- An aggregate over the rows of a list: rnk, relevance (NULL where unjudged), and what the header's needs name. -#}
{% macro metric_NAME(k=none, rel=1, no_relevant=0) %}
{%- set hit = rankmetrics_sql.rm_is_hit(rel, k) -%}
{{ return('') }}
{% endmacro %}
"""

TWIN = '''"""NAME once more, from its formula."""

from __future__ import annotations

from .shared import hits, relevant, top


def NAME(grades, judged, k=None, rel=1):
    """Of the grades in rank order, None where an item is not judged, and the grades of all judgments."""
    raise NotImplementedError


METRICS = {"NAME": NAME}
'''


def write(name: str) -> list[Path]:
    """Write both files, and return their paths; exit with a message if the name is taken or not a name."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        sys.exit(f"make metric NAME=my_metric: a name has small letters, digits and underscores, not {name!r}.")
    try:
        metric_of_name = {spelling: text.partition("(")[0] for spelling, text in spellings().items()}
    except DataError as error:  # another new file, not yet filled in
        sys.exit(str(error))
    if name in metric_of_name:
        sys.exit(f"{name} is a name of {metric_of_name[name]} already.")
    files = {
        sql_root() / "macros" / "metrics" / f"{name}.sql": HEADER,
        Path(__file__).parents[1] / "tests" / "oracles" / "brute" / f"{name}.py": TWIN,
    }
    for path in files:
        if path.exists():
            sys.exit(f"{path} is there already.")
    for path, text in files.items():
        path.write_text(text.replace("NAME", name), encoding="utf-8")
    return list(files)


STEPS = """
1. Fill in the header and the macro of the first, and the formula in plain Python in the second.
2. make generate   says what is wrong in the header, and writes the catalogue.
3. make test       runs this metric's examples, its twin, and the tool that [oracle] names.
"""


if __name__ == "__main__":
    print(*write("".join(sys.argv[1:])), sep="\n")
    print(STEPS, end="")
