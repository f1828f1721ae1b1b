-- The program finds a driver, and no GPU: none is given to it, or none is left.
create macro sees_no_gpu(message) as
    coalesce(
        regexp_matches(
            message,
            'No (?:CUDA|HIP|XPU) GPUs are available|no (?:CUDA|ROCm|HIP)-capable device is detected'
            || '|no supported devices found for platform (?:CUDA|ROCM)'
            || '|[Nn]o visible (?:GPU|CUDA|ROCM|HIP) devices|No supported gpu backend found'
            || '|accelerator can not run on your system since the accelerator is not available'
        ),
        false
    )
;

-- gloo looks its own host up (getaddrinfo) and prints the resolver's number only: EAI_NONAME,
-- EAI_AGAIN, EAI_FAIL, EAI_NODATA. A system call's error is -1.
create macro own_name_unresolved(message) as
    coalesce(
        regexp_matches(
            message, '/transport/[a-z]+/device\.cc:[0-9]+\] rv == 0\. -[2-5] vs 0(?:[^0-9]|$)'
        ),
        false
    )
;

-- Equal for reports of the same error: of each rank, and of each try, numbers differ.
create macro report_alike(event, bus_id, port, message) as
    regexp_replace(concat_ws(' ', event, bus_id, port::varchar, message), '[0-9]+', '#', 'g')
;

-- What builds code while the program runs is not installed, or not where it is looked for.
create macro lacks_build_tool(message) as
    regexp_matches(
        message,
        '(?i)\bno working (?:[a-z+]+ )?compiler found|failed to find (?:an? )?(?:[a-z+]+ )?compiler'
        || '|\bninja is required to (?:load|build)'
        || '|\b(?:compiler|nvcc|hipcc|ninja|cmake|gcc|g\+\+|clang\+?\+?|cl)''? '
        || '(?:is|was|could) not (?:be )?(?:found|installed)\b'
    )
;

-- An agent of torch's launcher waits for the others once all of its own workers have ended well;
-- those who are gone by then had ended before it, and it goes on.
create macro is_exit_barrier(frames) as
    coalesce(
        regexp_matches(frames::varchar, '/agent/server/api\.py:[0-9]+ in _exit_barrier\b'), false
    )
;

-- A page that shows a cluster's state asks for it again and again; it is no part of a job.
create macro is_of_a_dashboard(frames) as
    coalesce(
        regexp_matches(frames::varchar, '/ray/dashboard/|/tensorboard/(?:backend|data|plugins)/'),
        false
    )
;

-- The call that raised it asks an accelerator's driver for memory of the device.
create macro is_of_device_memory(frames) as
    coalesce(
        regexp_matches(
            list_last(frames)::varchar,
            '/tinygrad/runtime/(?:ops_(?:amd|cl|cuda|dsp|gpu|hip|hsa|metal|nv|qcom|webgpu)\.py'
            || '|support/(?:hcq\.py|memory\.py|am/|nv/))'
            || '|\bcupy/cuda/memory\.pyx|/numba(?:_cuda/numba)?/cuda/cudadrv/|/pyopencl/|/pycuda/'
        ),
        false
    )
;

