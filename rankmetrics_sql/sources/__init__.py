"""Sources, in place of a run and judgments: tables that are kept for other purposes."""

from .base import Labelled as Labelled
from .base import Rows as Rows
from .base import Source as Source
from .base import are_judged as are_judged
from .base import sources_of as sources_of
from .checks import check_agreement as check_agreement
from .columns import typed as typed
from .logs import events as events
from .logs import own_names as own_names
from .rows import notes as notes
from .rows import rows_of as rows_of
from .schemas import ga4 as ga4
from .schemas import segment as segment
from .schemas import snowplow as snowplow
from .schemas import ubi as ubi
from .tables import lists as lists
from .tables import ratings as ratings
from .unmatched import never_shown as never_shown
from .unmatched import shown_alike as shown_alike
from .unmatched import unlisted as unlisted
from .unmatched import without_rows as without_rows
from .users import Users as Users
from .users import repeated_users as repeated_users
