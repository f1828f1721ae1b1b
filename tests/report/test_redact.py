"""Nothing that is somebody's own leaves the house, and what the story needs stays."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

from logsift.report.redact import Redactor

ALNUM, HEX, UPPER = string.ascii_letters + string.digits, "0123456789abcdef", string.ascii_uppercase + string.digits
HOSTS = ["hgx0007", "hgx0012", "dgx-a100-03", "lrdn2231", "ip-10-11-12-13", "trainer-7f9c8d-xk2qp"]
USERS = ["mmueller", "jdoe", "k.sato"]


def redactor(*, hardware: bool = False) -> Redactor:
    return Redactor(HOSTS, USERS, ["10.11.12.13"], {"hgx0007-ib0": "hgx0007"}, ["1653822004711"], hardware=hardware)


class Made:
    """Secrets, names and look-alikes by chance, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def of(self, alphabet: str, length: int) -> str:
        return "".join(self.chance.choices(alphabet, k=length))

    def mixed(self, length: int) -> str:
        """Letters of both cases and a digit, as keys have."""
        return f"{self.of(ALNUM, length - 3)}aZ7"

    def number(self, low: int, high: int) -> int:
        return self.chance.randint(low, high)

    def one(self, *choices: str) -> str:
        return self.chance.choice(choices)

    def address(self) -> str:
        return ".".join([str(self.number(128, 223)), *(str(self.number(2, 254)) for _ in range(3))])

    def groups(self, count: int, digits: int, between: str) -> str:
        return between.join(self.of(HEX, digits) for _ in range(count))


def base64(m: Made, length: int) -> str:
    return f"{m.of(ALNUM + '+', length - 3)}aZ7"


# What is planted: kind -> (text that holds it, the part that must not remain).
Plant = Callable[[Made], tuple[str, str]]


def token(prefix: str, alphabet: str, length: int) -> Plant:
    def plant(m: Made) -> tuple[str, str]:
        secret = m.of(alphabet, length - 1) + "7"
        return prefix + secret, secret

    return plant


def within(form: str, alphabet: str, length: int) -> Plant:
    def plant(m: Made) -> tuple[str, str]:
        secret = m.of(alphabet, length - 3) + ("aZ7" if alphabet != HEX else "ab7")
        return form.replace("@@", secret), secret

    return plant