-- What a program was started with cannot serve: a variable of the environment that is not set,
-- numbers of processes, parts and sizes that do not fit together, options that exclude each other.
create macro refuses_setting(class, message) as
    class = 'KeyError'
    and regexp_matches(
        message,
        '^''(?:(?:LOCAL_|NODE_|GROUP_)?RANK|(?:LOCAL_)?WORLD_SIZE|MASTER_(?:ADDR|PORT)'
        || '|(?:SLURM|OMPI|PMIX?|MPI|TORCHELASTIC)_[A-Z_]+)''$'
    )
    or regexp_matches(
        message,
        '(?i:\benvironment variables? [\t\n -\-/-~]{0,80}'
        || '\b(?:not set|unset|not defined|missing|required'
        || '|expected|must be set)\b)'
        || '|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b(?i: environment variables?)?'
        || '(?i: (?:is not|was not|isn.t|must be|needs to be|has to be) (?:set|defined)\b)'
        || '|\b[A-Z][A-Z0-9_]*_(?:HOME|PATH|ROOT|DIR)(?: environment variable)? does not exist\b'
        || '|(?i)\b(?:world[_ ]?size|mpi_?size|nproc(?:_per_node)?|'
        || 'num(?:ber)?[_ ](?:of[_ ])?(?:gpus?|nodes|processes|ranks|devices|layers|experts'
        || '|(?:micro_?batches|(?:attention|kv|key[_ ]value)[_ ])?heads|query[_ ]groups)'
        || '|(?:[a-z]+_)?batch[_ -]?size|(?:tensor|pipeline|context|expert|data|sequence|model)'
        || '(?:[_ -]model)?[_ -]parallel(?:ism)?(?:[_ -]?(?:world[_ ])?size)?'
        || '|hidden[_ ]size)\b[\t\n -\-/-~]{0,60}'
        || '(?:\bnot (?:evenly )?divisible|\bnot (?:a )?multiple'
        || '|\b(?:must|should|has to|have to|needs to|(?:is|are) expected to)'
        || ' (?:be|equal|divide)\b'
        || '|\b(?:does|do|is) not (?:match|equal|divide)\b|[!=]= )'
        || '|\b(?:(?:not|be) (?:evenly )?divisible by|a multiple of|(?:must|should) be equal to) '
        || '[\t\n -\-/-~]{0,40}'
        || '\b(?:world[_ ]?size|(?:tensor|pipeline|context|expert|data|sequence|model)'
        || '[a-z_ -]{0,7}[_ -]parallel|number of (?:gpus|processes|ranks|devices|nodes))'
        || '|^\(?[0-9]+\)? (?:is not|must be) (?:evenly )?divisible by \(?[0-9]+\)?\.?$'
        || '|\binvalid --[a-z0-9][a-z0-9_-]+'
        || '|^(?:\(InvalidArgument\) )?Invalid [A-Za-z]+Place\([0-9]+\), must inside \['
        || '|\bexpected [0-9]+ [a-z ]{0,20}(?:address(?:es)?|hosts?|nodes?|process(?:es)?|devices?'
        || '|gpus?|ranks?|workers?),? (?:but )?got [0-9]+'
        || '|\bonly (?:has:? )?[0-9]+ (?:[a-z]+ )?(?:gpus?|npus?|xpus?|devices?|accelerators?)'
        || '(?: (?:are|is|were|was))? (?:available|visible|found|detected|present|usable)\b'
        || '|\b(?:require[sd]?|request(?:ed|s)?|need(?:ed|s)?|asked for|specified)\b[ -~]{0,30}'
        || '(?:\b[0-9]+ (?:[a-z]+ )?(?:gpus?|npus?|xpus?|devices?|accelerators?)\b'
        || '|\b(?:gpus?|npus?|devices?):? ?(?:=|\[)? ?[0-9])[ -~]{0,30}\bbut\b[ -~]{0,40}'
        || '\b(?:only|available|found|has|have|visible|detected|got)\b'
        || '|\b(?:not enough|too few|insufficient(?: number of)?) (?:[a-z]+ )?'
        || '(?:gpus|npus|xpus|devices|accelerators)\b'
        || '|\b(?:already exists?|is not empty)\b[ -~]{0,40}'
        || '\b(?:use|pass|set|specify|add|try|with) '
        || '[`''"]?-{1,2}[a-z]'
        || '|(?:^|\s)--[a-z][a-z0-9_-]+ (?:requires|must|should|cannot|can''t|can only|needs'
        || '|is required|has to|is not (?:supported|allowed))\b|\bmutually exclusive\b'
        || '|\bcannot be (?:used|combined|specified|set|enabled) '
        || '(?:together|both|at the same time|simultaneously)\b'
    )
;

