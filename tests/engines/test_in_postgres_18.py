from __future__ import annotations

from . import for_engine

test_same_numbers = for_engine("postgres-18")