PLANTS: dict[str, Plant] = {
    "W&B": within("WANDB_API_KEY=@@", HEX, 40),
    "W&B, logging in": within("wandb login @@", HEX, 40),
    "W&B, new": token("wandb_v1_", ALNUM, 60),
    "W&B, netrc": within("machine api.wandb.ai login user password @@", HEX, 40),
    "Hugging Face": token("hf_", string.ascii_letters, 34),
    "AWS id": token("AKIA", UPPER, 16),
    "AWS id, session": token("ASIA", UPPER, 16),
    "AWS secret": within("aws_secret_access_key = @@", ALNUM + "/+", 40),
    "AWS session": within("AWS_SESSION_TOKEN=@@", ALNUM + "/+", 200),
    "AWS signature": within("https://b.s3.amazonaws.com/k?X-Amz-Signature=@@", HEX, 64),
    "GCP key": token("AIza", ALNUM + "_-", 35),
    "GCP access": token("ya29.", ALNUM + "_-", 80),
    "GCP client": token("GOCSPX-", ALNUM + "_-", 28),
    "GCP account": within('"private_key_id": "@@"', HEX, 40),
    "Azure storage": within("DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=@@==;", ALNUM + "+/", 86),
    "Azure SAS": within("https://acc.blob.core.windows.net/c/x?sv=2022-11-02&sig=@@%3D", ALNUM, 43),
    "Azure client": within("abc8Q~@@", ALNUM, 34),
    "GitHub": token("ghp_", ALNUM, 36),
    "GitHub, of an app": token("ghs_", ALNUM, 36),
    "GitHub, fine": token("github_pat_", ALNUM + "_", 82),
    "GitHub, in a remote": within("https://@@@github.com/acme/train.git", ALNUM, 40),
    "GitLab": token("glpat-", ALNUM, 20),
    "Slack": token("xoxb-", string.digits + "-" + ALNUM, 50),
    "Slack hook": within("https://hooks.slack.com/services/T01234567/B01234567/@@", ALNUM, 24),
    "OpenAI": token("sk-proj-", ALNUM + "_-", 100),
    "OpenAI, old": token("sk-", ALNUM, 48),
    "Anthropic": token("sk-ant-api03-", ALNUM + "_-", 95),
    "Docker": token("dckr_pat_", ALNUM + "_-", 27),
    "Docker, file": within('"auth": "@@="', ALNUM, 31),
    "Docker, logging in": within("docker login -u ci -p @@", ALNUM, 16),
    "npm": token("npm_", ALNUM, 36),
    "npm, file": within("//registry.npmjs.org/:_authToken=@@", ALNUM, 36),
    "PyPI": token("pypi-AgEIcHlwaS5vcmc", ALNUM + "_-", 120),
    "NGC": token("nvapi-", ALNUM + "_-", 64),
    "Postgres": within("postgresql://train:@@@db.acme-corp.com:5432/runs", ALNUM + "!$*", 14),
    "MySQL": within("mysql+pymysql://root:@@@hgx0007/optuna", ALNUM, 12),
    "Redis": within("redis://:@@@cache.acme-corp.com:6379/0", ALNUM, 20),
    "MongoDB": within("mongodb+srv://u:@@@c0.acme-corp.com/?retryWrites=true", ALNUM, 18),
    "JWT": within("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.@@", ALNUM + "_-", 43),
    "bearer": within("Authorization: Bearer @@", ALNUM + "._-", 40),
    "basic": within("authorization: Basic @@=", ALNUM, 23),
    "bearer, curl": within("-H 'X-Auth: Bearer @@'", ALNUM, 30),
    "password": within("password=@@", ALNUM + "#!", 12),
    "password, quoted": within('"db_password": "@@"', ALNUM, 12),
    "password, YAML": within("smtp_password: @@", ALNUM, 10),
    "password, argument in a list": within("['train.py', '--db_password', '@@']", ALNUM, 10),
    "password, option": within("--db-password @@", ALNUM, 10),
    "secret of a pod": within('{"name": "MY_API_KEY", "value": "@@"}', ALNUM, 24),
    "secret": within("CLIENT_SECRET=@@", ALNUM, 32),
    "token": within("JUPYTER_TOKEN=@@", HEX, 48),
    "key, PEM": within("-----BEGIN RSA PRIVATE KEY-----\\n@@\\n-----END RSA PRIVATE KEY-----", ALNUM, 64),
    "key, PEM, a line of it": within("@@", ALNUM, 64),
    "mail": within("@@@acme-corp.com", string.ascii_lowercase, 12),
    "home": within("/home/@@/train.py", string.ascii_lowercase, 9),
    "home, of a Mac": within("/Users/@@/train.py", string.ascii_lowercase, 9),
    "project": within("/lustre/@@/train.py", string.ascii_lowercase, 9),
    "project above a library": within("/data/@@/lib/python3.11/site-packages/torch/nn.py", string.ascii_lowercase, 9),
    "user": within("USER=@@", string.ascii_lowercase, 9),
    "user by number": within("uid=1004(@@)", string.ascii_lowercase, 9),
    "W&B project": within("https://wandb.ai/@@/proj/runs/1x2y3z", string.ascii_lowercase, 9),
    "bucket": within("s3://@@/ckpt/step_100.pt", string.ascii_lowercase, 12),
    "bucket, GCS": within("gs://@@/ckpt/step_100.pt", string.ascii_lowercase, 12),
    "bucket, as host": within("https://@@.s3.eu-central-1.amazonaws.com/x", string.ascii_lowercase, 12),
    "account": lambda m: ((a := m.of("123456789", 12)), (f"arn:aws:iam::{a}:role/x", a))[1],
    "domain": within("gpu-head.@@.internal", string.ascii_lowercase, 9),
    "host of the job": lambda m: ((h := m.one(*HOSTS)), (h, h))[1],
    "host of its kind": lambda m: ((h := f"hgx{m.of(string.digits, 4)}"), (h, h))[1],
    "host with its domain": lambda m: ((h := m.one(*HOSTS)), (f"{h}.hpc.acme-corp.com", "acme-corp"))[1],
    "list of hosts": lambda m: (f"hgx[{m.number(1000, 2000)}-{m.number(2001, 2040)}]", "hgx"),
    "account of the job": lambda m: ((u := m.one(*USERS)), (u, u))[1],
    "IPv4": lambda m: ((a := m.address()), (a, a))[1],
    "IPv4 with its port": lambda m: ((a := m.address()), (f"{a}:29500", a))[1],
    "IPv4 of NCCL": lambda m: ((a := m.address()), (f"eth0:{a}<0>", a))[1],
    "IPv6": lambda m: ((a := f"2a0{m.number(1, 9)}:" + m.groups(7, 4, ":")), (a, a))[1],
    "IPv6, short": lambda m: ((a := f"fe80::{m.of('123456789abcdef', 4)}:{m.of('123456789', 4)}"), (a, a))[1],
    "IPv6 in a URL": lambda m: ((a := f"fd12::{m.of('123456789abcdef', 4)}"), (f"tcp://[{a}]:29500", a))[1],
    "MAC": lambda m: ((a := m.groups(6, 2, ":")), (a, a))[1],
    "GPU": lambda m: ((a := "-".join([m.of(HEX, 8), m.groups(3, 4, "-"), m.of(HEX, 12)])), (f"GPU-{a}", a))[1],
    "serial": lambda m: ((a := f"165{m.of(string.digits, 10)}"), (f"Serial Number : {a}", a))[1],
}  # fmt: skip

