r"""What is nobody else's business, by its form, and the words that tell nothing: what `redact` looks for.

Patterns are written for two engines, Rust's and Python's: no groups with names, nothing that looks around.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def anybody() -> Mapping[str, frozenset[str]]:
    """Words that tell nothing of anybody, by their kind.

    account; numbered (names of machines); site; bucket and local (schemes of URLs); system, part and counted (of paths);
    extension; versioned (what has versions).
    """
    words: dict[str, set[str]] = {}
    with (Path(__file__).parent / "anybody.csv").open(encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            words.setdefault(row["kind"], set()).add(row["word"])
    return {kind: frozenset(those) for kind, those in words.items()}


ANYBODY = anybody()
"""Their kind -> the words."""

END, MARK = "\x1e", "\x1f"
BLOCK = 1 << 20
"""Characters that are looked at together: they stay in the processor's cache."""
BETWEEN = 2 * END
"""One ends a text, and may be part of what is found there; the other is before the next."""
SIGNS = re.compile("[\x1e\x1f]")
TEXT = rf'[^ \t\r\n\x1b"\'<>\\{END}]'
BEFORE = (
    r'(?:[^0-9A-Za-z\\%\x1b]|\\(?:u[0-9A-Fa-f]{4}|[nrtbfv"\'/\\])?|%(?:[0-9A-Fa-f]{2})?|\x1b(?:\[[0-9;]*[A-Za-z])?)'
)
"""What may be before something that is looked for: no letter and no digit, unless it is an escape's."""

# -- secrets --
PEM = (
    rf"-----BEGIN [0-9A-Z ]*PRIVATE KEY[A-Z ]*-----[^{END}]*?(?:-----END [0-9A-Z ]*PRIVATE KEY[A-Z ]*-----|{END})"
    r"|[0-9A-Za-z+/=\r\n]*(?:\\n)?-----END [0-9A-Z ]*PRIVATE KEY[A-Z ]*-----"
)
URL = rf"[A-Za-z][0-9A-Za-z+.-]*://{TEXT}+"
VALUE = rf'(?:(?i:bearer|basic|token|digest)[ \t]+)?(?:\\*"(?:[^"\\\n{END}]|\\[^"\n{END}])*|\\*\'(?:[^\'\\\n{END}]|\\[^\'\n{END}])*|[^ \t\r\n\x1b"\'\\{END},;&)\]}}]+)'
KEY = r"(?i:pass|pwd|secret|token|key|auth|cred|signature|sig|cookie|connection_?string|webhook)"
SETTING = (
    rf"[0-9A-Za-z_.-]*{KEY}[0-9A-Za-z_.-]*"
    r'(?:["\'\\]*[ \t]*(?:[:=]|=>|:=)[ \t]*|["\'\\]*,[ \t]*["\'\\]*value["\'\\]*[ \t]*[:=][ \t]*)' + VALUE
)
OPTION = rf"--?[0-9A-Za-z_-]*(?i:pass(?:word|wd)?|token|secret|key|auth)(?:[\"'],)?[ \t]+{VALUE}"
HEADER = (
    r'(?i:[0-9A-Za-z-]*authorization["\'\\]*[ \t]*[:=][ \t]*["\'\\]*(?:bearer|basic|token|digest|apikey)[ \t]+|bearer[ \t]+)'
    r"[0-9A-Za-z._~+/=-]+"
)
LOGIN = (
    rf"login[ \t\n]+{TEXT}+[ \t\n]+password[ \t\n]+{TEXT}+|login[ \t]+(?:--?[a-z-]+[ \t]+)*[0-9a-f]{{40}}"
    rf"|docker login[^\n{END}]*?[ \t]-p[ \t]*{TEXT}+|curl[^\n{END}]*?[ \t]-u[ \t]*{TEXT}+"
)
JWT = r"eyJ[0-9A-Za-z_-]{10,}(?:\.[0-9A-Za-z_-]*){1,4}|eyJ[0-9A-Za-z_+/=-]{40,}"
AZURE = r"[0-9A-Za-z_~.-]{3}[78]Q~[0-9A-Za-z_~.-]{31,}"
BOT = r"[0-9]{8,10}:AA[0-9A-Za-z_-]{33}"
OF_BLOB = "[0-9A-Za-z+/]"
BLOB = rf"{OF_BLOB}{{60,}}={{0,2}}"
CUT = 12
"""So many characters of a token at the end of a text are one that was cut there."""
OF_SERVICES = Path(__file__).parent / "tokens.csv"

