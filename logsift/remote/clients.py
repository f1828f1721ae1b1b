"""Clients of object stores: where credentials come from, and what goes wrong, in words for people."""

from __future__ import annotations

import base64
import configparser
import os
import re
from contextlib import suppress
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from logsift.errors import UserError

_SECONDS = 30
"""How long a store that does not answer is asked again."""
_RETRIES = 6
_CREDENTIALS = {
    "s3": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; after a login by browser, say"
    ' eval "$(aws configure export-credentials --format env)"; for a public bucket set AWS_SKIP_SIGNATURE=true',
    "gs": "say `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS; for a public bucket set"
    " GOOGLE_SKIP_SIGNATURE=true",
    "az": "set AZURE_STORAGE_ACCOUNT_NAME and one of AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN and"
    " AZURE_USE_AZURE_CLI=true; for a public container set AZURE_SKIP_SIGNATURE=true",
}


# Where a machine of a cloud gives credentials: asked last, when nothing else has any.
_MISSING = re.compile(
    r"169\.254\.169\.254|metadata\.google|(?i:missing.{0,20}(?:credential|key)|account must be specified)"
)


def obstore(module: str = "obstore") -> Any:  # noqa: ANN401 - a module that need not be there
    """Obstore, or a module of it.

    Raises:
        UserError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise UserError("object stores are read with obstore: pip install 'logsift-train[remote]'") from None


def client(url: str, login: str | None = None) -> Any:  # noqa: ANN401 - one of obstore's stores
    """The client of a store, by a URL without a path; `login` is user:password.

    Raises:
        UserError: obstore is not installed, or does not understand what the environment says of the store.
    """
    from_url = obstore("obstore.store").from_url
    scheme, _, _ = url.partition(":")
    endpoint = " ".join(
        v for k, v in os.environ.items() if k.startswith("AWS_ENDPOINT") or k == "AZURE_STORAGE_ENDPOINT"
    )
    options: dict[str, Any] = {
        "allow_http": scheme == "http" or "http://" in endpoint,
        "connect_timeout": timedelta(seconds=5),
        "read_timeout": timedelta(seconds=_SECONDS),
    }
    if login:
        options["default_headers"] = {"authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}
    retry = {
        "max_retries": _RETRIES,
        "retry_timeout": timedelta(seconds=_SECONDS),
        "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=5), "base": 2},
    }
    config: dict[str, Any] = _aws_profile() if scheme == "s3" else {}
    try:
        return from_url(url, client_options=options, retry_config=retry, **config)
    except Exception as e:  # of each provider its own, for what is missing
        why = _CREDENTIALS.get(scheme) if _MISSING.search(str(e)) else str(e).splitlines()[0]
        raise UserError(f"{url} cannot be asked: {why}") from None


def told(url: str, key: str, error: Exception) -> OSError:
    """What a request ran into, as an error of files with a text for people: nothing of requests is quoted."""
    scheme = url.partition(":")[0]
    text, name, where = str(error), type(error).__name__, f"{url}/{key}".rstrip("/")
    if "NoSuchBucket" in text or "ContainerNotFound" in text or "The specified bucket does not exist" in text:
        return FileNotFoundError(f"no such bucket: {url}")
    if _MISSING.search(text):
        return PermissionError(f"no credentials for {url}: {_CREDENTIALS.get(scheme, 'none were given')}")
    if isinstance(error, FileNotFoundError) or name == "NotFoundError":
        return FileNotFoundError(f"no such file or directory: {where}")
    if name == "PreconditionError":
        return OSError(f"{where} was changed while it was read")
    if (
        isinstance(error, PermissionError)
        or name in ("PermissionDeniedError", "UnauthenticatedError")
        or re.search(r"\b40[13] (?:Forbidden|Unauthorized)", text)
    ):
        return PermissionError(f"the store refuses to give {where}: these credentials may not read it")
    if re.search(r"\b301 Moved Permanently|PermanentRedirect|AuthorizationHeaderMalformed", text):
        return OSError(f"{url} is in another region: set AWS_REGION to it")
    if scheme.startswith("http") and re.search(r"\b(?:405|501) |Range request not supported|PROPFIND", text):
        return OSError(
            f"{where}: this server gives no lists of files (WebDAV) or no parts of them: name a bucket, or download the run"
        )
    if name == "InvalidPathError":
        return OSError(
            f"{where} holds an object with a name that is no path (a//b, a/../b): rename it, or name a folder without it"
        )
    status = re.search(r"status code: (\d+ [A-Za-z ]+)", text)
    if name in ("NotSupportedError", "UnknownConfigurationKeyError") or (status and status[1][0] == "4"):
        return OSError(f"{where} cannot be read: {status[1] if status else name}")
    why = status[1] if status else "it cannot be reached, or the connection was lost"
    return ConnectionError(f"{url} does not answer: {why.strip()}")


_OTHER_SOURCES = (
    "AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_SKIP_SIGNATURE",
)  # fmt: skip


def _aws_profile() -> dict[str, str]:
    """Keys and region of the profile in ~/.aws, which the client reads from the environment only."""
    profile = os.environ.get("AWS_PROFILE", "default")
    out: dict[str, str] = {}
    told = {"aws_access_key_id": "access_key_id", "aws_secret_access_key": "secret_access_key", "aws_session_token": "session_token"}  # fmt: skip
    for variable, name, section in (
        ("AWS_SHARED_CREDENTIALS_FILE", "credentials", profile),
        ("AWS_CONFIG_FILE", "config", profile if profile == "default" else f"profile {profile}"),
    ):
        file = configparser.RawConfigParser()
        with suppress(OSError, RuntimeError, UnicodeDecodeError, configparser.Error):
            file.read(os.environ.get(variable) or Path.home() / ".aws" / name)
        values = dict(file[section]) if file.has_section(section) else {}
        if (
            not any(os.environ.get(v) for v in _OTHER_SOURCES)
            and "aws_access_key_id" in values
            and not out.get("access_key_id")
        ):
            out |= {ours: values[theirs] for theirs, ours in told.items() if theirs in values}
        if "region" in values and not (os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")):
            out["region"] = values["region"]
    return out
