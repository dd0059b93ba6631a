"""Sources, in place of a run and judgments: tables that are kept for other purposes."""

from .base import Rows as Rows
from .columns import typed as typed
from .listed import check_agreement as check_agreement
from .logs import events as events
from .prefixes import own_names as own_names
from .rows import notes as notes
from .rows import rows_of as rows_of
from .schemas import ga4 as ga4
from .schemas import segment as segment
from .schemas import snowplow as snowplow
from .schemas import ubi as ubi
from .source import Labelled as Labelled
from .source import Source as Source
from .source import are_judged as are_judged
from .source import sources_of as sources_of
from .tables import lists as lists
from .tables import ratings as ratings
from .unmatched import never_shown as never_shown
from .unmatched import shown_alike as shown_alike
from .unmatched import unlisted as unlisted
from .unmatched import without_rows as without_rows
from .users import Users as Users
from .users import repeated_users as repeated_users
