-- table: Processes whose threads wait for each other: at least two of them want a lock and none
-- that could release it does anything else; a single thread that wants a lock nobody is left to
-- release; or a sleeping thread that owns the GIL others need.
with
    -- A native dump may have been followed by a plain one of the same state: the last that shows
    -- locks counts.
    shown as (
        select
            t.*,
            max(snapshot) filter (wants_lock) over (partition by process) as lock_snapshot,
            max(snapshot) filter (status = 'idle+gil' and not is_main) over (
                partition by process
            ) as gil_snapshot
        from stack_thread_place as t
        where role = 'rank'
    ),
    moved as (select process, bool_or(moved) as moved from stack_rank group by process),
    locked as (
        select
            process,
            any_value(rank) as rank,
            any_value(host) as host,
            any_value(pid) as pid,
            'lock' as kind,
            list(
                {
                    'tid':tid,
                    'name':coalesce(name, tid),
                    'place':own.f || ' (' || own.p || coalesce(':' || own.n, '') || ')',
                    'function':own.f
                }
                order by is_main desc, line_no
            ) filter (wants_lock) as threads,
            list(line_at(file_id, own.line) order by is_main desc, line_no) filter (
                wants_lock
            ) as evidence
        from shown
        where snapshot = lock_snapshot and not (is_helper and not wants_lock)
        group by process
        having
            count(*) filter (wants_lock) >= 1
            and count(*) filter (
                not wants_lock and not (is_main and class in ('wait', 'lock-wait', 'exiting'))
            )
            = 0
            and (count(*) filter (wants_lock) >= 2 or (count(*) = 1 and bool_or(is_main)))
    ),
    gil as (
        select
            process,
            any_value(rank) as rank,
            any_value(host) as host,
            any_value(pid) as pid,
            'GIL' as kind,
            list(
                {
                    'tid':tid,
                    'name':coalesce(name, tid),
                    'place':coalesce(
                        own.f || ' (' || own.p || coalesce(':' || own.n, '') || ')',
                        top.f || ' (' || top.p || ')'
                    ),
                    'function':coalesce(own.f, top.f)
                }
                order by status = 'idle+gil' desc, is_main desc, line_no
            ) filter (status = 'idle+gil' or is_main) as threads,
            list(
                line_at(file_id, coalesce(own.line, top.line, line_no))
                order by status = 'idle+gil' desc, is_main desc
            ) filter (status = 'idle+gil' or is_main) as evidence
        from shown
        where snapshot = gil_snapshot and not (is_helper and status <> 'idle+gil')
        group by process
        having count(*) >= 2 and bool_or(is_main)
    )
select l.*
from
    (
        from locked
        union all
        from gil
    ) as l
left join moved as m using (process)
where
    not coalesce(m.moved, false)
    and (
        l.kind = 'lock'
        or exists (
            from stack_verdict as v
            where list_contains(v.ranks, l.rank) or list_contains(v.pids, l.pid)
        )
        or exists (from stack_main as s where s.process = l.process and s.snapshots > 1)
    )
