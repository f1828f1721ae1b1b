"""Writes fixtures of drawn curves: one for each rule that no quick training shows, and the look-alikes that must stay silent.

Run: python tests/data/make_traps.py
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ALL = [
    "divergence.metric", "loss.divergence", "loss.nan", "loss.plateau_shift", "loss.repeated_data", "loss.resume_spike", "loss.rollback",
    "loss.spike",
]  # fmt: skip
rng = np.random.default_rng(23)


def write(name: str, note: str, files: dict[str, list[str]], expect: tuple[str, ...] = (), facts: str = "") -> None:
    folder = FIXTURES / name
    shutil.rmtree(folder, ignore_errors=True)
    for path, lines in files.items():
        target = folder / "run" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n")
    head = [
        'source = "tests/data/make_traps.py: a drawn curve in the format of the trainer"',
        f"note = {json.dumps(note)}",
        *([f'root = "{expect[0]}"'] if expect else []),
        f"expect = {json.dumps(list(expect))}",
        f"forbid = {json.dumps([r for r in ALL if r not in expect])}",
    ]
    (folder / "case.toml").write_text("\n".join(head) + "\n" + facts)


def falling(n: int, top: float = 5.0, low: float = 2.2, noise: float = 0.015) -> np.ndarray:
    return (low + top * (1 + np.arange(n) / max(n / 150, 1)) ** -0.6) * np.exp(rng.normal(0, noise, n))


def megatron(
    step: int, loss: float | None, *, total: int = 5000, rate: float = 1e-4, scale: float = 65536.0, norm: str = "0.912"
) -> str:
    said = f" lm loss: {loss:.6E} |" if loss is not None else ""
    return (
        f" iteration {step:8d}/{total:8d} | consumed samples: {step * 64:12d} | elapsed time per iteration (ms): 731.4 | learning rate: "
        f"{rate:.6E} | global batch size:    64 |{said} loss scale: {scale:.1f} | grad norm: {norm} | number of skipped iterations:   0 | "
        "number of nan iterations:   0 |"
    )


def pairs(step: int, loss: float, **more: float) -> str:
    return f"step={step} loss={loss:.4f}" + "".join(f" {k}={v:.6g}" for k, v in more.items())


def faults() -> None:
    y = falling(200)
    lines = [megatron(10 * (i + 1), float(v)) for i, v in enumerate(y)]
    lines += [megatron(2000 + 10 * (i + 1), None, scale=max(65536.0 / 2**i, 1.0), norm="nan") for i in range(17)]
    write(
        "loss.nan--field-disappears", "Megatron prints no loss where it is NaN: the field is missing from step 2010 on", {"main.log": lines}, ("loss.nan",),
        '[facts."loss.nan"]\nnan_step = 2010.0\nlast_finite_step = 2000.0\n',
    )  # fmt: skip

    y = falling(150, low=1.1, top=1.5, noise=0.02)
    y[60:] *= np.exp(np.linspace(0, 0.5, 90))
    lines = [
        str(
            {
                "loss": round(float(v), 4),
                "grad_norm": 1.2,
                "learning_rate": round(2e-5 * (1 - i / 200), 9),
                "epoch": round(0.01 * (i + 1), 2),
            }
        )
        for i, v in enumerate(y)
    ]
    write(
        "loss.divergence--creeps-up",
        "fine-tuning loss creeps up over the last 90 points, no spike",
        {"train.log": lines},
        ("loss.divergence",),
    )

    y = falling(400, noise=0.01)
    y[250:] *= 1.09
    write(
        "loss.plateau_shift--new-level", "from step 1250 on the loss stands 9 % higher: another data set, and no line says so",
        {"out.log": [pairs(5 * i, float(v), lr=3e-4) for i, v in enumerate(y)]}, ("loss.plateau_shift",),
    )  # fmt: skip

    y = falling(300, noise=0.01)
    y[180:] *= 1 + 0.35 * np.exp(-np.arange(120) / 25)
    lines = [megatron(10 * (i + 1), float(v)) for i, v in enumerate(y[:180])]
    lines += [
        " loading distributed checkpoint from /ckpt/run at iteration 1800",
        "  successfully loaded checkpoint from /ckpt/run [ t 1/2, p 1/2 ] at iteration 1800",
    ]
    lines += [megatron(10 * (i + 181), float(v)) for i, v in enumerate(y[180:])]
    write(
        "loss.resume_spike--optimizer-lost", "after the resume at 1800 the loss stands 35 % higher and takes 500 steps to come back",
        {"main.log": lines}, ("loss.resume_spike",), '[facts."loss.resume_spike"]\nresume_step = 1800.0\n',
    )  # fmt: skip

    y, norm = falling(60), np.abs(rng.normal(0.8, 0.05, 60))
    lines = []
    for i, v in enumerate(y):
        for rank in range(4):
            other = 1.0 + 0.01 * (rank == 2 and i >= 30) * (1 + i % 3)
            lines.append(
                f"[rank{rank}]:[titan] 2026-04-02 09:{i // 6:02d}:{i % 6 * 10:02d},000 - root - INFO - step: {10 * (i + 1)}  loss: {v * other:.5f}  grad_norm: {norm[i]:.4f}  memory: 9.46GiB(64.99%)  tps: 7,282  tflops: 0.52  mfu: 0.17%"
            )
    write(
        "divergence.metric--one-rank-of-four", "the averaged loss is the same on all ranks until step 300; from 310 on rank 2 prints another",
        {"job.log": lines}, ("divergence.metric",), '[facts."divergence.metric"]\nstep = 310.0\nranks = [2]\n',
    )  # fmt: skip


def look_alikes() -> None:
    y = falling(700, noise=0.02)
    y[[310, 452, 453, 600]] += [1.7, 1.2, 0.3, 2.1]
    write(
        "healthy--curve-hard-batches",
        "lone hard batches, two of them neighbours",
        {"out.log": [pairs(i + 1, float(v)) for i, v in enumerate(y)]},
    )

    y = np.concatenate([[7.1, 9.8, 15.2, 11.0, 8.4, 7.3, 6.8], falling(393, top=4)])
    y[240:] *= 0.93
    y[330:] *= 0.97
    rate = np.concatenate([np.linspace(1e-5, 1e-3, 20), np.full(220, 1e-3), np.full(90, 1e-4), np.full(70, 1e-5)])
    write(
        "healthy--curve-warm-up-and-rate-drops", "the loss first goes up while the rate warms up; two drops of the rate",
        {"out.log": [pairs(i + 1, float(v), lr=float(r)) for i, (v, r) in enumerate(zip(y, rate, strict=True))]},
    )  # fmt: skip

    y = 0.9 * np.exp(-np.arange(300) / 60) * np.exp(rng.normal(0, 0.05, 300)) + 0.01
    seen = np.where(np.arange(300) < 210, 1.1 + 0.6 * (1 - np.exp(-np.arange(300) / 40)), 0.08) * np.exp(
        rng.normal(0, 0.03, 300)
    )
    write(
        "healthy--curve-grokking", "validation first rises, long after collapses: grokking",
        {"out.log": [f"step={10 * i} train_loss={a:.4f} val_loss={b:.4f}" for i, (a, b) in enumerate(zip(y, seen, strict=True))]},
    )  # fmt: skip

    runs = [[pairs(i, float(v)) for i, v in enumerate(falling(150)) if i] for _ in range(3)]
    write(
        "healthy--curve-three-runs-in-a-file",
        "a sweep appends run after run: new runs, no rollbacks",
        {"out.log": [line for run in runs for line in run]},
    )

    text = [pairs(200 + i, float(v)) for i, v in enumerate(falling(250))]
    write(
        "healthy--curve-text-twice",
        "logger and tee write the same text, the second half again as a block",
        {"out.log": [*text, *text[40:]]},
    )

    y = rng.normal(0, 0.02, 400) + 0.01 * np.sin(np.arange(400) / 30)
    lines = [
        f"step:{i} - actor/pg_loss:{v:.4f} - actor/grad_norm:{abs(g):.3f} - critic/score/mean:{0.2 + i / 1000:.3f}"
        for i, (v, g) in enumerate(
            zip(y, np.abs(rng.normal(0.3, 0.05, 400)) * np.where(np.arange(400) % 97 == 96, 20, 1), strict=True)
        )
    ]
    write(
        "healthy--curve-policy-loss-around-zero",
        "a policy loss around zero with lone peaks of the gradient norm",
        {"out.log": lines},
    )

    y = falling(200, noise=0.01)
    lines, scale = [], 65536
    for i, v in enumerate(y):
        if i % 25 == 5:
            lines.append(
                f"[2026-04-02 09:10:{i % 60:02d},105] [INFO] [loss_scaler.py:181:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {scale}, reducing to {scale // 2}"
            )
        lines.append(pairs(5 * i, float(v)))
    write(
        "healthy--curve-scaler-at-work",
        "the loss scaler tries 65536 now and then: overflows, no collapse",
        {"out.log": lines},
    )

    y = falling(320, noise=0.01)
    again = [megatron(10 * (i + 1), float(v)) for i, v in enumerate(y)]
    again[200:200] = [
        " loading checkpoint from /ckpt/run at iteration 2000",
        "  successfully loaded checkpoint from /ckpt/run [ t 1/1, p 1/1 ] at iteration 2000",
    ]
    twice = again[203]
    again[203] = twice.replace(f"lm loss: {y[201]:.6E}", f"lm loss: {y[200] + y[201]:.6E}")
    write(
        "healthy--curve-second-line-doubled",
        "right after a resume one line shows the sum of two losses: Megatron's counting",
        {"main.log": again},
    )


if __name__ == "__main__":
    faults()
    look_alikes()
