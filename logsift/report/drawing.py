"""A figure that a notebook shows by itself, whatever backend it has chosen."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class Drawing(Figure):
    """A figure of no backend; `savefig` writes it, a notebook shows it."""

    def _repr_png_(self) -> bytes:
        out = BytesIO()
        self.savefig(out, format="png")
        return out.getvalue()
