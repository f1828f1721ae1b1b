"""The one line that captures all nodes of a job, for each way jobs are started."""

from __future__ import annotations

_WAYS = (
    ("Slurm", "srun --jobid=JOBID --overlap --ntasks-per-node=1 --gres=none logsift capture --slurm JOBID -o {run}"),
    ("pdsh", "pdsh -w HOSTS logsift capture -o {run}"),
    ("MPI", "mpirun --hostfile HOSTS --map-by ppr:1:node logsift capture -o {run}"),
    (
        "Kubernetes",
        "for pod in $(kubectl get pods -l LABEL -o name); do kubectl exec $pod -- sh -c"
        " 'logsift capture -o /tmp/run >&2; tar -C /tmp/run -cf - .' | tar -C {run} -xf - & done; wait",
    ),
    (
        "Ray",
        "python -c \"import ray, subprocess; ray.init('auto'); capture = ray.remote(num_cpus=0)(lambda:"
        " subprocess.run(['logsift', 'capture', '-o', '{run}'])); ray.get([capture.options(resources="
        "{{'node:' + n['NodeManagerAddress']: 0.001}}).remote() for n in ray.nodes() if n['Alive']])\"",
    ),
    ("ssh", "for host in HOSTS; do ssh $host logsift capture -o {run} & done; wait"),
)


def how(run: str) -> str:
    """The commands, for people; `run` is a quoted folder that all nodes share."""
    lines = [f"Capture all nodes into {run}, a folder that they share, then: logsift {run}", ""]
    for name, command in _WAYS:
        lines += [f"{name}:", f"    {command.format(run=run)}"]
    lines += ["", "Words in capitals are yours to fill in. Where nodes share no folder, copy theirs into one."]
    return "\n".join(lines) + "\n"
