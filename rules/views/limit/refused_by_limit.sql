-- table: one row per line that tells of a call that failed because a limit of the user or the
-- system was reached. source: log | kernel | "kernel, ahead of time" where no process waited for
-- it | nccl | verbs | strace | "nccl, no reason" where only
-- the kind of call tells. limit: open files | processes and threads | inotify watches |
-- locked memory | network card (contexts, keys and queues of it) | memory mappings | memory.
with
    -- memory for RDMA is pinned: where it is refused, the limit on locked memory is in the way
    pinning as (
        select
            -- up to NCCL 2.12 without the reason; what these calls want is pinned memory
            case when error = '' then 'nccl, no reason' else 'nccl' end as source,
            case when error <> '' then 'ENOMEM' end as errno,
            verb as syscall,
            host,
            rank,
            pid,
            time,
            file_id,
            line_no
        from nccl_verbs_failure
        where
            regexp_matches(verb, '^(ibv_(reg_mr|create_qp|create_cq)|fi_mr_reg)')
            and regexp_matches(error, 'Cannot allocate memory|\b12\b')
            or verb in ('ibv_reg_mr', 'ibv_create_cq')
            and error = ''
        union all by name
        select
            'verbs' as source,
            'ENOMEM' as errno,
            call as syscall,
            host,
            rank,
            pid,
            time,
            file_id,
            line_no
        from library_failure
        where is_pinned
    )
select source, "limit", errno, number, path, host, rank, pid, time, file_id, line_no
from limit_reached l
where
    -- it was tried again, and the job goes on
    not (
        errno = 'EAGAIN'
        and not exists (
            from fatal_exception x
            where x.file_id = l.file_id and x.line_no = l.line_no and x.certain
        )
        and (
            select count(*)
            from training_line t
            where
                t.file_id = l.file_id
                and t.line_no > l.line_no
                and t.rank is not distinct from l.rank
        )
        >= 3
    )
union all by name
select
    'log' as source,
    'memory mappings' as "limit",
    'ENOMEM' as errno,
    12 as number,
    path,
    'mmap' as syscall,
    host,
    rank,
    pid,
    time,
    file_id,
    line_no
from shm_failure
where is_mapping_refused(error, requested_bytes)
union all by name
select
    source,
    -- nothing is pinned yet where a process opens the card
    case
        when syscall in ('ibv_open_device', 'ibv_alloc_pd', 'ibv_alloc_td')
        then 'network card'
        else 'locked memory'
    end as "limit",
    errno,
    min(syscall) as syscall,
    host,
    rank,
    pid,
    min(time) as time,
    file_id,
    min(line_no) as line_no
from pinning
group by all
union all by name
select
    case when kind = 'nic_keys' then 'kernel, ahead of time' else 'kernel' end as source,
    'network card' as "limit",
    'ENOMEM' as errno,
    12 as number,
    device as path,
    nullif(message, 'async reg mr failed') as command,
    host,
    nullif(pid, 0) as pid,
    time,
    file_id,
    line_no
from kernel_event
where kind in ('nic_resources', 'nic_keys')
union all by name
select
    'strace' as source,
    case
        when errno in ('EMFILE', 'ENFILE')
        then 'open files'
        when errno = 'EAGAIN'
        then 'processes and threads'
        else 'memory'
    end as "limit",
    errno,
    case
        errno when 'EMFILE' then 24 when 'ENFILE' then 23 when 'EAGAIN' then 11 else 12
    end as number,
    path,
    syscall,
    host,
    rank,
    nullif(pid, 0) as pid,
    time,
    file_id,
    line_no
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
                    or try_cast(regexp_extract(m.args, ', ([0-9]+), PROT_READ', 1) as bigint)
                    < 67108864
                )
        )
        >= 3
    )
