"""An analysis as text, in each of the formats that are files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logsift.analysis import Analysis

BRIEF = ("line", "slack", "github")
"""Formats for a chat, a scheduler and a build: functions of logsift.report.brief."""


def rendered(analysis: Analysis, to: str, form: str | None = None) -> str:
    """An analysis as text; `to` is json, html, md or one of BRIEF, `form` the tracker whose form in Markdown is filled.

    Raises:
        UserError: there is no such form; those there are, are named.
    """
    if to in BRIEF:
        from logsift.report import brief

        return str(getattr(brief, to)(analysis))
    if to == "json":
        from logsift.report import json

        return json.render(analysis)
    if to == "html":
        from logsift.report import html

        return html.render(analysis)
    from logsift.report import markdown

    return markdown.render(analysis, form)