-- What was to be read is not there: a file or directory that the message names, or a data set
-- without a sample.
create macro misses_input(class, message) as
    class
    in (
        'Exception',
        'RuntimeError',
        'ValueError',
        'AssertionError',
        'OSError',
        'KeyError',
        'Check failed'
    )
    and not regexp_matches(message, '(?i)\bsocket\b')
    and regexp_matches(
        message,
        '(?i)(?:^|[ ''"(=:])(?:[a-z]:)?[^ ''"]*[/\\][^ ''":]+[''"]? '
        || '(?:does not|doesn''?t|did not) exist(?:$|[ .,!;])'
        || '|(?:file|folder|director(?:y|ies)|path)(?: at| named| in)? [''"]?[^ ''"]*[/\\.][^ ''"]*'
        || '[''"]? (?:(?:is|was|could) not (?:be )?found|not found|(?:does not|doesn''?t) exist)'
        || '|(?:^|: )(?:dataset|data|train(?:ing)? (?:data|set)) not found(?:$|[ .,!;:])'
        || '|(?:^|[ :])(?:found (?:no|0|zero)|no) (?:(?:valid|labeled|training|input|matching) )*'
        || '(?:images?|labels?|files?|samples|annotations|(?:tf)?records|audio|wavs?)'
        || '(?: files?)? (?:were |was )?(?:found|exist) (?:in|at|under|for)[ :]'
        || '|(?:^|[ :])found (?:no|0|zero) (?:(?:valid|labeled|training|input|matching) )*'
        || '(?:images?|labels?|files?|samples|annotations) (?:in|at|under)[ :]'
        || '|(?:^|[ :])no (?:runs?|experiments?|episodes?|shards?|demonstrations?|motions?)'
        || '(?: (?:are|were|was))? (?:present|found) (?:in|at|under) (?:the )?(?:dir|folder|path)'
        || '|num_samples should be a positive integer value, but got num_samples=0'
        || '|\bfile not found: [''"]?[^ ''"]*[/\\.]'
        || '|does not appear to have (?:a file|files) named'
        || '|is not a local folder and is not a valid|correct path to a directory containing'
    )
    -- TensorFlow's file systems
    or class = 'NotFoundError'
    and regexp_matches(message, '(?:^|[\s:])[^\s;]*[/\\.][^\n;]*; No such file or directory')
;

-- A module is not installed: Python's word for it, also from before ModuleNotFoundError was a
-- class, and those of libraries that ask for another.
create macro lacks_module(class, message) as
    class = 'ModuleNotFoundError'
    or class = 'ImportError'
    and regexp_matches(
        message,
        '^No module named |\b(?:was|were) not found in your environment\b'
        || '|^[0-9A-Za-z_.-]+ (?:is|was) not installed\b'
        || '|\b[Pp]lease (?:pip )?install [0-9A-Za-z_.-]'
        || '|\b(?:[Ii]nstall|[Tt]ry) (?:it )?(?:with|by|using|via)?:? ?[`''"]?'
        || '(?:pip|conda) install '
    )
;

-- A command that failed is neither a program that is launched or built nor a shell or a script that
-- runs one: those tell themselves why.
create macro ran_a_helper(message) as
    regexp_matches(message, '^Command ''')
    and not regexp_matches(
        message,
        '(?i)\b(?:python[0-9.]*|pypy3?|torchrun|accelerate|deepspeed|colossalai|horovodrun'
        || '|mpi(?:run|exec)|srun|sbatch|aprun|jsrun|docker|podman|singularity|apptainer|kubectl'
        || '|p?dsh|ssh|ninja|g?make|cmake|meson|cargo|pip[0-9.]*|conda|mamba|nvcc|hipcc|ptxas'
        || '|(?:clang|g)(?:\+\+|cc)|c\+\+)(?:[''"/ .]|$)'
        || '|[^'' ]\.(?:sh|bash|py|bat|ps1)[''" ]'
        || '|^Command ''\[?[''"]?(?:[^'' ]*/)?(?:ray|flux|sudo|env|nohup|numactl|uv|ld|cc'
        || '|(?:ba|da|z|k|c|tc)?sh)[''" ]'
    )
;

-- A file of the data set is damaged or cut, as the library says that reads it.
create macro reads_damaged_data(class, message) as
    class in ('DataLossError', 'CorruptedError', 'UnidentifiedImageError', 'BadGzipFile')
    or coalesce(
        regexp_matches(
            message,
            '\bMDB_(?:CORRUPTED|INVALID|PAGE_NOTFOUND)\b|cannot identify image file'
            || '|image file is truncated|[Bb]roken data stream when reading image file'
            || '|(?:corrupted|truncated) record at [0-9]|^Error -[35] while decompressing'
            || '|^Compressed file ended before the end-of-stream|Parquet magic bytes not found'
        ),
        false
    )
;

-- What a data loader of torch reads as an item of its data set cannot be unpacked: an archive or a
-- pickle that is cut or is none. raised_again: the exception in which the loader hands it on.
create macro is_damaged_item(class, message, frames, raised_again) as
    (
        coalesce(
            regexp_matches(
                frames::varchar,
                'torch[/\\]+utils[/\\]+data[/\\]+_utils[/\\]+(?:worker|fetch)\.py:'
            ),
            false
        )
        or coalesce(
            regexp_matches(raised_again, '^Caught [A-Za-z_.]+ in DataLoader worker process'), false
        )
    )
    and (
        class in ('EOFError', 'UnpicklingError', 'BadZipFile', 'SafetensorError')
        or coalesce(contains(message, 'PytorchStreamReader failed'), false)
    )
;

