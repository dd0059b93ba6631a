"""Sources, in place of a run and judgments: logs, schemas of events, lists, spans of traces, and ratings.

Read ``logs`` or ``tables`` first: a function such as ``events()`` describes the user's tables as ``Rows`` (``base``),
which names the macros to render (``passthrough.Statement``) and reads nothing. ``rows.rows_of`` then reads the tables,
checks them (``checks``, ``columns``) and returns the rows as relations. ``schemas`` has the named schemas. Messages
about actions that match no shown item are in ``unmatched``, about users with several requests in ``users``.
"""

from .base import Labelled as Labelled
from .base import Rows as Rows
from .base import Source as Source
from .base import are_judged as are_judged
from .base import sources_of as sources_of
from .checks import check_agreement as check_agreement
from .columns import typed as typed
from .logs import events as events
from .logs import seconds as seconds
from .logs import table_names as table_names
from .numbers import Values as Values
from .numbers import values as values
from .rows import notes as notes
from .rows import rows_of as rows_of
from .schemas import ga4 as ga4
from .schemas import segment as segment
from .schemas import snowplow as snowplow
from .schemas import ubi as ubi
from .tables import lists as lists
from .tables import ratings as ratings
from .traces import spans as spans
from .unmatched import explain_no_rows as explain_no_rows
from .unmatched import explain_unmatched_actions as explain_unmatched_actions
from .unmatched import warn_of_missing_requests as warn_of_missing_requests
from .unmatched import warn_of_similar_ids as warn_of_similar_ids
from .users import Users as Users
from .users import repeated_users as repeated_users
