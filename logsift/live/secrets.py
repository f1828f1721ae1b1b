"""Values that are nobody's business, masked in what a capture writes."""

from __future__ import annotations

import re

MASK = "***"
_NAME = r"[A-Za-z0-9_.-]*(?:KEY|TOKEN(?!IZER)|SECRET|PASSW|PASSPHRASE|CREDENTIAL|COOKIE|AUTH|WEBHOOK|DSN|SIGNATURE)[A-Za-z0-9_.-]*"
_VARIABLE = re.compile(rf"^(?P<name>{_NAME})=.+$", re.IGNORECASE | re.MULTILINE)
_ARGUMENT = re.compile(rf"(?P<name>(?<![^\s'\"])--?{_NAME})(?P<sign>=|\s+)(?!-)[^\s'\",]+", re.IGNORECASE)
_LOGIN = re.compile(r"(?P<kind>[a-z][a-z0-9+.-]*://)[^\s/@:]+:[^\s/@]+@")
_KNOWN = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{10,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+)"
)


def masked(text: str) -> str:
    """A text without the secrets in its arguments and addresses, and without those that show by their form."""
    text = _ARGUMENT.sub(rf"\g<name>\g<sign>{MASK}", text)
    return _KNOWN.sub(MASK, _LOGIN.sub(rf"\g<kind>{MASK}@", text))


def masked_environment(text: str) -> str:
    """Lines NAME=value, the values of names that look like keys masked."""
    return _VARIABLE.sub(rf"\g<name>={MASK}", masked(text))