NAMES = frozenset({
    "mail", "home", "home, of a Mac", "project", "project above a library", "user", "user by number", "W&B project", "bucket",
    "bucket, GCS", "bucket, as host", "account", "domain", "host of the job", "host of its kind", "host with its domain",
    "list of hosts", "account of the job", "IPv4", "IPv4 with its port", "IPv4 of NCCL", "IPv6", "IPv6, short", "IPv6 in a URL",
    "MAC", "GPU", "serial",
})  # fmt: skip
"""Plants that are names, no secrets."""

LINES = [
    "@@",
    "2026-03-03T10:00:31.123456+01:00 [rank11]: INFO: @@",
    "[rank3]: 2026-03-03 09:00:31,104 train.py:88 WARNING config {'a': 1, 'b': (2, 3)} @@ done",
    '{"time": "2026-03-03T10:00:31Z", "level": "info", "msg": "@@"}',
    "(@@)",
    "env: @@, and more",
    "\x1b[32m@@\x1b[0m",
    "RuntimeError: cannot reach <@@>; giving up",
    "first line\\n@@",
    "first line\n  @@\nlast line",
    "x;@@;y",
    "E0303 10:00:31.000000 1234 api.py:868] failed (exitcode: 1) | @@ |",
]

LOOK_ALIKES: dict[str, Callable[[Made], str]] = {
    "commit": lambda m: m.of(HEX, 40),
    "short commit": lambda m: m.of(HEX, 7),
    "digest": lambda m: f"sha256:{m.of(HEX, 64)}",
    "version": lambda m: f"torch=={m.number(1, 2)}.{m.number(0, 9)}.{m.number(0, 9)}+cu{m.number(118, 128)}",
    "version of four": lambda m: f"nvidia-cudnn-cu12=={m.number(1, 9)}.{m.number(1, 9)}.{m.number(1, 9)}.{m.number(1, 99)}",
    "version of four, v": lambda m: f"v{m.number(1, 9)}.{m.number(1, 9)}.{m.number(1, 9)}.{m.number(1, 99)}",
    "version of four, NCCL": lambda m: f"NCCL version {m.number(1, 9)}.{m.number(1, 29)}.{m.number(1, 9)}.{m.number(1, 9)}+cuda12.4",
    "driver": lambda m: f"Driver Version: {m.number(470, 580)}.{m.number(10, 199)}.0{m.number(1, 9)}",
    "VBIOS": lambda m: f"VBIOS 96.00.{m.number(10, 99)}.00.0{m.number(1, 9)}",
    "bus id": lambda m: f"0000:{m.of(HEX, 2)}:00.0",
    "bus id, long": lambda m: f"00000000:{m.of(HEX, 2).upper()}:00.0",
    "Xid": lambda m: f"NVRM: Xid (PCI:0000:{m.of(HEX, 2)}:00): {m.number(1, 150)}, pid={m.number(1000, 99999)}, name=python",
    "run id": lambda m: "-".join([m.of(HEX, 8), m.groups(3, 4, "-"), m.of(HEX, 12)]),
    "run id, W&B": lambda m: f"run {m.of(string.ascii_lowercase + string.digits, 8)}",
    "shape": lambda m: f"torch.Size([{m.number(1, 64)}, {m.number(1, 8192)}, {m.number(1, 8192)}])",
    "place": lambda m: f"train_{m.of(string.ascii_lowercase, 5)}.py:{m.number(1, 4000)}",
    "place in Python": lambda m: f'File "/usr/lib/python3.1{m.number(0, 3)}/threading.py", line {m.number(1, 2000)}, in run',
    "place in a library": lambda m: f"/usr/local/lib/python3.11/site-packages/torch/distributed/{m.of(string.ascii_lowercase, 6)}.py",
    "module": lambda m: f"torch.distributed.{m.of(string.ascii_lowercase, 8)}.local",
    "C++": lambda m: f"c10d::{m.one('add', 'bed', 'dead', 'ProcessGroupNCCL')}::{m.of(string.ascii_lowercase, 6)}",
    "C++, made": lambda m: f"_ZN3c10{m.number(10, 99)}{m.of(string.ascii_letters, 60)}Ev",
    "time": lambda m: f"{m.number(10, 23)}:{m.number(10, 59)}:{m.number(10, 59)}.{m.number(100, 999)}",
    "time of Slurm": lambda m: f"{m.number(1, 9)}-{m.number(10, 23)}:{m.number(10, 59)}:{m.number(10, 59)}",
    "time and date": lambda m: f"{m.number(2020, 2029)}:03:{m.number(10, 28)}:{m.number(10, 23)}:{m.number(10, 59)}:{m.number(10, 59)}",
    "tokens": lambda m: f"tokens={m.number(1, 10**9)} tokens_per_second: {m.number(1, 10**5)}.{m.number(0, 9)}",
    "token of a model": lambda m: f"eos_token: {m.one('</s>', '<|endoftext|>', '[EOS]')}, pad_token_id={m.number(0, 50000)}",
    "token of a parser": lambda m: f"Unexpected token: {m.of(string.ascii_lowercase, 6)}",
    "key of a dict": lambda m: f"KeyError: '{m.of(string.ascii_lowercase, 12)}.weight'",
    "key of a store": lambda m: f"key: /default_pg/0//{m.of(string.ascii_lowercase, 8)}//worker",
    "switch": lambda m: f"use_auth_token={m.one('True', 'False', 'None')}",
    "address of memory": lambda m: f"comm 0x{m.of(HEX, 12)} commId 0x{m.of(HEX, 16)}",
    "loopback": lambda m: f"127.0.0.1:{m.number(1024, 65535)}",
    "any": lambda m: f"0.0.0.0:{m.number(1024, 65535)}",
    "rank": lambda m: f"rank {m.number(0, 4095)} local_rank {m.number(0, 7)} of rank{m.number(0, 9)}",
    "site": lambda m: f"https://github.com/pytorch/pytorch/issues/{m.number(1, 99999)}",
    "fraction": lambda m: f"step {m.number(1, 99)}/{m.number(100, 999)} loss 2.{m.number(100, 999)}",
    "product": lambda m: f"scikit-learn task-{m.number(10**12, 10**13)} disk-{m.of(HEX, 24)}",
    "word like a prefix": lambda m: f"hf_{m.one('hub', 'config', 'model')}_{m.of(string.ascii_lowercase, 8)} sk-learn",
    "decorator": lambda m: f"@torch.no_grad vllm@v0.{m.number(1, 9)}.{m.number(0, 9)} foo@main",
    "library": lambda m: f"libnccl.so.2.{m.number(10, 29)}.{m.number(0, 9)}",
    "device": lambda m: f"/dev/nvidia{m.number(0, 7)} /dev/infiniband/uverbs{m.number(0, 9)} /proc/{m.number(1, 99999)}/status",
    "kernel": lambda m: f"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<{m.number(1, 9)}ul>)",
    "checkpoint": lambda m: f"checkpoints/global_step{m.number(1, 99999)}/mp_rank_{m.number(10, 99)}_model_states.pt",
}  # fmt: skip


