"""Text that others wrote (log lines, file names, columns), made inert: the one place for each output.

A log can hold anything: escape sequences for the terminal, markup, mentions that notify people, formulas. Whatever of it
is shown goes through the function of its output first; nothing is lost but its effect.
"""

from __future__ import annotations

import json
import re

_UNSEEN = (
    "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
"""Characters that show nothing, turn the direction of writing, or are no characters."""
_CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f{_UNSEEN}]")
_BUT_LINE_FEED = re.compile(f"[\x00-\x09\x0b-\x1f\x7f-\x9f{_UNSEEN}]")

_PLAIN = re.compile(r"[\w.,:;()'\"/%?=+-]+")
"""A word of these has no markup, unless _TELLING finds some."""
_TELLING = re.compile(
    r"^\W*_|_\W*$|__|://|\bwww\.|:(?=\w*[a-z])[\w+-]+:|:100:|:1234:|%\w|\bGH-[0-9]|\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b",
    re.IGNORECASE,
)
"""Emphasis, links, pictures by name, references to issues, milestones and commits."""
_OPENS_A_BLOCK = re.compile(r"[0-9]+[.)]$|[-+=]+$")
_TICKS = re.compile(r"`+")


def line(text: object) -> str:
    """One line for a screen: control characters, and those that nobody sees, as signs or numbers."""
    return _CONTROL.sub(_sign, str(text))


def lines(text: object) -> str:
    """Several lines for a screen."""
    return _BUT_LINE_FEED.sub(_sign, str(text))


def markdown(text: object) -> str:
    """A sentence in Markdown: what could be markup, a link, a mention or a reference is set as code."""
    out: list[str] = []
    risky: list[str] = []
    for n, word in enumerate(line(text).split()):
        if _PLAIN.fullmatch(word) and not _TELLING.search(word) and not (n == 0 and _OPENS_A_BLOCK.match(word)):
            out += [code(" ".join(risky))] * bool(risky)
            out.append(word)
            risky = []
        else:
            risky.append(word)
    return " ".join([*out, *[code(" ".join(risky))] * bool(risky)])


def code(text: object) -> str:
    """A span of code in Markdown, "" for an empty text."""
    shown = " ".join(line(text).split())
    if not shown:
        return ""
    ticks = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    pad = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def cell(text: str) -> str:
    """Markdown, made by the functions above, as a cell of a table."""
    return text.replace("|", "\\|")


def fence(text: str, language: str = "text") -> str:
    """A block of code in Markdown."""
    shown = lines(text).strip("\n")
    ticks = "`" * max(3, max(map(len, _TICKS.findall(shown)), default=0) + 1)
    return f"{ticks}{language}\n{shown}\n{ticks}"


def spreadsheet(value: object) -> object:
    """A value for a cell of CSV: a text that a spreadsheet would take for a formula begins with an apostrophe."""
    if not isinstance(value, str):
        return value
    shown = lines(value)
    return f"'{shown}" if shown[:1] in tuple("=+-@") or value[:1] in ("\t", "\r") else shown


def slack(text: object) -> str:
    """Text that Slack may read as markup: its three signs are written as it asks for, which ends links and mentions."""
    return lines(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def annotation(text: object) -> str:
    """The text of a command to GitHub Actions: it stays on its line, and is no other command."""
    return lines(text).replace("%", "%25").replace("\n", "%0A")


def annotation_property(value: object) -> str:
    """A property of such a command."""
    return annotation(value).replace(":", "%3A").replace(",", "%2C")


def to_json(value: object, indent: int | None = 1) -> str:
    """Values as JSON; what acts upon a terminal that shows it is written as an escape."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return _BUT_LINE_FEED.sub(lambda m: _pair(m[0]), text)


def _sign(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number in (0x09, 0x0A, 0x0D):
        return " "
    if number < 0x20:
        return chr(0x2400 + number)
    if number == 0x7F:
        return "\u2421"
    if 0xDC80 <= number <= 0xDCFF:  # a byte of a file name that is no UTF-8
        return f"\\x{number - 0xDC00:02x}"
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def _pair(character: str) -> str:
    """A character as JSON's escapes: two halves beyond the first plane."""
    number = ord(character)
    if number < 0x10000:
        return f"\\u{number:04x}"
    number -= 0x10000
    return f"\\u{0xD800 + (number >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"
