"""Tables in, numbers out: everything between the user's frame and the model's arrays.

`Events.read` learns a `Schema` from a training table; `Schema.encode` reads further tables the
same way; `Table.attach` gives answers back in the user's own kind of frame.
"""

from nonfat.data.clock import Clock
from nonfat.data.coding import Vocabulary
from nonfat.data.events import Events, Schema
from nonfat.data.ingest import read_table
from nonfat.data.scaling import Affine
from nonfat.data.splits import cold_entity_split, random_split, temporal_split
from nonfat.data.table import Table

__all__ = [
    "Affine",
    "Clock",
    "Events",
    "Schema",
    "Table",
    "Vocabulary",
    "cold_entity_split",
    "random_split",
    "read_table",
    "temporal_split",
]
