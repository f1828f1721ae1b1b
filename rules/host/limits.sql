/*
title      = "A limit of the system or of the user is reached"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["crash", "hang", "network.peer_lost", "loss.rollback"]
about      = """
Too many open files, no more threads or processes, no more address space: a call failed because a limit (ulimit, cgroup pids.max, fs.file-max) was reached, not because the machine is out of memory.
"""
remedy     = "Raise the limit where the job is started (ulimit -n / -u, LimitNOFILE of the service, --ulimit of the container, pids.max), or use fewer workers and threads; for DataLoader workers: torch.multiprocessing.set_sharing_strategy('file_system')."
false_positives = "A program that tries a larger number of threads first and goes on with fewer prints the same."
references = ["https://man7.org/linux/man-pages/man2/getrlimit.2.html"]
*/
with
    told as (
        select
            source,
            "limit",
            errno,
            number,
            path,
            null as syscall,
            host,
            rank,
            pid,
            time,
            file_id,
            line_no,
            1 as weight
        from limit_reached
        union all
        -- memory for RDMA is pinned: refused, it is the limit on locked memory that stands in the
        -- way
        select
            'nccl',
            'locked memory',
            'ENOMEM',
            null,
            null,
            min(verb),
            host,
            rank,
            pid,
            min(time),
            file_id,
            min(line_no),
            1
        from nccl_verbs_failure
        where
            regexp_matches(verb, '^ibv_(reg_mr|create_qp|create_cq)')
            and regexp_matches(error, 'Cannot allocate memory|\b12\b')
        group by host, rank, pid, file_id
        union all  -- up to NCCL 2.12 without the reason; what these calls want is pinned memory
        select
            'nccl, no reason',
            'locked memory',
            null,
            null,
            null,
            min(verb),
            host,
            rank,
            pid,
            min(time),
            file_id,
            min(line_no),
            1
        from nccl_verbs_failure
        where regexp_matches(verb, '^ibv_(reg_mr|create_cq)$') and error = ''
        group by host, rank, pid, file_id
        union all
        select
            'strace',
            case
                when errno in ('EMFILE', 'ENFILE')
                then 'open files'
                when errno = 'EAGAIN'
                then 'processes and threads'
                else 'memory'
            end,
            errno,
            case
                errno when 'EMFILE' then 24 when 'ENFILE' then 23 when 'EAGAIN' then 11 else 12
            end,
            path,
            syscall,
            host,
            rank,
            nullif(pid, 0),
            time,
            file_id,
            line_no,
            1
        from strace_known k
        where
            injected is null
            and (
                errno in ('EMFILE', 'ENFILE')
                or errno in ('EAGAIN', 'ENOMEM')
                and syscall in ('clone', 'clone3', 'fork', 'vfork')
                -- reserving address space in ever smaller pieces is usual; small pieces refused
                -- again and again are not
                or errno = 'ENOMEM'
                and syscall in ('mmap', 'brk')
                and (
                    select count(*)
                    from strace_known m
                    where
                        m.trace = k.trace
                        and m.tid = k.tid
                        and m.errno = 'ENOMEM'
                        and m.syscall in ('mmap', 'brk')
                        and (
                            m.syscall = 'brk'
                            or try_cast(
                                regexp_extract(m.args, ', ([0-9]+), PROT_READ', 1) as bigint
                            )
                            < 67108864
                        )
                )
                >= 3
            )
    ),
    limits as (  -- what the limit stood at, where the trace or the log tells
        select
            max_by(
                try_cast(regexp_extract(args, 'rlim_cur=([0-9]+)(\*1024)?', 1) as bigint)
                * case when contains(args, '*1024,') then 1024 else 1 end,
                line_no
            ) as nofile
        from strace_notable
        where
            syscall in ('prlimit64', 'getrlimit', 'ugetrlimit', 'setrlimit')
            and contains(args, 'RLIMIT_NOFILE')
    ),
    grouped as (
        select
            "limit",
            mode(errno) as errno,
            max(number) as number,
            min_by(path, line_no) filter (path is not null) as path,
            mode(syscall) filter (syscall is not null) as syscall,
            bool_or(source = 'strace') as traced,
            bool_or(source like 'nccl%') as refused,
            bool_and(source = 'nccl, no reason') as unsaid,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(distinct pid order by pid) filter (pid is not null) as pids,
            min(time) as started,
            count(*) as times,
            list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence
        from told
        group by "limit"
    )
