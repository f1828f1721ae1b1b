r"""Texts without what is nobody else's business: secrets are gone, names of people, machines and places are others.

Three stages, for speed. Texts that hold nothing to look at are left as they are: a regular expression (Rust's, in polars:
one pass without backtracking) finds those that hold something. Another marks, in these joined, everything that could have to
go; each different one of these is then judged once, in Python. A pattern may therefore mark too much, and must not mark too
little.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from logsift.judge.words import natural
from logsift.report import private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


class Redactor:
    """Replaces in texts what must not leave the house; the same by the same everywhere.

    Args:
        hosts: names of machines; several of one machine are given as `aliases`.
        users: names of accounts.
        addresses: network addresses that are known, so that they are numbered in an order people expect.
        aliases: other name -> name of a host.
        hardware: keep UUIDs and serial numbers of GPUs (whoever replaces them needs them).
        names: replace names too; without them only secrets go, for texts that stay in the house.
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
        names: bool = True,
    ) -> None:
        self.hardware, self.names = hardware, names
        self.table: dict[tuple[str, str], str] = {}
        """(kind, what it was) -> what it became; secrets are not in it."""
        self.secrets: Counter[str] = Counter()
        """How often secrets of a kind were replaced."""
        self._numbers: Counter[str] = Counter()
        self._met: set[str] = set()
        """Accounts that texts told of since the last call of `_meet`."""
        self._names: dict[str, tuple[str, str]] = {}
        named = sorted({h.lower() for h in hosts if private.is_name(h)} - private.NO_HOST, key=natural)
        self._width = max(2, len(str(len(named))))
        for host in named:
            self._names[host] = ("host", host)
            self._host(host)
        for alias, host in sorted((aliases or {}).items()):
            if private.is_name(alias) and alias.lower() not in private.NO_HOST:
                self._names.setdefault(alias.lower(), ("host", host.lower()))
        self._machines = frozenset(self._names)
        for serial in sorted(set(serials)):
            if not hardware and len(serial) > 5:
                self._names.setdefault(serial.lower(), ("serial", serial))
        for address in sorted(set(addresses)):
            self._address(address)
        self._passes = [_Pass(self, kinds, "|".join(hints)) for hints, kinds in _secrets()]
        self._last: _Pass
        self._meet(users)

    def _meet(self, users: Iterable[str]) -> None:
        """Know accounts by name from here on."""
        for user in sorted({u for u in users if len(u) > 1} - private.ANYBODY["account"], key=natural):
            self._names.setdefault(user.lower(), ("user", user))
            self._user(user)
        self._last = _Pass(self, _names(self._name_pattern()) if self.names else _logins())
        self._met.clear()

    # -- in --

    def texts(self, given: Sequence[str]) -> list[str]:
        """Each text redacted. They are looked at together: many at once are fast."""
        texts, clean = pl.Series(given, dtype=pl.String), list(given)
        if texts.str.contains(private.SIGNS.pattern).any():
            clean = [private.SIGNS.sub(" ", text) for text in given]
            texts = pl.Series(clean)
        if at := texts.str.contains("|".join(one.hint for one in self._passes)).arg_true().to_list():
            some = [clean[n] for n in at]
            for one in self._passes:
                some = one.over(some)
            for n, text in zip(at, some, strict=True):
                clean[n] = text
        blocks = sum(map(len, clean)) // private.BLOCK + 1
        step = len(clean) // blocks + 1
        return [text for n in range(0, len(clean), step) for text in self._block(clean[n : n + step])]

    def _block(self, clean: list[str]) -> list[str]:
        """Texts without secrets, names in them replaced."""
        shown = self._last.over(clean)
        while self._met:  # whose home it is may be told behind the lines that name them
            self._meet(self._met)
            shown = self._last.over(clean)
        return shown

    def text(self, given: str) -> str:
        """One text redacted."""
        return self.texts([given])[0]

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Variables redacted: what is under the name of a secret goes whole, whatever it looks like."""
        shown = dict(zip(variables, self.texts(list(variables.values())), strict=True))
        hidden = [name for name, value in variables.items() if private.is_secret_variable(name, value)]
        return shown | {name: self._secret("secret") for name in hidden}

    # -- what the judges have in common --

    def _within(self, text: str) -> str:
        """A part of something that was looked at, redacted by itself."""
        text = f"{private.END}{text}{private.END}"
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
        if name.lower() in private.ANYBODY["account"]:
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
            private.DIGITS.sub("[0-9]+", p) if name in self._machines and name[0].isalpha() else p
            for name, p in exact.items()
        }
        lists = {
            re.escape(p).replace("\\-", "-") + private.LIST
            for n in self._machines
            if (p := n.rstrip("0123456789")) != n and p
        }
        every = "|".join([*sorted(lists, key=lambda s: (-len(s), s)), *sorted(shapes, key=lambda s: (-len(s), s))])
        return rf"(?i:{every})[0-9A-Za-z]*(?:\.[A-Za-z][0-9A-Za-z-]*)*" if every else private.MARK

    def _name(self, what: str) -> str:
        if "[" in what:
            prefix, _, numbers = what.partition("[")
            numbers, _, rest = numbers.partition("]")
            names = list(private.expanded(prefix, numbers))
            shown = ",".join(self._host(n) for n in names[: private.MOST_OF_LIST])
            return f"{shown}{',…' if len(names) > private.MOST_OF_LIST else ''}{rest}"
        labels = what.split(".")
        for n in range(len(labels), 0, -1):
            if key := self._names.get(".".join(labels[:n]).lower()):
                return self._other(*key) + private.after_host(labels[n:])
        head = labels[0]
        if len(private.DIGITS.findall(head)) > 2:
            return self._of_domain(what)
        letters = private.DIGITS.split(head)[0].strip("-_").lower()
        if (
            any(c.isdigit() for c in head)
            and letters not in private.ANYBODY["numbered"]
            and re.fullmatch(r"[A-Za-z-]+[0-9-]+", head)
        ):
            return self._host(head) + private.after_host(labels[1:])
        return what

    # -- secrets --

    def _pem(self, what: str) -> str:
        end = private.END if what.endswith(private.END) else ""
        return self._secret("private key") + "\n" * what.count("\n") + end

    def _setting(self, what: str) -> str:
        parts = private.SETTING_PARTS.fullmatch(what)
        if parts is None:
            return self._secret("setting")
        key, between, value = parts["key"], parts["between"], parts["value"]
        told = private.kind_of_secret(key, value.rstrip("\\"))
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
        bare = what.rstrip(private.END)
        service = next(r for r in private.services() if bare.startswith(r["prefix"]))
        length = len(bare) - len(service["prefix"])
        is_cut = bare != what and length >= private.CUT and private.DIGITS.search(bare)
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
        scheme, login, place, slash, path = private.parts_of_url(what)
        who = ""
        if login is not None:
            if scheme.lower() in ("abfs", "abfss", "wasb", "wasbs"):
                who = f"{self._other('bucket', login)}@"
            else:
                user, colon, _ = login.partition(":")
                secret = self._secret("password") if colon else ""
                user = self._login_of_url(user, alone=not colon and not scheme.startswith(("ssh", "sftp", "rsync")))
                who = f"{user}{colon}{secret}@"
        return f"{scheme}://{who}{self._place_and_path(scheme.lower(), place, slash, path)}"

    def _url_without_secrets(self, what: str) -> str:
        scheme, login, place, slash, path = private.parts_of_url(what)
        who = ""
        if login is not None:
            user, colon, _ = login.partition(":")
            who = f"{user}:{self._secret('password')}@" if colon else f"{login}@"
            if not colon and len(login) >= 20 and not scheme.startswith(("abfs", "wasb")):
                who = f"{self._secret('token')}@"
        if private.is_webhook(place, path):
            return f"{scheme}://{who}{place}/{self._secret('webhook')}"
        return f"{scheme}://{who}{place}{slash}{self._parameters(path)}"

    def _parameters(self, path: str) -> str:
        return private.IN_QUERY.sub(lambda m: m[1] + self._secret("parameter"), path)

    def _login_of_url(self, user: str, *, alone: bool) -> str:
        if not user or user.lower() in private.ANYBODY["account"] or user.startswith("[redacted"):
            return user
        if alone and len(user) >= 20:
            return self._secret("token")
        inner = self._within(user)
        return inner if inner != user else self._user(user)

    def _place_and_path(self, scheme: str, place: str, slash: str, path: str) -> str:
        path, mark, query = private.split_query(path)
        query = self._parameters(mark + query)
        query = self._within(query) if query else ""
        if scheme in private.ANYBODY["local"]:
            return f"{self._within(place)}{self._path(f'/{path}') if slash else ''}{query}"
        host, port = private.port_of(place)
        store = private.STORES.match(host.lower())
        if scheme in private.ANYBODY["bucket"] or store:
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
        public = private.is_public(host)
        shown = host if public else self._host_of_url(host)
        if private.is_webhook(host, path):
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
        if not bare or bare.lower() in private.NO_HOST or bare == "*" or bare.startswith(("$", "{", "%")):
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
        return self._host(
            labels[0] if private.is_name(labels[0]) and len(labels) > 1 and private.DIGITS.search(labels[0]) else lower
        )

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
            if user.lower() in ("git", "hg", "svn") and private.is_public(domain):
                return what
            if user.lower() in private.ANYBODY["account"] or domain.split(".")[0].lower() in self._names:
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
        if last in private.INSIDE:
            is_known = labels[-2:] in (["compute", "internal"], ["ec2", "internal"], ["cluster", "local"])
            is_long = len(labels) > 3 and last not in ("local", "private")
            is_numbered = any(c.isdigit() or c == "-" for label in labels[:-1] for c in label)
            if not (is_known or is_long or is_numbered or last in ("localdomain", "lan")):
                return what
        elif last not in private.OUTSIDE and not (
            len(last) == 2 and labels[-2] in ("ac", "com", "edu", "gov", "co", "org")
        ):
            return what
        if private.is_public(name) or name.lower() in private.NO_HOST:
            return what
        if store := private.STORES.match(name.lower()):
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
        if parts[0] in private.ANYBODY["system"]:
            return f"/{'/'.join(map(self._own_name, parts))}"
        return f"/{self._parts(parts)}"

    def _parts(self, parts: list[str]) -> str:
        out: list[str] = []
        library = next((n for n, p in enumerate(parts) if p in private.LIBRARIES), len(parts))
        for n, part in enumerate(parts):
            is_file = n == len(parts) - 1 and "." in part.strip(".")
            if n > library or not part:
                out.append(part)
            elif n and parts[n - 1] in private.HOMES and not is_file:
                out.append(self._user(part))
            elif (
                part in private.ANYBODY["part"]
                or part in private.HOMES
                or private.NUMBERED_PART.fullmatch(part)
                or (named := self._own_name(part)) == ""
            ):
                out.append(part)
            elif named != part:
                out.append(named)
            elif is_file or private.HEX.fullmatch(part):
                out.append(part)
            else:
                out.append(self._other("dir", part))
        return "/".join(out)

    def _own_name(self, part: str) -> str:
        """A part of a path with the names in it replaced."""
        key = self._names.get(part.lower())
        return self._other(*key) if key else self._within(part)


_Kind = tuple[str, str, "Callable[[Redactor, str], str]"]


def _secrets() -> Iterator[tuple[list[str], list[_Kind]]]:
    """What is looked for first, pass by pass: hints, of which every text has one that holds something, and the kinds."""
    r = Redactor
    yield ["PRIVATE KEY", private.token_prefixes(), "eyJ", "[78]Q~", ":AA", private.OF_BLOB + "{60}"], [
        ("pem", private.PEM, r._pem), ("token", private.token_pattern(), r._token), ("jwt", private.JWT, r._jwt), ("azure", private.AZURE, r._azure),
        ("bot", private.BOT, r._bot), ("blob", private.BLOB, r._blob),
    ]  # fmt: skip
    yield [private.KEY, "(?i:bearer)", "login|curl"], [
        ("header", private.HEADER, r._header), ("setting", private.SETTING, r._setting), ("option", private.OPTION, r._setting), ("login", private.LOGIN, r._login),
    ]  # fmt: skip


def _names(known: str) -> list[_Kind]:
    """What is looked for last."""
    r = Redactor
    return [
        ("url", private.URL, r._url), ("named", private.NAMED, r._named), ("arn", private.ARN, r._arn), ("uuid", private.UUID, r._uuid),
        ("serial", private.SERIAL, r._serial), ("owner", private.OWNER, r._owner), ("mail", private.MAIL, r._mail), ("ipv6", private.IPV6, r._ipv6),
        ("mac", private.MAC, r._mac), ("ipv4", private.IPV4, r._ipv4), ("name", known, r._name), ("path", private.PATH, r._path), ("ec2", private.EC2, r._ec2),
        ("domain", private.DOMAIN, r._domain),
    ]  # fmt: skip


def _logins() -> list[_Kind]:
    """What is looked for last where names stay."""
    return [("url", private.URL, Redactor._url_without_secrets)]


class _Pass:
    """Kinds of things that are looked for together; where several begin at one place, in their order.

    All of them in one pass would be slower by ten: an automaton that knows all of them is too large to be kept.
    """

    def __init__(self, redactor: Redactor, kinds: list[_Kind], hint: str | None = None) -> None:
        self._redactor = redactor
        # What is at the beginning of a text has nothing before it, unless an end is put there.
        self._marks = f"(?:^|{private.BEFORE})(?:{'|'.join(f'(?:{pattern})' for _, pattern, _ in kinds)})"
        self.hint = hint or self._marks
        """A pattern that is cheap to look for, and is in every text that holds one of the kinds."""
        self._judge = re.compile(
            f"{private.BEFORE}(?:{'|'.join(f'(?P<{name}>{pattern})' for name, pattern, _ in kinds)})"
        )
        self._handlers = {name: handler for name, _, handler in kinds}
        self._known: dict[str, str] = {}

    def over(self, texts: list[str]) -> list[str]:
        """Many texts, in which the same comes again."""
        at = pl.Series(texts, dtype=pl.String).str.contains(self.hint).arg_true().to_list()
        if not at:
            return texts
        joined = f"{private.END}{private.BETWEEN.join([texts[n] for n in at])}{private.END}"
        marked = pl.Series([joined]).str.replace_all(self._marks, f"{private.MARK}${{0}}{private.MARK}")[0]
        parts = marked.split(private.MARK)
        known, found = self._known, parts[1::2]
        for part in dict.fromkeys(found):
            if part not in known:
                known[part] = self._judged(self._judge.match(part), part)
        parts[1::2] = [known[part] for part in found]
        out = texts.copy()
        for n, text in zip(at, "".join(parts)[1:-1].split(private.BETWEEN), strict=True):
            out[n] = text
        return out

    def within(self, text: str) -> str:
        """A short text."""
        return self._judge.sub(lambda found: self._judged(found, found[0]), text)

    def _judged(self, found: re.Match[str] | None, marked: str) -> str:
        if found is None or found.lastgroup is None:  # the two engines differ: rather too much
            return f"{marked[:1]}[redacted]"
        at = found.start(found.lastgroup) - found.start()
        return marked[:at] + self._handlers[found.lastgroup](self._redactor, marked[at:])
