-- table: one row per rank that waits for its peers too, but not where the crowd does.
-- left_loop: it waits at the end of the program or in a barrier and will not come to where the
-- others are. may_be_root: the root of a broadcast or a gather comes to it by a call of its own.
with
    -- The rank that serves the store waits for its clients; idle workers of an engine may be idle
    -- at different places.
    elsewhere as (
        select r.*, c.function as crowd_function, c.own_path as crowd_path
        from stack_rank as r
        join stack_place as c on c.is_crowd
        where
            r.peer
            and r.place <> c.place
            and not (r.class = 'store-wait' and c.class in ('store-wait', 'init'))
            and not (r.role = 'service' and c.role = 'service')
    ),
    step as (
        select
            process,
            unnest(range(1, greatest(len(own_path), len(crowd_path)) + 1)) as depth,
            own_path[depth] as call,
            crowd_path[depth] as crowd_call
        from elsewhere
    ),
    -- the outermost call in which it and the crowd differ
    fork as (
        select process, min(depth) as depth
        from step
        where call is distinct from crowd_call
        group by process
    ),
    parting as (
        select
            f.process,
            calls_without_lines([s.call]) = calls_without_lines([s.crowd_call])
            and line_of_call(s.call) > line_of_call(s.crowd_call) as is_later_line
        from fork as f
        join step as s using (process, depth)
    ),
    -- how far apart the lines of the two paths are
    distance as (
        select process, max(abs(line_of_call(call) - line_of_call(crowd_call))) as lines
        from step
        group by process
    )
select
    e.*,
    e.decided_function in (
        'barrier',
        'monitored_barrier',
        'wait_for_everyone',
        'destroy_process_group',
        'sync_global_devices'
    )
    and e.decided_function <> e.crowd_function
    and coalesce(p.is_later_line, false) as left_loop,
    -- through other functions, or the other branch of one `if`: ten lines are a long branch
    e.decided_function = e.crowd_function
    and regexp_matches(e.crowd_function, '^(?:broadcast|scatter|gather|reduce|send|recv)(?:_|$)')
    and (
        e.own_calls <> calls_without_lines(e.crowd_path) or coalesce(d.lines, 0) <= 10
    ) as may_be_root
from elsewhere as e
left join parting as p using (process)
left join distance as d using (process)