def planted(seed: int = 0, most: int = 1200) -> list[tuple[str, str, str]]:
    """(kind, line, what must not remain of it)."""
    m = Made(seed)
    out = []
    for n in range(most):
        kind = list(PLANTS)[n % len(PLANTS)]
        text, secret = PLANTS[kind](m)
        out.append((kind, LINES[m.number(0, len(LINES) - 1)].replace("@@", text), secret))
    return out


def look_alikes(seed: int = 0, most: int = 1200) -> list[tuple[str, str]]:
    m = Made(seed)
    out = []
    for n in range(most):
        kind = list(LOOK_ALIKES)[n % len(LOOK_ALIKES)]
        out.append((kind, LINES[m.number(0, len(LINES) - 1)].replace("@@", LOOK_ALIKES[kind](m))))
    return out


def holds(text: str, secret: str) -> bool:
    """True where a text holds a secret, or ten characters of it in a row."""
    parts = [secret[n : n + 10] for n in range(max(1, len(secret) - 9))]
    return any(part.lower() in text.lower() for part in parts)


def test_no_planted_secret_leaks() -> None:
    given = planted()
    shown = redactor().texts([line for _, line, _ in given])
    leaked = [(kind, line, out) for (kind, line, secret), out in zip(given, shown, strict=True) if holds(out, secret)]
    assert len(given) >= 1000
    assert leaked == []