-- A data loader waited for its workers as long as it was told to.
create macro loader_gave_up(message) as
    regexp_matches(
        coalesce(message, ''), '^(?:DataLoader|Worker) timed out after [0-9]+ seconds'
    )
;

-- Memory was asked for and is not there, in whatever words: none left, not enough, or an
-- allocation of memory that failed.
create macro lacks_memory(message) as
    regexp_matches(
        message,
        '(?i)\bmemory (?:is not|isn.t|not) enough|\bmalloc (?:device |host )?memory failed'
        || '|\b(?:not enough|insufficient|too little|leaves? no'
        || '|(?:no|without) (?:more|available|free)'
        || '|lack of|ran out of|run out of|out of|exhausted)[ -]+'
        || '(?:(?:available|free|usable|device|gpu|npu|hpu|xpu|cuda|host|system|physical|virtual'
        || '|video|graphics) )*(?:memory|vram|hbm|ram)\b'
        || '|\b(?:memory|vram|hbm|workspace|heap) allocation '
        || '(?:of [\t\n -\-/-~]{0,60})?(?:failed|failure|error)'
        || '|\ballocat(?:e|ion|ing)\b[\t\n -\-/-~]{0,80}'
        || '\b(?:memory|workspace|bytes)\b[\t\n -\-/-~]{0,60}\bfailed\b'
        || '|\bAllocation failed for size|memory error in alloc'
        || '|\bCL_(?:MEM_OBJECT_ALLOCATION_FAILURE|OUT_OF_HOST_MEMORY)\b'
        || '|cannot allocate [ -~]{0,40}\b(?:memory|bytes)\b'
        || '|\b(?:cannot|can''t|could not|unable to|failed to) '
        || '(?:reserve|allocate|obtain|commit|map) [\t\n -\-/-~]{0,30}[0-9.]+ ?[KMGT]i?B\b'
        || '|status=4 message="Allocation Failure"'
    )
;

-- In Python's own words the program's code is wrong: what it calls, or asks of an object, is not
-- there, whatever that is called.
create macro is_code_mistake(class, message) as
    coalesce(
        class in (
            'NameError',
            'UnboundLocalError',
            'SyntaxError',
            'IndentationError',
            'TabError',
            'RecursionError'
        )
        or class = 'AttributeError' and regexp_matches(
            message, ' has no attribute ''|^can''t set attribute|^can''t delete attribute'
        )
        or class = 'TypeError' and regexp_matches(
            message,
            '\) (?:got an unexpected keyword argument|got multiple values for|takes '
            || '|missing [0-9]+ )'
            || '|''[A-Za-z_.]+'' object (?:is not|does not support|cannot be interpreted)'
            || '|^unsupported operand type|^can only concatenate|^bad operand type'
            || '|^[''a-z]+ indices must be integers|^Can''t instantiate abstract class'
        ),
        false
    )
;

-- An exception as the last line of a traceback has it.
create macro exception_text(class, message) as
    class || ': ' || coalesce(message, '')
;

