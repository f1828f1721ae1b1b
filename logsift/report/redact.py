r"""Texts without what is nobody else's business: secrets are gone, names of people, machines and places are others.

Two stages, for speed. One regular expression (Rust's, in polars: a single pass without backtracking over all texts joined)
marks everything that could have to go; each different one of these is then judged once, in Python. A pattern may therefore
mark too much, and must not mark too little.
"""

from __future__ import annotations

import csv
import ipaddress
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from logsift.judge.words import natural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_END, _MARK = "\x1e", "\x1f"
_BLOCK = 1 << 20
"""Characters that are looked at together: they stay in the processor's cache."""
_BETWEEN = 2 * _END
"""One ends a text, and may be part of what is found there; the other is before the next."""
_SIGNS = re.compile("[\x1e\x1f]")
_TEXT = rf'[^ \t\r\n\x1b"\'<>\\{_END}]'
_BEFORE = (
    r'(?:[^0-9A-Za-z\\%\x1b]|\\(?:u[0-9A-Fa-f]{4}|[nrtbfv"\'/\\])?|%(?:[0-9A-Fa-f]{2})?|\x1b(?:\[[0-9;]*[A-Za-z])?)'
)
"""What may be before something that is looked for: no letter and no digit, unless it is an escape's."""

# -- secrets --
_PEM = (
    rf"-----BEGIN [0-9A-Z ]*PRIVATE KEY[A-Z ]*-----[^{_END}]*?(?:-----END [0-9A-Z ]*PRIVATE KEY[A-Z ]*-----|{_END})"
    r"|[0-9A-Za-z+/=\r\n]*(?:\\n)?-----END [0-9A-Z ]*PRIVATE KEY[A-Z ]*-----"
)
_URL = rf"[A-Za-z][0-9A-Za-z+.-]*://{_TEXT}+"
_VALUE = rf'(?:(?i:bearer|basic|token|digest)[ \t]+)?(?:\\*"(?:[^"\\\n{_END}]|\\[^"\n{_END}])*|\\*\'(?:[^\'\\\n{_END}]|\\[^\'\n{_END}])*|[^ \t\r\n\x1b"\'\\{_END},;&)\]}}]+)'
_KEY = r"(?i:pass|pwd|secret|token|key|auth|cred|signature|sig|cookie|connection_?string|webhook)"
_SETTING = (
    rf"[0-9A-Za-z_.-]*{_KEY}[0-9A-Za-z_.-]*"
    r'(?:["\'\\]*[ \t]*(?:[:=]|=>|:=)[ \t]*|["\'\\]*,[ \t]*["\'\\]*value["\'\\]*[ \t]*[:=][ \t]*)' + _VALUE
)
_OPTION = rf"--?[0-9a-z-]*(?:pass(?:word|wd)?|token|secret|key|auth)[ \t]+{_VALUE}"
_HEADER = (
    r'(?i:[0-9A-Za-z-]*authorization["\'\\]*[ \t]*[:=][ \t]*["\'\\]*(?:bearer|basic|token|digest|apikey)[ \t]+|bearer[ \t]+)'
    r"[0-9A-Za-z._~+/=-]+"
)
_LOGIN = (
    rf"login[ \t\n]+{_TEXT}+[ \t\n]+password[ \t\n]+{_TEXT}+|login[ \t]+(?:--?[a-z-]+[ \t]+)*[0-9a-f]{{40}}"
    rf"|docker login[^\n{_END}]*?[ \t]-p[ \t]*{_TEXT}+|curl[^\n{_END}]*?[ \t]-u[ \t]*{_TEXT}+"
)
_JWT = r"eyJ[0-9A-Za-z_-]{10,}(?:\.[0-9A-Za-z_-]*){1,4}|eyJ[0-9A-Za-z_+/=-]{40,}"
_AZURE = r"[0-9A-Za-z_~.-]{3}[78]Q~[0-9A-Za-z_~.-]{31,}"
_BOT = r"[0-9]{8,10}:AA[0-9A-Za-z_-]{33}"
_BLOB = r"[0-9A-Za-z+/]{60,}={0,2}"
_CUT = 12
"""So many characters of a token at the end of a text are one that was cut there."""
_OF_SERVICES = Path(__file__).parent / "tokens.csv"

