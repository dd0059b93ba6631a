"""Materialize's."""

from ..dialect import Dialect

DIALECT = Dialect(name="materialize", nan_as_null=False)
