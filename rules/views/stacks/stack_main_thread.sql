-- table: one row per dump of a process: its main thread, and where that is.
with
    -- By name, by its id, by a debugger's number; a thread that Python started is not it.
    -- faulthandler and pystack print it last, others first.
    candidate as (
        select
            p.*,
            bool_or(p.number = 1) over dump as has_first,
            p.source_kind = 'faulthandler'
            and coalesce(starts_with(p.path[1], '_bootstrap ('), false) as is_made_by_python,
            row_number() over (
                dump
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
            ) as order_in_dump
        from stack_position as p
        left join
            stack_head as h
            on h.file_id = p.file_id
            and h.line_no = p.unit_head
            and h.stream = p.stream
        window dump as (partition by p.file_id, p.stream, p.unit_head, p.nth)
    ),
    other_thread as (
        select
            *,
            {
                'class':class,
                'own':own,
                'top':top,
                'path':path,
                'own_path':own_path,
                'decided':decided,
                'awaits':awaits,
                'status':status
            } as h
        from candidate
        where order_in_dump > 1
    ),
    -- Backward hooks (FSDP, DeepSpeed) run in threads that C++ made: they have no name, and the
    -- main thread shows only `backward`.
    hook as (
        select file_id, stream, unit_head, nth, arg_min(h, line_no) as h
        from other_thread
        where coalesce(name, '') = '' and top is not null and class not in ('helper', 'none')
        group by all
    ),
    -- An actor (Ray) runs what it is told to in a thread, and its main one waits for the next task.
    at_work as (
        select file_id, stream, unit_head, nth, any_value(h) as h, any_value(line_no) as line_no
        from other_thread
        where
            class in (
                'collective-wait',
                'collective-launch',
                'p2p-wait',
                'gpu-sync',
                'store-wait',
                'init',
                'data-wait',
                'checkpoint-io'
            )
        group by all
        having count(*) = 1
    ),
    -- A piece of a dump without the main thread says nothing of where the process is: a debugger
    -- numbers that one 1, and Python started the others. But NCCL's own threads of a group that is
    -- being made are waited for.
    main_thread as (
        select
            m.* exclude (has_first, is_made_by_python),
            case when m.in_backward then k.h when m.awaits = 'the next task' then w.h end as h,
            case when m.awaits = 'the next task' then w.line_no end as line_at_work
        from candidate as m
        left join
            hook as k
            on k.file_id = m.file_id
            and k.stream = m.stream
            and k.unit_head is not distinct from m.unit_head
            and k.nth = m.nth
        left join
            at_work as w
            on w.file_id = m.file_id
            and w.stream = m.stream
            and w.unit_head is not distinct from m.unit_head
            and w.nth = m.nth
        where
            m.order_in_dump = 1
            and (m.has_first is distinct from false or m.class = 'init')
            and not m.is_made_by_python
    ),
    dumped as (
        select
            file_id,
            stream,
            unit_head,
            nth,
            coalesce(line_at_work, line_no) as thread_line,
            source_kind,
            tid,
            name,
            if(h is null, status, h.status) as status,
            if(h is null, class, h.class) as class,
            if(h is null, awaits, h.awaits) as awaits,
            if(h is null, decided, h.decided) as decided,
            if(h is null, top, h.top) as top,
            coalesce(h.own, own) as own,
            case
                when line_at_work is not null
                then h.path
                when h is not null
                then list_concat(path, h.path)
                else path
            end as path,
            case
                when line_at_work is not null
                then h.own_path
                when h is not null
                then list_concat(own_path, h.own_path)
                else own_path
            end as own_path,
            innermost,
            in_queue_get,
            holds_out_for_lock,
            worker_wants_lock,
            in_backward,
            host,
            rank,
            local_rank,
            task,
            time
        from main_thread
    ),
    -- Where a log ends within a stack the callers are missing: it is where the thread is whose
    -- innermost calls are the same.
    part as (select distinct path, path[-1] as top from dumped),
    whole as (select distinct path, own_path, path[-1] as top from dumped),
    mended as (
        select p.path, arg_max({'path':w.path, 'own_path':w.own_path}, len(w.path)) as whole
        from part as p
        join whole as w using (top)
        where len(w.path) > len(p.path) and w.path[- len(p.path):] = p.path
        group by p.path
    )
select
    d.* replace (
        coalesce(m.whole.path, d.path) as path, coalesce(m.whole.own_path, d.own_path) as own_path
    )
from dumped as d
left join mended as m on m.path = d.path