# -- who and where --
_MAIL = r"[0-9A-Za-z._%+-]+@[0-9A-Za-z](?:[0-9A-Za-z._-]*[0-9A-Za-z_])?"
_UUID = r"(?:GPU|MIG)-(?:GPU-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SERIAL = r'(?i:serial)(?i:[ _]?(?:number|no\.?))?["\'\\]*[ \t]*[:=#]?[ \t]*["\'\\]*[0-9A-Z]*[0-9][0-9A-Z-]{5,}'
_MAC = r"(?:[0-9A-Fa-f]{2}:){5,}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}"
_IPV6 = (
    r"(?:(?:[23][0-9A-Fa-f]{3}|[fF][cCdD][0-9A-Fa-f]{2}|[fF][eE][89abAB][0-9A-Fa-f]|64):[0-9A-Fa-f:]*"
    r"|::[fF]{4}:|(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4})(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3})?"
)
_IPV4 = (
    r"(?:(?i:version|ver|release|driver|firmware|fw|cudnn|cuda|nccl|build|rev|vbios)[A-Za-z0-9_-]*[ \t:=\"'(]*|[vV]|=|so\.|[A-Za-z][0-9A-Za-z_]*-)?"
    r"[0-9]{1,3}(?:\.[0-9]{1,3}){3,}(?:[A-Za-z+][0-9A-Za-z.+]*)?"
)
_ARN = r"arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:[0-9]{12}:[0-9A-Za-z_/.:-]+"
_DOMAIN = (
    r"[0-9A-Za-z][0-9A-Za-z_.-]*\.(?i:internal|intranet|local|localdomain|lan|corp|intra|private|com|org|edu|gov|mil|ac)"
    r"(?:\.[a-z]{2})?[0-9A-Za-z_.-]*"
)
_EC2 = r"ip-[0-9]+-[0-9]+-[0-9]+-[0-9]+(?:\.[a-z0-9-]+)*"
_NAMED = (
    r"(?:USER|LOGNAME|USERNAME|SUDO_USER|SLURM_JOB_USER|HOSTNAME|HOST|SLURMD_NODENAME|SLURM_SUBMIT_HOST|MASTER_ADDR"
    r'|[A-Z_]*(?:PROJECT|ENTITY|ACCOUNT|BUCKET)(?:_NAME)?)(?:=|["\'\\]+[ \t]*[:=][ \t]*)["\'\\]*[0-9A-Za-z._-]+'
    r"|(?:UserId|JobUser|Account|NodeName|BatchHost|UserName|GroupId)=[0-9A-Za-z._-]+(?:\([0-9]+\))?"
)
_OWNER = r"(?i:uid|user|euid|gid)=[0-9]+\([0-9A-Za-z._-]+\)"
_PATH = r"(?:~[0-9A-Za-z._-]*(?:/[0-9A-Za-z._@+~%-]+)+|(?:/[0-9A-Za-z._@+~%=-]+){2,})/*"

_SETTING_PARTS = re.compile(
    r'(?P<key>[0-9A-Za-z_.-]+)(?P<between>["\'\\]*(?:,[ \t]*["\'\\]*value["\'\\]*)?[ \t]*(?:=>|:=|[:=]|[ \t])[ \t]*\\*["\']?)'
    r"(?P<value>.*)",
    re.DOTALL,
)
_STRONG = re.compile(
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret(?:_?key)?|api_?key|access_?key|account_?key|private_?key(?:_id)?|signing_?key"
    r"|encryption_?key|subscription_?key|license_?key|(?:auth|access|refresh|bearer|session|security|sas|id)_?token|credentials?"
    r"|connection_?string|client_?secret|_auth|api_?secret|access_?key_?id|webhook(?:_?url)?|session_?key|ssh_?key)s?"
    r"(?:_?(?:b64|base64|value|env|default|raw))?$"
)
_LOUD = re.compile(r"_(?:TOKEN|KEY|SECRET|PASS|PWD|AUTH|CREDENTIALS?)S?$")
_WEAK = re.compile(r"(?:token|auth|authorization|sig|signature|cookie|set_cookie|x_[a-z_]*key|credential|key)$")
_OF_MODELS = re.compile(
    r"(?:pad|padding|eos|bos|eot|unk|mask|cls|sep|special|image|audio|video|next|first|last|stop|start|end|prompt|new|per|max"
    r"|min|num|n|total|vocab|draft|think|added|extra|invalid|unexpected|sampled|output|input|decode|prefill|the)_?token$"
)
_NO_SECRET = re.compile(
    r"(?i:none|null|nil|true|false|yes|no|on|off|n/?a|unset|empty|not|required|invalid|missing|expired|disabled|enabled"
    r"|\*+|x{3,}|\.{2,}|<.*|\$.*|\[.*|\(.*|\{.*|%.*%?)$"
)
_NUMBER = re.compile(r"[-+]?[0-9][0-9_,]*(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?%?", re.IGNORECASE)
_A_PATH = re.compile(r"~?(?:\.{0,2}/[\w.@+~-]+)+/?|[\w-]+\.(?:json|ya?ml|pem|txt|key|crt|env|py)")
_HEX = re.compile(r"(?:0x)?[0-9a-f]+", re.IGNORECASE)
_IN_QUERY = re.compile(
    r"([?&;#](?:[^=&;]*(?:sig|token|key|pass|pwd|secret|auth|cred|session|code)[^=&;]*)=)([^&;#]+)", re.IGNORECASE
)


