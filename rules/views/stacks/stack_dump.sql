-- table: one row per dumped process, and per process of which a dump was tried in vain
-- (failure). pid, rank, host, time: as the dump, its head, a mark above it or the name of
-- its file tell. nth: which of several dumps below one head. role: rank | service | driver
-- | launcher | helper | loader worker | pool worker. The other columns are those of its
-- main thread.
with
    pid_of as (
        select
            file_id,
            stream,
            unit_head,
            nth,
            max(case when number = 1 then try_cast(tid as bigint) end) as lwp
        from stack_position
        group by all
    ),
    every as (
        select
            d.*,
            coalesce(d.unit_head, d.thread_line) as line_no,
            h.pid as head_pid,
            h.cmdline,
            h.occasion,
            h.rank as head_rank,
            null::varchar as failure,
            null::bigint as failure_line
        from stack_main_thread as d
        left join
            stack_head as h
            on h.file_id = d.file_id
            and h.stream = d.stream
            and h.line_no = d.unit_head
        union all by name
        from stack_undumped
    ),
    marked as (
        select
            e.*,
            m.pid as mark_pid,
            m.rank as mark_rank,
            coalesce(m.occasion = 'watchdog', false) as watched
        from every as e
        asof left join
            (select * from stack_head where source_kind = 'mark') as m
            on m.file_id = e.file_id
            and m.stream = e.stream
            and e.line_no >= m.line_no
    ),
    timed as (
        select k.*, d.said as date_said
        from marked as k
        asof left join
            (select file_id, line_no, said from stack_mark where kind = 'date') as d
            on d.file_id = k.file_id
            and k.line_no >= d.line_no
    )
select
    row_number() over (order by t.file_id, t.line_no) as dump,
    t.file_id,
    t.line_no,
    t.thread_line,
    t.stream,
    t.unit_head,
    t.nth,
    t.source_kind,
    coalesce(f.grammar = 'py_spy_json', false) as is_json,
    f.path as file,
    coalesce(
        case when t.source_kind = 'austin' then t.nth end,
        t.head_pid,
        p.lwp,
        t.mark_pid,
        case
            when
                (t.name = 'MainThread' and t.source_kind = 'py-spy' or t.source_kind = 'pystack')
                and not starts_with(t.tid, '0x')
            then try_cast(t.tid as bigint)
        end,
        try_cast(
            nullif(
                regexp_extract(
                    f.path,
                    '(?:pid|py-?spy|dumps?/|stack|trace|native|strace)[-_.]?([0-9]{3,8})\.[a-z]+$',
                    1
                ),
                ''
            ) as bigint
        )
    ) as pid,
    t.watched,
    t.host,
    coalesce(t.mark_rank, t.head_rank, t.rank) as rank,
    t.local_rank,
    t.task,
    t.cmdline,
    t.occasion,
    t.failure,
    t.failure_line,
    coalesce(
        t.time,
        try_strptime(
            regexp_replace(t.date_said, ' [A-Z]{2,5} (20[0-9]{2})$', ' \1'), '%a %b %d %H:%M:%S %Y'
        ),
        try_strptime(
            nullif(
                regexp_extract(
                    f.path,
                    '(20[0-9]{6}[-_T]?[0-9]{6})',
                    1
                ).replace('-', '').replace('_', '').replace('T', ''),
                ''
            ),
            '%Y%m%d%H%M%S'
        )
    ) as time,
    natural_order(f.path) as file_order,
    t.tid,
    t.name as thread_name,
    t.status,
    t.class,
    t.awaits,
    t.decided,
    t.top,
    t.own,
    t.path,
    t.own_path,
    t.innermost,
    t.in_queue_get,
    t.holds_out_for_lock,
    t.worker_wants_lock,
    t.in_backward,
    case
        when t.class in ('loader-worker', 'pool-worker')
        then replace(t.class, '-', ' ')
        -- It hands work to the ranks and waits for what they answer.
        when t.class = 'answer-wait'
        then 'driver'
        when t.class in ('launcher', 'helper')
        then t.class
        when
            regexp_matches(
                t.cmdline,
                'resource_tracker|semaphore_tracker|compile_worker'
                || '|(?:^|[/ ])(?:torchrun|torchelastic|srun|mpirun|accelerate launch)(?: |$)'
                || '|torch[./]distributed[./](?:run|launch)\b|deepspeed\.launcher'
                || '|wandb-|tensorboard|(?:^|/)(?:bash|sh) '
            )
        then 'launcher'
        when t.class = 'idle-service'
        then 'service'
        else 'rank'
    end as role
from timed as t
join file as f using (file_id)
left join
    pid_of as p
    on p.file_id = t.file_id
    and p.stream = t.stream
    and p.unit_head is not distinct from t.unit_head
    and p.nth = t.nth