-- What an exception means: the program's own failure, an echo of another process's end, or
-- something with a rule of its own. class_kind = what exception_class says of its class;
-- between_ranks = what its words tell of trouble between ranks.
create macro exception_kind(class, class_kind, message, chained, between_ranks) as
    case
        when chained = 'ignored'
        then 'ignored'
        when class_kind = 'echo' or starts_with(class, 'RayTaskError')
        then 'echo'
        when
            class_kind = 'interrupt'
            -- raised by the handler of a signal
            or regexp_matches(
                message,
                '^(?:[A-Za-z]+ ){0,3}?(?:(?:[Rr]eceived|[Gg]ot|[Cc]aught'
                || '|(?:[Ii]nterrupted|[Tt]erminated|[Ss]topped|[Kk]illed) by) (?:an? |the )?'
                || '(?:[Ss]ignal:? )?(?:(?:Signals\.)?SIG(?:TERM|INT|HUP)\b|[Ss]ignal:? 15\b)'
                || '|(?:Signals\.)?SIG(?:TERM|INT|HUP) (?:signal )?(?:was )?(?:received|caught)\b)'
            )
        then 'interrupt'
        -- what conda says to a script that did not initialise it
        when contains(message, 'conda init') or contains(message, '''conda activate''')
        then 'ignored'
        when
            class <> 'ChunkedEncodingError'
            and regexp_matches(
                message,
                '(?i)connection reset by (?:remote )?peer|broken pipe'
                || '|endpoint is not connected(?:[^:]|:[^''"]*$|$)'
                || '|NIXL_ERR_REMOTE_DISCONNECT|closed by peer|connection closed'
                || '|connection abort|remote process exited|communicator was aborted'
                || '|recvValue|peer (?:has )?(?:closed|died)'
                || '|another (?:process|worker) (?:has )?(?:failed|died)'
                || '|Caught [A-Za-z]+ in (?:DataLoader|pin memory)|exited unexpectedly'
                || '|^One of the subprocesses has abruptly died'
                || '|is killed by signal|Terminating process|EngineDead'
                || '|is detected by the operating system'
                || '|one or more processes exited with non-zero'
                || '|Engine core initialization failed|worker .*died'
                || '|child process .*(?:failed|died)|job got pre-empted'
                || '|heartbeat timeout\. This indicates that the remote task'
                || '|stopped sending heartbeats|^handle is closed\b'
                || '|(?:caused by|because of|due to) an? (?:exception|error|failure)'
                || ' (?:on|in|of) (?:one of the|another|other) (?:rank|process|worker)'
                -- of a process that torch spawned, before it had a class of its own for that
                || '|^process [0-9]+ terminated with (?:signal SIG|exit code )'
                -- Monarch's word for an actor that raised what is printed below it
                || '|^A remote actor call has failed'
                -- of a command that printed itself why
                || '|^Command [^\n]+? (?:failed with (?:return|exit) (?:code|status)'
                || '|exited with (?:code|status)) -?[0-9]+'
                -- XGBoost's word for a collective that failed; the lines below it tell how
                || '|collective/result\.cc:[0-9]+: '
                -- SageMaker's word for the end of a program that says more itself
                || '|(?:AlgorithmError: |^)(?:ExecuteUserScriptError:\s*ExitCode'
                || '|Exit Code: 1[2-5][0-9])'
            )
        then 'echo'
        -- a size gone wrong, not a lack of memory
        when
            contains(message, 'allocate more than 1EB memory')
            -- ROCm's word for any resource of its runtime
            or contains(message, 'HSA_STATUS_ERROR_OUT_OF_RESOURCES')
        then 'own'
        -- gRPC's word for a full message or a quota is that of a full device
        when
            class_kind = 'own'
            or regexp_matches(
                message,
                'RPC that terminated with|Received message larger than max'
                || '|(?:Sent|Serialized) message larger|Quota exceeded for|quota metric'
            )
        then 'own'
        -- TensorFlow's one word for whatever a call of the system lacks (ENOSPC, EDQUOT, EMFILE)
        when
            class_kind = 'memory'
            and regexp_matches(message, '(?i)No space left on device|Disk quota exceeded')
        then 'disk'
        when class_kind = 'memory' and regexp_matches(message, 'Too many open files')
        then 'limit'
        when
            class_kind = 'memory'
            or regexp_matches(
                class,
                '(?i)out_?of_?[a-z]*_?memory|memory_?(?:exhausted|full|limit_?exceeded)'
                || '|(?:insufficient|not_?enough)_?[a-z]*_?memory'
            )
            or lacks_memory(message)
            or regexp_matches(
                message,
                '(?i)Maximum pool size exceeded|OUT_OF_DEVICE_MEMORY'
                || '|allocating <= available failed'
                || '|^Resource exhausted: |is smaller than requested bytes of|std::bad_alloc'
                || '|CUBLAS_STATUS_ALLOC_FAILED|RESOURCE_EXHAUSTED'
                || '|failed to allocate|can''t allocate memory'
                -- the system's number for it, in the words of any language
                || '|\[Errno 12\]|\[WinError (?:8|14|1455)\]|\(?os error (?:12|1455)\)?$'
                -- PyTorch, about to say so, where NVML does not answer it
                || '|NVML_SUCCESS == .*INTERNAL ASSERT FAILED at .*CachingAllocator'
            )
        then 'memory'
        when
            regexp_matches(
                message,
                'no kernel image|kernel image is invalid|driver version is insufficient'
                || '|driver on your system is too old|undefined symbol|GLIBC|CXXABI'
                || '|cuDNN version incompat|not compiled with CUDA|shared object file'
                || '|different CUDA major|mismatches the version that was used'
                || '|unsupported toolchain|display driver / cuda driver'
                || '|\bincompatible with [A-Za-z_-]+ version\b'
                || '|named ''(?:numpy[.]_core|pandas[.]core)|''_frombuffer'' on <module ''numpy'
            )
        then 'incompatible'
        when
            class_kind = 'gpu'
            or regexp_matches(
                message,
                'CUDA error|cudaError|CUDNN_STATUS|CUBLAS_STATUS|CUSOLVER_STATUS|HIP error'
                || '|hipError|device-side assert|uncorrectable ECC|CUDA driver error'
                || '|unspecified launch failure|illegal memory access'
                || '|^The Inner error is reported as above'
            )
        then 'gpu'
        when
            refuses_setting(class, message)
            or lacks_build_tool(message)
            -- gloo's word for an interface or a host name of its settings that this host lacks
            or contains(message, 'Unable to find address for: ')
            or own_name_unresolved(message)
            -- ps-lite's, for a port or an interface of its settings
            or regexp_matches(
                message,
                '\bvan\.cc:[0-9]+: Check failed: .*'
                || '(?:bind failed|failed to get (?:ip|a port|the interface))'
            )
            -- the loader of shared objects, of one that is damaged or for another machine
            or regexp_matches(
                message,
                ': (?:file too short|invalid ELF header|wrong ELF class: |cannot read file data'
                || '|ELF file''s phentsize|ELF load command )'
            )
        then 'config'
        when
            class_kind = 'collective'
            or regexp_matches(
                message,
                '[A-Za-z]CCL|CNCL|nccl[A-Z]|[Hh]ccl[A-Z]|Nccl error'
                || '|monitoredBarrier|^connect\(\) timed out|monitored_barrier'
                || '|^the latest update of (?:worker|trainer) [0-9]+ is '
                || '|gloo|Gloo|c10d|ProcessGroup|[Ww]atchdog|socket has timed out|TCPStore'
                || '|[Rr]endezvous|store based barrier|wait timeout after'
                || '|Timed out (?:initializing|waiting)|collective operation|EADDRINUSE'
                || '|[Aa]ddress already in use|failed to connect to'
                || '|Application timeout caused pair closure'
                || '|Detected mismatch between collectives|Collective ops is aborted'
                || '|^oneCCL: |^\[(?:ring|jaccl)\]|^E(?:CONN[A-Z]+|PIPE): |tensorpipe|RPCErr:'
                || '|Barrier timed out\. (?:Barrier_id|Id): |CoordinationService/'
            )
            -- of a store that did not name what it waited for
            or class = 'RuntimeError' and message = 'Socket Timeout'
            or class in ('XlaRuntimeError', 'JaxRuntimeError')
            and starts_with(message, 'DEADLINE_EXCEEDED')
            -- TensorFlow says what happened below the graph
            or class in ('UnavailableError', 'DeadlineExceededError', 'AbortedError')
            and starts_with(message, 'Graph execution error')
            -- in any library's words
            or coalesce(
                between_ranks <> 'gave_up', false
            )
        then 'collective'
        when
            regexp_matches(
                message,
                'PytorchStreamWriter failed writing'
                || '|inline_container\.cc:[0-9]+\] \. unexpected pos|basic_ios::clear'
                || '|^ios_base::badbit set: iostream stream error'
                || '|\bfd [0-9]+ failed with|^[0-9]+ requested and [0-9]+ written$'
            )
        then 'writer'
        when
            regexp_matches(
                message,
                'No space left|[Qq]uota exceeded|StorageFull|Errno 28\]|Errno 122\]'
                || '|\[WinError (?:39|112)\]|os error (?:28|122)\)'
            )
        then 'disk'
        when
            regexp_matches(
                message,
                'Too many open files|ancdata|start new thread|Errno 24\]|Errno 11\]'
            )
        then 'limit'
        when
            class_kind = 'checkpoint'
            -- gzip's and its kin's: no framework packs its checkpoints so
            and not starts_with(message, 'Compressed file ended')
            -- what is missing from a call is no file
            or not (class in ('TypeError', 'NameError', 'AttributeError', 'UnboundLocalError'))
            and regexp_matches(
                message,
                '(?i)Error\(s\) in loading state_dict|PytorchStreamReader|invalid load key'
                || '|Ran out of input|pickle data was truncated|unpickling|central directory'
                || '|deserializ\w+ header|InvalidHeader|MetadataIncompleteBuffer'
                || '|corrupt\w* (?:checkpoint|file)'
                || '|checksum.*(?:checkpoint|ckpt|\.distcp|\.safetensors)'
                || '|(?:checkpoint|ckpt|\.distcp|\.safetensors).*checksum'
                || '|checkpoint.*(?:corrupt|incomplete|not found|does not exist|missing'
                || '|truncated)'
                || '|missing keys? in state|size mismatch (?:for|between saved)|not a zip archive'
                || '|size of optimizer''s group|loaded state dict has a different number of param'
                || '|unexpected end of file|hash mismatch|Can''t find a valid checkpoint'
                || '|unexpected EOF, expected \d|storage has wrong (?:byte )?size'
                || '|not an sstable|bad magic number in super'
                || '|weights? (?:file|from pytorch checkpoint)[^.]*(?:corrupt|damaged)'
                || '|unable to load weights from'
                || '|^Unable to (?:synchronously )?open (?:object|file) \((?:truncated file'
                || '|file signature not found|bad object header)'
                || '|^Parent directory \S+ does not exist|is not a distributed checkpoint'
                || '|inline_container\.cc:[0-9]+\][. ]+open file failed|^File \S+ cannot be opened'
                || '|not found in (?:the )?checkpoint|on the restored bytes'
                || '|(?:^|\] )(?:The )?checkpoint (?:being loaded|tag name)'
                || '|(?:read|load|open) the checkpoint file|^No step path found'
                || '|^Destination \S+ already exists'
            )
            or (
                (
                    class in ('FileNotFoundError', 'OSError')
                    or class in ('FileExistsError', 'IsADirectoryError', 'NotADirectoryError')
                    and starts_with(message, '[Errno')
                )
                and (
                    regexp_matches(
                        message, '(?i)checkpoint|ckpt|\.pth''|\.safetensors|\.distcp|global_step'
                    )
                    or contains(message, '.pt''')
                    -- samples and features are kept as tensors, too
                    and not regexp_matches(
                        message,
                        '(?i)[/''](?:[^/'']*(?:data|feature|embedding)[^/'']*'
                        || '|(?:data(?:sets?)?|processed|raw)/(?:train|val|valid|test))\.pt'''
                    )
                )
            )
        then 'checkpoint'
        when
            class_kind = 'config'
            or sees_no_gpu(message)
            or misses_input(class, message)
            or lacks_module(class, message)
        then 'config'
        when
            class_kind = 'loss'
            or regexp_matches(
                message,
                '(?i)loss scale.*(?:minimum|already at)'
                || '|\b(?:loss(?:es)?|grad(?:s|ients?)?)\b[ -\-/-~]{0,60}'
                || '\b(?:nan|inf|infinite|not finite|non-?finite)\b'
                || '|\b(?:nans?|inf|non-?finite)\b[ -\-/-~]{0,40}\b(?:loss(?:es)?|grad(?:s'
                || '|ients?)?)\b'
                || '|nan detected|NaN or Inf|returned nan values in its'
            )
        then 'loss'
        else 'own'
    end
