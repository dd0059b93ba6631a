from __future__ import annotations

from . import each_alone, for_engine

test_same_numbers = for_engine("sqlite")
test_alone = each_alone("sqlite")
