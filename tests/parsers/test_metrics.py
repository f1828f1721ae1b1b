"""What every trainer prints becomes rows of `metric`: name, canonical name, step, value."""

from __future__ import annotations

import json
import math
import sqlite3
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logsift import Catalog, analyze
from logsift.content.load import load_catalog
from logsift.ingest.discover import discover
from logsift.ingest.evidence import fetch
from logsift.ingest.readers import tensorboard, wandb
from logsift.ingest.spelling import Spelling

NAN = math.nan

NULLS = [
    '{"current_steps": 10, "total_steps": 30, "loss": 1.23, "eval_loss": null, "learning_rate": 5e-05, "epoch": 1.0}',
    '{"current_steps": 20, "total_steps": 30, "loss": 1.13, "eval_loss": null, "learning_rate": 4e-05, "epoch": 2.0}',
    '{"current_steps": 20, "total_steps": 30, "loss": null, "eval_loss": 1.3, "learning_rate": null, "epoch": 2.0}',
    '{"current_steps": 30, "total_steps": 30, "loss": null, "eval_loss": null, "learning_rate": null, "epoch": 3.0}',
]


# file name -> (what stands in it, rows that must come out: (printed name, canonical name, step, value))
Row = tuple[str, str | None, float | None, float]
FORMATS: dict[str, tuple[str, list[Row]]] = {
    "megatron.log": (
        """\
[default3]: [2026-02-03 04:05:06] iteration      100/    2000 | consumed samples:        12800 | elapsed time per iteration (ms): 812.5 | throughput per GPU (TFLOP/s/GPU): 301.1 | learning rate: 1.200000E-04 | global batch size:   128 | lm loss: 3.250000E+00 | loss scale: 4096.0 | grad norm: 1.250 | num zeros: 0 | number of skipped iterations:   0 | number of nan iterations:   0 |
[default3]: [2026-02-03 04:06:06] iteration      110/    2000 | consumed samples:        14080 | elapsed time per iteration (ms): 813.5 | learning rate: 1.200000E-04 | global batch size:   128 | loss scale: 4096.0 | grad norm: nan | number of skipped iterations:   0 | number of nan iterations:   0 |
[default3]: [2026-02-03 04:07:06] iteration      120/    2000 | consumed samples:        15360 | elapsed time per iteration (ms): 813.5 | learning rate: 1.200000E-04 | global batch size:   128 | loss scale: 2048.0 | grad norm: 9.1 | number of skipped iterations:  10 | number of nan iterations:   0 |
[default3]:------------------------------------------
[default3]: validation loss at iteration 120 | lm loss value: 3.100000E+00 | lm loss PPL: 2.219795E+01 |
""",
        [
            ("lm loss", "loss", 100, 3.25),
            ("lm loss", "loss", 110, NAN),
            ("loss scale", "loss_scale", 120, 2048.0),
            ("grad norm", "grad_norm", 100, 1.25),
            ("elapsed time per iteration (ms)", "step_seconds", 100, 0.8125),
            ("learning rate", "learning_rate", 100, 1.2e-4),
            ("global batch size", "batch_size", 100, 128),
            ("number of skipped iterations", "skipped", 120, 10),
            ("lm loss value", "validation_loss", 120, 3.1),
        ],
    ),
    "perplexity_alone.log": (
        "Epoch 1 ; Iter 50/213 ; LR 0.5 ; Target tokens/s 1265 ; PPL 311.5 ;\nEpoch 1 ; Iter 100/213 ; LR 0.5 ; Target tokens/s 1265 ; PPL nan ;\n",
        [("PPL", "loss", 50, 311.5), ("PPL", "loss", 100, NAN)],
    ),
    "bare_counters.log": (
        "7 150 Loss=2.5 Time=0.040\n7 151 Loss=nan Time=0.041\n8 150 Loss=2.25 Time=0.041\n8 151 Loss=2.25 Time=0.041\n",
        [("Loss", "loss", 150, 2.5), ("Loss", "loss", 151, NAN), ("Loss", "loss", 302, 2.25)],
    ),
    "names_and_values.log": (
        "lr: 0.001, loss: 2.5, acc: 0.41\nlr: 0.001, loss: nan, acc: 0.40\nloss is nan\n",
        [("loss", "loss", None, 2.5), ("loss", "loss", None, NAN), ("lr", "learning_rate", None, 0.001)],
    ),
    "table_in_markdown.log": (
        """\
| **Step** | **Validation Loss** | **Training Loss** |
|---|---|---|
| 100 |  | 2.5 |
| 200 | 2.75 | **2.25** |
""",
        [
            ("Training Loss", "loss", 100, 2.5),
            ("Training Loss", "loss", 200, 2.25),
            ("Validation Loss", "validation_loss", 200, 2.75),
        ],
    ),
    "megatron_validation_sets.log": (
        """\
 [2026-02-03 04:05:06.123456] iteration      100/    2000 | consumed samples:        12800 | elapsed time per iteration (ms): 812.5 | throughput per GPU (TFLOP/s/GPU): 301.1 | energy per GPU (J/iter/GPU): 99.5 | learning rate: 1.200000E-04 | lm loss: 3.250000E+00 | mtp_1 loss: 3.5E+00 | loss scale: 1.0 | grad norm: 1.250 | number of skipped iterations:   0 | number of nan iterations:   0 |
 validation-code loss at iteration 100 | lm loss value: 2.100000E+00 | lm loss PPL: 8.166170E+00 |
 validation-web loss at iteration 100 on validation set | lm loss value: 3.100000E+00 | lm loss PPL: 2.219795E+01 |
held_out.fr loss at iteration 100 | lm loss value: 3.300000E+00 | lm loss PPL: 2.711264E+01 |
""",
        [
            ("lm loss", "loss", 100, 3.25),
            ("mtp_1 loss", "component_loss", 100, 3.5),
            ("lm loss value (validation-code)", "validation_loss", 100, 2.1),
            ("lm loss value (validation-web)", "validation_loss", 100, 3.1),
            ("lm loss value (held_out.fr)", "validation_loss", 100, 3.3),
            ("throughput per GPU (TFLOP/s/GPU)", "throughput", 100, 301.1),
            ("energy per GPU (J/iter/GPU)", None, 100, 99.5),
        ],
    ),
    "gan.log": (
        "iter: 100 loss_D: 0.61 loss_G: 1.31 l1_loss: 0.20\niter: 200 loss_D: 0.41 loss_G: 2.31 l1_loss: 0.18\n",
        [
            ("loss_D", "adversarial_loss", 100, 0.61),
            ("loss_G", "adversarial_loss", 200, 2.31),
            ("l1_loss", "adversarial_loss", 200, 0.18),
        ],
    ),
    "vocoder_without_adversary.log": (
        "step 100 | loss_G 1.31 | sep 0.20\nstep 200 | loss_G 1.21 | sep 0.18\n",
        [("loss_G", "loss", 200, 1.21)],
    ),
    "rllib/progress.csv": (
        "episode_reward_mean,done,timesteps_total,info/learner/alpha_loss\n-210.5,False,1000,-13.1\n-90.5,False,2000,-0.2\n",
        [("info/learner/alpha_loss", "policy_loss", 1000, -13.1), ("episode_reward_mean", "reward", 2000, -90.5)],
    ),
    "baselines/progress.csv": (
        "ep_rew_mean,total timesteps,total_loss\n1.5,256,0.42\n1.75,512,0.40\n",
        [("total_loss", "policy_loss", 512, 0.4)],
    ),
    "keras_quiet.log": (
        "Epoch 1/2\n - 332s - loss: 1.62 - acc: 0.84 - val_loss: 1.47\nEpoch 2/2\n - 331s - loss: 1.42 - acc: 0.85 - val_loss: 1.40\n",
        [("loss", "loss", 1, 1.62), ("loss", "loss", 2, 1.42), ("val_loss", "validation_loss", 2, 1.4)],
    ),
    "keras_gan.log": (
        "130 [D loss: 0.25, acc.: 99.37%] [G loss: 1.5]\n131 [D loss: 0.5, acc.: 98.00%] [G loss: 1.25]\n",
        [("D loss", "adversarial_loss", 131, 0.5), ("G loss", "adversarial_loss", 130, 1.5)],
    ),
    "validations.txt": (
        "Steps: 600\tLoss: 149740.75000\tPPL: 71.38330\tbleu: 1.56419\tLR: 0.00010000\t*\n",
        [("Loss", "validation_loss", 600, 149740.75)],
    ),
    "paddle.log": (
        "[11/24 22:00:49] engine.trainer INFO: Iter: 96500/1000000 lr: 6.756e-05 loss_pixel: 6.239 batch_cost: 0.83046 sec reader_cost: 0.04125 sec ips: 19.26649 images/s eta: 8 days, 16:25:18\n",
        [("loss_pixel", "loss", 96500, 6.239), ("images/s eta", None, 96500, 8)],
    ),
    "two_trainings_in_one_log.log": (
        "".join(
            f"\rEval:  50%|#####     | {i % 13 + 1}/13 [00:00<00:01,  2.9it/s]\n" for i in range(60)
        )
        + "".join(
            f" 10%|#         | {k}/{total} [00:10<01:40,  1.0s/it]\n\n{{'loss': {loss}, 'grad_norm': 1.0, 'epoch': {k / total}}}\n"
            for total, loss in ((50, 2.5), (40, 1.5))
            for k in range(5, total + 1, 5)
        ),
        [("loss", "loss", 45, 2.5), ("loss", "loss", 50, 2.5), ("loss", "loss", 5, 1.5), ("loss", "loss", 40, 1.5)],
    ),
    "epochs_of_two_runs.log": (
        "".join(
            f"epoch {epoch}, iter {k}, avg. loss {loss}, avg. ppl 2.7\n"
            for loss in (3.5, 2.5)
            for epoch in (0, 1, 2)
            for k in (1000, 2000, 3000)
        ),
        [("avg. loss", "loss", 3000, 3.5), ("avg. loss", "loss", 7002, 3.5), ("avg. loss", "loss", 1000, 2.5), ("avg. loss", "loss", 9002, 2.5)],
    ),
    "megatron_2019.log": (
        " iteration      100/    1000 | elapsed time per iteration (ms): 123.4 | learning rate 1.500E-04 | lm loss 3.2E+00 | loss scale 65536.0 |\n",
        [("lm loss", "loss", 100, 3.2), ("learning rate", "learning_rate", 100, 1.5e-4), ("loss scale", "loss_scale", 100, 65536)],
    ),
    "stable_baselines3.log": (
        "-----------------------------------------\n| rollout/                |             |\n|    ep_rew_mean          | 31.5        |\n"
        "| time/                   |             |\n|    fps                  | 870         |\n|    total_timesteps      | 6144        |\n"
        "| train/                  |             |\n|    approx_kl            | 0.0091      |\n|    entropy_loss         | -0.671      |\n"
        "|    loss                 | nan         |\n|    policy_gradient_loss | -0.0162     |\n|    value_loss           | 1.2e+03     |\n"
        "-----------------------------------------\n",
        [
            ("loss", "policy_loss", 6144, NAN),
            ("policy_gradient_loss", "policy_loss", 6144, -0.0162),
            ("value_loss", "value_loss", 6144, 1200),
            ("approx_kl", "kl", 6144, 0.0091),
        ],
    ),
    "rsl_rl.log": (
        "################\n            Learning iteration 71/500            \n\n            Value function loss: inf\n"
        "            Surrogate loss: -0.0021\n            Mean total reward: 3.50\n            ETA: 90.1s\n",
        [
            ("Value function loss", "policy_loss", 71, math.inf),
            ("Surrogate loss", "policy_loss", 71, -0.0021),
            ("Mean total reward", "reward", 71, 3.5),
        ],
    ),
    "ultralytics.log": (
        "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n"
        "        2/80      6.02G      1.203      1.511        nan         41        640:  50%|#####     | 4/8 [00:01<00:01,  3.10it/s]\r"
        "        2/80      6.02G      1.253      1.498        nan         41        640: 100%|##########| 8/8 [00:02<00:00,  3.10it/s]\n"
        "        3/80      6.02G      1.153      1.398      1.192         41        640: 100% ------------ 8/8 3.5it/s 2.2s\n",
        [("box_loss", "component_loss", 2, 1.253), ("dfl_loss", "component_loss", 2, NAN), ("cls_loss", "component_loss", 3, 1.398)],
    ),
    "yolov5.log": (
        "     Epoch   gpu_mem       box       obj       cls    labels  img_size\n"
        "      0/29     3.44G    0.0455    0.0637    0.0154        11       640: 100%|##########| 8/8 [00:10<00:00,  1.31s/it]\n",
        [("box_loss", "component_loss", 0, 0.0455), ("obj_loss", "component_loss", 0, 0.0637)],
    ),
    "fastai.log": (
        "epoch     train_loss  valid_loss  accuracy  time    \n0         0.612400    0.430100    0.810000  00:31     \n"
        "1         nan         nan         0.100000  00:30     \n",
        [("train_loss", "loss", 0, 0.6124), ("valid_loss", "validation_loss", 0, 0.4301), ("train_loss", "loss", 1, NAN), ("accuracy", "accuracy", 1, 0.1)],
    ),
    "notebook.log": (
        "***** Running training *****\nStep\tTraining Loss\tValidation Loss\n40\t2.314000\t2.402000\n80\tnan\tnan\n",
        [("train_loss", "loss", 40, 2.314), ("valid_loss", "validation_loss", 40, 2.402), ("train_loss", "loss", 80, NAN)],
    ),
    "nemo_rl.log": (
        "========================= Step 12/200 =========================\n  • Loss: -0.0123\n  • Avg Reward: 0.31\n",
        [("Loss", "policy_loss", 12, -0.0123)],
    ),
    "internlm.log": (
        "2026-02-03 04:05:06,123 INFO train.py:300 in record_current_batch_training_metrics -- tflops=180.2,step=7,loss=2.51,tgs (tokens/gpu/second)=4000.12,"
        "lr=1e-06,loss_scale=65536.0,grad_norm={'0_default': 2.3},micro_num=4\n",
        [("loss", "loss", 7, 2.51), ("lr", "learning_rate", 7, 1e-6), ("loss_scale", "loss_scale", 7, 65536)],
    ),
    "gluon.log": (
        "".join(f"INFO:root:[Epoch {e}][Batch {b}], Speed: 312.1 samples/sec, loss={3 - e}.5\n" for e in (0, 1) for b in (49, 99)),
        [("loss", "loss", 49, 3.5), ("loss", "loss", 149, 2.5)],
    ),
    # names that only sound as if batches were counted
    "epochs_of_wav2letter.log": (
        "epoch:       83 | lr: 0.100000 | lrcriterion: 0.000000 | runtime: 00:04:25 | bch(ms): 37.25 | batch_time: 0.4 | loss:    0.87373 | train-TER:  2.31 | hrs:  100.47\n"
        "epoch:       84 | lr: 0.100000 | lrcriterion: 0.000000 | runtime: 00:04:02 | bch(ms): 33.93 | batch_time: 0.4 | loss:        inf | train-TER: 52.35 | hrs:  100.47\n",
        [("loss", "loss", 83, 0.87373), ("loss", "loss", 84, math.inf)],
    ),
    "monodepth.log": (
        "epoch   3 | lr 0.000100 |lr_p 0.000100 | batch    250 | examples/s:  22.1 | loss: 0.134 | time elapsed: 00h03m34s\n",
        [("loss", "loss", 250, 0.134)],
    ),
    "tutorial_ddp.log": (
        "".join(f"[GPU0] Epoch {e} | Batchsize: 32 | Steps: 64 | Loss: {3 - e / 10:.1f}\n" for e in range(5)),
        [("Loss", "loss", 0, 3.0), ("Loss", "loss", 4, 2.6)],
    ),
    "nemo.log": (
        "Training epoch 0, iteration 10/999 | lr: 0.0003 | global_batch_size: 512 | global_step: 10 | reduced_train_loss: 10.5 | train_step_timing in s: 5.2 | consumed_samples: 5632\n",
        [("reduced_train_loss", "loss", 10, 10.5), ("lr", "learning_rate", 10, 3e-4), ("train_step_timing in s", "step_seconds", 10, 5.2)],
    ),
    "nemo1.log": (
        "Epoch 0:   9%|9         | 90/1000 [07:10<1:12:31, v_num=7, reduced_train_loss=6.610, global_step=90.00, consumed_samples=11648.0]\r"
        "Epoch 0:  10%|9         | 99/1000 [07:55<1:12:05,  4.80s/it, v_num=7, reduced_train_loss=6.540, global_step=99.00, train_step_timing in s=0.350]\n",
        [("reduced_train_loss", "loss", 99, 6.54), ("train_step_timing in s", "step_seconds", 99, 0.35)],
    ),
    "nemo1_far.log": (
        "Epoch 0:  50%|####9     | 99999/200000 [07:55<1:12:05,  4.80s/it, loss=2.54, v_num=7, reduced_train_loss=2.540, global_step=99999.0, val_loss=2.300]\r"
        "Epoch 0:  62%|######1   | 123457/200000 [09:55<1:02:05,  4.80s/it, loss=2.52, v_num=7, reduced_train_loss=2.520, global_step=1.23e+5, val_loss=2.300]\n"
        "Epoch 0, global step 123457: 'val_loss' reached 2.30000 (best 2.30000), saving model to '/ckpt/val_loss=2.30-step=123457.ckpt' as top 3\n",
        [
            ("reduced_train_loss", "loss", 99999, 2.54),
            ("reduced_train_loss", "loss", 123457, 2.52),
            ("val_loss", "validation_loss", 99999, 2.3),
        ],
    ),
    "hf4.log": (
        "  0%|          | 0/300 [00:00<?, ?it/s]\r  3%|3         | 10/300 [00:10<05:00,  1.03s/it]\r"
        "{'loss': 2.5, 'grad_norm': 1.5, 'learning_rate': 4.9e-05, 'epoch': 0.1}\n"
        "\r  3%|3         | 10/300 [00:10<05:00,  1.03s/it]\r  7%|6         | 20/300 [00:20<05:00,  1.03s/it]\r"
        "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 4.8e-05, 'epoch': 0.2}\n"
        "\r  7%|6         | 20/300 [00:20<05:00,  1.03s/it]\r 10%|#         | 30/300 [00:30<05:00,  1.03s/it]\r"
        "{'eval_loss': 2.1, 'eval_runtime': 3.2, 'epoch': 0.3}\n"
        "{'train_runtime': 33.0, 'train_samples_per_second': 10.0, 'train_loss': 1.9, 'epoch': 0.3}\n",
        [
            ("loss", "loss", 10, 2.5),
            ("loss", "loss", 20, NAN),
            ("grad_norm", "grad_norm", 10, 1.5),
            ("eval_loss", "validation_loss", 30, 2.1),
            ("epoch", "epoch", 20, 0.2),
        ],
    ),
    "hf_no_norm.log": (
        "{'loss': 2.31, 'learning_rate': 2e-05, 'epoch': 0.5}\n{'loss': nan, 'learning_rate': 2e-05, 'epoch': 1.0}\n",
        [("loss", "loss", None, 2.31), ("loss", "loss", None, NAN), ("learning_rate", "learning_rate", None, 2e-5)],
    ),
    "hf_glued.log": (
        "".join(f"\r{k:3d}%|#         | {k * 4}/400 [10:00<1:00:00,  1.50s/it]{{'loss': {3 - k / 100}, 'epoch': {k / 100}}}\n" for k in range(10, 60, 10))
        + "\r100%|##########| 20/20 [00:02<00:00, 10.1it/s]{'eval_loss': 2.75, 'epoch': 0.5}\n",
        [("loss", "loss", 40, 2.9), ("loss", "loss", 200, 2.5), ("eval_loss", "validation_loss", 200, 2.75)],
    ),
    "hf5.log": (
        "{'loss': '0.91', 'grad_norm': '0.8618', 'learning_rate': '3.094e-07', 'epoch': '0.6623'}\n{‘loss’: ‘0.90’, ‘grad_norm’: ‘0.8’, ‘epoch’: ‘0.7’}\n",
        [("loss", "loss", None, 0.91), ("learning_rate", "learning_rate", None, 3.094e-7), ("loss", "loss", None, 0.90)],
    ),
    "swift.log": (
        "{'loss': 0.66, 'token_acc': 0.8, 'grad_norm': 0.23, 'learning_rate': 4.3e-05, 'epoch': 0.27, 'global_step/max_steps': '601/2161', 'elapsed_time': '10m 4s'}\n",
        [("loss", "loss", 601, 0.66), ("grad_norm", "grad_norm", 601, 0.23)],
    ),
    "deepspeed.log": (
        "[2026-01-01 10:00:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=250, skipped=6, lr=[9.6e-06, 9.6e-06], mom=[(0.9, 0.95)]\n"
        "[2026-01-01 10:00:00,124] [INFO] [timer.py:199:stop] epoch=0/micro_step=250/global_step=250, RunningAvgSamplesPerSec=171.7, CurrSamplesPerSec=171.8, MemAllocated=3.9GB, MaxMemAllocated=22.9GB\n"
        "steps: 1000 loss: 2.3456 iter time (s): 0.503 samples/sec: 31.809\n",
        [
            ("skipped", "skipped", 250, 6),
            ("lr", "learning_rate", 250, 9.6e-6),
            ("CurrSamplesPerSec", "throughput", 250, 171.8),
            ("loss", "loss", 1000, 2.3456),
            ("iter time (s)", "step_seconds", 1000, 0.503),
        ],
    ),
    "deepspeed_2021.log": (
        "[2021-01-01 10:00:00,123] [INFO] [timer.py:154:stop] 0/250, SamplesPerSec=171.7, MemAllocated=1.2GB, MaxMemAllocated=3.4GB\n",
        [("SamplesPerSec", "throughput", 250, 171.7)],
    ),
    "lightning_1.log": (
        "Epoch 4:  27%|##7       | 300/1100 [01:02<01:15,  7.26it/s, loss=1.6, v_num=3]\rEpoch 4:  91%|#########1| 1000/1100 [02:02<00:15,  7.26it/s, loss=1.5, v_num=3]\n"
        "ValueError: The loss returned in `training_step` is nan.\n",
        [("loss", "loss", 4 * 1100 + 300, 1.6), ("loss", "loss", 5400, 1.5), ("loss", "loss", 5401, NAN)],
    ),
    "postfix.log": (
        "Train:  27%|##7       | 300/1100 [01:02<01:15,  7.26it/s, Loss=1.6]\n",
        [("Loss", "loss", 300, 1.6)],
    ),
    "lightning_bar.log": (
        "Epoch 0:  45%|####5     | 450/1000 [01:02<01:15,  7.26it/s, v_num=3, train_loss=1.500]\r"
        "Epoch 0: 100%|##########| 1000/1000 [02:10<00:00,  7.26it/s, v_num=3, train_loss=1.400]\n"
        "Epoch 1:  45%|####5     | 450/1000 [01:02<01:15,  7.26it/s, v_num=3, train_loss=1.234]\n",
        [("train_loss", "loss", 450, 1.5), ("train_loss", "loss", 1000, 1.4), ("train_loss", "loss", 1450, 1.234)],
    ),
    "titan.log": (
        "[rank0]:[titan] 2026-05-18 16:04:46,338 - root - INFO - \x1b[31mstep: 14  \x1b[32mloss:  3.24405  \x1b[38;2;180;60;0mgrad_norm:  0.8319  \x1b[38;2;54;234;195mmemory:  9.46GiB(64.99%)  \x1b[34mtps: 7,282  \x1b[36mtflops: 0.52  \x1b[35mmfu: 0.17%\x1b[39m\n"
        "[rank0]:[titan] 2026-05-18 16:05:46,338 - root - INFO - validate step: 20  loss:  3.1  memory:  9.46GiB(64.99%)  tps: 7,282\n",
        [
            ("loss", "loss", 14, 3.24405),
            ("grad_norm", "grad_norm", 14, 0.8319),
            ("tps", "throughput", 14, 7282),
            ("loss", "validation_loss", 20, 3.1),
        ],
    ),
    "nanogpt.log": (
        "step 0: train loss 10.9, val loss 10.8\niter 0: loss 10.9, time 60000.00ms, mfu -100.00%\niter 10: loss 9.5, time 250.00ms, mfu 15.34%\n"
        "iter 20: loss 9.1, time 251.00ms, mfu 15.34%\niter 30: loss nan, time 251.00ms, mfu 15.34%\niter 40: loss 9, time 251.00ms, mfu 15.34%\n"
        "iter 50: loss 8.9, time 251.00ms, mfu 15.34%\n",
        [
            ("loss", "loss", 10, 9.5),
            ("loss", "loss", 30, NAN),
            ("val loss", "validation_loss", 0, 10.8),
            ("time", "step_seconds", 10, 0.25),
        ],
    ),
    "modded.txt": (
        'import os\nprint0(f"step:{step}/{args.num_iterations} train_loss:{loss:.4f} step_avg:{t:.2f}ms")\n# on a loss spike: Resuming from {ckpt}\n'
        "step:0/5100 val_loss:10.8258 train_time:0ms step_avg:nanms\nstep:930/5100 train_loss:3.8690 train_time:139442ms step_avg:152.06ms\n"
        "step:1000/5100 val_loss:2.3444 val_bpb:1.3885 train_time:150000ms step_avg:150.00ms\n",
        [
            ("train_loss", "loss", 930, 3.869),
            ("val_loss", "validation_loss", 1000, 2.3444),
            ("train_time", "elapsed_seconds", 930, 139.442),
        ],
    ),
    "build_nanogpt.log": (
        "step  123 | loss: 6.012345 | lr 6.0e-04 | norm: 1.2345 | dt: 512.3ms | tok/sec: 1023456.7\n",
        [
            ("loss", "loss", 123, 6.012345),
            ("lr", "learning_rate", 123, 6e-4),
            ("norm", "grad_norm", 123, 1.2345),
            ("dt", "step_seconds", 123, 0.5123),
            ("tok/sec", "throughput", 123, 1023456.7),
        ],
    ),
    "llmc.log": (
        "step  123/18865 | loss 6.014321 (+0.12z)| norm 1.2345 (-0.40z)| lr 6.00e-04 | 512.31 ms | 60.1% bf16 MFU | 1023456 tok/s\n",
        [("loss", "loss", 123, 6.014321), ("norm", "grad_norm", 123, 1.2345), ("lr", "learning_rate", 123, 6e-4), ("ms", "step_seconds", 123, 0.51231)],
    ),
    "llmc_2024.log": (
        "step    4/18865: train loss 10.8 (acc 10.8) (123.45 ms, 171535 tok/s)\nstep    5/18865 | train loss 9.12 | norm 1.2345 | lr 3.00e-04 | (120.5 ms | 170000 tok/s)\n",
        [("ms", "step_seconds", 4, 0.12345), ("tok/s", "throughput", 4, 171535), ("train loss", "loss", 5, 9.12), ("ms", "step_seconds", 5, 0.1205)],
    ),
    "llmc_cpu.log": (
        "step 40: train loss 3.9 (took 1300.5 ms)\n",
        [("train loss", "loss", 40, 3.9), ("took", "step_seconds", 40, 1.3005)],
    ),
    "modded_2025.txt": (
        "step:124/1770 train_time:10920ms step_avg:88.06ms\nstep:125/1770 val_loss:4.6234 train_time:11020ms step_avg:88.16ms\n",
        [("train_time", "elapsed_seconds", 124, 10.92), ("val_loss", "validation_loss", 125, 4.6234)],
    ),
    "main.log": (
        "s:250 tel:6.5000\ns:250 trl:6.4000 lr:0.000600 norm:1.20\ns:251 trl:6.3900 lr:0.000600 norm:1.10\n",
        [("trl", "loss", 250, 6.4), ("tel", "validation_loss", 250, 6.5), ("norm", "grad_norm", 251, 1.1)],
    ),
    "keras.log": (
        "Epoch 1/2\n 100/1875 [>.............................] - ETA: 4s - loss: 0.6931 - accuracy: 0.8012\n"
        "1875/1875 [==============================] - 5s 2ms/step - loss: 0.2912 - accuracy: 0.9150 - val_loss: 0.1501\n"
        "Epoch 2/2\n1875/1875 ━━━━━━━━━━━━━━━━━━━━ 4s 2ms/step - accuracy: 0.9575 - loss: 0.1416 - val_loss: 0.1101\n",
        [("loss", "loss", 1, 0.2912), ("loss", "loss", 2, 0.1416), ("val_loss", "validation_loss", 2, 0.1101)],
    ),
    "opennmt.log": (
        "[2026-01-01 10:00:00,123 INFO] Step 50/10000; acc:   4.05; ppl: 5135.2; xent: 8.54; lr: 0.00001; sents:    3200; bsz: 3102/3001/50; 7123/6891 tok/s;     22 sec;\n",
        [("xent", "loss", 50, 8.54), ("lr", "learning_rate", 50, 1e-5), ("ppl", "perplexity", 50, 5135.2)],
    ),
    "nemo1_without_rate.log": (
        "Epoch 0: :  10%|#         | 100/1000 [05:00<45:00, v_num=ab1, reduced_train_loss=6.540, global_step=99.00, consumed_samples=12800.0, train_step_timing in s=0.350]\n",
        [("reduced_train_loss", "loss", 99, 6.54), ("train_step_timing in s", "step_seconds", 99, 0.35)],
    ),
    "litgpt.log": (
        "Epoch 1 | iter 10 step 10 | loss train: 1.281, val: n/a | iter time: 103.15 ms (step)\nEpoch 1 | iter 20 step 20 | loss train: 1.251, val: 1.300 | iter time: 103.15 ms (step)\n",
        [("loss train", "loss", 10, 1.281), ("iter time", "step_seconds", 10, 0.10315), ("val", "validation_loss", 20, 1.3)],
    ),
    "mlx.log": (
        "Iter 25: Train loss 1.593, Learning Rate 7.000e-05, It/sec 0.999, Tokens/sec 387.697, Trained Tokens 9699, Peak mem 8.104 GB\nIter 200: Val loss 1.512, Val took 10.2s\n",
        [
            ("Train loss", "loss", 25, 1.593),
            ("Val loss", "validation_loss", 200, 1.512),
            ("Learning Rate", "learning_rate", 25, 7e-5),
            ("Tokens/sec", "throughput", 25, 387.697),
            ("Trained Tokens", "tokens", 25, 9699),
        ],
    ),
    "composer.log": (
        "[epoch=1][batch=10/4800]:\n\t Train time/batch: 9\n\t Train loss/train/total: 11.5012\n\t Train metrics/train/LanguageCrossEntropy: 11.5003\n\t Train lr-DecoupledAdamW/group0: 0.000012\n"
        "\t Train throughput/tokens_per_sec: 12,345.6\n[epoch=1][batch=20/4800]:\n\t Train loss/train/total: nan\n\t Eval metrics/eval/LanguageCrossEntropy: 9.5\nsome other line\n",
        [
            ("loss/train/total", "loss", 10, 11.5012),
            ("loss/train/total", "loss", 20, NAN),
            ("lr-DecoupledAdamW/group0", "learning_rate", 10, 1.2e-5),
            ("throughput/tokens_per_sec", "throughput", 10, 12345.6),
            ("metrics/eval/LanguageCrossEntropy", "validation_loss", 20, 9.5),
        ],
    ),
    "composer_epochs.log": (
        "[epoch=1][batch=4790/4800]:\n\t Train time/batch: 4789\n\t Train time/total: 1.5\n\t Train loss/train/total: 3.5012\n"
        "2026-01-02 03:04:05,678: rank0[99][MainThread]: INFO: composer.callbacks.checkpoint_saver: a line of a logger\n"
        "[Eval batch=80/160] Eval on eval data\n[Eval batch=160/160] Eval on eval data:\n\t Eval metrics/eval/LanguageCrossEntropy: 3.6123\n"
        "[epoch=2][batch=10/4800]:\n\t Train time/batch: 4809\n\t Train loss/train/total: 3.4012\n"
        "[epoch=2][batch=20/4800]:\n\t Train loss/train/total: nan\n",
        [
            ("loss/train/total", "loss", 4790, 3.5012),
            ("metrics/eval/LanguageCrossEntropy", "validation_loss", 4790, 3.6123),
            ("loss/train/total", "loss", 4810, 3.4012),
            ("loss/train/total", "loss", 4820, NAN),
            ("time/batch", None, 4810, 4809),
            ("time/total", None, 4790, 1.5),
        ],
    ),
    "composer_tokens.log": (
        "[token=9807872/2000000000]:\n\t Train time/batch: 4789\n\t Train loss/train/total: 3.5012\n",
        [("loss/train/total", "loss", 4790, 3.5012)],
    ),
    "composer_2022.log": (
        "[epoch=0][batch=10/4800]: loss/train/total: 3.5012\n[epoch=1][batch=10/4800]: loss/train/total: 2.5\n[epoch=1][batch=10/4800]: lr-DecoupledAdamW/group0: 0.0002\n",
        [("loss/train/total", "loss", 10, 3.5012), ("loss/train/total", "loss", 4810, 2.5), ("lr-DecoupledAdamW/group0", "learning_rate", 4810, 2e-4)],
    ),
    "composer_file.txt": (
        "[metric][batch=10]: loss/train/total: 3.5012 \n[metric][batch=10]: metrics/eval/LanguageCrossEntropy: 3.6 \n",
        [("loss/train/total", "loss", 10, 3.5012), ("metrics/eval/LanguageCrossEntropy", "validation_loss", 10, 3.6)],
    ),
    "olmo.log": (
        "2026-03-04 09:12:09.800\tnode03:0\tolmo.train:967\tINFO\t[step=1000/477214,epoch=0]\n    optim/total_grad_norm=0.4012\n    train/CrossEntropyLoss=2.513\n    throughput/total_tokens=4,194,304,000\n    optim/learning_rate_group0=0.0003\n"
        "2026-03-04 09:12:19.800\tnode03:0\tolmo.train:967\tINFO\t[step=1001/477214,epoch=0]\n    train/CrossEntropyLoss=2.511\n",
        [
            ("train/CrossEntropyLoss", "loss", 1000, 2.513),
            ("train/CrossEntropyLoss", "loss", 1001, 2.511),
            ("optim/total_grad_norm", "grad_norm", 1000, 0.4012),
            ("throughput/total_tokens", "tokens", 1000, 4194304000),
            ("optim/learning_rate_group0", "learning_rate", 1000, 3e-4),
        ],
    ),
    "fairseq.log": (
        '2026-01-01 00:00:00 | INFO | train_inner | {"epoch": 1, "update": 0.027, "loss": "9.44", "nll_loss": "8.44", "ppl": "347.28", "wps": "30690", "num_updates": "700", "lr": "0.000175", "gnorm": "156.0", "loss_scale": "0.0005"}\n'
        '2026-01-01 00:00:00 | INFO | train | {"epoch": 1, "train_loss": "9.9", "train_num_updates": "900", "train_lr": "0.0002"}\n'
        '2026-01-01 00:00:00 | INFO | valid | {"epoch": 1, "valid_loss": "8.1", "valid_ppl": "200.0", "valid_num_updates": "900", "valid_best_loss": "8.1"}\n',
        [
            ("loss", "loss", 700, 9.44),
            ("gnorm", "grad_norm", 700, 156.0),
            ("loss_scale", "loss_scale", 700, 0.0005),
            ("wps", "throughput", 700, 30690),
            ("train_loss", "epoch_loss", 900, 9.9),
            ("valid_loss", "validation_loss", 900, 8.1),
        ],
    ),
    "fairseq_simple.log": (
        "2026-01-01 00:00:00 | INFO | train_inner | epoch 001:    100 / 5000 loss=9.44, nll_loss=8.44, ppl=347.28, wps=30690, ups=1.2, num_updates=700, lr=0.000175, gnorm=1.5, loss_scale=128, train_wall=33\n",
        [("loss", "loss", 700, 9.44), ("gnorm", "grad_norm", 700, 1.5), ("nll_loss", "component_loss", 700, 8.44)],
    ),
    "maxtext.log": (
        "completed step: 10, seconds: 3.200, TFLOP/s/device: 100.100, Tokens/s/device: 1000.200, total_weights: 32768, loss: 5.123\n",
        [("loss", "loss", 10, 5.123), ("seconds", "step_seconds", 10, 3.2), ("Tokens/s/device", "throughput", 10, 1000.2)],
    ),
    "t5x.log": (
        "I0101 10:00:00.123456 140000 logging_writer.py:48] [100] accuracy=0.3, learning_rate=0.001, loss=2.3\n",
        [("loss", "loss", 100, 2.3), ("learning_rate", "learning_rate", 100, 0.001), ("accuracy", "accuracy", 100, 0.3)],
    ),
    "levanter.log": (
        "2026-01-01 10:00:00,123 - tqdm_loggable - INFO - Progress on:train 120it/1000it rate:1.2it/s remaining:10:00 elapsed:01:40 postfix:loss=2.31\n"
        "2026-01-01 10:00:00,123 - tqdm_loggable - INFO - Progress on:train 1.20kit/10.0kit rate:1.2it/s remaining:10:00 elapsed:01:40 postfix:loss=2.11\n",
        [("loss", "loss", 120, 2.31), ("loss", "loss", 1200, 2.11)],
    ),
    "mmengine.log": (
        "2026/01/01 10:00:00 - mmengine - INFO - Epoch(train)  [1][ 500/2931]  lr: 2.0000e-02  eta: 0:39:15  time: 0.0578  data_time: 0.0017  memory: 2389  loss: 1.5000  loss_cls: 0.5000\n"
        "2026/01/01 10:09:00 - mmengine - INFO - Epoch(train)  [2][ 500/2931]  lr: 2.0000e-02  eta: 0:39:15  time: 0.0578  data_time: 0.0017  memory: 2389  loss: nan  loss_cls: nan\n",
        [
            ("loss", "loss", 500, 1.5),
            ("loss", "loss", 3431, NAN),
            ("loss_cls", "component_loss", 500, 0.5),
            ("time", "step_seconds", 500, 0.0578),
            ("lr", "learning_rate", 500, 0.02),
        ],
    ),
    "mmcv.log": (
        "2026-01-01 10:00:00,123 - mmdet - INFO - Epoch [1][50/5808]\tlr: 1.000e-02, eta: 5:02:49, time: 0.784, data_time: 0.1, memory: 3000, loss: 1.6522, grad_norm: 0.0668\n",
        [("loss", "loss", 50, 1.6522), ("grad_norm", "grad_norm", 50, 0.0668)],
    ),
    "detectron2.log": (
        "[03/04 10:11:12 d2.utils.events]:  eta: 1:23:45  iter: 19  total_loss: 4.5  loss_cls: 2.1  loss_box_reg: 0.4  time: 0.3412  data_time: 0.0100  lr: 1e-05  max_mem: 2345M\n",
        [("total_loss", "loss", 19, 4.5), ("loss_cls", "component_loss", 19, 2.1), ("time", "step_seconds", 19, 0.3412), ("lr", "learning_rate", 19, 1e-5)],
    ),
    "maskrcnn.log": (
        "2026-01-01 10:00:00,123 maskrcnn_benchmark.trainer INFO: eta: 1:00:00  iter: 60  loss: 5.9007 (5.6273)  loss_classifier: 4.1 (4.0)  time: 0.5 (0.6)  data: 0.01 (0.02)  lr: 0.003  max mem: 3000\n",
        [("loss", "loss", 60, 5.9007), ("lr", "learning_rate", 60, 0.003)],
    ),
    "timm.log": (
        "Train: 0 [  50/1251 (  4%)]  Loss: 6.95 (6.97)  Time: 0.530s,  483.02/s  (0.6s,  400.0/s)  LR: 1.000e-05  Data: 0.01 (0.2)\n"
        "Train: 1 [  50/1251 (  4%)]  Loss: 6.55 (6.57)  Time: 0.530s,  483.02/s  (0.6s,  400.0/s)  LR: 1.000e-05  Data: 0.01 (0.2)\n",
        [("Loss", "loss", 50, 6.95), ("Loss", "loss", 1301, 6.55), ("LR", "learning_rate", 50, 1e-5), ("Time", "step_seconds", 50, 0.53)],
    ),
    "timm_with_test.log": (
        "".join(
            f"Train: {e} [  50/1251 (  4%)]  Loss: {7 - e}.25 (6.9)  Time: 0.53s,  483.02/s  (0.6s,  400.0/s)  LR: 1.000e-05  Data: 0.01 (0.2)\n"
            f"Test: [   0/195]  Time: 2.5 (2.5)  Loss:   5.{e} (5.1)  Acc@1:   9.0 ( 9.0)\nTest (EMA): [ 195/195]  Time: 0.1 (0.1)  Loss:   4.{e} (5.1)  Acc@1:   9.0 ( 9.0)\n"
            for e in (0, 1)
        ),
        [("Loss", "loss", 50, 7.25), ("Loss", "loss", 1301, 6.25), ("Loss", "validation_loss", 50, 5.0), ("Loss", "validation_loss", 1301, 4.1)],
    ),
    "paddle_clas.log": (
        "".join(
            f"ppcls INFO: [Train][Epoch {e}/9][Iter: {n}/504]lr(PiecewiseDecay): 0.1, top1: 0.002, CELoss: {8 - e}.5, loss: {8 - e}.5, batch_cost: 0.5s, ips: 512.0 samples/s\n" for e in (1,) for n in (10, 20)
        )
        + "ppcls INFO: [Eval][Epoch 1][Iter: 0/98]CELoss: 5.9, loss: 5.9, top1: 0.1\nppcls INFO: [Eval][Epoch 1][Avg]CELoss: 5.8, loss: 5.8, top1: 0.1\n",
        [("loss", "loss", 20, 7.5), ("loss", "validation_loss", 20, 5.9), ("loss", "validation_loss", 20, 5.8), ("batch_cost", "step_seconds", 10, 0.5), ("ips", "throughput", 10, 512)],
    ),
    "paddle_seg.log": (
        "".join(f"[TRAIN] epoch: {e}, iter: {n}/900, loss: {9 - e}.5, lr: 0.0099, batch_cost: 0.2\n" for e, n in ((1, 10), (1, 20), (2, 30), (2, 40))),
        [("loss", "loss", 20, 8.5), ("loss", "loss", 40, 7.5)],
    ),
    "xtuner.log": (
        "[XTuner][RANK 3][2026-01-02 10:00:00][INFO] Epoch 0 Step 10/900 lr: 2.0e-05 time: 1.25 reduced_llm_loss: 1.234, local_loss: 1.23 grad_norm: 1.5 tgs: 12345.6 eta: 1:00:00\n"
        "[XTuner][RANK 3][2026-01-02 10:00:00][INFO] Epoch 1 Step 20/900 lr: 2.0e-05 time: 1.25 reduced_llm_loss: 1.134, local_loss: 1.23 grad_norm: 1.5 tgs: 12345.6 eta: 1:00:00\n",
        [("reduced_llm_loss", "loss", 20, 1.134), ("local_loss", "component_loss", 10, 1.23), ("grad_norm", "grad_norm", 20, 1.5), ("time", "step_seconds", 20, 1.25)],
    ),
    "open_clip.log": (
        "2026-01-01,10:00:00 | INFO | Train Epoch: 0 [     2048/40960 (5%)] Loss: 10.382 (10.382) Data (t): 13.108 Batch (t): 24.161, 84.7637/s LR: 0.000001 Logit Scale: 14.286\n"
        "2026-01-01,10:09:00 | INFO | Eval Epoch: 1 [256 / 50000]\tClip Loss: 5.1234\t\n",
        [("Loss", "loss", 2048, 10.382), ("Batch (t)", "step_seconds", 2048, 24.161), ("s LR", "learning_rate", 2048, 1e-6), ("Clip Loss", "validation_loss", 2048, 5.1234)],
    ),
    "fairseq_0.6.log": (
        "| epoch 001:   1000 / 4862 loss=9.103, nll_loss=8.417, ppl=341.8, wps=31123, num_updates=1001, lr=0.000125, gnorm=1.8\n"
        "| epoch 001 | loss 8.903 | nll_loss 8.117 | ppl 277.7 | num_updates 4862 | lr 0.0005 | gnorm 1.8\n"
        "| epoch 001 | valid on 'valid' subset | loss 8.1 | nll_loss 7.2 | ppl 147 | num_updates 4862\n",
        [("loss", "loss", 1001, 9.103), ("loss", "epoch_loss", 4862, 8.903), ("loss", "validation_loss", 4862, 8.1)],
    ),
    "metaseq.log": (
        '2026-01-01 00:00:00 | INFO | train_inner | {"epoch": 1, "update": 0.027, "loss": 9.44, "ppl": 694.5, "num_updates": 700, "lr": 0.000175, "gnorm": 1.5, "loss_scale": 4.0}\n'
        '2026-01-01 00:00:00 | INFO | valid/c4 | {"epoch": 1, "valid/c4_loss": 8.1, "valid/c4_ppl": 274, "valid/c4_num_updates": 700}\n',
        [("loss", "loss", 700, 9.44), ("valid/c4_loss", "validation_loss", 700, 8.1), ("loss_scale", "loss_scale", 700, 4.0)],
    ),
    "t5x_collections.log": (
        "I0101 10:00:00.123456 140000 logging_writer.py:48] [100] collection=train accuracy=0.3, learning_rate=0.001, loss=2.3, timing/steps_per_second=2.2\n"
        "I0101 10:00:00.123456 140000 logging_writer.py:48] [100] collection=training_eval/wmt accuracy=0.3, loss=2.4\n",
        [("loss", "loss", 100, 2.3), ("accuracy", "accuracy", 100, 0.3), ("loss", "validation_loss", 100, 2.4)],
    ),
    "maxtext_evaluation.log": (
        "completed step: 10, seconds: 0.25, TFLOP/s/device: 0.8, Tokens/s/device: 164.2, total_weights: 6965, loss: 0.663, lm_loss: 0.000, perplexity: 2.0\n"
        "completed step: 11, seconds: 0.25, TFLOP/s/device: 0.8, Tokens/s/device: 164.2, total_weights: 6965, loss: 0.653, lm_loss: 0.000, perplexity: 2.0\n"
        "Completed eval step: 3, seconds: 1.2, running loss=3.2, running perplexity=24.5\n"
        "Completed eval after train step 11, loss=3.1, perplexity=22.2, avg_z_loss=0.000\nAborting training due to NaN loss.\n",
        [("loss", "loss", 10, 0.663), ("loss", "validation_loss", 11, 3.1), ("loss", "loss", 12, NAN)],
    ),
    "olmo_core.log": (
        "2026-03-04 09:12:09.800\tnode03:0\tolmo_core.train.callbacks.console_logger:61\tINFO\t[step=1/???,epoch=1,eta=1d 2h 3m]\n"
        "    train/CE loss=11.51\n    optim/LR (group 0)=2.00E-06\n    optim/total grad norm=23.1\n    throughput/device/TPS=9,512\n    throughput/device/MFU=41.2\n",
        [
            ("train/CE loss", "loss", 1, 11.51),
            ("optim/LR (group 0)", "learning_rate", 1, 2e-6),
            ("throughput/device/TPS", "throughput", 1, 9512),
            ("throughput/device/MFU", "utilization", 1, 41.2),
        ],
    ),
    "nanotron.log": (
        "01/02/2026 10:00:00 [INFO|DP=0|PP=0|TP=0]: iteration: 10 / 1000 | consumed_tokens: 41K | elapsed_time_per_iteration_ms: 1.2K | tokens_per_sec: 99.5K | lm_loss: 10.4 | lr: 3e-05 | grad_norm: 2.3\n",
        [("lm_loss", "loss", 10, 10.4), ("elapsed_time_per_iteration_ms", "step_seconds", 10, 1.2), ("tokens_per_sec", "throughput", 10, 99500)],
    ),
    "detectron2_nan.log": (
        "[03/04 10:11:12 d2.utils.events]:  eta: 1:23:45  iter: 39  total_loss: 4.5  loss_cls: 2.1  time: 0.3412  lr: 1e-05\n"
        "FloatingPointError: Loss became infinite or NaN at iteration=40!\n",
        [("total_loss", "loss", 39, 4.5), ("total_loss", "loss", 40, NAN)],
    ),
    "openrlhf.log": (
        "(PPOTrainer pid=12) INFO 01-02 10:00:00 ppo_trainer.py:547] ✨ Global step 3: {'policy_loss': -0.0123, 'actor_lr': 5e-07, 'reward': 0.31, 'kl': 0.001}\n",
        [("policy_loss", "policy_loss", 3, -0.0123), ("reward", "reward", 3, 0.31)],
    ),
    "dschat_new.log": (
        "Epoch: 0 | Step: 66 | PPO Epoch: 1 | Actor Loss: -0.2093 | Critic Loss: 0.0533 | Unsupervised Loss: 0.0\n",
        [("Actor Loss", "policy_loss", 66, -0.2093), ("Critic Loss", "value_loss", 66, 0.0533), ("Unsupervised Loss", "policy_loss", 66, 0.0)],
    ),
    "dschat_ranks.log": (
        "Epoch: 0, Step: 10, Rank: 0, loss = 2.3\nEpoch: 0, Step: 10, Rank: 1, loss = 2.4\n",
        [("loss", "loss", 10, 2.3), ("loss", "loss", 10, 2.4)],
    ),
    "verl_numpy.log": (
        "step:84 - actor/pg_loss:np.float64(-0.013) - actor/grad_norm:0.3 - critic/score/mean:0.1\n",
        [("actor/pg_loss", "policy_loss", 84, -0.013), ("actor/grad_norm", "grad_norm", 84, 0.3)],
    ),
    "tensors.log": ("step: 20, loss: tensor(2.3125, device='cuda:0')\nstep: 21, loss: tensor(nan, device='cuda:0')\n", [("loss", "loss", 20, 2.3125), ("loss", "loss", 21, NAN)]),
    "k_diffusion.log": ("Epoch: 0, step: 25, loss: 0.5, avg loss: 0.6, gns: 3.1\n", [("loss", "loss", 25, 0.5), ("avg loss", "component_loss", 25, 0.6)]),
    "pix2pix.log": (
        "".join(f"(epoch: {e}, iters: {n}, time: 0.123, data: 0.004) G_GAN: 1.{n} G_L1: 12.345 D_real: 0.654 D_fake: nan \n" for e in (1, 2) for n in (100, 200)),
        [("G_GAN", "adversarial_loss", 200, 1.2), ("G_GAN", "adversarial_loss", 301, 1.1), ("D_fake", "adversarial_loss", 100, NAN), ("time", "step_seconds", 100, 0.123)],
    ),
    "cyclegan.log": (
        "(epoch: 1, iters: 100, time: 0.123, data: 0.004) D_A: 0.3 G_A: 0.4 cycle_A: 1.2 idt_A: 0.6 D_B: 0.3 G_B: 0.4 cycle_B: 1.2 idt_B: 0.6 \n",
        [("D_A", "adversarial_loss", 100, 0.3), ("cycle_B", "adversarial_loss", 100, 1.2)],
    ),
    "dcgan.log": (
        "[0/25][100/1583]\tLoss_D: 0.4312\tLoss_G: 3.2105\tD(x): 0.8010\tD(G(z)): 0.1011 / 0.0510\n[1/25][50/1583]\tLoss_D: 0.4012\tLoss_G: 3.3105\tD(x): 0.8010\tD(G(z)): 0.1011 / 0.0510\n",
        [("Loss_D", "adversarial_loss", 100, 0.4312), ("Loss_G", "adversarial_loss", 1633, 3.3105)],
    ),
    "stylegan.log": (
        "tick 0     kimg 0.0      time 12s          sec/tick 7.5     sec/kimg 117.19  maintenance 4.4    gpumem 10.2  augment 0.000\n"
        "tick 14    kimg 70.1     time 1h 38m 21s   sec/tick 366.1   sec/kimg 73.10   maintenance 0.1    gpumem 9.79   augment 0.052\n",
        [("sec/kimg", "step_seconds", 14, 73.1)],
    ),
    "guided_diffusion.log": (
        "----------------------\n| grad_norm | 0.123  |\n| loss      | 0.0456 |\n| loss_q0   | 0.1    |\n| samples   | 128    |\n| step      | 10     |\n----------------------\n"
        "----------------------\n| grad_norm | nan    |\n| loss      | nan    |\n| step      | 20     |\n----------------------\n",
        [("loss", "loss", 10, 0.0456), ("loss_q0", "component_loss", 10, 0.1), ("loss", "loss", 20, NAN), ("grad_norm", "grad_norm", 10, 0.123)],
    ),
    "easylm.log": (
        "{'accuracy': 0.1,\n 'gradient_norm': 1.2,\n 'learning_rate': 1e-05,\n 'loss': 10.5,\n 'step': 50}\n",
        [("loss", "loss", 50, 10.5), ("gradient_norm", "grad_norm", 50, 1.2)],
    ),
    "coqui.log": (
        "\n\x1b[1m   --> TIME: 2026-03-18 13:31:34 -- STEP: 25/496 -- GLOBAL_STEP: 1025\x1b[0m\n     | > loss: 3.6332  (3.5348)\n     | > loss_dur: 3.0003  (2.8965)\n"
        "     | > grad_norm: tensor(10.7261, device='cuda:0')  (tensor(4.9, device='cuda:0'))\n     | > current_lr: 2.5e-07 \n     | > step_time: 0.9393  (0.9392)\n\n"
        "\x1b[1m > EVALUATION \x1b[0m\n\n\x1b[1m   --> STEP: 1\x1b[0m\n     | > loss: 2.4  (2.4)\n",
        [("loss", "loss", 1025, 3.6332), ("loss_dur", "component_loss", 1025, 3.0003), ("grad_norm", "grad_norm", 1025, 10.7261), ("step_time", "step_seconds", 1025, 0.9393)],
    ),
    "coqui_gan.log": (
        "   --> STEP: 49/377 -- GLOBAL_STEP: 370050\n     | > loss_disc: 2.4012  (2.51074)\n     | > loss_gen: 2.45456  (2.2745)\n     | > loss_mel: 17.61  (17.25)\n",
        [("loss_disc", "adversarial_loss", 370050, 2.4012), ("loss_mel", "adversarial_loss", 370050, 17.61)],
    ),
    "espnet_epochs.log": (
        "(trainer:732) INFO: 1epoch:train:1-100batch: iter_time=0.01, loss=36.1, grad_norm=5.2, optim0_lr0=1.2e-04, train_time=0.5\n"
        "(trainer:732) INFO: 1epoch:train:101-200batch: iter_time=0.01, loss=31.1, grad_norm=5.2, optim0_lr0=1.2e-04, train_time=0.5\n"
        "(trainer:338) INFO: 1epoch results: [train] loss=33.1, time=10 minutes, [valid] loss_ctc=30.1, acc=0.5, loss=25.1, time=1 minute, total_count=20, [att_plot] time=2.4 seconds\n",
        [("loss", "loss", 200, 31.1), ("train_time", "step_seconds", 100, 0.5), ("loss", "validation_loss", 1, 25.1)],
    ),
    "imagenet.log": (
        "Epoch: [3][ 10/5005]\tTime  0.512 ( 1.201)\tData  0.001 ( 0.500)\tLoss 6.9534e+00 (7.0121e+00)\tAcc@1   0.10 (  0.12)\n",
        [("Loss", "loss", 3 * 5005 - 5005 + 10, 6.9534)],
    ),
    "speechbrain.txt": (
        "epoch: 125, steps: 70125, lr: 4.78e-04 - train loss: 5.81 - valid loss: 6.36\n",
        [("train loss", "loss", 70125, 5.81), ("valid loss", "validation_loss", 70125, 6.36)],
    ),
    "tutorial.log": (
        "Epoch [1/10], Step [100/600], Loss: 0.4321\nEpoch [2/10], Step [100/600], Loss: 0.3321\n",
        [("Loss", "loss", 100, 0.4321), ("Loss", "loss", 700, 0.3321)],
    ),
    "epochs.log": (
        "".join(f"[rank {r}] epoch {e} | step {n} | loss {5 - e}.{n}{r}\n" for e in (1, 2) for n in (0, 10, 20) for r in (0, 1)),
        [("loss", "loss", 20, 4.201), ("loss", "loss", 21 + 10, 3.10), ("loss", "loss", 21 + 10, 3.101)],
    ),
    "epoch_lines.log": (
        "Epoch 1/10 - loss: 2.3 - val_loss: 2.4\nEpoch 2/10 - loss: 2.2 - val_loss: 2.3\n",
        [("loss", "loss", 1, 2.3), ("loss", "loss", 2, 2.2), ("val_loss", "validation_loss", 2, 2.3)],
    ),
    "batches.log": (
        "".join(f"Epoch {e}, batch {n}, loss: {5 - e}.{n}\n" for e in (1, 2) for n in (0, 10, 20)) + "Epoch 2, train loss: 3.1\n",
        [("loss", "loss", 20, 4.2), ("loss", "loss", 31, 3.1), ("train loss", "epoch_loss", 2, 3.1)],
    ),
    "neox.log": (
        " samples/sec: 20.1 | iteration      100/  320000 | elapsed time per iteration (ms): 2500.0 | learning rate: 1.0E-04 | approx flops per GPU: 60.1TFLOPS | lm_loss: 8.1E+00 | loss scale: 4096.0 |\n",
        [("lm_loss", "loss", 100, 8.1), ("loss scale", "loss_scale", 100, 4096)],
    ),
    "flax.log": ("Step... (500 | Loss: 6.3, Learning Rate: 0.0003)\n", [("Loss", "loss", 500, 6.3), ("Learning Rate", "learning_rate", 500, 3e-4)]),
    "torchtune.log": ("1|100|Loss: 2.3456:  10%|#         | 100/1000 [01:00<10:00,  1.50it/s]\n", [("Loss", "loss", 100, 2.3456)]),
    "espnet.log": (
        "[n1] 2026-01-01 10:00:00,123 (trainer:732) INFO: 5epoch:train:1-100batch: iter_time=0.01, loss=2.31, optim0_lr0=1.2e-04, train_time=0.5\n",
        [("loss", "loss", 100, 2.31)],
    ),
    "icefall.log": (
        "2026-01-01 10:00:00,123 INFO [train.py:886] (0/8) Epoch 1, batch 50, loss[loss=1.3, simple_loss=2.6, over 18.00 frames. ], tot_loss[loss=1.9, over 99.00 frames. ], batch size: 20, lr: 4.9e-02\n",
        [("loss", "loss", 50, 1.3), ("lr", "learning_rate", 50, 0.049)],
    ),
    "diffusers.log": ("Steps:  10%|#         | 100/1000 [01:00<10:00,  1.50it/s, lr=1e-5, step_loss=0.125]\n", [("step_loss", "loss", 100, 0.125), ("lr", "learning_rate", 100, 1e-5)]),
    "bar_loss_first.log": (
        "Steps:   0%|          | 1/1000 [00:01<10:00,  1.50it/s, loss=0.5, lr=1e-5]\rSteps:  10%|#         | 100/1000 [01:00<10:00,  1.50it/s, loss=0.125, lr=1e-5]\n",
        [("loss", "loss", 1, 0.5), ("loss", "loss", 100, 0.125), ("lr", "learning_rate", 100, 1e-5)],
    ),
    "bars_without_names.log": (
        "".join(
            f"100%|##########| 938/938 [00:10<00:00, 93.1it/s, loss={3 - e}.5]\n100%|##########| 157/157 [00:01<00:00, 99.1it/s, loss=1.{e}]\n 50%|#####     | 469/938 [00:05<00:05, 93.1it/s, loss={3 - e}.25]\n"
            for e in (0, 1)
        ),
        [("loss", "loss", 938, 3.5), ("loss", "loss", 469, 3.25)],
    ),
    "deit.log": (
        "Epoch: [3]  [ 100/2502]  eta: 0:39:15  lr: 0.000100  loss: 2.3456 (2.4000)  time: 0.5012  data: 0.0100  max mem: 3000\nLoss is nan, stopping training\n",
        [("loss", "loss", 2 * 2502 + 100, 2.3456), ("loss", "loss", 2 * 2502 + 101, NAN), ("time", "step_seconds", 2 * 2502 + 100, 0.5012)],
    ),
    "count_first.log": ("[100/5000] loss: 2.34 lr: 1e-4\n", [("loss", "loss", 100, 2.34), ("lr", "learning_rate", 100, 1e-4)]),
    "loss_first.log": ("Train Loss: 2.34, lr: 0.5 at step 100\n", [("Train Loss", "loss", 100, 2.34)]),
    "verl.log": (
        "\x1b[36m(main_task pid=54569)\x1b[0m step:83 - global_seqlen/min:1000.000 - actor/pg_loss:nan - actor/grad_norm:nan - critic/score/mean:-1.000 - actor/entropy:0.400 - perf/time_per_step:12.5\n",
        [("actor/pg_loss", "policy_loss", 83, NAN), ("actor/grad_norm", "grad_norm", 83, NAN), ("critic/score/mean", "reward", 83, -1.0)],
    ),
    "dschat.log": (
        "epoch: 0|step: 66|ppo_ep: 1|act_loss: -0.2093|cri_loss: -0.0533|unsuper_loss: 0.0\n",
        [("act_loss", "policy_loss", 66, -0.2093), ("cri_loss", "value_loss", 66, -0.0533)],
    ),
    "key_value.log": (
        "2026-01-01T10:00:00 INFO step=100 loss=2.31 lr=3e-4 gnorm=0.71\nstep=200 loss=1,234.5 lr=3e-4\n",
        [("loss", "loss", 100, 2.31), ("lr", "learning_rate", 100, 3e-4), ("gnorm", "grad_norm", 100, 0.71), ("loss", "loss", 200, 1234.5)],
    ),
    "json_behind_prefix.log": (
        'INFO:trainer:{"step": 40, "loss": 2.31, "lr": 0.0003}\nINFO:trainer:{"step": 41, "loss": null, "lr": 0.0003}\n',
        [("loss", "loss", 40, 2.31), ("loss", "loss", 41, NAN), ("lr", "learning_rate", 40, 3e-4)],
    ),
    "headings.log": (
        "EPOCH 1:\n  step 00020: loss=0.9\n  step 00040: loss=0.8\nEPOCH 2:\n  step 00020: loss=0.7\n  step 00040: loss=0.6\n",
        [("loss", "loss", 20, 0.9), ("loss", "loss", 61, 0.7), ("loss", "loss", 81, 0.6)],
    ),
    # a validation and the end of the training have no loss to print
    "nulls.log": ("".join(f"[rank0]: {line}\n" for line in NULLS), [("loss", "loss", 20, 1.13), ("eval_loss", "validation_loss", 20, 1.3)]),
    "nulls.jsonl": ("".join(f"{line}\n" for line in NULLS), [("loss", "loss", 20, 1.13), ("eval_loss", "validation_loss", 20, 1.3)]),
    "ranks.log": (
        "[rank0]:step=100 loss=2.31\n[rank1]:step=100 loss=2.41\n",
        [("loss", "loss", 100, 2.31), ("loss", "loss", 100, 2.41)],
    ),
    # --- files with a reader of their own
    "csv/metrics.csv": (
        "epoch,lr-Adam,step,train_loss_epoch,train_loss_step,val_loss\n0,,49,,7.5,\n0,0.001,49,,,\n0,,99,,nan,\n0,,99,7.1,,7.0\n0,,14",
        [
            ("train_loss_step", "loss", 49, 7.5),
            ("train_loss_step", "loss", 99, NAN),
            ("lr-Adam", "learning_rate", 49, 0.001),
            ("train_loss_epoch", "epoch_loss", 99, 7.1),
            ("val_loss", "validation_loss", 99, 7.0),
        ],
    ),
    "results.csv": (
        "                  epoch,         train/box_loss,         train/cls_loss,               metrics/mAP50(B),           lr/pg0\n"
        "                      1,                 1.1500,                 2.3000,                        0.33000,          0.00333\n",
        [("train/box_loss", "loss", 1, 1.15), ("lr/pg0", "learning_rate", 1, 0.00333)],
    ),
    "policy/blocks.log": (
        "Iteration: \t 7\nNumTrajs: \t 40\nLoss:     \t 0.125\nMeanRew: \t -250.75 +- 60.5\nMeanEntropy \t 2.25\n-----\n",
        [("Loss", "policy_loss", 7, 0.125), ("MeanRew", "reward", 7, -250.75), ("MeanEntropy", "entropy", 7, 2.25)],
    ),
    "policy/spinningup.log": (
        "---------------------------------------\n|             Epoch |               3 |\n|      AverageEpRet |           -40.5 |\n"
        "|            LossPi |          -0.025 |\n---------------------------------------\n",
        [("LossPi", "policy_loss", 3, -0.025)],
    ),
    "board.csv": ("Wall time,Step,Value\n1767225600.5,100,2.5\n1767225601.5,200,2.25\n", [("board", None, 100, 2.5)]),
    "run-lift_v1.2-tag-loss_train.csv": ("Wall time,Step,Value\n1767225600.5,100,2.5\n1767225601.5,200,2.25\n", [("loss_train", "loss", 100, 2.5)]),
    "long.tsv": ("step\tmetric\tvalue\n10\ttrain/loss\t2.5\n10\tlr\t0.001\n20\ttrain/loss\tinf\n", [("train/loss", "loss", 10, 2.5), ("train/loss", "loss", 20, math.inf)]),
    "logging.jsonl": (
        '{"loss": 0.6675, "grad_norm": 0.23, "learning_rate": 4.3e-05, "epoch": 0.27, "global_step/max_steps": "601/2161", "percentage": "27.8%"}\n'
        '{"loss": 0.6, "grad_norm": 0.2, "learning_rate": 4.3e-05, "epoch": 0.28, "global_step/max_steps": "602/2161"}\n',
        [("loss", "loss", 601, 0.6675), ("grad_norm", "grad_norm", 602, 0.2)],
    ),
    "trainer_log.jsonl": (
        '{"current_steps": 10, "total_steps": 300, "loss": 1.23, "lr": 5e-05, "epoch": 0.1, "percentage": 3.3, "elapsed_time": "0:00:12"}\n'
        '{"current_steps": 20, "total_steps": 300, "loss": 1.13, "lr": 5e-05, "epoch": 0.2, "percentage": 6.6, "elapsed_time": "0:00:24"}\n',
        [("loss", "loss", 10, 1.23), ("lr", "learning_rate", 20, 5e-5)],
    ),
    "verl.jsonl": (
        '{"step": 1, "data": {"actor/pg_loss": 0.1, "actor/grad_norm": 0.3}}\n{"step": 2, "data": {"actor/pg_loss": null, "actor/grad_norm": null}}\n',
        [("actor/pg_loss", "policy_loss", 1, 0.1), ("actor/pg_loss", "policy_loss", 2, NAN), ("actor/grad_norm", "grad_norm", 2, NAN)],
    ),
    "scalars.json": (
        '{"lr": 0.01, "data_time": 0.1, "loss": 1.5, "time": 0.4, "epoch": 1, "iter": 50, "memory": 3000, "step": 50}\n'
        '{"lr": 0.01, "data_time": 0.1, "loss": NaN, "time": 0.4, "epoch": 1, "iter": 100, "memory": 3000, "step": 100}\n{"lr": 0.01, "lo',
        [("loss", "loss", 50, 1.5), ("loss", "loss", 100, NAN), ("lr", "learning_rate", 50, 0.01)],
    ),
    "d2/metrics.json": (
        '{"data_time": 0.01, "eta_seconds": 100.0, "iteration": 19, "lr": 1e-05, "time": 0.3, "total_loss": 4.5, "loss_cls": 2.0}\n'
        '{"data_time": 0.01, "eta_seconds": 90.0, "iteration": 39, "lr": 2e-05, "time": 0.3, "total_loss": 4.25, "loss_cls": 1.9}\n',
        [("total_loss", "loss", 19, 4.5), ("total_loss", "loss", 39, 4.25), ("loss_cls", "component_loss", 19, 2.0)],
    ),
    "checkpoint-20/trainer_state.json": (
        json.dumps({"global_step": 20, "max_steps": 100, "log_history": [{"epoch": 0.1, "grad_norm": 1.5, "loss": 2.5, "step": 10}, {"epoch": 0.2, "loss": NAN, "step": 20}, {"epoch": 0.2, "eval_loss": 2.2, "step": 20}]}, indent=2),
        [("loss", "loss", 10, 2.5), ("loss", "loss", 20, NAN), ("eval_loss", "validation_loss", 20, 2.2)],
    ),
    "mlruns/0/3f/metrics/train/loss": ("1767225600123 2.5 10\n1767225601123 nan 20\n1767225602123 2.25 30 data 12ab\n", [("train/loss", "loss", 10, 2.5), ("train/loss", "loss", 20, NAN), ("train/loss", "loss", 30, 2.25)]),
}  # fmt: skip