;

-- Whose end an exception only passes on: that of an inference engine's core, of a data loader's
-- worker, or of a worker process of a pool; NULL where it does not say.
create macro echo_of(class, message) as
    case
        when
            class in ('EngineDeadError', 'AsyncEngineDeadError', 'MQEngineDeadError')
            or regexp_matches(
                message, '^Engine ?[Cc]ore (?:proc |encountered |initialization failed)'
            )
        then 'engine'
        when
            regexp_matches(
                message, '^DataLoader worker \(pid(?:\(s\))? [0-9, ]+\) exited unexpectedly'
            )
        then 'loader_worker'
        when
            class in (
                'BrokenProcessPool',
                'TerminatedWorkerError',
                'KilledWorker',
                'WorkerCrashedError',
                'RayActorError',
                'ActorDiedError',
                'WorkerLostError',
                'ProcessExpired'
            )
            or regexp_matches(message, '^One of the subprocesses has abruptly died')
        then 'worker'
    end
;

-- The first group: what builds an extension, where a command that failed is it.
create macro build_tools() as
    '^Command ''\[?[''"]?(?:[^'' ]*/)?(ninja|cmake|make|meson)\b'
;

-- The processes that such an exception names.
create macro echo_pids(message) as
    list_transform(
        regexp_extract_all(regexp_extract(message, '\(pid(?:\(s\))?:? ([0-9, ]+)\)', 1), '[0-9]+'),
        lambda p:p::bigint
    )
