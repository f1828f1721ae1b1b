-- table: --- one row per dumped process
-- -----------------------------------------------------------------------------------------
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
    main as (
        -- The main thread: by name, by its id, by a debugger's number; a thread that Python
        -- started is not it. faulthandler and pystack
        -- print it last, others first.
        select
            p.*,
            bool_or(p.number = 1) over (
                partition by p.file_id, p.stream, p.unit_head, p.nth
            ) as has_first,
            row_number() over (
                partition by p.file_id, p.stream, p.unit_head, p.nth
                order by
                    coalesce(p.name = 'MainThread', false) desc,
                    coalesce(p.name = 'pt_main_thread', false) desc,
                    coalesce(
                        p.tid = h.pid::varchar
                        or p.source_kind = 'austin'
                        and p.tid = p.nth::varchar,
                        false
                    ) desc,
                    coalesce(p.number = 1, false) desc,
                    coalesce(starts_with(p.path[1], '_bootstrap ('), false),
                    p.frames = 0,
                    case
                        when p.source_kind in ('faulthandler', 'pystack')
                        then - p.line_no
                        else p.line_no
                    end
            ) as place
        from stack_position as p
        left join
            stack_head as h
            on h.file_id = p.file_id
            and h.line_no = p.unit_head
            and h.stream = p.stream
    -- A piece of a dump without the main thread says nothing of where the process stands: a
    -- debugger numbers that one 1, and Python started the others.
    ),
    main_thread as (
        select * exclude (has_first)
        from main
        where
            place = 1
            and has_first is distinct from false
            and not (
                source_kind = 'faulthandler'
                and coalesce(starts_with(path[1], '_bootstrap ('), false)
            )
    ),
    -- Backward hooks (FSDP, DeepSpeed) run in threads that C++ made: they have no name, and the
    -- main thread shows only `backward`.
    hook as (
        select
            file_id,
            stream,
            unit_head,
            nth,
            arg_min(
                {
                    'class':class,
                    'own':own,
                    'top':top,
                    'path':path,
                    'own_path':own_path,
                    'decided':decided,
                    'awaits':awaits,
                    'status':status
                },
                line_no
            ) as h
        from main
        where
            place > 1
            and coalesce(name, '') = ''
            and top is not null
            and class not in ('helper', 'none')
        group by all
    ),
    dumped as (
        select
            m.file_id,
            m.stream,
            m.unit_head,
            m.nth,
            m.line_no as thread_line,
            m.source_kind,
            m.tid,
            m.name,
            case when m.in_backward and k.h is not null then k.h.status else m.status end as status,
            case when m.in_backward and k.h is not null then k.h.class else m.class end as class,
            case when m.in_backward and k.h is not null then k.h.awaits else m.awaits end as awaits,
            case
                when m.in_backward and k.h is not null then k.h.decided else m.decided
            end as decided,
            case when m.in_backward and k.h is not null then k.h.top else m.top end as top,
            case
                when m.in_backward and k.h is not null then coalesce(k.h.own, m.own) else m.own
            end as own,
            case
                when m.in_backward and k.h is not null
                then list_concat(m.path, k.h.path)
                else m.path
            end as path,
            case
                when m.in_backward and k.h is not null
                then list_concat(m.own_path, k.h.own_path)
                else m.own_path
            end as own_path,
            m.innermost,
            m.in_queue_get,
            m.holds_out_for_lock,
            m.worker_wants_lock,
            m.in_backward,
            m.host,
            m.rank,
            m.local_rank,
            m.task,
            m.time
        from main_thread as m
        left join
            hook as k
            on k.file_id = m.file_id
            and k.stream = m.stream
            and k.unit_head is not distinct from m.unit_head
            and k.nth = m.nth
    ),
    cut as (
        -- Where a log ends within a stack the callers are missing: it stands where the thread
        -- does whose innermost calls are the same.
        select part.path, arg_max({'path':w.path, 'own_path':w.own_path}, len(w.path)) as whole
        from (select distinct path, path[-1] as top from dumped) as part
        join (select distinct path, own_path, path[-1] as top from dumped) as w using (top)
        where len(w.path) > len(part.path) and w.path[- len(part.path):] = part.path
        group by part.path
    ),
    failure as (
        -- The numbered causes of an error look like lines of a task of srun: the pid they name
        -- tells whose they are.
        select
            f.file_id,
            f.line_no,
            coalesce(f.stream, '') as stream,
            f.pid,
            f.rank,
            f.reason,
            coalesce(o.line_no, h.line_no) as head,
            coalesce(o.stream, h.stream) as head_stream,
            coalesce(o.pid, h.pid) as head_pid,
            coalesce(o.rank, h.rank) as head_rank
        from stack_failure as f
        asof left join
            stack_head as h
            on f.file_id = h.file_id
            and coalesce(f.stream, '') = h.stream
            and f.line_no >= h.line_no
        asof left join
            (from stack_head where source_kind = 'py-spy') as o
            on f.file_id = o.file_id
            and f.pid = o.pid
            and f.line_no >= o.line_no
    ),
    python as (
        select p.file_id, p.line_no, h.line_no as head
        from stack_python as p
        asof join
            (select * from stack_head where source_kind = 'py-spy') as h
            on p.file_id = h.file_id
            and coalesce(p.stream, '') = h.stream
            and p.line_no >= h.line_no
    ),
    seen as (
        -- A head alone is no dump (many programs print `Process 3: ...`); with the Python line
        -- below it, it is.
        select h.*, r.reason, r.line_no as failure_line
        from stack_head as h
        anti join
            dumped as d on d.file_id = h.file_id and d.stream = h.stream and d.unit_head = h.line_no
        left join
            (
                select
                    file_id,
                    head_stream,
                    head,
                    arg_max(reason, line_no) as reason,
                    max(line_no) as line_no
                from failure
                group by all
            ) as r
            on r.file_id = h.file_id
            and r.head_stream = h.stream
            and r.head = h.line_no
        where
            h.source_kind in ('py-spy', 'mark')
            and (
                r.reason is not null
                or (
                    h.source_kind = 'py-spy'
                    and exists (from python as p where p.file_id = h.file_id and p.head = h.line_no)
                )
            )
    ),
    every as (
        select
            d.* replace (
                coalesce(c.whole.path, d.path) as path,
                coalesce(c.whole.own_path, d.own_path) as own_path
            ),
            coalesce(d.unit_head, d.thread_line) as line_no,
            h.pid as head_pid,
            h.cmdline,
            h.occasion,
            h.rank as head_rank,
            null::varchar as failure,
            null::bigint as failure_line
        from dumped as d
        left join cut as c on c.path = d.path
        left join
            stack_head as h
            on h.file_id = d.file_id
            and h.stream = d.stream
            and h.line_no = d.unit_head
        union all by name
        select
            file_id,
            stream,
            line_no as unit_head,
            line_no,
            source_kind,
            host,
            rank,
            local_rank,
            task,
            time,
            pid as head_pid,
            cmdline,
            rank as head_rank,
            coalesce(reason, 'no_stack') as failure,
            failure_line
        from seen
        union all by name
        -- Ranks named as silent without an answer of their own, and failures that name a pid
        -- without a head (JSON).
        select
            file_id,
            stream,
            line_no,
            'failure' as source_kind,
            rank,
            pid as head_pid,
            rank as head_rank,
            reason as failure,
            line_no as failure_line
        from failure
        where (rank is not null or pid is not null) and head is null
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
                'resource_tracker|semaphore_tracker|compile_worker|(?:^|[/ ])(?:torchrun|torchelastic|srun|mpirun|accelerate launch)(?: |$)|torch[./]distributed[./](?:run|launch)\b|deepspeed\.launcher|wandb-|tensorboard|(?:^|/)(?:bash|sh) '
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
