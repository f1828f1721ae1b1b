"""Templates of messages in a producer's sources: what it can print, at which level, filled with plausible values."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tarfile
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PRODUCERS = Path(__file__).with_name("producers.toml")


@dataclass(frozen=True)
class Producer:
    """Where a producer's messages stand and how it prints them: calls by level, each with the line around its text."""

    name: str
    files: tuple[str, ...]
    calls: Mapping[str, tuple[str, str]]
    leave: re.Pattern[str] | None = None

    def takes(self, path: str) -> bool:
        return any(fnmatch(path, pattern) for pattern in self.files)


@dataclass(frozen=True)
class Message:
    """One message as it is printed; `level` is error or note, `varies` whether it holds a value."""

    level: str
    place: str
    template: str
    line: str
    varies: bool


def producers() -> dict[str, Producer]:
    """Declared in `producers.toml`, by name."""
    declared = tomllib.loads(PRODUCERS.read_text())
    return {
        name: Producer(
            name,
            tuple(own["files"]),
            {call: (level, line) for level in ("error", "note") for call, line in own.get(level, {}).items()},
            re.compile(own["leave"]) if "leave" in own else None,
        )
        for name, own in declared.items()
    }


def sources(checkout: str, producer: Producer) -> Iterator[tuple[str, str]]:
    """Path and text of a producer's files: below a folder, or at a revision of a git directory (`DIR@REVISION`)."""
    folder, at, revision = checkout.rpartition("@")
    if at:
        packed = subprocess.run(
            ["git", "-C", folder, "archive", "--format=tar", revision], capture_output=True, check=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            for member in tar:
                if member.isfile() and producer.takes(member.name) and (file := tar.extractfile(member)):
                    yield member.name, file.read().decode(errors="replace")
        return
    for path in sorted(Path(checkout).rglob("*")):
        if path.is_file() and producer.takes(name := path.relative_to(checkout).as_posix()):
            yield name, path.read_text(errors="replace")


def messages(checkout: str, producer: Producer) -> list[Message]:
    """Every message of a producer's sources, each template once, in the order of the files."""
    found: dict[tuple[str, str], Message] = {}
    for path, text in sources(checkout, producer):
        pieces = of_python(text, producer) if path.endswith(".py") else of_c(text, producer)
        for call, line_no, parts in pieces:
            template = "".join(part if literal else "{}" for literal, part in parts)
            level, around = producer.calls[call]
            if len(re.findall("[A-Za-z]{3,}", template)) < 2 or (producer.leave and producer.leave.search(template)):
                continue
            filled = filled_in(parts).strip().split("\n")[0]
            line = around.format(text=filled, file=Path(path).name, path=path, line=line_no)
            found.setdefault((level, template), Message(level, f"{path}:{line_no}", template, line, "{}" in template))
    return list(found.values())


# --- C and C++ -------------------------------------------------------------------------------------------------------

TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\]|\\.)+\'|//[^\n]*|/\*.*?\*/|<<|[()\[\]{},;]|[A-Za-z_][A-Za-z_0-9:]*|.', re.DOTALL
)
DIRECTIVE = re.compile(r"%(?:%|[-+ #0]*(?:\*|[0-9]+)?(?:\.(?:\*|[0-9]+))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z])|\{[^{}\"' ]*\}")
# Macros of <inttypes.h> and friends that stand between literals, by the conversion they end in.
NUMBER = re.compile(r"(?:PRI|FI_|VM_|NvU|NV)[A-Za-z0-9_]*")

Part = tuple[bool, str]


def of_c(text: str, producer: Producer) -> Iterator[tuple[str, int, list[Part]]]:
    """Calls of a file in C or C++: literals and the expressions printed between them."""
    calls = {spelled(call): call for call in producer.calls}
    names = "|".join(rf"(?P<c{n}>{name})" for n, name in enumerate(sorted(calls, key=len, reverse=True)))
    ordered = [calls[name] for name in sorted(calls, key=len, reverse=True)]
    for match in re.finditer(rf"(?<![A-Za-z_0-9#])(?:{names})", text):
        line_start = text.rfind("\n", 0, match.start()) + 1
        if text[line_start : match.start()].lstrip().startswith(("#define", "//", "*")):
            continue
        streamed = text[: match.end()].endswith("<<")
        arguments = split(text[match.end() :], ";" if streamed else ",", streamed)
        first = next((n for n, argument in enumerate(arguments) if '"' in argument), None)
        if first is None:
            continue
        parts = streamed_parts(arguments[first:]) if streamed else called_parts(arguments[first:])
        yield ordered[int(str(match.lastgroup)[1:])], text.count("\n", 0, match.start()) + 1, parts


def spelled(call: str) -> str:
    """A call as a pattern, up to its opening parenthesis, the comma behind a fixed argument, or `<<` of a stream."""
    name = re.escape(call).replace(r"\(", r"\s*\(\s*").replace(r"\ ", r"\s+")
    return rf"{name}\s*" + ("<<" if call.endswith(")") else "," if "(" in call else r"\(")


