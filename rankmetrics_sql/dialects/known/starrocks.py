"""StarRocks's."""

from ..dialect import Dialect

DIALECT = Dialect(name="starrocks", quotes="``", names_in_double_quotes=False, nan_as_null=False)
