"""Trains a small language model with numpy, spoils the training in known ways, and writes the logs as fixtures in three formats.

The model: next symbol from a bigram table plus a table over hashed contexts of five symbols, which remembers what it has read - so
data that is read again really gives a falsely low loss. Run: python tests/data/make_curves.py
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SYMBOLS, CONTEXT, SLOTS, BATCH, EVERY, STEPS = 24, 5, 1 << 15, 384, 5, 1200
RATE, WARM = 1.0, 60


def corpus(length: int) -> NDArray[np.int64]:
    """Text of a source where every symbol has a few likely successors."""
    rng = np.random.default_rng(11)
    rows = np.cumsum(rng.dirichlet(np.full(SYMBOLS, 0.25), size=SYMBOLS), axis=1)
    draw, out = rng.random(length), np.zeros(length, np.int64)
    for i in range(2, length):
        out[i] = min(int(np.searchsorted(rows[out[i - 1]], draw[i])), SYMBOLS - 1)
    return out


TEXT = corpus(STEPS * BATCH + CONTEXT + 1)


@dataclass
class Model:
    """Two tables and a step counter: all the state there is."""

    pairs: NDArray[np.float64] = field(default_factory=lambda: np.zeros((SYMBOLS, SYMBOLS)))
    memory: NDArray[np.float64] = field(default_factory=lambda: np.zeros((SLOTS, SYMBOLS)))

    def copy(self) -> Model:
        return Model(self.pairs.copy(), self.memory.copy())

    def step(self, batch: int, rate: float, times: float = 1.0) -> tuple[float, float]:
        """One step of gradient descent on the batch of that number; gives loss and gradient norm."""
        at = batch * BATCH + CONTEXT + np.arange(BATCH)
        last, target = TEXT[at - 1], TEXT[at]
        slot = np.zeros(BATCH, np.int64)
        for k in range(CONTEXT):
            slot = (slot * 1_000_003 + TEXT[at - 1 - k] + 1) % 2_147_483_647
        slot %= SLOTS
        logits = self.pairs[last] + self.memory[slot]
        logits -= logits.max(axis=1, keepdims=True)
        p = np.exp(logits)
        p /= p.sum(axis=1, keepdims=True)
        loss = float(-np.log(np.maximum(p[np.arange(BATCH), target], 1e-12)).mean())
        p[np.arange(BATCH), target] -= 1
        norm = float(np.sqrt((p * p).sum()) / BATCH)
        np.add.at(self.pairs, last, -rate * times * p / BATCH * SYMBOLS)
        np.add.at(self.memory, slot, -rate * 0.3 * p)
        return loss, norm


@dataclass(frozen=True)
class Point:
    step: int
    loss: float
    norm: float
    rate: float


@dataclass(frozen=True)
class Part:
    """What one start of the program logged; `resumed` is the step of the checkpoint it began from."""

    points: list[Point]
    resumed: int | None = None


def train(
    model: Model, first: int, last: int, *, batch_of: int = 0, rates: dict[int, float] | None = None
) -> list[Point]:
    """Steps first..last; the batch of step s is s - 1 + batch_of; `rates` multiplies the rate of single steps."""
    out = []
    for s in range(first, last + 1):
        rate = RATE * min(s / WARM, 1.0)
        loss, norm = model.step((s - 1 + batch_of) % STEPS, rate, (rates or {}).get(s, 1.0))
        if s % EVERY == 0:
            out.append(Point(s, loss, norm, rate))
    return out


def runs() -> dict[str, list[Part]]:
    """The same training, healthy and spoilt."""
    out = {"clean": [Part(train(Model(), 1, STEPS))]}
    out["bad-batch"] = [Part(train(Model(), 1, STEPS, rates=dict.fromkeys(range(598, 603), 14.0)))]
    out["rate-too-high"] = [Part(train(Model(), 1, STEPS, rates=dict.fromkeys(range(601, STEPS + 1), 14.0)))]
    model = Model()
    first = train(model, 1, 600)
    kept = model.copy()
    out["resumed-rightly"] = [Part(first), Part(train(kept.copy(), 601, STEPS), 600)]
    out["resumed-with-repeated-data"] = [
        Part(first),
        Part(train(kept.copy(), 601, 900, batch_of=-600) + train_on(kept, 901), 600),
    ]
    model = Model()
    early = train(model, 1, 500)
    kept = model.copy()
    out["rolled-back"] = [Part(early + train(model, 501, 700)), Part(train(kept, 501, STEPS, batch_of=37), 500)]
    return out


def train_on(kept: Model, first: int) -> list[Point]:
    """The stream that began anew goes on with what had not been read: the text is shorter than the training, so it is told here."""
    model = kept.copy()
    train(model, 601, 900, batch_of=-600)
    return train(model, first, STEPS, batch_of=-300)


START = datetime(2026, 3, 2, 8, 0, 0, tzinfo=UTC)


def megatron(parts: Iterable[Part]) -> dict[str, str]:
    lines, clock = [], START
    for part in parts:
        if part.resumed is not None:
            clock += timedelta(minutes=9)
            lines.append(f" loading distributed checkpoint from /data/ckpt at iteration {part.resumed}")
            lines.append(
                f"  successfully loaded checkpoint from /data/ckpt [ t 1/1, p 1/1 ] at iteration {part.resumed}"
            )
        for p in part.points:
            clock += timedelta(seconds=2)
            lines.append(
                f" [{clock:%Y-%m-%d %H:%M:%S}] iteration {p.step:8d}/{STEPS:8d} | consumed samples: {p.step * BATCH:12d} | elapsed time per "
                f"iteration (ms): {400 + p.step % 7:.1f} | learning rate: {p.rate:.6E} | global batch size: {BATCH:5d} | lm loss: {p.loss:.6E} | "
                f"loss scale: 1.0 | grad norm: {p.norm:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
            )
    return {"train.log": "\n".join(lines) + "\n"}


def lightning(parts: Iterable[Part]) -> dict[str, str]:
    out = {}
    for n, part in enumerate(parts):
        path = f"lightning_logs/version_{n}/metrics.csv"
        rows = [
            ["epoch", "lr-SGD", "step", "train_loss"],
            *[["0", f"{p.rate:.6g}", str(p.step - 1), f"{p.loss:.7g}"] for p in part.points],
        ]
        out[path] = "\n".join(",".join(r) for r in rows) + "\n"
    return out


def jsonl(parts: Iterable[Part]) -> dict[str, str]:
    return {
        f"attempt_{n}/metrics.jsonl": "".join(
            json.dumps(
                {
                    "step": p.step,
                    "train/loss": round(p.loss, 6),
                    "train/grad_norm": round(p.norm, 5),
                    "train/lr": p.rate,
                }
            )
            + "\n"
            for p in part.points
        )
        for n, part in enumerate(parts)
    }


FORMATS = {"megatron": megatron, "lightning": lightning, "jsonl": jsonl}
CASES = {
    "clean": ("healthy", "an undisturbed training", []),
    "resumed-rightly": ("healthy", "killed at step 600 and resumed from the checkpoint of step 600 with model and data in place", []),
    "bad-batch": ("loss.spike", "five steps with 14 times the rate at step 598-602", ["loss.spike"]),
    "rate-too-high": ("loss.spike", "14 times the rate from step 601 on: the loss jumps and never comes back", ["loss.spike"]),
    "resumed-with-repeated-data": (
        "loss.repeated_data", "resumed at step 600 with the data stream from its start: 300 steps of data known already, then new data", ["loss.repeated_data"],
    ),
    "rolled-back": ("loss.rollback", "went back from step 700 to the checkpoint of step 500, with other batches", ["loss.rollback"]),
}  # fmt: skip


def main() -> None:
    for name, parts in runs().items():
        family, note, expect = CASES[name]
        for kind, write in FORMATS.items():
            folder = FIXTURES / f"{family}--{'curve-' if family == 'healthy' else ''}{name}-{kind}"
            shutil.rmtree(folder, ignore_errors=True)
            for path, text in write(parts).items():
                target = folder / "run" / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
            lines = [
                'source = "tests/data/make_curves.py: a small model trained with numpy, numbers as measured"',
                f'note = "{note}"',
                *([f'root = "{expect[0]}"'] if expect else []),
                f"expect = {json.dumps(expect)}",
                "forbid = "
                + json.dumps(
                    sorted(
                        {
                            "loss.spike",
                            "loss.divergence",
                            "loss.nan",
                            "loss.rollback",
                            "loss.resume_spike",
                            "loss.repeated_data",
                            "loss.plateau_shift",
                        }
                        - set(expect)
                    )
                ),
            ]
            (folder / "case.toml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
