/*
title      = "Accelerator memory: another process holds it"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "divergence.collective_count", "divergence.stack", "crash.exception", "crash.signal", "loss.rollback"]
explains_same_place = ["gpu.cuda_error"]
about      = """
Total minus free minus what this process holds is a part of the card that belongs to somebody else: a process left from the last run, a second rank on the same card, a parent that keeps tensors.
"""
remedy     = "Find the named process (host pid) and end it, or give each rank its own card (LOCAL_RANK)."
false_positives = "Old messages and ROCm do not say what this process holds outside PyTorch: a second library in the same process (XLA, TensorFlow, RAPIDS) looks like another process."
references = ["https://pytorch.org/docs/stable/notes/cuda.html#memory-management"]
*/
select * exclude (class, grade), grade as confidence
from oom_incident
where class = 'foreign_process'
