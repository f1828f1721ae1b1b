-- table: one row per node of a prefix tree over the main threads of the last dump of every rank,
-- the outermost call first, ranks folded. ORDER BY sort_key prints it depth first with the
-- smallest branches first: what stands apart is on top.
with
    stack as (
        select
            process,
            rank,
            pid,
            host,
            class,
            awaits,
            file_id,
            thread_line as line_no,
            failure,
            decided.f as call,
            frame_with_line(own) as own_call,
            case
                when failure is not null
                then
                    [
                        '(no stack: ' || case
                            failure
                            when 'stopped'
                            then 'stopped'
                            when 'no_answer'
                            then 'no answer'
                            else 'uninterruptible'
                        end
                        || ')'
                    ]
                else path
            end as calls
        from
            (
                from stack_rank
                union all by name
                -- Where no process is a rank, all that were dumped.
                select *
                from stack_main
                where
                    not exists (from stack_rank)
                    and role not in ('launcher', 'helper')
                    and path is not null
                qualify row_number() over (partition by process order by snapshot desc) = 1
            )
    ),
    step as (
        select
            process,
            rank,
            pid,
            host,
            class,
            awaits,
            call,
            own_call,
            file_id,
            line_no,
            calls,
            unnest(range(1, len(calls) + 1)) as depth
        from stack
    ),
    node as (select *, array_to_string(calls[1:depth], ' > ') as path from step),
    sized as (select path, count(distinct process) as processes from node group by path),
    keyed as (
        select
            n.process,
            list(printf('%08d %s', s.processes, n.calls[n.depth]) order by n.depth) as keys
        from node as n
        join sized as s using (path)
        group by n.process
    )
select
    n.depth,
    n.path,
    nullif(array_to_string(any_value(n.calls)[1:n.depth - 1], ' > '), '') as parent,
    regexp_replace(any_value(n.calls[n.depth]), ' \([^()]*\)$', '') as function,
    nullif(regexp_extract(any_value(n.calls[n.depth]), ' \(([^()]*)\)$', 1), '') as source,
    list(distinct n.rank order by n.rank) filter (n.rank is not null) as ranks,
    list(distinct n.pid order by n.pid) filter (n.pid is not null) as pids,
    list(distinct n.host order by n.host) filter (n.host is not null) as hosts,
    count(distinct n.process) as processes,
    count(*) filter (n.depth = len(n.calls)) as ends_here,
    mode(n.class) filter (n.depth = len(n.calls)) as class,
    mode(n.awaits) filter (n.depth = len(n.calls)) as waits_for,
    mode(n.call) filter (n.depth = len(n.calls)) as decided_by,
    mode(n.own_call) filter (n.depth = len(n.calls)) as own_call,
    min(n.file_id) as file_id,
    arg_min(n.line_no, n.file_id) as line_no,
    any_value(k.keys)[1:n.depth] as sort_key
from node as n
join keyed as k using (process)
group by n.depth, n.path
