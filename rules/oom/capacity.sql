/*
title      = "Accelerator memory: it does not fit"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "divergence.collective_count", "divergence.stack", "crash.exception", "crash.signal", "loss.rollback"]
explains_same_place = ["gpu.cuda_error"]
about      = """
The request is larger than what is free plus what could be given back, nobody else is on the card, and neither fragmentation nor the pools of CUDA graphs explain it. Also: a limit set for the process, a program the TPU compiler cannot place, a pool of a framework that is full.
"""
remedy     = "Lower the micro-batch or the sequence length, checkpoint activations, shard parameters and optimizer states over more GPUs."
false_positives = "A program that catches the error and retries with a smaller batch reports it too. Where the message is cut before its numbers, the grade is lower."
references = ["https://pytorch.org/docs/stable/notes/cuda.html#memory-management"]
*/
select * exclude (class, grade), grade as confidence from oom_incident where class = 'capacity'
