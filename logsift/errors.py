"""The one class of errors that are for the person who called logsift to mend."""

from __future__ import annotations


class UserError(Exception):
    """What was asked for is not there, or what was given is wrong; the text is all that people read of it."""