# -- who and where --
MAIL = r"[0-9A-Za-z._%+-]+@[0-9A-Za-z](?:[0-9A-Za-z._-]*[0-9A-Za-z_])?"
UUID = r"(?:GPU|MIG)-(?:GPU-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
SERIAL = r'(?i:serial)(?i:[ _]?(?:number|no\.?))?["\'\\]*[ \t]*[:=#]?[ \t]*["\'\\]*[0-9A-Z]*[0-9][0-9A-Z-]{5,}'
MAC = r"(?:[0-9A-Fa-f]{2}:){5,}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}"
IPV6 = (
    r"(?:(?:[23][0-9A-Fa-f]{3}|[fF][cCdD][0-9A-Fa-f]{2}|[fF][eE][89abAB][0-9A-Fa-f]|64):[0-9A-Fa-f:]*"
    r"|::[fF]{4}:|(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4})(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3})?"
)
IPV4 = (
    rf"(?:(?i:{'|'.join(sorted(ANYBODY['versioned']))})[A-Za-z0-9_-]*[ \t:=\"'(]*|[vV]|=|so\.|[A-Za-z][0-9A-Za-z_]*-)?"
    r"[0-9]{1,3}(?:\.[0-9]{1,3}){3,}(?:[A-Za-z+][0-9A-Za-z.+]*)?"
)
ARN = r"arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:[0-9]{12}:[0-9A-Za-z_/.:-]+"
DOMAIN = (
    r"[0-9A-Za-z][0-9A-Za-z_.-]*\.(?i:internal|intranet|local|localdomain|lan|corp|intra|private|com|org|edu|gov|mil|ac)"
    r"(?:\.[a-z]{2})?[0-9A-Za-z_.-]*"
)
EC2 = r"ip-[0-9]+-[0-9]+-[0-9]+-[0-9]+(?:\.[a-z0-9-]+)*"
NAMED = (
    r"(?:[A-Z_]*(?:USER|USERNAME|LOGNAME|HOSTNAME|HOST|NODENAME)|MASTER_ADDR"
    r'|[A-Z_]*(?:PROJECT|ENTITY|ACCOUNT|BUCKET)(?:_NAME)?)(?:=|["\'\\]+[ \t]*[:=][ \t]*)["\'\\]*[0-9A-Za-z._-]+'
    r"|(?:UserId|JobUser|Account|NodeName|BatchHost|UserName|GroupId)=[0-9A-Za-z._-]+(?:\([0-9]+\))?"
)
OWNER = r"(?i:uid|user|euid|gid)=[0-9]+\([0-9A-Za-z._-]+\)"
PATH = r"(?:~[0-9A-Za-z._-]*(?:/[0-9A-Za-z._@+~%-]+)+|(?:/[0-9A-Za-z._@+~%=-]+){2,})/*"

