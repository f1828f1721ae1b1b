-- table: One row per message of a communication library that the process gave up after, where
-- nothing tells the cause better than its class (see library_trouble). is_proven: an error followed
-- it in the same thread, the framework repeats it with its exception, or it is fatal itself; else
-- only the job failed with an error of NCCL.
with
    mpi_line as (
        select
            *,
            max(line_no) filter (fatal) over (partition by file_id order by line_no) as given_up_at,
            min(line_no) filter (fatal) over (
                partition by file_id
                order by line_no
                rows between current row and unbounded following
            ) as gives_up_at
        from library_trouble
        where library = 'mpi'
    ),
    -- the innermost of the stack that MPI prints below
    mpi_reason as (
        select
            file_id,
            given_up_at,
            arg_max(message, line_no) as message,
            arg_max("class", line_no) as "class"
        from mpi_line
        where coalesce(not fatal, true) and line_no - given_up_at < 30
        group by file_id, given_up_at
    ),
    -- what the layers below it logged before
    mpi_log as (
        select file_id, gives_up_at, arg_min(message, line_no) as message
        from mpi_line
        where coalesce(not fatal, true) and gives_up_at - line_no < 30
        group by file_id, gives_up_at
    ),
    -- a file in which one host, or one process, speaks of MPI
    mpi_process as (
        select
            file_id,
            any_value(host) as host,
            case when count(distinct pid) = 1 then any_value(pid) end as pid,
            case when count(distinct pid) = 1 then any_value(rank) end as rank
        from mpi_line
        where host is not null
        group by file_id
        having count(distinct host) = 1
    ),
    message as (
        select * exclude (bytes)
        from library_trouble t
        where
            library in (
                'nccl',
                'nvshmem',
                'ucx',
                'ucc',
                'oneccl',
                'bkcl',
                'deepep',
                'nccl_ep',
                'ccom',
                'dapl',
                'gni',
                'hccl',
                'mlx',
                'tensorflow'
            )
            and class is distinct from 'note'
            -- a status that the line names tells more than the class of its words
            and not exists (
                from library_failure f
                where
                    f.file_id = t.file_id
                    and f.line_no = t.line_no
                    and (
                        f."class" in ('transport', 'pinned', 'peer', 'incompatible', 'unreachable')
                        or f.ib_status is not null
                    )
            )
            and not (library = 'hccl' and exists (from hccl_error))
        union all by name
        select
            m.* exclude (bytes, given_up_at, gives_up_at) replace (
                coalesce(m.host, p.host) as host,
                coalesce(m.pid, p.pid) as pid,
                coalesce(m.rank, p.rank) as rank,
                coalesce(
                    r.message, case when m.source is null then l.message end, m.message
                ) as message,
                coalesce(
                    case when r.message is null then m."class" else r."class" end, 'internal'
                ) as "class"
            )
        from mpi_line m
        left join mpi_reason r using (file_id, given_up_at)
        left join mpi_log l on l.file_id = m.file_id and l.gives_up_at = m.line_no
        left join mpi_process p on p.file_id = m.file_id
        where
            m.fatal
            and not exists (
                from death d
                where
                    d.signal in (4, 6, 7, 8, 9, 11)
                    -- its own end, on the way out
                    and not coalesce(
                        d.file_id = m.file_id and d.pid = m.pid and d.line_no > m.line_no, false
                    )
                    -- srun ends what is left of the step
                    and not (
                        d.source = 'srun'
                        and d.signal = 9
                        and exists (
                            from job_event s
                            where
                                s.event in ('cancelled', 'task_failed')
                                and s.file_id = m.file_id
                                and d.file_id = m.file_id
                                and s.line_no between m.line_no and d.line_no
                        )
                    )
            )
            and not exists (
                from scheduler_action s
                where
                    not (
                        s.event = 'cancelled'
                        and s.scheduler = 'slurm'
                        and s.file_id = m.file_id
                        and s.line_no > m.line_no
                    )
            )
            and not exists (from launcher_event where event = 'peer_hung_up')
            and not exists (from library_failure)
            and not exists (from collective_mismatch_gloo)
        union all by name
        -- a handshake with somebody else: a port scanner's, unless an error follows
        select
            true as is_stranger,
            'nccl' as library,
            'start' as class,
            error as message,
            peer,
            host,
            pid,
            rank,
            device_hint,
            stream,
            time,
            file_id,
            line_no
        from nccl_socket
        where event = 'stranger'
        union all by name
        -- what libfabric refused before anything was sent
        select
            true as fatal,
            'nccl' as library,
            'usage' as class,
            'NET/OFI ' || call || ': ' || error as message,
            error,
            host,
            pid,
            rank,
            device_hint,
            stream,
            time,
            file_id,
            line_no
        from nccl_ofi_error
        where call is not null
        union all by name
        -- a segment of shared memory that is not full but gone, or not allowed: no transport is
        -- left between the two processes
        select
            not exists (
                from metric_span m where m.file_id = s.file_id and m.last_line > s.line_no
            ) as fatal,
            'nccl' as library,
            'file' as class,
            'shared memory segment'
            || coalesce(' ' || path, '')
            || ': '
            || coalesce(error, call || ' failed') as message,
            path,
            error,
            host,
            pid,
            rank,
            device_hint,
            stream,
            time,
            file_id,
            line_no
        from nccl_segment_failure s
        where not is_full
    ),
    known as (
        select
            exists (from nccl_ib_error)
            or exists (from nccl_ofi_error where call is null)
            or exists (from nccl_cuda_failure)
            or exists (from nccl_segment_failure where is_full)
            or exists (from nccl_verbs_failure)
            or exists (from nccl_usage)
            or exists (from nccl_size_mismatch)
            or exists (from nccl_socket where event not in ('connect_retry', 'stranger'))
            or exists (from ucx_completion)
            or exists (from coordination_listed where event = 'unhealthy')
            or exists (from cuda_error)
            or exists (from oom_event)
            or exists (from fatal_exception where kind <> 'collective') as is_known
    ),
    judged as (
        select
            t.*,
            exists (
                -- on its way up through the frames of its thread; 7 says that it is in progress
                from nccl_result r
                where
                    r.file_id = t.file_id
                    and r.host is not distinct from t.host
                    and r.pid is not distinct from t.pid
                    and r.stream is not distinct from t.stream
                    and r.nccl_result not in (0, 7)
                    and r.line_no between t.line_no and t.line_no + 2000
            )
            or exists (from c10d_nccl_error_detail d where d.last_error = t.message)
            or coalesce(t.fatal, false)
            -- its kernels end themselves so, and go on where they are told to
            or t.library = 'nccl_ep'
            and exists (from cuda_error c where c.file_id = t.file_id and c.line_no > t.line_no)
            or t.library in ('ucx', 'dapl', 'gni')
            and (
                exists (from library_message m where m.library = 'mpi')
                or t.message like '%Initialization failed%'
            ) as is_proven
        from message t
    )
select *
from judged j
where
    (
        not (select is_known from known)
        -- its kernels end themselves (trap) after a time-out, which CUDA calls a failed launch
        or library in ('deepep', 'nccl_ep')
        and not exists (from cuda_error c where c.file_id = j.file_id and c.line_no < j.line_no)
    )
    and (is_proven or is_stranger is null and library = 'nccl' and exists (from c10d_nccl_error))
