-- What an exception means: the program's own failure, an echo of another process's end, or something with a rule of its own.

CREATE MACRO exception_kind(class, message, frames, chained) AS CASE
  WHEN chained = 'ignored' THEN 'ignored'
  WHEN class IN ('ChildFailedError', 'SignalException', 'CalledProcessError', 'ProcessRaisedException', 'ProcessExitedException', 'BrokenPipeError', 'ConnectionResetError', 'ConnectionAbortedError',
                 'BrokenProcessPool', 'GeneratorExit', 'CancelledError', 'SystemExit', 'RayActorError', 'ActorDiedError', 'WorkerCrashedError', 'TaskCancelledError', 'RendezvousClosedError', 'RendezvousConnectionError',
                 'RendezvousGracefulExitError', 'WorkersException', 'UserCodeException', 'TrainingFailedError', 'EndOfIteration') OR starts_with(class, 'RayTaskError') THEN 'echo'
  WHEN class = 'KeyboardInterrupt' THEN 'interrupt'
  WHEN regexp_matches(message, '(?i)connection reset by peer|broken pipe|closed by peer|connection closed|connection abort|remote process exited|communicator was aborted|recvValue|peer (?:has )?(?:closed|died)|another (?:process|worker) (?:has )?(?:failed|died)|Caught [A-Za-z]+ in (?:DataLoader|pin memory)|exited unexpectedly|is killed by signal|Terminating process|EngineDead|Engine core initialization failed|worker .*died|child process .*(?:failed|died)|heartbeat timeout\. This indicates that the remote task|stopped sending heartbeats') THEN 'echo'
  WHEN contains(message, 'allocate more than 1EB memory') THEN 'own'   -- a size gone wrong, not a want of memory
  WHEN regexp_matches(message, 'RPC that terminated with|Received message larger than max|(?:Sent|Serialized) message larger|Quota exceeded for|quota metric') OR class IN ('AioRpcError', '_InactiveRpcError', '_MultiThreadedRendezvous') THEN 'own'   -- gRPC's word for a full message or a quota is that of a full device
  WHEN class IN ('OutOfMemoryError', 'MemoryError', 'ResourceExhaustedError') OR regexp_matches(message, '(?i)not enough memory\. Please try to increase --mem-fraction|not enough memory to handle [0-9]+ (?:prefill|total) tokens|Maximum pool size exceeded|PT_DEVMEM Allocation failed|OUT_OF_DEVICE_MEMORY|allocating <= available failed|^Resource exhausted: |is smaller than requested bytes of|std::bad_alloc|out of memory|CUBLAS_STATUS_ALLOC_FAILED|RESOURCE_EXHAUSTED|failed to allocate|cannot allocate memory|can''t allocate memory') THEN 'memory'
  WHEN regexp_matches(message, 'no kernel image|driver version is insufficient|driver on your system is too old|undefined symbol|GLIBC|CXXABI|cuDNN version incompat|not compiled with CUDA|shared object file|different CUDA major|mismatches the version that was used|unsupported toolchain|display driver / cuda driver') THEN 'incompatible'
  WHEN class IN ('AcceleratorError') OR regexp_matches(message, 'CUDA error|cudaError|CUDNN_STATUS|CUBLAS_STATUS|CUSOLVER_STATUS|HIP error|hipError|device-side assert|uncorrectable ECC|CUDA driver error|unspecified launch failure|illegal memory access') THEN 'gpu'
  WHEN class IN ('DistBackendError', 'DistNetworkError', 'DistStoreError', 'DistError', 'RendezvousTimeoutError') OR regexp_matches(message, 'NCCL|nccl[A-Z]|monitoredBarrier|^connect\(\) timed out|monitored_barrier|gloo|Gloo|c10d|ProcessGroup|[Ww]atchdog|socket has timed out|TCPStore|[Rr]endezvous|store based barrier|wait timeout after|Timed out (?:initializing|waiting)|collective operation|EADDRINUSE|[Aa]ddress already in use|failed to connect to|Detected mismatch between collectives|Barrier timed out\. (?:Barrier_id: PjRT_Client_Connect|Id: \[Init\]Wait_for_all_tasks)') THEN 'collective'
  WHEN regexp_matches(message, 'PytorchStreamWriter failed writing|inline_container\.cc:[0-9]+\] \. unexpected pos|basic_ios::clear|\bfd [0-9]+ failed with') THEN 'writer'
  WHEN regexp_matches(message, 'No space left|[Qq]uota exceeded|StorageFull|Errno 28\]|Errno 122\]') THEN 'disk'
  WHEN regexp_matches(message, 'Too many open files|ancdata|start new thread|Errno 24\]|Errno 11\]') THEN 'limit'
  WHEN regexp_matches(message, '(?i)Error\(s\) in loading state_dict|PytorchStreamReader|invalid load key|Ran out of input|pickle data was truncated|unpickling|central directory|deserializ\w+ header|InvalidHeader|MetadataIncompleteBuffer|corrupt\w* (?:checkpoint|file)|checkpoint.*(?:corrupt|incomplete|not found|does not exist|missing|truncated)|missing keys? in state|size mismatch for|not a zip archive|unexpected end of file|hash mismatch|Can''t find a valid checkpoint')
       OR (class IN ('EOFError', 'UnpicklingError', 'SafetensorError', 'BadZipFile', 'CheckpointException')) OR (class IN ('FileNotFoundError', 'OSError') AND regexp_matches(message, '(?i)checkpoint|ckpt|\.pt''|\.pth''|\.safetensors|\.distcp|global_step')) THEN 'checkpoint'
  WHEN class IN ('ModuleNotFoundError', 'FileNotFoundError', 'PermissionError', 'IsADirectoryError', 'NotADirectoryError', 'ConfigKeyError', 'ConfigAttributeError', 'MissingConfigException', 'ConfigCompositionException', 'ArgumentError', 'UsageError', 'ParserError', 'ScannerError', 'ValidationError', 'InterpolationKeyError', 'MissingMandatoryValue', 'TOMLDecodeError', 'YAMLError', 'SyntaxError', 'IndentationError') THEN 'config'
  WHEN regexp_matches(message, '(?i)loss scale.*(?:minimum|already at)|(?:loss|grad\w*)(?: norm)? (?:is|became|was|=) ?(?:nan|inf)|nan (?:loss|detected|found|or inf)|NaN or Inf|non-finite') OR class = 'FloatingPointError' THEN 'loss'
  ELSE 'own' END;

