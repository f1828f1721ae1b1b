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


def not_numbers() -> None:
    """Losses and norms that are no number once, or only in the norm, or only in the loss scale."""

    def detector(i: int, loss: float | str) -> str:
        return (
            f"2026-02-11 08:{i // 2:02d}:{i % 2 * 30:02d},120 - mmdet - INFO - Epoch [2][{50 * (i + 1)}/4000]\tlr: 1.000e-02, eta: 3:10:00, "
            f"time: 0.612, data_time: 0.011, memory: 7001, loss_cls: 0.4102, loss_bbox: {loss if loss == 'nan' else 0.21}, loss: {loss}"
        )

    y = [f"{v:.4f}" for v in 0.9 + 0.5 * np.exp(-np.arange(9) / 4) + rng.normal(0, 0.02, 9)]
    write(
        "loss.nan--one-poisoned-window",
        "one window of 50 iterations averages to nan, the next is finite again",
        {"train.log": [detector(i, "nan" if i == 6 else v) for i, v in enumerate(y)]},
        ("loss.nan",),
        '[facts."loss.nan"]\nnan_step = 4350.0\nrecovered_step = 4400.0\nseverity = "warning"\n',
    )
    write(
        "healthy--curve-no-value-as-a-habit",
        "the program prints nan for the loss of windows in which it computed none",
        {"train.log": [detector(i, "nan" if i in (1, 7, 13) else v) for i, v in enumerate(np.resize(y, 17))]},
    )

    def spark(i: int, loss: float | str) -> str:
        return (
            f"2026-02-11 08:00:{i:02d} INFO  DistriOptimizer$:408 - [Epoch 4 {896 * i}/250000][Iteration {7001 + i}][Wall Clock {3000 + 2.5 * i}s] "
            f"Trained 896.0 records in 2.481 seconds. Throughput is 361.1 records/second. Loss is {loss}. "
            "Sequential5e8a's hyper parameters: Current learning rate is 0.02. Current weight decay is 1.0E-4."
        )

    z = [round(float(v), 6) for v in rng.normal(1.7, 0.05, 12)]
    write(
        "loss.nan--infinity-on-spark",
        "BigDL prints Infinity once",
        {"driver.log": [spark(i, "Infinity" if i == 8 else v) for i, v in enumerate(z)]},
        ("loss.nan",),
        '[facts."loss.nan"]\nnan_step = 7009.0\nvalue = "Inf"\n',
    )
    write(
        "healthy--curve-on-spark",
        "BigDL, nothing wrong",
        {"driver.log": [spark(i, v) for i, v in enumerate(z)]},
    )

    def tuned(i: int, norm: float | str) -> str:
        values = {
            "loss": round(float(z[i]), 4),
            "grad_norm": "@",
            "learning_rate": round(2e-5 - 1e-7 * i, 9),
            "epoch": round(1.2 + i / 50, 2),
        }
        return str(values).replace("'@'", str(norm))

    norms = [round(float(v), 4) for v in rng.normal(1.3, 0.2, 12)]
    write(
        "loss.nan--norm-of-the-gradients-alone",
        "the gradient norm is nan on the last line, the loss is still finite",
        {"tune.log": [tuned(i, "nan" if i == 11 else v) for i, v in enumerate(norms)]},
        ("loss.nan",),
        '[facts."loss.nan"]\nmetric = "grad_norm"\nconfidence = "possible"\n',
    )
    write(
        "healthy--curve-norm-skipped-steps",
        "fp16: the gradient norm is nan in steps that the scaler skips, the last one among them",
        {"tune.log": [tuned(i, "nan" if i in (1, 6, 11) else v) for i, v in enumerate(norms)]},
    )

    def scaled(scales: list[float]) -> list[str]:
        lines = []
        for i, scale in enumerate(scales):
            lines += [f"step: {100 + 10 * i}, loss: {3.1 - 0.01 * i:.4f}, lr: 0.0001"]
            lines += [f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {scale}"]
        return lines

    write(
        "loss.nan--scale-next-to-nothing",
        "an excerpt: the loss scale has fallen to 1e-5 already",
        {"fp16.log": scaled([1.52587890625e-05, 7.62939453125e-06])},
        ("loss.nan",),
    )
    write(
        "healthy--curve-low-scale",
        "a loss scale of 64 and 32 is low and works",
        {"fp16.log": [*scaled([64.0, 32.0]), "step: 120, loss: 3.0800, lr: 0.0001"]},
    )


def weights() -> None:
    """Four replicas that print the norm of their weights."""
    n = 80
    y = (2.4 + 3 * (1 + np.arange(n) / 9) ** -0.6) * np.exp(rng.normal(0, 0.01, n))
    norm = 61.2 + 0.01 * np.arange(n)

    def rank(r: int, off: float, at: int) -> list[str]:
        return [
            f"[rank{r}]: 2026-05-02 11:{i // 60:02d}:{i % 60:02d},200 INFO step: {5 * (i + 1):4d}  loss: {v:.5f}  grad_norm: {0.8 + 0.01 * (i % 7):.4f}  "
            f"weight_norm: {norm[i] + off * (i >= at):.5f}"
            for i, v in enumerate(y)
        ]

    write(
        "divergence.metric--weights-of-one-replica",
        "the reduced loss and norm stay equal; from step 205 on the norm of the weights of rank 1 is another in the seventh digit",
        {f"logs/rank{r}.log": rank(r, 0.00021 if r == 1 else 0.0, 40) for r in range(4)},
        ("divergence.metric",),
        '[facts."divergence.metric"]\nranks = [1]\nstep = 205.0\nmetric = "weight_norm"\n',
    )
    write(
        "healthy--curve-weights-of-shards",
        "each rank prints the norm of the shard of the weights that it holds: never equal",
        {f"logs/rank{r}.log": rank(r, 0.37 * r, 0) for r in range(4)},
    )

    log = [megatron(10 * (i + 1), float(v)) for i, v in enumerate(y[:40])]
    log += [
        "Traceback (most recent call last):",
        '  File "/srv/megatron/training/training.py", line 1711, in train',
        "    assert check_param_hashes_across_dp_replicas(model, cross_check=True), (",
        "AssertionError: Parameter hashes not matching across DP replicas",
    ]
    write(
        "divergence.metric--hashes-of-replicas",
        "Megatron's check of the weights fails",
        {"main.log": log},
        ("divergence.metric",),
    )


def few() -> None:
    """Jumps beyond doubt in series of a handful of points, and at the very last point."""

    def tuned(values: list[float]) -> list[str]:
        return [
            f"Iter {20 * (i + 1)}: Train loss {v:.3f}, Learning Rate 2.000e-05, It/sec 0.812, Tokens/sec 402.1"
            for i, v in enumerate(values)
        ]

    write(
        "loss.spike--of-nine-points",
        "nine points: from the fourth on nearly four times as high",
        {"lora.log": tuned([1.212, 1.154, 1.181, 2.907, 4.512, 4.031, 3.874, 3.902, 3.771])},
        ("loss.spike",),
        '[facts."loss.spike"]\nspike_step = 80.0\nclass = "unrecovered"\nfew_points = true\n',
    )
    write(
        "healthy--curve-of-nine-points",
        "nine points that differ among themselves: the loss of small batches",
        {"lora.log": tuned([1.212, 1.954, 0.981, 2.107, 1.512, 2.231, 1.274, 1.902, 1.571])},
    )
    write(
        "healthy--curve-up-before-down",
        "the loss goes up while the rate warms up, and comes back",
        {"lora.log": tuned([2.812, 2.902, 6.981, 7.107, 5.512, 4.231, 3.274, 2.902, 2.571])},
    )
    y = (0.011 + 0.02 / (1 + np.arange(14))) * np.exp(rng.normal(0, 0.2, 14))
    write(
        "loss.spike--at-the-last-point",
        "the log ends with a loss that is a thousand times as high",
        {"out.log": [pairs(40 * (i + 1), float(v)) for i, v in enumerate([*y, 31.2])]},
        ("loss.spike",),
        '[facts."loss.spike"]\nspike_step = 600.0\npeak = 31.2\n',
    )
    write(
        "healthy--curve-last-batch-hard",
        "the log ends with a hard batch, five times as high",
        {"out.log": [pairs(40 * (i + 1), float(v)) for i, v in enumerate([*y, 0.081])]},
    )


def levels() -> None:
    """A step in a curve that still falls: the level comes down again, the distance to the trend stays."""
    y = (1.1 + 2.4 * (1 + np.arange(360) / 30) ** -0.7) * np.exp(rng.normal(0, 0.05, 360))
    stepped = y * np.where(np.arange(360) >= 200, 1.13, 1)
    write(
        "loss.plateau_shift--in-a-falling-curve",
        "from step 2010 on the loss stands 13 % above where it would be, while it goes on falling",
        {"out.log": [pairs(10 * (i + 1), float(v), lr=3e-4) for i, v in enumerate(stepped)]},
        ("loss.plateau_shift",),
    )
    flat = np.maximum(y, 1.45 * np.exp(rng.normal(0, 0.05, 360)))
    write(
        "healthy--curve-flattens",
        "the loss stops falling at step 2000 and stays where it is",
        {"out.log": [pairs(10 * (i + 1), float(v), lr=3e-4) for i, v in enumerate(flat)]},
    )


if __name__ == "__main__":
    restarts()
    spikes()
    not_numbers()
    weights()
    few()
    levels()
