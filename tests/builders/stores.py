"""A real S3 server on loopback, in this process, and the environment that leads to it."""

from __future__ import annotations

import logging
import os
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Bucket:
    """A bucket of the server; `client` is another one than logsift's."""

    url: str
    address: str
    client: Any

    def holds(self, folder: str = "") -> list[str]:
        """The names of what is in it."""
        import obstore

        return sorted(meta["path"] for some in obstore.list(self.client, prefix=folder or None) for meta in some)

    def put(self, name: str, content: bytes) -> str:
        import obstore

        obstore.put(self.client, name, content)
        return f"{self.url}/{name}"

    def put_as_is(self, name: str) -> None:
        """Put an object whose name the client would refuse."""
        from moto.s3.models import s3_backends

        s3_backends["123456789012"]["aws"].put_object("runs", name, b"there")

    def upload(self, run: Path, name: str) -> str:
        """Put a run there; files on the disk get the times of the objects, which rows without a day are dated by."""
        import obstore

        for path in (p for p in run.rglob("*") if p.is_file()):
            self.put(f"{name}/{path.relative_to(run)}", path.read_bytes())
        for some in obstore.list(self.client, prefix=name):
            for meta in some:
                written = meta["last_modified"].timestamp()
                os.utime(run / meta["path"].removeprefix(f"{name}/"), (written, written))
        return f"{self.url}/{name}"


@contextmanager
def s3() -> Iterator[Bucket]:
    """A bucket for as long as the block takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the server's own libraries
        from moto.server import ThreadedMotoServer
    from obstore.store import S3Store

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patched:
        for name in [n for n in os.environ if n.startswith("AWS_")]:
            patched.delenv(name)
        said = {"ACCESS_KEY_ID": "testing", "SECRET_ACCESS_KEY": "testing", "REGION": "us-east-1"}
        for name, value in (said | {"ENDPOINT_URL": f"http://{host}:{port}"}).items():
            patched.setenv(f"AWS_{name}", value)
        client = S3Store("runs", client_options={"allow_http": True})
        with urllib.request.urlopen(urllib.request.Request(f"http://{host}:{port}/runs", method="PUT")):
            pass
        try:
            yield Bucket("s3://runs", f"http://{host}:{port}", client)
        finally:
            server.stop()