def _anybody() -> Mapping[str, frozenset[str]]:
    """Words that tell nothing of anybody, by their kind.

    account; numbered (names of machines); site; bucket and local (schemes of URLs); system and part (of paths); extension.
    """
    words: dict[str, set[str]] = {}
    with (Path(__file__).parent / "anybody.csv").open(encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            words.setdefault(row["kind"], set()).add(row["word"])
    return {kind: frozenset(those) for kind, those in words.items()}


_ANYBODY = _anybody()
_NO_HOST = frozenset(
    {"localhost", "localhost.localdomain", "none", "null", "unknown", "host", "node", "master", "head"}
)
_STORES = re.compile(
    r"(?:(?P<sub>.+)\.)?(?:s3[a-z0-9.-]*\.amazonaws\.com|storage\.googleapis\.com|storage\.cloud\.google\.com"
    r"|[a-z]+\.core\.windows\.net|[a-z0-9]+\.r2\.cloudflarestorage\.com|[a-z0-9.-]*\.aliyuncs\.com)$"
)
_HOMES = frozenset({"home", "Users", "homes", "users", "user", "u"})
_NUMBERED_PART = re.compile(
    r"(?:(?:global_?)?step|iter|epoch|ckpt|checkpoint|checkpoints|rank|local_rank|run|job|version|shard|part|attempt|restart|node"
    r"|worker|python|cuda|nccl|gpu|mp_rank|tp|pp|dp|layer|model|release|v|tmp|cuda-)?[-_=.]?[0-9][0-9._-]*",
    re.IGNORECASE,
)
_LIBRARIES = frozenset({"site-packages", "dist-packages"})
_HOME_OF = re.compile(
    r"/(?:home|Users|homes)/([0-9A-Za-z][0-9A-Za-z._-]+)|(?i:uid|user|euid)=[0-9]+\(([0-9A-Za-z._-]+)\)"
)
_DIGITS = re.compile(r"[0-9]+")
_LIST = r"\[[0-9,-]+\]"
_MOST_OF_LIST = 64


class Redactor:
    """Replaces in texts what must not leave the house; the same by the same everywhere.

    Args:
        hosts: names of machines; several of one machine are given as `aliases`.
        users: names of accounts.
        addresses: network addresses that are known, so that they are numbered in an order people expect.
        aliases: other name -> name of a host.
        hardware: keep UUIDs and serial numbers of GPUs (whoever replaces them needs them).
    """

    def __init__(
        self,
        hosts: Iterable[str] = (),
        users: Iterable[str] = (),
        addresses: Iterable[str] = (),
        aliases: Mapping[str, str] | None = None,
        serials: Iterable[str] = (),
        *,
        hardware: bool = False,
    ) -> None:
        self.hardware = hardware
        self.table: dict[tuple[str, str], str] = {}
        """(kind, what it was) -> what it became; secrets are not in it."""
        self.secrets: Counter[str] = Counter()
        """How often secrets of a kind were replaced."""
        self._numbers: Counter[str] = Counter()
        self._met: set[str] = set()
        """Accounts that texts told of since the last call of `_meet`."""
        self._names: dict[str, tuple[str, str]] = {}
        named = sorted({h.lower() for h in hosts if _is_name(h)} - _NO_HOST, key=natural)
        self._width = max(2, len(str(len(named))))
        for host in named:
            self._names[host] = ("host", host)
            self._host(host)
        for alias, host in sorted((aliases or {}).items()):
            if _is_name(alias) and alias.lower() not in _NO_HOST:
                self._names.setdefault(alias.lower(), ("host", host.lower()))
        self._machines = frozenset(self._names)
        for serial in sorted(set(serials)):
            if not hardware and len(serial) > 5:
                self._names.setdefault(serial.lower(), ("serial", serial))
        for address in sorted(set(addresses)):
            self._address(address)
        self._passes = [_Pass(self, kinds) for kinds in _secrets()]
        self._last: _Pass
        self._meet(users)

    def _meet(self, users: Iterable[str]) -> None:
        """Know accounts by name from here on."""
        for user in sorted({u for u in users if len(u) > 1} - _ANYBODY["account"], key=natural):
            self._names.setdefault(user.lower(), ("user", user))
            self._user(user)
        self._last = _Pass(self, _names(self._name_pattern()))
        self._met.clear()

    # -- in --

    def texts(self, given: Sequence[str]) -> list[str]:
        """Each text redacted. They are joined: many at once are fast."""
        blocks = sum(map(len, given)) // _BLOCK + 1
        step = len(given) // blocks + 1
        return [text for n in range(0, len(given), step) for text in self._block(given[n : n + step])]

    def _block(self, given: Sequence[str]) -> list[str]:
        joined = _BETWEEN.join(given)
        if joined.count(_END) != 2 * (len(given) - 1) or _MARK in joined:
            joined = _BETWEEN.join(_SIGNS.sub(" ", t) for t in given)
        joined = f"{_END}{joined}{_END}"
        for one in self._passes:
            joined = one.over(joined)
        shown = self._last.over(joined)
        while self._met:  # whose home it is may be told behind the lines that name them
            self._meet(self._met)
            shown = self._last.over(joined)
        return shown[1:-1].split(_BETWEEN)

    def text(self, given: str) -> str:
        """One text redacted."""
        return self.texts([given])[0]

    # -- what the judges have in common --

    def _within(self, text: str) -> str:
        """A part of something that was looked at, redacted by itself."""
        text = f"{_END}{text}{_END}"
        for one in (*self._passes, self._last):
            text = one.within(text)
        return text[1:-1]

    def _secret(self, what: str) -> str:
        self.secrets[what] += 1
        return f"[redacted-{what.lower().replace(' ', '-')}]"

    def _other(self, kind: str, what: str) -> str:
        """Another name for something, the same each time."""
        key = (kind, what)
        if key not in self.table:
            self._numbers[kind] += 1
            n = self._numbers[kind]
            self.table[key] = {
                "host": f"node{n:0{self._width}}", "address": f"ip{n:02}", "mac": f"mac{n:02}", "gpu": f"GPU-uuid{n:02}",
            }.get(kind, f"{kind}{n}")  # fmt: skip
        return self.table[key]

    def _host(self, name: str) -> str:
        return self._other(*self._names.get(name.lower(), ("host", name.lower())))

    def _user(self, name: str) -> str:
        if name.lower() in _ANYBODY["account"]:
            return name
        if name.lower() not in self._names and len(name) > 2 and not name.isdigit():
            self._met.add(name)
        return self._other(*self._names.get(name.lower(), ("user", name)))

    def _address(self, text: str) -> str:
        try:
            address: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.ip_address(text)
        except ValueError:
            return text
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
            address = address.ipv4_mapped
        if address.is_loopback or address.is_unspecified or address.is_multicast or str(address).startswith("255."):
            return text
        return self._other("address", str(address))

    def _name_pattern(self) -> str:
        """Names as patterns, with any number for the numbers in those of hosts; those who are not known are judged."""
        exact = {name: re.escape(name).replace("\\-", "-") for name in self._names}
        shapes = {
            _DIGITS.sub("[0-9]+", p) if name in self._machines and name[0].isalpha() else p for name, p in exact.items()
        }
        lists = {
            re.escape(p).replace("\\-", "-") + _LIST for n in self._machines if (p := n.rstrip("0123456789")) != n and p
        }
        every = "|".join([*sorted(lists, key=lambda s: (-len(s), s)), *sorted(shapes, key=lambda s: (-len(s), s))])
        return rf"(?i:{every})[0-9A-Za-z]*(?:\.[A-Za-z][0-9A-Za-z-]*)*" if every else _MARK

    def _name(self, what: str) -> str:
        if "[" in what:
            prefix, _, numbers = what.partition("[")
            numbers, _, rest = numbers.partition("]")
            names = list(_expanded(prefix, numbers))
            shown = ",".join(self._host(n) for n in names[:_MOST_OF_LIST])
            return f"{shown}{',…' if len(names) > _MOST_OF_LIST else ''}{rest}"
        labels = what.split(".")
        for n in range(len(labels), 0, -1):
            if key := self._names.get(".".join(labels[:n]).lower()):
                return self._other(*key) + _after_host(labels[n:])
        head = labels[0]
        if len(_DIGITS.findall(head)) > 2:
            return self._of_domain(what)
        letters = _DIGITS.split(head)[0].strip("-_").lower()
        if (
            any(c.isdigit() for c in head)
            and letters not in _ANYBODY["numbered"]
            and re.fullmatch(r"[A-Za-z-]+[0-9-]+", head)
        ):
            return self._host(head) + _after_host(labels[1:])
        return what

    # -- secrets --

    def _pem(self, what: str) -> str:
        end = _END if what.endswith(_END) else ""
        return self._secret("private key") + "\n" * what.count("\n") + end

    def _setting(self, what: str) -> str:
        parts = _SETTING_PARTS.fullmatch(what)
        if parts is None:
            return self._secret("setting")
        key, between, value = parts["key"], parts["between"], parts["value"]
        told = _kind_of_secret(key, value.rstrip("\\"))
        if told:
            return f"{key}{between}{self._secret(told)}{value[len(value.rstrip(chr(92))) :]}"
        return self._within(key) + between + self._within(value)

    def _header(self, what: str) -> str:
        found = re.fullmatch(r"(.*[ \t])([^ \t]+)", what, re.DOTALL)
        head, value = found.groups() if found else ("", what)
        is_word = value.isalpha() and len(value) < 20 and "uthorization" not in head
        return what if is_word else f"{head}{self._secret('authorization')}"

    def _login(self, what: str) -> str:
        found = re.fullmatch(r"(.*[ \t\n])([^ \t\n]+)", what, re.DOTALL)
        return f"{self._within(found[1]) if found else ''}{self._secret('password')}"

    def _jwt(self, what: str) -> str:
        return self._secret("JWT")

    def _token(self, what: str) -> str:
        bare = what.rstrip(_END)
        service = next(r for r in _services() if bare.startswith(r["prefix"]))
        length = len(bare) - len(service["prefix"])
        is_cut = bare != what and length >= _CUT and _DIGITS.search(bare)
        if length < int(service["least"]) and not is_cut:
            return what
        return self._secret(f"{service['service']} token") + what[len(bare) :]

    def _azure(self, what: str) -> str:
        return self._secret("Azure secret")

    def _bot(self, what: str) -> str:
        return self._secret("bot token")

    def _blob(self, what: str) -> str:
        kinds = sum(any(test(c) for c in what) for test in (str.isupper, str.islower, str.isdigit))
        if kinds < 3 or what.startswith("ZN") or 16 * what.count("/") > len(what):  # a name that C++ made, a path
            return what
        return self._secret("key")

    # -- who and where --

    def _url(self, what: str) -> str:
        scheme, _, rest = what.partition("://")
        place, slash, path = rest.partition("/")
        if "?" in place or "#" in place:
            at = min(place.index(c) for c in "?#" if c in place)
            place, slash, path = place[:at], "", rest[at:]
        who = ""
        port = place.rpartition(":")[2]
        if "@" not in place and "@" in path and ":" in place and not port.isdigit():  # a password with a slash
            place, _, path = rest.rpartition("@")
            place, slash, path = f"{place}@{path.partition('/')[0]}", "/" * ("/" in path), path.partition("/")[2]
        if "@" in place:
            login, _, place = place.rpartition("@")
            if scheme.lower() in ("abfs", "abfss", "wasb", "wasbs"):
                who = f"{self._other('bucket', login)}@"
            else:
                user, colon, _ = login.partition(":")
                secret = self._secret("password") if colon else ""
                user = self._login_of_url(user, alone=not colon and not scheme.startswith(("ssh", "sftp", "rsync")))
                who = f"{user}{colon}{secret}@"
        return f"{scheme}://{who}{self._place_and_path(scheme.lower(), place, slash, path)}"

    def _login_of_url(self, user: str, *, alone: bool) -> str:
        if not user or user.lower() in _ANYBODY["account"] or user.startswith("[redacted"):
            return user
        if alone and len(user) >= 20:
            return self._secret("token")
        inner = self._within(user)
        return inner if inner != user else self._user(user)

    def _place_and_path(self, scheme: str, place: str, slash: str, path: str) -> str:
        path, mark, query = _split_query(path)
        query = _IN_QUERY.sub(lambda m: m[1] + self._secret("parameter"), mark + query)
        query = self._within(query) if query else ""
        if scheme in _ANYBODY["local"]:
            return f"{self._within(place)}{self._path(f'/{path}') if slash else ''}{query}"
        host, port = _port_of(place)
        store = _STORES.match(host.lower())
        if scheme in _ANYBODY["bucket"] or store:
            parts = path.split("/") if path else []
            below = self._parts(parts)
            if store and not store["sub"] and parts:
                below = "/".join([self._other("bucket", parts[0]), *([self._parts(parts[1:])] if parts[1:] else [])])
                shown = host
            elif store:
                shown = f"{self._other('bucket', store['sub'])}{host[len(store['sub']) :]}"
            else:
                shown = self._other("bucket", host) if host else ""
            return f"{shown}{port}{slash}{below}{query}"
        public = _is_public(host)
        shown = host if public else self._host_of_url(host)
        if host.lower() in ("hooks.slack.com", "discord.com") and ("services" in path or "webhooks" in path):
            return f"{host}/{self._secret('webhook')}"
        if (
            host.lower().endswith("wandb.ai")
            and path
            and not path.startswith(("site", "authorize", "api", "settings", "docs"))
        ):
            entity, *more = path.split("/")
            project = [self._other("project", more[0])] if more and more[0] else more[:1]
            return "/".join([f"{shown}{port}{slash}{self._other('project', entity)}", *project, *more[1:]]) + query
        inside = f"{slash}{self._within(path)}" if public else self._path(f"/{path}") if path else slash
        return f"{shown}{port}{inside}{query}"

    def _host_of_url(self, host: str) -> str:
        bare = host.strip("[]")
        if not bare or bare.lower() in _NO_HOST or bare == "*" or bare.startswith(("$", "{", "%")):
            return host
        try:
            ipaddress.ip_address(bare.partition("%")[0])
        except ValueError:
            return self._of_domain(bare)
        return self._address(bare.partition("%")[0])

    def _of_domain(self, name: str) -> str:
        """Another name for a machine that goes by a name with its domain."""
        lower = name.lower().rstrip(".")
        labels = lower.split(".")
        for n in range(len(labels), 0, -1):
            if key := self._names.get(".".join(labels[:n])):
                return self._other(*key)
        return self._host(labels[0] if _is_name(labels[0]) and len(labels) > 1 and _DIGITS.search(labels[0]) else lower)

    def _mail(self, what: str) -> str:
        user, _, domain = what.rpartition("@")
        if "_" in domain:
            return what
        last = domain.rpartition(".")[2]
        if (
            "." in domain
            and last.isalpha()
            and 2 <= len(last) <= 12
            and last not in ("py", "cc", "cpp", "so", "sh", "rs", "go", "md")
        ):
            if user.lower() in ("git", "hg", "svn") and _is_public(domain):
                return what
            if user.lower() in _ANYBODY["account"] or domain.split(".")[0].lower() in self._names:
                return f"{self._user(user)}@{self._of_domain(domain)}"
            return self._other("mail", what.lower())
        try:
            ipaddress.ip_address(domain)
        except ValueError:
            pass
        else:
            return f"{self._user(user)}@{self._address(domain)}"
        inner = self._within(domain)
        if inner != domain or domain.lower() in self._names:
            return f"{self._user(user) if user.isidentifier() else self._within(user)}@{inner}"
        return f"{self._within(user)}@{domain}"

    def _uuid(self, what: str) -> str:
        return what if self.hardware else self._other("gpu", what)

    def _serial(self, what: str) -> str:
        if self.hardware:
            return what
        found = re.search(r"[0-9A-Z-]+$", what)
        if found is None or sum(c.isdigit() for c in found[0]) < 6:
            return what
        return f"{what[: found.start()]}{self._other('serial', found[0])}"

    def _mac(self, what: str) -> str:
        return self._other("mac", what.lower().replace("-", ":"))

    def _ipv6(self, what: str) -> str:
        bare = what.rstrip(":") if what.endswith(":") and not what.endswith("::") else what
        return self._address(bare) + what[len(bare) :]

    def _ipv4(self, what: str) -> str:
        found = re.search(r"(?<![0-9.])[0-9]+(?:\.[0-9]+){3,}", what)
        if found is None:
            return what
        parts = found[0].split(".")
        if len(parts) != 4 or any(len(p) > 1 and p[0] == "0" for p in parts) or any(int(p) > 255 for p in parts):
            return what
        is_bare = found[0] == what
        if parts[0] == "0" or not (is_bare or ipaddress.ip_address(found[0]).is_private) or what[0] in "vV=":
            return what
        return what[: found.start()] + self._address(found[0]) + what[found.end() :]

    def _arn(self, what: str) -> str:
        head, account, rest = re.split(r":([0-9]{12}):", what, maxsplit=1)
        return f"{head}:{self._other('account', account)}:{self._other('resource', rest)}"

    def _domain(self, what: str) -> str:
        name = what.rstrip(".-_")
        rest = what[len(name) :]
        labels = name.lower().split(".")
        last = labels[-1]
        if last in _INSIDE:
            private = labels[-2:] in (["compute", "internal"], ["ec2", "internal"], ["cluster", "local"]) or last in (
                "localdomain",
                "lan",
            )
            private |= len(labels) > 3 and last not in ("local", "private")
            if not private and not any(c.isdigit() or c == "-" for label in labels[:-1] for c in label):
                return what
        elif last not in _OUTSIDE and not (len(last) == 2 and labels[-2] in ("ac", "com", "edu", "gov", "co", "org")):
            return what
        if _is_public(name) or name.lower() in _NO_HOST:
            return what
        if store := _STORES.match(name.lower()):
            return f"{self._other('bucket', store['sub'])}{what[len(store['sub']) :]}" if store["sub"] else what
        return self._of_domain(name) + rest

    def _ec2(self, what: str) -> str:
        return self._of_domain(what)

    def _named(self, what: str) -> str:
        key, gap, value = re.fullmatch(r"([A-Za-z_]+)([^0-9A-Za-z]*)(.*)", what, re.DOTALL).groups()  # type: ignore[union-attr]
        name = key.upper()
        bare, paren, number = value.partition("(")
        if not bare or bare.lower() in ("none", "null", "n", "unset") or bare.isdigit():
            return what
        if "USER" in name or name == "LOGNAME" or name == "GROUPID":
            return f"{key}{gap}{self._user(bare)}{paren}{number}"
        if name in ("HOSTNAME", "HOST", "MASTER_ADDR", "NODENAME", "BATCHHOST") or "NODE" in name or "HOST" in name:
            return f"{key}{gap}{self._host_of_url(bare)}{paren}{number}"
        return f"{key}{gap}{self._other('bucket' if 'BUCKET' in name else 'project', bare)}{paren}{number}"

    def _owner(self, what: str) -> str:
        head, _, name = what[:-1].partition("(")
        return f"{head}({self._user(name)})"

    def _path(self, what: str) -> str:
        """Parts of a path that are somebody's go by other names; what is below a folder of libraries stays."""
        if what.startswith("~"):
            user, slash, rest = what[1:].partition("/")
            return f"~{self._user(user) if user else ''}{slash}{self._parts(rest.split('/'))}"
        if what.endswith("//"):  # a key of a store
            return what
        parts = what.split("/")[1:]
        if not parts or not what.startswith("/"):
            return self._within(what) if what else ""
        if parts[0] in _ANYBODY["system"]:
            return f"/{'/'.join(map(self._own_name, parts))}"
        return f"/{self._parts(parts)}"

    def _parts(self, parts: list[str]) -> str:
        out: list[str] = []
        library = next((n for n, p in enumerate(parts) if p in _LIBRARIES), len(parts))
        for n, part in enumerate(parts):
            is_file = n == len(parts) - 1 and "." in part.strip(".")
            if n > library or not part:
                out.append(part)
            elif n and parts[n - 1] in _HOMES and not is_file:
                out.append(self._user(part))
            elif (
                part in _ANYBODY["part"]
                or part in _HOMES
                or _NUMBERED_PART.fullmatch(part)
                or (named := self._own_name(part)) == ""
            ):
                out.append(part)
            elif named != part:
                out.append(named)
            elif is_file or _HEX.fullmatch(part):
                out.append(part)
            else:
                out.append(self._other("dir", part))
        return "/".join(out)

    def _own_name(self, part: str) -> str:
        """A part of a path with the names in it replaced."""
        key = self._names.get(part.lower())
        return self._other(*key) if key else self._within(part)


_Kind = tuple[str, str, "Callable[[Redactor, str], str]"]
_INSIDE = frozenset({"internal", "intranet", "local", "localdomain", "lan", "corp", "intra", "private"})
_OUTSIDE = frozenset({"com", "org", "edu", "gov", "mil"})


def _secrets() -> Iterator[list[_Kind]]:
    """What is looked for first, pass by pass."""
    r = Redactor
    yield [
        ("pem", _PEM, r._pem), ("token", _token_pattern(), r._token), ("jwt", _JWT, r._jwt), ("azure", _AZURE, r._azure),
        ("bot", _BOT, r._bot), ("blob", _BLOB, r._blob),
    ]  # fmt: skip
    yield [
        ("header", _HEADER, r._header), ("setting", _SETTING, r._setting), ("option", _OPTION, r._setting), ("login", _LOGIN, r._login),
    ]  # fmt: skip


def _names(known: str) -> list[_Kind]:
    """What is looked for last."""
    r = Redactor
    return [
        ("url", _URL, r._url), ("named", _NAMED, r._named), ("arn", _ARN, r._arn), ("uuid", _UUID, r._uuid),
        ("serial", _SERIAL, r._serial), ("owner", _OWNER, r._owner), ("mail", _MAIL, r._mail), ("ipv6", _IPV6, r._ipv6),
        ("mac", _MAC, r._mac), ("ipv4", _IPV4, r._ipv4), ("name", known, r._name), ("path", _PATH, r._path), ("ec2", _EC2, r._ec2),
        ("domain", _DOMAIN, r._domain),
    ]  # fmt: skip


class _Pass:
    """Kinds of things that are looked for together; where several begin at one place, in their order.

    All of them in one pass would be slower by ten: an automaton that knows all of them is too large to be kept.
    """

    def __init__(self, redactor: Redactor, kinds: list[_Kind]) -> None:
        self._redactor = redactor
        self._marks = f"{_BEFORE}(?:{'|'.join(f'(?:{pattern})' for _, pattern, _ in kinds)})"
        self._judge = re.compile(f"{_BEFORE}(?:{'|'.join(f'(?P<{name}>{pattern})' for name, pattern, _ in kinds)})")
        self._handlers = {name: handler for name, _, handler in kinds}
        self._known: dict[str, str] = {}

    def over(self, text: str) -> str:
        """A long text, in which the same comes again."""
        marked = pl.Series([text]).str.replace_all(self._marks, f"{_MARK}${{0}}{_MARK}")[0]
        parts = marked.split(_MARK)
        known = self._known
        for n in range(1, len(parts), 2):
            part = parts[n]
            try:
                parts[n] = known[part]
            except KeyError:
                parts[n] = known[part] = self._judged(self._judge.match(part), part)
        return "".join(parts)

    def within(self, text: str) -> str:
        """A short text."""
        return self._judge.sub(lambda found: self._judged(found, found[0]), text)

    def _judged(self, found: re.Match[str] | None, marked: str) -> str:
        if found is None or found.lastgroup is None:  # the two engines differ: rather too much
            return f"{marked[:1]}[redacted]"
        at = found.start(found.lastgroup) - found.start()
        return marked[:at] + self._handlers[found.lastgroup](self._redactor, marked[at:])


@cache
def _services() -> list[dict[str, str]]:
    with _OF_SERVICES.open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def _token_pattern() -> str:
    """How the tokens of services begin; a short pattern is a fast one, and the judge counts."""
    return "|".join(
        f"{re.escape(r['prefix']).replace(chr(92) + '-', '-')}[{r['alphabet']}]{{8,}}{_END}?" for r in _services()
    )


def _kind_of_secret(key: str, value: str) -> str | None:
    """What a setting of that name holds where it has to go, None where it may stay."""
    name = key.strip("-_.").replace("-", "_").replace(".", "_")
    lower = name.lower()
    bare = value.strip("\\\"'")
    if not bare or _NO_SECRET.fullmatch(bare.rstrip(">:.|")) or _OF_MODELS.search(lower):
        return None
    if (_A_PATH.fullmatch(bare) and len(bare) != 40) or "://" in bare:
        return None
    is_password = "pass" in lower or lower.endswith("pwd")
    if _STRONG.search(lower) or (name.isupper() and _LOUD.search(name)) or key.startswith("-"):
        if _NUMBER.fullmatch(bare) and not is_password:
            return None
        return "password" if is_password else "secret"
    if not _WEAK.search(lower) or len(bare) < 16 or not re.fullmatch(r"[0-9A-Za-z_.~+/=%|:-]+", bare):
        return None
    has = [any(test(c) for c in bare) for test in (str.islower, str.isupper, str.isdigit)]
    if lower.endswith("key"):
        return "secret" if all(has) and len(bare) >= 20 and re.fullmatch(r"[0-9A-Za-z_+/=-]+", bare) else None
    return "secret" if has[2] and (has[0] or has[1]) else None


def _is_name(host: str) -> bool:
    """True where a host goes by a name, not by its address or a number."""
    return len(host) > 1 and not host.isdigit() and not re.fullmatch(r"[0-9.]+|.*:.*", host)


def _after_host(labels: list[str]) -> str:
    """What remains of the labels behind a host's name: those of a file; a domain goes."""
    return "".join(f".{label}" for label in labels) if labels and labels[-1].lower() in _ANYBODY["extension"] else ""


def _expanded(prefix: str, numbers: str) -> Iterator[str]:
    """The names that a scheduler's list holds: node[1-3,7]."""
    for part in numbers.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            continue
        for n in range(int(first), min(int(last or first), int(first) + 100_000) + 1):
            yield f"{prefix}{n:0{len(first)}}"


def _is_public(host: str) -> bool:
    lower = host.lower().rstrip(".")
    return any(lower == site or lower.endswith(f".{site}") for site in _ANYBODY["site"])


def _port_of(place: str) -> tuple[str, str]:
    """Host, and port with its colon."""
    if place.startswith("["):
        host, _, rest = place.partition("]")
        return f"{host}]", rest
    host, colon, port = place.partition(":")
    return host, colon + port


def _split_query(path: str) -> tuple[str, str, str]:
    at = min((path.index(c) for c in "?#" if c in path), default=len(path))
    return path[:at], path[at : at + 1], path[at + 1 :]