SETTING_PARTS = re.compile(
    r'(?P<key>[0-9A-Za-z_.-]+)(?P<between>["\'\\]*(?:,[ \t]*["\'\\]*value["\'\\]*)?,?[ \t]*(?:=>|:=|[:=]|[ \t])[ \t]*\\*["\']?)'
    r"(?P<value>.*)",
    re.DOTALL,
)
STRONG = re.compile(
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret(?:_?key)?|api_?key|access_?key|account_?key|private_?key(?:_id)?|signing_?key"
    r"|encryption_?key|subscription_?key|license_?key|(?:auth|access|refresh|bearer|session|security|sas|id)_?token|credentials?"
    r"|connection_?string|client_?secret|_auth|api_?secret|access_?key_?id|webhook(?:_?url)?|session_?key|ssh_?key)s?"
    r"(?:_?(?:b64|base64|value|env|default|raw))?$"
)
LOUD = re.compile(r"_(?:TOKEN|KEY|SECRET|PASS|PWD|AUTH|CREDENTIALS?)S?$")
WEAK = re.compile(r"(?:token|auth|authorization|sig|signature|cookie|set_cookie|x_[a-z_]*key|credential|key)$")
VARIABLE = re.compile(rf"(?:^|_)[A-Z0-9]*{KEY}(?:word|wd|phrase|code|entials?)?s?(?:_|$)", re.IGNORECASE)
"""A part of the name of a variable that holds a secret; TOKENIZER and AUTHOR are none."""
OF_MODELS = re.compile(
    r"(?:pad|padding|eos|bos|eot|unk|mask|cls|sep|special|image|audio|video|next|first|last|stop|start|end|prompt|new|per|max"
    r"|min|num|n|total|vocab|draft|think|added|extra|invalid|unexpected|sampled|output|input|decode|prefill|the)_?token$"
)
NO_SECRET = re.compile(
    r"(?i:none|null|nil|true|false|yes|no|on|off|n/?a|unset|empty|not|required|invalid|missing|expired|disabled|enabled"
    r"|\*+|x{3,}|\.{2,}|<.*|\$.*|\[.*|\(.*|\{.*|%.*%?)$"
)
NUMBER = re.compile(r"[-+]?[0-9][0-9_,]*(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?%?", re.IGNORECASE)
A_PATH = re.compile(r"~?(?:\.{0,2}/[\w.@+~-]+)+/?|[\w-]+\.(?:json|ya?ml|pem|txt|key|crt|env|py)")
HEX = re.compile(r"(?:0x)?[0-9a-f]+", re.IGNORECASE)
IN_QUERY = re.compile(
    r"([?&;#](?:[^=&;]*(?:sig|token|key|pass|pwd|secret|auth|cred|session|code)[^=&;]*)=)([^&;#]+)", re.IGNORECASE
)


NO_HOST = frozenset({"localhost", "localhost.localdomain", "none", "null", "unknown", "host", "node", "master", "head"})
STORES = re.compile(
    r"(?:(?P<sub>.+)\.)?(?:s3[a-z0-9.-]*\.amazonaws\.com|storage\.googleapis\.com|storage\.cloud\.google\.com"
    r"|[a-z]+\.core\.windows\.net|[a-z0-9]+\.r2\.cloudflarestorage\.com|[a-z0-9.-]*\.aliyuncs\.com)$"
)
HOMES = frozenset({"home", "Users", "homes", "users", "user", "u"})
NUMBERED_PART = re.compile(rf"(?:{'|'.join(sorted(ANYBODY['counted']))})?[-_=.]?[0-9][0-9._-]*", re.IGNORECASE)
LIBRARIES = frozenset({"site-packages", "dist-packages"})
HOME_OF = re.compile(
    r"/(?:home|Users|homes)/([0-9A-Za-z][0-9A-Za-z._-]+)|(?i:uid|user|euid)=[0-9]+\(([0-9A-Za-z._-]+)\)"
)
DIGITS = re.compile(r"[0-9]+")
LIST = r"\[[0-9,-]+\]"
MOST_OF_LIST = 64


INSIDE = frozenset({"internal", "intranet", "local", "localdomain", "lan", "corp", "intra", "private"})


OUTSIDE = frozenset({"com", "org", "edu", "gov", "mil"})


@cache
def services() -> list[dict[str, str]]:
    """The public forms of tokens: service, prefix, alphabet, and the least number of characters behind the prefix."""
    with OF_SERVICES.open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def token_prefixes() -> str:
    """How the tokens of services begin, as a pattern."""
    return "|".join(_prefix(r) for r in services())


def _prefix(service: Mapping[str, str]) -> str:
    return re.escape(service["prefix"]).replace("\\-", "-")


def token_pattern() -> str:
    """How the tokens of services begin; a short pattern is a fast one, and the judge counts."""
    return "|".join(f"{_prefix(r)}[{r['alphabet']}]{{8,}}{END}?" for r in services())


