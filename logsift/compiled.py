"""Compiled templates, kept in the user's cache: to compile them anew takes a small run longer than to render them."""

from __future__ import annotations

import atexit
import pickle
from contextlib import suppress
from typing import TYPE_CHECKING, cast

import jinja2
from jinja2 import BytecodeCache

from logsift.places import cache_folder, engine_digest, keep

if TYPE_CHECKING:
    from jinja2.bccache import Bucket


class Compiled(BytecodeCache):
    """What one environment's templates were compiled to, in a file for this version of logsift and of Jinja2."""

    def __init__(self, environment: str) -> None:
        self._path = cache_folder() / f"{environment}-{jinja2.__version__}-{engine_digest()}.pickle"
        self._known: dict[str, bytes] = {}
        with suppress(Exception):  # what a damaged file raises is of many kinds
            self._known = cast("dict[str, bytes]", pickle.loads(self._path.read_bytes()))
        self._new = False

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket of a template that is known."""
        if code := self._known.get(bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Note a template; all are written together when the process ends."""
        if not self._new:
            self._new = True
            atexit.register(self._keep)
        self._known[bucket.key] = bucket.bytecode_to_string()

    def _keep(self) -> None:
        keep(self._path, pickle.dumps(self._known))
