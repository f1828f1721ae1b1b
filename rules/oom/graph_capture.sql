/*
title      = "Accelerator memory: out of memory while a CUDA graph is captured, or held by the pools of graphs"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "divergence.collective_count", "divergence.stack", "crash.exception", "crash.signal", "loss.rollback"]
explains_same_place = ["gpu.cuda_error"]
about      = """
While a CUDA graph is captured the allocator cannot give cached memory back, and memory in a graph's private pool serves that graph only. The error then says nothing of the size of the model.
"""
remedy     = "Capture fewer shapes or layers, share one pool, leave more memory free before the capture; run once without CUDA graphs to confirm."
false_positives = "Frames of a capturing function above the message belong to a graph that was only replayed."
references = ["https://pytorch.org/docs/stable/notes/cuda.html#memory-management"]
*/
select * exclude (class, grade), grade as confidence from oom_incident where class = 'graph_capture'