CREATE MACRO exception_module_level(frames) AS
  coalesce(regexp_matches(frames[1], ' in (?:<module>|_run_module_as_main|_run_code|_bootstrap|_bootstrap_inner|_wrap|_worker_loop|spawn_main|_main|worker_process)$'), false);

CREATE TABLE exception_verdict AS
WITH meant AS (   -- of a chain: what began it, unless that is the miss of a look-up that the next error explains better
  SELECT e.*, exception_kind(class, message, frames, chained) AS kind, exception_module_level(frames) AS uncaught,
         last_value(class) OVER chain AS raised_class, last_value(message) OVER chain AS raised_message, last_value(line_no) OVER chain AS raised_line,
         bool_or(exception_module_level(frames)) OVER whole AS chain_uncaught, bool_or(chained = 'thread') OVER whole AS in_thread,
         count(*) OVER whole AS links
  FROM exception e WHERE coalesce(chained, '') <> 'ignored'
  WINDOW chain AS (PARTITION BY file_id, stream, chain_line ORDER BY line_no ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), whole AS (PARTITION BY file_id, stream, chain_line)
), picked AS (
  SELECT * FROM meant
  QUALIFY row_number() OVER (PARTITION BY file_id, stream, chain_line ORDER BY
    CASE WHEN links > 1 AND NOT final AND class IN ('Empty', 'KeyError', 'StopIteration', 'AttributeError', 'IndexError', 'ImportError', 'ModuleNotFoundError', 'Full', 'BlockingIOError', 'TimeoutError') THEN 1
         WHEN kind = 'echo' THEN 2 ELSE 0 END, line_no) = 1
), after AS (   -- did training go on in the same file?
  SELECT p.file_id, p.line_no, count(DISTINCT m.step) AS steps_after
  FROM picked p JOIN metric m ON m.file_id = p.file_id AND m.line_no > p.raised_line AND (m.rank IS NULL OR p.rank IS NULL OR m.rank = p.rank) GROUP BY ALL
), ended AS (
  SELECT count(*) FILTER (exitcode > 0 AND exitcode < 128 OR exitcode IS NULL AND signal IS NULL AND signal_name IS NULL) AS failures FROM "exit"
)
SELECT p.*, coalesce(a.steps_after, 0) AS steps_after, f.lines - p.raised_line AS lines_after, ended.failures > 0 OR EXISTS (FROM exception x WHERE x.class IN ('ChildFailedError', 'CalledProcessError')) AS job_failed,
       f.path
FROM picked p JOIN file f USING (file_id) CROSS JOIN ended LEFT JOIN after a ON a.file_id = p.file_id AND a.line_no = p.line_no;

COMMENT ON TABLE exception_verdict IS 'one row per chain of exceptions: the one that began it; kind = own | config | checkpoint | incompatible | writer | disk | limit | memory | gpu | collective | loss | echo | interrupt; uncaught = it reached the top of the program; steps_after = training steps logged after it';

-- Those a run can have died of.
CREATE VIEW fatal_exception AS
SELECT *, chain_uncaught OR job_failed AS certain FROM exception_verdict
WHERE kind NOT IN ('echo', 'interrupt', 'ignored') AND (steps_after < 2 OR (job_failed AND chain_uncaught AND EXISTS (FROM launcher_event WHERE event = 'restart')))
  AND (job_failed AND (chain_uncaught OR lines_after <= 400) OR chain_uncaught AND lines_after <= 600 OR lines_after <= 60) AND NOT (in_thread AND NOT job_failed AND lines_after > 60);