def kind_of_secret(key: str, value: str) -> str | None:
    """What a setting of that name holds where it has to go, None where it may stay."""
    name = key.strip("-_.").replace("-", "_").replace(".", "_")
    lower = name.lower()
    bare = value.strip("\\\"'")
    if not bare or NO_SECRET.fullmatch(bare.rstrip(">:.|")) or OF_MODELS.search(lower):
        return None
    if (A_PATH.fullmatch(bare) and len(bare) != 40) or "://" in bare:
        return None
    is_password = "pass" in lower or lower.endswith("pwd")
    if STRONG.search(lower) or (name.isupper() and LOUD.search(name)) or key.startswith("-"):
        if NUMBER.fullmatch(bare) and not is_password:
            return None
        return "password" if is_password else "secret"
    if not WEAK.search(lower) or len(bare) < 16 or not re.fullmatch(r"[0-9A-Za-z_.~+/=%|:-]+", bare):
        return None
    has = [any(test(c) for c in bare) for test in (str.islower, str.isupper, str.isdigit)]
    if lower.endswith("key"):
        return "secret" if all(has) and len(bare) >= 20 and re.fullmatch(r"[0-9A-Za-z_+/=-]+", bare) else None
    return "secret" if has[2] and (has[0] or has[1]) else None


def is_secret_variable(name: str, value: str) -> bool:
    """True where a variable of the environment holds a secret by its name, unless its value can be none."""
    bare = value.strip("\"'")
    may_be_none = NO_SECRET.fullmatch(bare) or A_PATH.fullmatch(bare) or NUMBER.fullmatch(bare) or "://" in bare
    return bool(bare and VARIABLE.search(name) and ("pass" in name.lower() or not may_be_none))


def is_name(host: str) -> bool:
    """True where a host goes by a name, not by its address or a number."""
    return len(host) > 1 and not host.isdigit() and not re.fullmatch(r"[0-9.]+|.*:.*", host)


def after_host(labels: list[str]) -> str:
    """What remains of the labels behind a host's name: those of a file; a domain goes."""
    return "".join(f".{label}" for label in labels) if labels and labels[-1].lower() in ANYBODY["extension"] else ""


def expanded(prefix: str, numbers: str) -> Iterator[str]:
    """The names that a scheduler's list holds: node[1-3,7]."""
    for part in numbers.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            continue
        for n in range(int(first), min(int(last or first), int(first) + 100_000) + 1):
            yield f"{prefix}{n:0{len(first)}}"


def is_public(host: str) -> bool:
    """True for a site that anybody uses."""
    lower = host.lower().rstrip(".")
    return any(lower == site or lower.endswith(f".{site}") for site in ANYBODY["site"])


def port_of(place: str) -> tuple[str, str]:
    """Host, and port with its colon."""
    if place.startswith("["):
        host, _, rest = place.partition("]")
        return f"{host}]", rest
    host, colon, port = place.partition(":")
    return host, colon + port


def is_webhook(host: str, path: str) -> bool:
    """True for an address to which anybody who knows it can post."""
    return host.lower() in ("hooks.slack.com", "discord.com") and ("services" in path or "webhooks" in path)


def parts_of_url(url: str) -> tuple[str, str | None, str, str, str]:
    """Scheme, login (user and password), place (host and port), the slash behind it, and what follows."""
    scheme, _, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    if "?" in place or "#" in place:
        at = min(place.index(c) for c in "?#" if c in place)
        place, slash, path = place[:at], "", rest[at:]
    port = place.rpartition(":")[2]
    if "@" not in place and "@" in path and ":" in place and not port.isdigit():  # a password with a slash
        place, _, path = rest.rpartition("@")
        place, slash, path = f"{place}@{path.partition('/')[0]}", "/" * ("/" in path), path.partition("/")[2]
    login, at_sign, host = place.rpartition("@")
    return scheme, login if at_sign else None, host, slash, path


def split_query(path: str) -> tuple[str, str, str]:
    """A path of a URL, the sign behind it, and what follows that."""
    at = min((path.index(c) for c in "?#" if c in path), default=len(path))
    return path[:at], path[at : at + 1], path[at + 1 :]
