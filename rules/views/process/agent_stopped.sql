-- table: One row per launcher that was told to stop with SIGTERM or SIGINT (signal), or host whose
-- programs SIGINT ended where no launcher speaks, or whose first process to end SIGTERM ended
-- (of_process), or node of a cluster that was told so (of_node), where nothing in these logs had
-- failed, hung or been ended by a scheduler that says
-- so: somebody or something outside did it. SIGINT is typed, also to end what hangs: then steps
-- must have gone on until it.
with
    told as (
        select
            coalesce(host, '') as host,
            pid,
            time,
            file_id,
            line_no,
            case
                when signal_name in ('15', 'SIGTERM') or signal = 15
                then 15
                when signal_name in ('2', 'SIGINT') or signal = 2
                then 2
            end as sent,
            rank,
            false as of_process,
            false as of_node
        from launcher_event
        where event = 'told_to_stop'
        union all
        select coalesce(v.host, ''), null, v.time, v.file_id, v.line_no, 2, v.rank, false, false
        from exception_verdict v
        where
            v.class = 'KeyboardInterrupt'
            and v.kind = 'interrupt'
            and v.chain_uncaught
            and v.lines_after < 5
            -- where no time tells, it may have been typed to end what hung
            and (
                v.time is not null
                or not regexp_matches(
                    v.frames[-1],
                    '(?i) in _*(?:wait|barrier|all_?reduce|all_?gather|broadcast|recv|synchronize'
                    || '|acquire|poll|select|try_get_data|join|get)[a-z_]*$'
                )
            )
            and not exists (from launcher_event where event = 'told_to_stop')
            and not exists (from training_mark where kind = 'end')
        union all
        -- A launcher ends its own with SIGTERM once it has seen one fail: the first to end so was
        -- sent it by somebody else.
        select coalesce(host, ''), pid, time, file_id, line_no, 15, rank, true, false
        from death
        where
            signal = 15
            and first_observed
            and not exists (from launcher_event where event = 'told_to_stop')
            and not exists (from training_mark where kind = 'end')
        union all
        -- a cluster is taken down when its work is done, too
        select coalesce(host, ''), pid, time, file_id, line_no, 15, rank, false, true
        from launcher_event
        where
            event = 'node_told_to_stop'
            and not exists (from launcher_event where event = 'told_to_stop')
            and not exists (from training_mark where kind = 'end')
            and not exists (from done_line d where d.file_id <> launcher_event.file_id)
            and not exists (from training_line where step >= planned)
    ),
    stopped as (
        select
            sent as signal,
            nullif(host, '') as host,
            case when count(distinct pid) = 1 then any_value(pid) end as pid,
            case when bool_and(of_process) then true end as of_process,
            case when bool_and(of_node) then true end as of_node,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            min(time) as started,
            max(time) as until,
            list(line_at(file_id, line_no) order by file_id, line_no)[:20] as evidence
        from told
        where sent is not null
        group by host, sent
    )
from stopped
where
    (
        signal = 15
        or exists (
            from metric as m
            where
                m.step is not null
                and coalesce(
                    started - m.time between interval 0 second and interval 5 minute,
                    -- without times, only the same output tells of what came before
                    exists (
                        select 1
                        from (select unnest(evidence).file_id as file_id) as l
                        left join other_half h using (file_id)
                        where m.file_id in (l.file_id, h.half_id)
                    )
                )
        )
    )
    and not exists (from scheduler_action)
    and not exists (from fatal_exception)
    and not exists (from missing_rank_suspect)
    and not exists (from c10d_timeout_line)
    -- JAX's service had given a task up before
    and not exists (
        from coordination_task c
        where c.event in ('heartbeat', 'unhealthy') and c.time < started - interval 5 second
    )
    and not exists (from c10d_heartbeat)
    and not exists (from death where signal not in (2, 15))
    and not exists (from oom_event)
    and not exists (
        from stack_overview where finding in ('same_wait', 'other_waits') and stands_still
    )
    and not exists (
        from "exit"
        where coalesce(exitcode, 0) not in (0, 15, -15, 143, -2, 130) and source <> 'subprocess'
    )
