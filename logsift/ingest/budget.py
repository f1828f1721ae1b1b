"""What one file may cost. Whatever is in it, its reading ends, and takes a bounded part of the machine.

Where a budget is reached, what was read before is kept, and a row of `problem` says which one and what was left out.
"""

from __future__ import annotations

LINE_BYTES = 64 << 10
"""A longer line is cut for matching; no record of interest is that long, a torn binary write is."""
OVERLONG_BYTES = 64 << 20
"""A line that does not end within this many bytes is dropped to its head."""
MARGIN_BYTES = 16 << 20
"""What of the lines around a window is kept with it: blocks reach over thousands of lines, not over lines of megabytes."""

UNPACKED_FREE_BYTES = 256 << 20
UNPACKED_RATIO = 500
"""A packed file may hold this many bytes for each of its own, or UNPACKED_FREE_BYTES: logs are packed 10 to 100 times."""
ARCHIVE_BYTES = 8 << 30
"""What is unpacked of an archive that lies within a run: data sets and checkpoints are packed too. One that is named by
itself is unpacked as far as there is room."""
WHOLE_BYTES = 1 << 30
"""What is read of a file whose reader needs all of it at once (dumps, stores of points), in unpacked bytes."""

ROWS = 50_000_000
"""Rows that one file gives. A year of a metric each second is 31 million."""
ROW_BYTES = 4 << 30
"""Bytes of these rows: a few bytes of a dump can refer to the same text again and again."""
COLUMNS = 5_000
"""Columns of a table of metrics that are read."""
SECONDS = 300.0
"""How long one file that is read as a whole may take."""

HEAD_BYTES = 64 << 10
"""What of a file is looked at to say what it is."""
END_BYTES = 4 << 10
"""What of its end is looked at to say what it is not."""
HOLE_BYTES = 1 << 30
"""How far a block of zeros at the beginning of a file is looked over: file systems leave it there after a crash."""

FOLDER_LEVELS = 64
"""Folders within folders that are looked into."""
FILES = 1_000_000
"""Files of a run."""

QUERY_SECONDS = 300.0
"""How long one query of content, or of a person, may take."""
QUERY_ROWS = 1_000_000
"""Rows that such a query gives."""
SENT_ROWS = 20_000_000
"""Rows of all tables that somebody sent in a bundle."""
