"""`py-spy dump --json`: one or more documents in a file, with error text between them -> rows of the stack tables."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from logsift.ingest.readers.opening import cut_short, read_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from logsift.content.model import Grammar
    from logsift.ingest.discover import SourceFile
    from logsift.ingest.readers import Rows

_DOCUMENT = re.compile(r"^[ \t]*\[\s*(?=[{\]])", re.MULTILINE)
_BETWEEN = re.compile(r"[\s,]*")
_FRAME = re.compile(r'(?<!\\)"line"\s*:')
_STOPPED = re.compile(r"unexpected waitpid result \w+\(Pid\((\d+)\), SIG(?:STOP|TSTP|TTIN|TTOU)")
_TABLES = ("stack_process", "stack_thread", "stack_frame", "stack_local", "stack_failure")


def read(file: SourceFile, grammar: Grammar) -> Rows:
    """Rows of every document; fields that a version of py-spy lacks stay empty.

    Raises:
        OSError: the file cannot be read.
    """
    data, why = read_whole(file.path)
    text = data.replace(b"\0", b"").decode("utf-8", errors="replace")
    yield from cut_short(why)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in _TABLES}
    problems: list[dict[str, Any]] = []
    line_ends = [m.start() for m in re.finditer("\n", text)]

    def line_of(position: int) -> int:
        return bisect_right(line_ends, position - 1) + 1

    at = 0
    while found := _DOCUMENT.search(text, at):
        _failures(text, at, found.start(), line_of, rows)
        at = found.end()
        try:
            at = _document(text, found.start(), at, line_of, rows)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
            problems.append(
                {
                    "line_no": line_of(found.start()),
                    "what": "cannot be read further",
                    "text": f"{type(e).__name__}: {e}",
                }
            )
    _failures(text, at, len(text), line_of, rows)
    for table, made in rows.items():
        if made:
            yield table, made
    if problems:
        yield "problem", problems


def _document(
    text: str, start: int, at: int, line_of: Callable[[int], int], rows: dict[str, list[dict[str, Any]]]
) -> int:
    """One array of threads from `at`, behind its bracket; gives the position behind it."""
    decoder, threads = json.JSONDecoder(strict=False), []
    while (at := _end(_BETWEEN, text, at)) < len(text) and text[at] != "]":
        thread, behind = decoder.raw_decode(text, at)
        threads.append((thread, at, behind))
        at = behind
    main = next((t for t, _, _ in threads if t.get("thread_name") == "MainThread"), threads[-1][0] if threads else {})
    pid = main.get("pid") or main.get("os_thread_id")
    if threads:
        rows["stack_process"].append({"line_no": line_of(start), "pid": pid, "source_kind": "py-spy"})
    # The main thread is last here and first in the text form: kept as the text form has it.
    for thread, begin, end in reversed(threads):
        _thread(thread, pid, text, begin, end, line_of, rows)
    return at + 1


def _thread(
    thread: dict[str, Any],
    pid: int | None,
    text: str,
    begin: int,
    end: int,
    line_of: Callable[[int], int],
    rows: dict[str, list[dict[str, Any]]],
) -> None:
    line = line_of(begin)
    status = ("active" if thread.get("active") else "idle") + ("+gil" if thread.get("owns_gil") else "")
    tid = thread.get("os_thread_id") or hex(thread.get("thread_id") or 0)
    rows["stack_thread"].append(
        {
            "line_no": line,
            "pid": pid,
            "source_kind": "py-spy",
            "tid": str(tid),
            "status": status,
            "name": thread.get("thread_name"),
        }
    )
    frames = thread.get("frames") or []
    places = [line_of(m.start()) for m in _FRAME.finditer(text, begin, end)]
    exact = len(places) == len(frames)
    for depth, frame in enumerate(frames, 1):
        source = frame.get("short_filename") or frame.get("filename") or frame.get("module")
        here = places[depth - 1] if exact else line
        rows["stack_frame"].append({
            "line_no": here, "pid": pid, "thread_line": line, "depth": depth, "function": frame.get("name"),
            "source": source, "line": frame.get("line") or None,
        })  # fmt: skip
        for local in frame.get("locals") or []:
            rows["stack_local"].append(
                {
                    "line_no": here,
                    "pid": pid,
                    "thread_line": line,
                    "name": local.get("name"),
                    "value": local.get("repr"),
                }
            )


def _failures(
    text: str, at: int, end: int, line_of: Callable[[int], int], rows: dict[str, list[dict[str, Any]]]
) -> None:
    for stopped in _STOPPED.finditer(text, at, end):
        rows["stack_failure"].append({"line_no": line_of(stopped.start()), "pid": int(stopped[1]), "reason": "stopped"})


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
