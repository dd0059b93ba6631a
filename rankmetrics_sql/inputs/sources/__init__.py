"""What stands in place of a run and judgments: tables that are kept for other purposes."""

from .base import Labelled as Labelled
from .base import Rows as Rows
from .base import Source as Source
from .base import are_judged as are_judged
from .columns import typed as typed
from .logs import events as events
from .rows import notes as notes
from .rows import repeated_users as repeated_users
from .rows import rows_of as rows_of
from .schemas import ga4 as ga4
from .schemas import segment as segment
from .schemas import snowplow as snowplow
from .schemas import ubi as ubi
from .tables import lists as lists
from .tables import ratings as ratings
