"""Writes fixtures of drawn curves beside those of make_traps: restarts, short series, values that are no numbers.

Run: python tests/builders/make_losses.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from make_traps import megatron, pairs, write

rng = np.random.default_rng(41)


def restarts() -> None:
    """A restart that follows the good curve, with another divergence or with none."""
    n = 900
    good = np.interp(np.arange(n), [0, 360, 899], [7.4, 4.6, 2.9]) - 0.35 * np.sin(np.arange(n) / n * np.pi)
    y = good * np.exp(rng.normal(0, 0.005, n))
    first, second = y.copy(), y.copy()
    first[360:] += 0.012 * np.arange(n - 360)
    second[720:] += 0.014 * np.arange(n - 720)

    def rows(a: int, b: int, values: np.ndarray) -> list[str]:
        return [json.dumps({"global_step": i + 1, "train_loss": round(float(values[i]), 4)}) for i in range(a, b)]

    write(
        "loss.divergence--again-after-going-back",
        "the loss creeps up from step 361 on; resumed at 361 it follows the good curve and creeps up again from 721",
        {"history.jsonl": rows(0, 540, first) + rows(360, n, second)},
        ("loss.divergence", "loss.rollback"),
        '[facts."loss.divergence"]\nagain_from_steps = [745]\n',
    )
    write(
        "healthy--curve-bends-down-at-a-resume",
        "the loss falls ever faster in logarithms of the step; a resume in between changes nothing",
        {"history.jsonl": [*rows(0, 360, y), "Resuming from checkpoint: ckpt_step360.pt", *rows(360, n, y)]},
    )


def spikes() -> None:
    """The class of a spike is that of its own length."""
    for name, length, kind in (("slow-in-a-long-training", 900, "slow"), ("fast-in-a-long-training", 250, "fast")):
        y = (2.1 + 4 * (1 + np.arange(1800) / 60) ** -0.7) * np.exp(rng.normal(0, 0.008, 1800))
        back = np.arange(1800 - 700)
        y[700:] *= 1 + 0.9 * np.clip(1 - back / length, 0, 1)
        write(
            f"loss.spike--{name}",
            f"a spike of {length} steps in a training planned for 400000",
            {"main.log": [megatron(i + 1, float(v), total=400000) for i, v in enumerate(y)]},
            ("loss.spike",),
            f'[facts."loss.spike"]\nclass = "{kind}"\n',
        )


if __name__ == "__main__":
    restarts()
    spikes()