select
    case
        "limit"
        when 'open files'
        then 'Too many open files'
        when 'processes and threads'
        then 'No more threads or processes could be started'
        when 'inotify watches'
        then 'No more inotify watches'
        when 'locked memory'
        then
            case
                when unsaid
                then 'Memory for RDMA could not be had, probably for the limit on locked memory'
                when refused
                then 'No more memory could be locked'
                else 'The limit on locked memory is low'
            end
        else 'No more memory was given'
    end || coalesce(
        ' (rank ' || ranges(ranks) || ')', ' (pid ' || array_to_string(pids, ', ') || ')', ''
    )
    || coalesce(
        ': ' || syscall || ' failed' || coalesce(' with ' || errno, ''), coalesce(': ' || errno, '')
    )
    || coalesce(' on ' || path, '')
    || coalesce(case when "limit" = 'open files' then ', the limit is ' || nofile end, '')
    || case when times > 1 then ', ' || times || ' times' else '' end as summary,
    evidence,
    started as at,
    ranks,
    hosts,
    "limit",
    errno,
    path,
    syscall,
    pids,
    case when len(pids) = 1 then pids[1] end as pid,
    case
        when "limit" = 'open files' then nofile when "limit" = 'locked memory' then number
    end as limit_value,
    case
        "limit"
        when 'open files'
        then 'RLIMIT_NOFILE'
        when 'processes and threads'
        then 'RLIMIT_NPROC'
        when 'locked memory'
        then 'RLIMIT_MEMLOCK'
        when 'memory'
        then 'RLIMIT_AS'
    end as rlimit,
    times,
    case
        when "limit" = 'locked memory'
        then
            'Raise the limit on locked memory where the job is started: ulimit -l unlimited, LimitMEMLOCK=infinity of slurmd or the container service, --ulimit memlock=-1 of docker.'
    end as action,
    case when "limit" = 'locked memory' and not refused then 'warning' end as severity,
    case
        when unsaid
        then 'possible'
        when refused
        then 'probable'
        when "limit" = 'memory'
        then 'possible'
        when not traced and "limit" = 'processes and threads'
        then 'probable'
    end as confidence
from grouped
left join limits on true
union all by name
-- no failure: programs that walk through every possible descriptor, or keep a table of them, take
-- long and much memory
select
    'The limit on open files is '
    || max(n.nofile)
    || ': programs that look at every possible descriptor become slow' as summary,
    'info' as severity,
    'Set a usual limit: ulimit -n 65536, LimitNOFILE of containerd or docker.' as action,
    [line_at(min_by(n.file_id, n.line_no), min(n.line_no))] as evidence,
    'open files' as "limit",
    'RLIMIT_NOFILE' as rlimit,
    max(n.nofile) as limit_value,
    max(n.nofile) as rlimit_nofile,
    list(distinct n.pid) filter (n.pid is not null) as pids
from
    (
        select
            file_id,
            line_no,
            nullif(tid, 0) as pid,
            try_cast(regexp_extract(args, 'rlim_cur=([0-9]+)', 1) as bigint)
            * case when contains(args, '*1024,') then 1024 else 1 end as nofile
        from strace_notable
        where
            syscall in ('prlimit64', 'getrlimit', 'ugetrlimit') and contains(args, 'RLIMIT_NOFILE')
    ) n
where n.nofile > 16777216
group by all
having count(*) > 0