def test_without_names_secrets_go_and_names_stay() -> None:
    given = planted()
    shown = Redactor(names=False).texts([line for _, line, _ in given])
    wrong = [
        (kind, line, out)
        for (kind, line, secret), out in zip(given, shown, strict=True)
        if (out != line if kind in NAMES else holds(out, secret))
    ]
    assert wrong == []


def test_variables_are_hidden_by_their_names() -> None:
    stay = {
        "TOKENIZERS_PARALLELISM": "false", "NCCL_DEBUG": "INFO", "SSH_AUTH_SOCK": "/tmp/ssh/agent.1", "GIT_AUTHOR_NAME": "ada",
        "MAX_TOKEN_LEN": "4096", "GOOGLE_APPLICATION_CREDENTIALS": "/etc/gcp.json", "MASTER_ADDR": "node01",
    }  # fmt: skip
    go = {
        "HF_TOKEN": "abc",
        "PROXY_PASS": "1234",
        "MY_COOKIE": "a=b; c d",
        "API_KEY_OF_CI": "x y",
        "DB": "pg://u:hush@h/d",
    }
    shown = Redactor(names=False).environment(stay | go)
    assert {name: shown[name] for name in stay} == stay
    assert {name: shown[name] for name in go} == dict.fromkeys(go, "[redacted-secret]") | {
        "DB": "pg://u:[redacted-password]@h/d"
    }


def test_look_alikes_stay() -> None:
    given = look_alikes()
    shown = redactor().texts([line for _, line in given])
    touched = [(kind, line, out) for (kind, line), out in zip(given, shown, strict=True) if line != out]
    assert len(given) >= 1000
    assert len(touched) <= len(given) / 100, touched
