"""Object stores as paths: `s3://bucket/run` is read where a directory is, by ranges, without a copy of it.

The one place that knows of stores. What it gives are paths (`RemotePath`) that list and read as those of files do, so that
whoever reads runs needs to know nothing more. Requests are obstore's (extra `remote`), imported when a store is asked.
"""

from logsift.remote.paths import RemotePath, named, place, pread, pread_into, preads, scan, size_of, upcoming

__all__ = ["RemotePath", "named", "place", "pread", "pread_into", "preads", "scan", "size_of", "upcoming"]