def split(text: str, separator: str, streamed: bool) -> list[str]:
    """Arguments of a call behind its parenthesis, or the operands of a stream up to its semicolon."""
    depth, own, found = 0 if streamed else 1, "", []
    for match in TOKEN.finditer(text[:6000]):
        token = match[0]
        if token.startswith(("//", "/*")):
            continue
        if token in "([{" and token:
            depth += 1
        elif token in ")]}":
            depth -= 1
            if depth <= 0 and not streamed:
                break
        if (streamed and token == ";") or depth < 0:
            break
        if (token == "<<" and streamed and depth == 0) or (token == separator and depth == 1 and not streamed):
            found.append(own.strip())
            own = ""
        else:
            own += token
    return [*found, own.strip()]


def literals(argument: str) -> str | None:
    """Adjacent literals of an argument as one text; None where it is an expression."""
    tokens = [t for t in TOKEN.findall(argument) if not t.isspace()]
    if not any(t.startswith('"') for t in tokens) or any(
        not t.startswith('"') and not NUMBER.fullmatch(t) for t in tokens
    ):
        return None
    pieces = [t[1:-1] if t.startswith('"') else "lu" for t in tokens]
    return re.sub(r'\\(["\'\\])', r"\1", "".join(pieces).replace("\\n", "\n").replace("\\t", " "))


def called_parts(arguments: list[str]) -> list[Part]:
    """Parts of a call: a format with its values, or texts and values side by side."""
    form = literals(arguments[0]) or "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', arguments[0]))
    values = arguments[1:]
    if DIRECTIVE.search(form) or not any(literals(v) is not None for v in values):
        parts: list[Part] = []
        last = 0
        for directive in DIRECTIVE.finditer(form):
            parts.append((True, form[last : directive.start()]))
            last = directive.end()
            if directive[0] == "%%":
                parts.append((True, "%"))
            else:
                parts.append((False, f"{directive[0]} {values.pop(0) if values else ''}"))
        return [*parts, (True, form[last:])]
    return [(True, known) if (known := literals(a)) is not None else (False, f"{{}} {a}") for a in arguments]


def streamed_parts(operands: list[str]) -> list[Part]:
    """Parts of `<< "text" << value`."""
    return [(True, known) if (known := literals(o)) is not None else (False, f"{{}} {o}") for o in operands if o]


# --- Python ----------------------------------------------------------------------------------------------------------


def of_python(text: str, producer: Producer) -> Iterator[tuple[str, int, list[Part]]]:
    """Exceptions raised (`raise NAME`) and calls of loggers (`.error`) of a file in Python."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            call, own = "raise", node.exc
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            call, own = f".{node.func.attr}", node
        else:
            continue
        if call in producer.calls and own.args and (parts := python_parts(own.args)):
            yield call, node.lineno, parts


def python_parts(arguments: list[ast.expr]) -> list[Part]:
    """Parts of a text, an f-string, or a format with its values."""
    first, values = arguments[0], [ast.unparse(a) for a in arguments[1:]]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return called_parts(
            ['"' + first.value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"', *values]
        )
    if isinstance(first, ast.JoinedStr):
        return [
            (True, str(v.value)) if isinstance(v, ast.Constant) else (False, f"{{}} {ast.unparse(v.value)}")
            for v in first.values
            if isinstance(v, ast.Constant | ast.FormattedValue)
        ]
    return []


# --- values ----------------------------------------------------------------------------------------------------------

# What an expression, or the words before it, says of its value; the first that fits.
VALUES = [
    (r"cudaGetErrorString|hipGetErrorString|cuda.*err", "an illegal memory access was encountered"),
    (r"strerror|errno.*str|errStr|fi_strerror|ucs_status_string|%m", "Invalid argument"),
    (r"GetErrorString", "unhandled system error"),
    (r"SocketToString|sockaddr|SockAddr|addr_str|peer_?addr|ToString\(&", "10.20.0.82<38455>"),
    (r"host_?name|node_?name|nodename|\bhost\b|nodes?\b", "mesa-3"),
    (r"port_?num|\bport\b", "1"),
    (r"dev_?name|ibdev|hca|device->name|devname|if_?name", "mlx5_2"),
    (r"gid", "fe80::2"),
    (r"path|file|fname|dir\b|shm.*name", "/sys/class/net/eth2"),
    (r"bus_?id|pciid|pci", "0000:4b:00.0"),
    (r"rank|peer", "3"),
    (r"size|bytes|len\b|count", "65536"),
    (r"timeout|msec|ms\b", "1800000"),
    (r"version", "22705"),
    (r"func|__func__|name", "connect"),
    (r"status|res\b|ret\b|rc\b|err", "5"),
]


def filled_in(parts: list[Part]) -> str:
    """Text with a plausible value for each directive."""
    text = ""
    for literal, part in parts:
        text += part if literal else value(part, text)
    return text


def value(part: str, before: str) -> str:
    """A value for one directive, by its conversion and its expression."""
    directive, _, expression = part.partition(" ")
    conversion = directive[-1]
    if conversion == "p":
        return "0x7f2e0a000000"
    if conversion in "feg":
        return "1.5"
    hint = next((v for pattern, v in VALUES if re.search(pattern, expression, re.IGNORECASE)), None)
    if conversion in "dui":
        return hint if hint and hint.isdigit() else "3"
    if conversion in "xX":
        return "4b000"
    if conversion == "c":
        return "x"
    word = re.search(r"([A-Za-z]+)[ :'\"=(\[]*$", before)
    return hint or next((v for pattern, v in VALUES if word and re.fullmatch(pattern, word[1], re.IGNORECASE)), "value")
