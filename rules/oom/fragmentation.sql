/*
title      = "Accelerator memory: enough is there, but not in one piece"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang", "network.peer_lost", "network.connect_failure", "network.ib_error", "divergence.collective_count", "divergence.stack", "crash.exception", "crash.signal", "loss.rollback"]
explains_same_place = ["gpu.cuda_error"]
about      = """
The allocator holds enough unused memory for the request, but it is cut into pieces that live tensors pin: everything that could be given back was given back before the error was raised. On TPU: free bytes suffice, reservable bytes do not.
"""
remedy     = "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, keep shapes constant or bucketed, call torch.cuda.empty_cache() at phase changes."
false_positives = "Before PyTorch 2.4 the pools of CUDA graphs are counted as unallocated; blocks that wait for side streams look the same."
references = ["https://pytorch.org/docs/stable/notes/cuda.html#memory-management"]
*/
select * exclude (class, grade), grade as confidence from oom_incident where class = 'fragmentation'