;

-- Whether the outermost frame is where a program, a thread or a worker process begins.
create macro exception_module_level(frames) as
    coalesce(
        regexp_matches(
            frames[1],
            ' in (?:<module>|_run_module_as_main|_run_code|_bootstrap|_bootstrap_inner|_wrap'
            || '|_worker_loop|spawn_main|_main|worker_process)$'
        ),
        false
    )
;

-- Whether the innermost frame is where an optimizer updates its parameters: its step, or a function
-- that this calls for them.
create macro is_update_of_optimizer(frames) as
    coalesce(
        regexp_matches(frames[-1], '(?i)optim[^/\\]*(?:[/\\][^/\\]+)?\.py:[0-9]+ in ')
        and not regexp_matches(
            frames[-1], ' in (?:load_|closure|__init__|__setstate__|add_param_group)'
        )
        and len(
            list_filter(
                frames,
                lambda f:regexp_matches(
                    f, '(?i)optim[^/\\]*(?:[/\\][^/\\]+)?\.py:[0-9]+ in (?:_?step|update)\b'
                )
            )
        )
        > 0,
        false
    )
;

-- Whether the innermost frame is where a program reads, merges or checks its settings.
create macro reads_settings(frames) as
    coalesce(
        regexp_matches(
            frames[-1],
            ' in _?(?:(?:merge|update)_(?:from_|a_into_b)[a-z_]*'
            || '|(?:parse|check|validate|verify)_(?:known_)?'
            || '(?:args|arguments|options|opts|config|cfg)'
            || '|(?:decode|check_and_coerce)_cfg_value[a-z_]*)$'
        ),
        false
    )