# file name -> what stands in it: nothing of it is a metric
NO_METRICS = {
    "source.py.log": 'for step in range(10):\n    loss = step(batch)  # step 10 loss 0\n    print(f"step {step} loss {loss:.3f}")\nparser.add_argument("--step_loss", default=0.5)\n',
    "talk.log": "The loss scale is 2\nWARNING: loss of precision at step 3 of the algorithm\nstep 5 finished without loss of data\nLost connection, 3 lossy links\nepoch 3 done\n",
    "people.csv": "name,step,city\nann,1,paris\n",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    run = tmp_path_factory.mktemp("run")
    for name, text in [*((n, f[0]) for n, f in FORMATS.items()), *NO_METRICS.items()]:
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_text(text)
    return by_file(run)


def by_file(run: Path) -> dict[str, list[dict[str, Any]]]:
    out: dict[str, list[dict[str, Any]]] = {}
    rows = analyze(run, db=None).store.rows(
        "SELECT f.path, m.* FROM metric m JOIN file f USING (file_id) ORDER BY m.ordinal"
    )
    for row in rows:
        out.setdefault(row["path"], []).append(row)
    return out


def same(a: float | None, b: float | None) -> bool:
    return a == b or (a is not None and b is not None and ((a != a and b != b) or math.isclose(a, b, rel_tol=1e-9)))


@pytest.mark.parametrize("name", FORMATS)
def test_a_trainer_s_format(name: str, found: dict[str, list[dict[str, Any]]]) -> None:
    rows = found.get(name, [])
    for printed, canonical, step, value in FORMATS[name][1]:
        of_name = [r for r in rows if r["name"] == printed]
        hits = [r for r in of_name if same(r["step"], step) and same(r["value"], value)]
        got = [(r["name"], r["canonical"], r["step"], r["value"]) for r in (of_name or rows)]
        assert hits, f"{printed} = {value} at {step} not among {got}"
        assert any(h["canonical"] == canonical for h in hits), (
            f"{printed} is called {hits[0]['canonical']}, not {canonical}"
        )


@pytest.mark.parametrize("name", NO_METRICS)
def test_what_is_no_metric(name: str, found: dict[str, list[dict[str, Any]]]) -> None:
    assert found.get(name, []) == []


def test_an_object_of_no_step_has_no_nan(found: dict[str, list[dict[str, Any]]]) -> None:
    assert not [r for n in ("nulls.log", "nulls.jsonl") for r in found[n] if r["value"] != r["value"]]


def test_final_summaries_are_no_points(found: dict[str, list[dict[str, Any]]]) -> None:
    assert not [r for r in found["hf4.log"] if r["name"] in {"train_loss", "train_runtime"}]


def test_skipped_iterations_have_no_loss_rather_than_nan(found: dict[str, list[dict[str, Any]]]) -> None:
    assert not [r for r in found["megatron.log"] if r["step"] == 120 and r["name"] == "lm loss"]


def test_a_line_that_was_cut_before_its_loss_is_no_nan(catalog: Catalog, run_of: Callable[..., Path]) -> None:
    line = (
        " [2026-03-04 09:4{n}:52] iteration 7{n}/ 2600 | consumed samples: 19{n} | elapsed time per iteration (ms): 42.7 |"
        " learning rate: 3.0E-04 | lm loss: 3.61{n}E+00 | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    )
    lines = "".join(line.format(n=n) for n in range(9))
    cut = line.format(n=9).partition(" lm loss")[0]
    nan = line.format(n=9).replace(" lm loss: 3.619E+00 |", "")
    found = {
        name: [i.rule for i in analyze(run_of({"train.log": lines + last}, name), catalog=catalog, db=None).incidents]
        for name, last in (("cut", cut), ("nan", nan))
    }
    assert found == {"cut": [], "nan": ["loss.nan"]}


def test_what_is_counted_by_batches_of_an_evaluation_is_no_point(found: dict[str, list[dict[str, Any]]]) -> None:
    assert not [r for r in found["maxtext_evaluation.log"] if r["value"] == 3.2]
    assert not [r for r in found["coqui.log"] if r["value"] == 2.4]
    assert not [r for r in found["stylegan.log"] if r["step"] == 0]


def test_ranks_are_series_of_their_own(found: dict[str, list[dict[str, Any]]]) -> None:
    assert len({r["source"] for r in found["ranks.log"]}) == 2
    assert {r["rank"] for r in found["ranks.log"]} == {0, 1}
    assert len({r["source"] for r in found["epochs.log"]}) == 2
    assert {r["rank"] for r in found["dschat_ranks.log"]} == {0, 1}
    assert {r["rank"] for r in found["epochs.log"]} == {0, 1}


def test_metrics_of_one_mlflow_run_belong_together(tmp_path: Path) -> None:
    folder = tmp_path / "mlruns/0/3f/metrics"
    folder.mkdir(parents=True)
    for name, value in (("loss", 2.5), ("grad_norm", 1.5), ("aux_loss", 0.5)):
        (folder / name).write_text(f"1767225600123 {value} 10\n")
    rows = [r for rows in by_file(tmp_path).values() for r in rows]
    assert {r["source"] for r in rows} == {"mlruns/0/3f"}
    assert {r["name"]: r["canonical"] for r in rows} == {
        "loss": "loss",
        "grad_norm": "grad_norm",
        "aux_loss": "component_loss",
    }


def test_the_longest_trainer_state_stands_for_all(tmp_path: Path) -> None:
    history = [{"loss": 3.0 - n / 10, "step": n} for n in range(1, 5)]
    for at in (2, 4):
        folder = tmp_path / f"out/checkpoint-{at}"
        folder.mkdir(parents=True)
        (folder / "trainer_state.json").write_text(json.dumps({"log_history": history[:at]}, indent=2))
    rows = by_file(tmp_path)
    assert list(rows) == ["out/checkpoint-4/trainer_state.json"]


# --- binary stores --------------------------------------------------------------------------------------------------


def varint(n: int) -> bytes:
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def message(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def event(step: int, value: bytes, time: float = 1767225600.25) -> bytes:
    body = b"\x09" + struct.pack("<d", time) + b"\x10" + varint(step) + message(5, message(1, value))
    return record(body)


def record(body: bytes) -> bytes:
    length = struct.pack("<Q", len(body))
    crc = struct.pack("<I", tensorboard.masked_crc(length))
    return length + crc + body + struct.pack("<I", tensorboard.masked_crc(body))


def simple(tag: str, number: float) -> bytes:
    return message(1, tag.encode()) + b"\x15" + struct.pack("<f", number)


def tensor(tag: str, number: float) -> bytes:
    return message(1, tag.encode()) + message(8, b"\x08\x01" + message(2, b"") + message(4, struct.pack("<f", number)))


VERSION = record(b"\x09" + struct.pack("<d", 1767225600.0) + message(3, b"brain.Event:2"))


@pytest.mark.parametrize("tail", ["", "cut off", "zeros"])
def test_event_files(tail: str, tmp_path: Path) -> None:
    last = event(30, simple("train/loss", 2.0))
    data = (
        VERSION
        + event(10, simple("train/loss", 2.5))
        + event(10, tensor("lr", 0.5))
        + event(20, simple("train/loss", NAN))
    )
    data += {"": last, "cut off": last[:-5], "zeros": bytes(4096)}[tail]
    (tmp_path / "events.out.tfevents.1767225600.n1.77.0").write_bytes(data)
    (rows,) = by_file(tmp_path).values()
    loss = [(r["step"], r["value"]) for r in rows if r["canonical"] == "loss"]
    assert [s for s, _ in loss] == [10, 20, *([30] if not tail else [])]
    assert loss[0][1] == 2.5
    assert math.isnan(loss[1][1])
    assert [(r["step"], r["value"]) for r in rows if r["canonical"] == "learning_rate"] == [(10, 0.5)]
    assert str(rows[0]["time"]).startswith("2026-01-01 00:00:00.25")


def test_a_signalling_nan_is_a_nan(tmp_path: Path) -> None:
    quiet, signalling = struct.pack("<f", NAN), b"\x01\x00\x80\x7f"
    record = event(20, simple("train/loss", NAN).replace(quiet, signalling))
    (tmp_path / "events.out.tfevents.1767225600.n1.77.0").write_bytes(VERSION + record)
    ((row,),) = by_file(tmp_path).values()
    assert math.isnan(row["value"])


def test_records_that_are_alike_are_read_together_and_none_is_lost(tmp_path: Path) -> None:
    tags = ["train/loss", "train/aux1", "grad_norm", "lr"]  # two of one length
    said = [(step, tag, float(step + k)) for step in [*range(1, 300), 70_000, 2**40] for k, tag in enumerate(tags)]
    said.insert(40, (9, "train/loss", 0.5))
    data = b"".join(event(s, (tensor if s % 50 == 0 else simple)(t, v)) for s, t, v in said)
    (tmp_path / "events.out.tfevents.1767225600.n1.77.0").write_bytes(VERSION + data)
    (rows,) = by_file(tmp_path).values()
    rows.sort(key=lambda r: r["line_no"])
    assert [(r["step"], r["name"], r["value"]) for r in rows] == [
        (s, t, struct.unpack("<f", struct.pack("<f", v))[0]) for s, t, v in said
    ]
    assert [r["line_no"] for r in rows] == list(range(2, len(said) + 2))


def test_records_of_binary_stores_are_evidence_in_words(tmp_path: Path) -> None:
    events, run = tmp_path / "events.out.tfevents.1767225600.n1.77.0", tmp_path / "run-ab12.wandb"
    events.write_bytes(VERSION + event(10, simple("train/loss", 2.5)))
    run.write_bytes(wandb_file([{"loss": "2.5", "_step": "7"}]))
    files = {f.file_id: f for f in discover(tmp_path, load_catalog())}
    found = fetch({(n, 2 if f.path == events else 1) for n, f in files.items()}, files, [], Spelling())
    assert sorted(found.values()) == ["step 10: train/loss = 2.5", '{"loss": 2.5, "_step": 7}']


def test_crc32c_is_castagnoli() -> None:
    crc = 0xE3069283  # of "123456789", RFC 3720
    assert tensorboard.masked_crc(b"123456789") == ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def wandb_file(rows: list[dict[str, str]]) -> bytes:
    out = bytearray(wandb.HEADER)

    def write(kind: int, data: bytes) -> None:
        out.extend(struct.pack("<IHB", zlib.crc32(bytes([kind]) + data), len(data), kind) + data)

    for row in rows:
        items = b"".join(message(1, message(2, k.encode()) + message(16, v.encode())) for k, v in row.items())
        body, first = message(2, items), True
        while True:
            room = wandb.BLOCK - len(out) % wandb.BLOCK
            if room < 7:
                out.extend(bytes(room))
                continue
            part, body = body[: room - 7], body[room - 7 :]
            write({(True, True): 1, (True, False): 2, (False, False): 3, (False, True): 4}[first, not body], part)
            first = False
            if not body:
                break
    return bytes(out)


@pytest.mark.parametrize("cut", [0, 9])
def test_wandb_files(cut: int, tmp_path: Path) -> None:
    steps = 3000  # several blocks, so that records lie across their borders
    rows = [{"train/loss": f"{3 - n / steps}", "_step": str(n), "_timestamp": "1767225600.5"} for n in range(steps)]
    rows[7]["train/loss"] = "NaN"
    data = wandb_file(rows)
    assert len(data) > 3 * wandb.BLOCK
    (tmp_path / "run-ab12.wandb").write_bytes(data[: len(data) - cut])
    (got,) = by_file(tmp_path).values()
    loss = [r for r in got if r["canonical"] == "loss"]
    assert [r["step"] for r in loss] == list(range(steps - (cut > 0)))
    assert math.isnan(loss[7]["value"])
    assert loss[10]["value"] == 3 - 10 / steps


def test_a_record_of_a_wandb_file_may_begin_with_nothing_at_the_end_of_a_block() -> None:
    def piece(kind: int, data: bytes) -> bytes:
        return struct.pack("<IHB", zlib.crc32(bytes([kind]) + data), len(data), kind) + data

    filling = bytes(wandb.BLOCK - len(wandb.HEADER) - 2 * 7)
    data = wandb.HEADER + piece(1, filling) + piece(2, b"") + piece(4, b"said")
    assert list(wandb.records(data)) == [filling, b"said"]


def test_a_damaged_block_of_a_wandb_file_costs_that_block_only(tmp_path: Path) -> None:
    rows = [{"loss": "1.0", "_step": str(n)} for n in range(3000)]
    data = bytearray(wandb_file(rows))
    data[wandb.BLOCK + 100] ^= 0xFF
    (tmp_path / "run-ab12.wandb").write_bytes(data)
    (got,) = by_file(tmp_path).values()
    steps = [r["step"] for r in got if r["canonical"] == "loss"]
    assert steps[0] == 0
    assert steps[-1] == 2999
    assert 2000 < len(steps) < 3000


def test_mlflow_database(tmp_path: Path) -> None:
    con = sqlite3.connect(tmp_path / "mlflow.db")
    con.execute("CREATE TABLE metrics (key TEXT, value REAL, timestamp INT, run_uuid TEXT, step INT, is_nan INT)")
    rows = [
        ("loss", 2.5, 1767225600000, "r1", 1, 0),
        ("loss", 0.0, 1767225601000, "r1", 2, 1),
        ("loss", 2.0, 1767225600000, "r2", 1, 0),
    ]
    con.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", rows)
    con.commit()
    con.close()
    (got,) = by_file(tmp_path).values()
    assert len({r["source"] for r in got}) == 2
    first = [r["value"] for r in got if r["source"].endswith("r1")]
    assert first[0] == 2.5
    assert math.isnan(first[1])


def test_marks_of_checkpoints_and_resumes(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(
        "Loading checkpoint shards: 100%|####| 2/2 [00:03<00:00,  1.5s/it]\n"
        "  resume from checkpoint: None\n"
        "# Resuming from {ckpt_path}\n"
        " loading checkpoint from /ckpt at iteration 4000\n"
        "  successfully loaded checkpoint from /ckpt [ t 1/8, p 1/4 ] at iteration 4000\n"
        "saving checkpoint at iteration    5000 to /ckpt in torch_dist format\n"
        "[Torch] Checkpoint global_step5500 is about to be saved!\n"
        "Saving model checkpoint to out/checkpoint-6000\n"
        "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768\n"
        "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 32768, but hysteresis is 2. Reducing hysteresis to 1\n"
        "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.\n"
        "switching to sequence length 4096 at step 7000\n"
    )
    rows = analyze(tmp_path, db=None).store.rows(
        "SELECT line_no, kind, step, value FROM training_event ORDER BY line_no"
    )
    assert [(r["line_no"], r["kind"], r["step"], r["value"]) for r in rows] == [
        (4, "load", 4000, None),
        (5, "load", 4000, None),
        (6, "save", 5000, None),
        (7, "save", 5500, None),
        (8, "save", 6000, None),
        (9, "overflow", None, 32768),
        (10, "overflow", None, 32768),
        (11, "scale_minimum", None, None),
        (12, "phase", 7000, None),
    ]


MARKS = [
    # Megatron-LM, from 2019 on, and the two Megatron-DeepSpeeds
    ("  [2026-03-04 09:12:29.123456] successfully saved checkpoint from iteration    1100 to /ckpt [ t 1/2, p 1/4 ]", "save", 1100),
    ("  successfully saved local checkpoint from iteration    1100", "save", 1100),
    (" loading release distributed checkpoint from /ckpt", "load", None),
    (" loading universal checkpoint with modified mp configuration", "load", None),
    ("--override-ckpt-iteration: start at iteration 900 (consumed_train_samples 115200)", "resume", 900),
    ("[Detected kill switch at /ckpt/stop. Exiting] datetime: 2026-03-04 16:00:00 ", "end", None),
    ("RuntimeError: Rank 3, node n17, device 3, iteration 1102: Unexpected result inf (message='found Inf in local grad norm for bucket #0')", "nan_found", 1102),
    ("ERROR:megatron.core.rerun_state_machine:Unexpected result nan on rank 5 at iteration #1102 invocation #1 (message='found NaN in local forward loss calculation')", "nan_found", 1102),
    # DeepSpeed
    ("[2022-03-04 15:00:00,123] [INFO] [engine.py:1480:load] rank: 3 loading checkpoint: /ckpt/global_step1000/mp_rank_00_model_states.pt", "load", 1000),
    ("[2026-03-04 15:00:00,123] [INFO] [engine.py:4592:load] loading 8 zero partition checkpoints for rank 3", "load", None),
    ("[2022-03-04 15:00:00,123] [INFO] [fused_optimizer.py:222:step] Overflow detected. Skipping step. Attempted loss scale: 65536.0, reducing to 32768.0", "overflow", None),
    # Transformers, behind its logger and behind a bar
    ("[INFO|trainer.py:2152] 2026-03-04 15:00:00,123 >>   Continuing training from global step 20", "resume", 20),
    (" 13%|#3        | 40/300 [00:20<05:00,  1.03s/it][INFO|trainer.py:3478] 2026-03-04 15:00:40,123 >> Saving model checkpoint to out/checkpoint-40", "save", 40),
    ("03/24/2026 15:00:40 - INFO - accelerate.accelerator - Saving current state to out/step_520", "save", 520),
    ("03/24/2026 15:00:40 - INFO - accelerate.accelerator - Loading states from out/step_520", "load", 520),
    # Lightning and NeMo
    ("Epoch 0, global step 1000: 'val_loss' reached 2.31000 (best 2.31000), saving model to '/ckpt/last.ckpt' as top 3", "save", 1000),
    ("[NeMo I 2026-03-04 15:00:00 nemo_logging:393] Async checkpoint save for step 102 (/ckpt/step=101.ckpt) finalized successfully.", "save", 102),
    ("[NeMo I 2026-03-04 15:00:00 exp_manager:789 rank:3] Resuming training from checkpoint: /ckpt/gpt-step=1000-last.ckpt", "resume", 1000),
    # torchtitan
    ("[rank0]:[titan] 2026-03-04 12:10:07,123 - root - INFO - Saving a full checkpoint at last step, step 1000.", "save", 1000),
    ("[rank0]:[titan] 2026-03-04 12:10:07,123 - root - INFO - Loading the FT checkpoint at step 500.", "load", 500),
    # llm.c, Composer
    ("Writing checkpoint at step 5000", "save", 5000),
    ("2026-03-04 10:00:00,123: rank0[12][MainThread]: INFO: composer.utils.checkpoint: Trainer checkpoint loaded from /ckpt/ep1-ba4800/__0_0.distcp", "load", 4800),
]  # fmt: skip


def test_marks_of_each_trainer(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("".join(line + "\n" for line, _, _ in MARKS))
    rows = analyze(tmp_path, db=None).store.rows("SELECT line_no, kind, step FROM training_event ORDER BY line_no")
    assert [(r["line_no"], r["kind"], r["step"]) for r in rows] == [
        (n, kind, step) for n, (_, kind, step) in enumerate(MARKS, 1)
    ]


def test_loggers_of_trainers_say_when(tmp_path: Path) -> None:
    lines = [
        line for line, _, _ in MARKS if "2026-" in line.split(" >> ")[0] and "%|" not in line and "datetime" not in line
    ]
    (tmp_path / "a.log").write_text("".join(line + "\n" for line in lines))
    rows = analyze(tmp_path, db=None).store.rows("SELECT line_no, time FROM training_event ORDER BY line_no")
    assert [r["line_no"] for r in rows if r["time"] is None] == []
    assert len(rows) == len(lines) > 6


def test_a_check_that_finds_nan_names_its_rank_and_ends_the_curve(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(
        "".join(
            f" iteration {n:8d}/    2000 | elapsed time per iteration (ms): 812.5 | lm loss: 3.25E+00 | grad norm: 1.250 |\n"
            for n in (100, 101)
        )
        + "Rank 3, node n17, device 3, iteration 102: Unexpected result nan (message='found NaN in local forward loss calculation')\n"
    )
    store = analyze(tmp_path, db=None).store
    assert [(r["rank"], r["host"]) for r in store.rows("SELECT rank, host FROM training_event")] == [(3, "n17")]
    loss = store.rows("SELECT step, value, rank FROM metric WHERE canonical = 'loss' ORDER BY step")
    assert [(r["step"], r["rank"]) for r in loss] == [(100, None), (101, None), (102, None)]
    assert math.isnan(loss[-1]["value"])


def test_a_bar_drawn_again_and_again_on_one_line_is_one_run(tmp_path: Path) -> None:
    """All writings of a bar share a line number: their order within the line is kept."""
    bars = [
        f"Epoch 0: {n:3d}%|##| {n}/100 [00:{n % 60:02d}<01:15,  1.00it/s, loss={3 - n / 100:.3f}, v_num=3]"
        for n in range(100)
    ]
    (tmp_path / "a.log").write_text("\r".join(bars) + "\n")
    store = analyze(tmp_path, db=None).store
    assert store.rows("SELECT count(*) AS n FROM segment")[0]["n"] == 1
    steps = [r["step"] for r in store.rows("SELECT step FROM metric WHERE canonical = 'loss' ORDER BY ordinal")]
    assert steps == sorted(steps)


def test_the_epoch_among_the_values_of_a_bar_counts_and_a_fold_that_begins_at_the_first_is_another_run(
    tmp_path: Path,
) -> None:
    bars = [
        f"Train: {n * 5:3d}%|##| {n}/20 [00:{n:02d}<00:20,  1.00it/s, Epoch=Epoch {epoch}/9, loss={first / (epoch + n / 20):.3f}]"
        for first in (2.0, 2.3)
        for epoch in (1, 2, 3)
        for n in range(1, 21)
    ]
    (tmp_path / "folds.log").write_text("\n".join(bars) + "\n")
    store = analyze(tmp_path, db=None).store
    steps = [r["step"] for r in store.rows("SELECT step FROM metric WHERE canonical = 'loss' ORDER BY ordinal")]
    assert steps == [*range(1, 61), *range(1, 61)]
    assert store.rows("SELECT count(DISTINCT run) AS n FROM segment")[0]["n"] == 2


@pytest.mark.parametrize("bar", [True, False])
def test_where_no_step_is_printed_counted_values_are_not_passed_off_as_steps(bar: bool, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(
        "".join(
            (f"\r {k}%|#| {k * 10}/1000 [00:10<10:00,  1.0it/s]\r" if bar else "")
            + f"{{'loss': {3 - k / 100 if k < 70 else 'nan'}, 'learning_rate': 1e-05, 'epoch': {k * 3 / 100:.2f}}}\n"
            for k in range(1, 101)
        )
    )
    (nan,) = analyze(tmp_path, db=None).incidents
    assert nan.rule == "loss.nan"
    assert nan.facts["step"] == (700 if bar else 70)
    assert ("no step is printed, values are counted: this is epoch 2.1" in nan.summary) is not bar
