"""The errors that are for the person who called logsift to mend."""

from __future__ import annotations


class UserError(Exception):
    """What was asked for is not there, or what was given is wrong; the text is all that people read of it."""


class StorageError(UserError):
    """What logsift makes could not be written, or not read again: the disk is full, or fails."""