;

-- The innermost frame of a traceback that is the program's own, no library's.
create macro own_frame(frames) as
    list_filter(
        frames,
        lambda f:
        not regexp_matches(
            f,
            'site-packages|dist-packages|/lib/python|<(?:frozen|stdin|string|console)\b'
            || '|(?i)[\\/]lib[\\/](?:multiprocessing|concurrent|asyncio|runpy|threading'
            || '|subprocess|pickle|shutil|os|json|logging)\b'
            -- the script that starts a launcher
            || '|/bin/(?:torchrun|accelerate|deepspeed|horovodrun|colossalai|ray|composer):[0-9]'
            -- a library that is used out of its source tree
            || '|/[a-z_]+-v?[0-9][0-9.]*[0-9a-z.+-]*/(?:python|src|lib)/'
            -- one that Cython compiled: the function is named with its module
            || '|^[^/\\:<]+/[^:<]+\.(?:py|pyx|pxd|pxi):[0-9]+ in [a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)+$'
        )
    )[-1]
;

-- The file of a frame.
create macro frame_file(frame) as
    nullif(regexp_extract(frame, '^(.+):[0-9]+( in |$)', 1), '')
;

-- The line of a frame.
create macro frame_line(frame) as
    try_cast(regexp_extract(frame, ':([0-9]+)( in |$)', 1) as bigint)
;

-- Nothing shows that an exception reached the top of its program or that the job failed, and its
-- log goes on: something was tried, and done without.
create macro went_on_after(chain_uncaught, job_failed, lines_after) as
    not coalesce(chain_uncaught::boolean, false)
    and not coalesce(job_failed::boolean, false)
    and coalesce(lines_after::bigint > 15, false)
;

-- What a validation found wrong, field by field, in one line, likewise what does not fit of a
-- checkpoint; what failed below a graph; any other message as it is.
create macro message_in_line(message) as
    case
        when regexp_matches(message, '^[0-9]+ validation errors? for ')
        then regexp_replace(message, '[ \n]*\n[ ]*', ': ', 'g')
        when starts_with(message, 'Error(s) in loading state_dict for ')
        then regexp_replace(message, '\s*\n\s*', ' ', 'g')
        -- a sentence that goes on one blank further in: what was asked for, and what there is
        when regexp_matches(message, '^[^\n]{1,60}\n [A-Z][a-z]+ [^\n]{1,60}$')
        then regexp_replace(message, '\n ', '; ')
        else
            regexp_replace(
                message,
                '^(?:Graph execution error:\s+|[0-9]+ root error\(s\) found\.\s+)'
                || '(?:\(0\) +(?:[A-Z][A-Za-z_ ]{2,20}: +)?)?',
                ''
            )
    end
;

-- The file or folder that a line names which says what is loaded; empty where it names none.
create macro path_loaded(message) as
    rtrim(
        regexp_extract(
            message,
            '(?:^|[ ''"`(=])((?:[A-Za-z]:|[a-z0-9]+:/)?[^ ''"`,;:()<>=\[\]]*'
            || '(?:[/\\]|\.(?:pth?|ckpt|bin|safetensors|tar|pkl|npz|h5|pyth|params))'
            || '[^ ''"`,;:()<>=\[\]]*)',
            1
        ),
        '.'
    )
;
