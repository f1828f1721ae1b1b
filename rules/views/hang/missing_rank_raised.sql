-- table: One row: a minority of the ranks whose operation timed out stood, by its tracebacks, at
-- another place of the program than the majority, which agrees: a barrier at the end of the data
-- while the others reduce gradients. Who lost its peers as they gave up waited where they did.
-- Sends and receives between stages stand apart by themselves.
with
    timed_out as (
        select v.rank, v.host, v.time, v.file_id, v.line_no, v.frames
        from exception_verdict v
        join c10d_timeout_once t on t.file_id = v.file_id and t.line_no = v.line_no
        where
            v.kind = 'collective' and v.chain_uncaught and v.rank is not null and len(v.frames) > 1
    ),
    lost_peers as (
        select v.rank, v.host, v.time, v.file_id, v.line_no, v.frames
        from exception_verdict v
        semi join gloo_error g on g.file_id = v.file_id and g.line_no = v.line_no
        where v.chain_uncaught and v.rank is not null and v.frames in (select frames from timed_out)
    ),
    gave_up as (
        select *
        from
            (
                from timed_out
                union all
                from lost_peers
            )
        qualify row_number() over (partition by rank order by file_id, line_no) = 1
    ),
    -- the deepest line that is not of an installed library, and what it called
    placed as (
        select
            *,
            list_last(
                list_filter(frames, lambda f: not regexp_matches(f, '/(?:site|dist)-packages/'))
            ) as own,
            regexp_extract(list_last(frames), ' in (.+)$', 1) as called
        from gave_up
    ),
    stood as (
        select
            own,
            any_value(called) as called,
            count(*) as ranks,
            list(rank order by rank) as rank_list,
            list(distinct host) filter (host is not null) as hosts,
            list(line_at(file_id, line_no) order by rank) as lines,
            min(time) as time
        from placed
        group by own
    )
select
    'traceback' as source,
    case
        when regexp_matches(a.called, '(?i)barrier|destroy|finalize|shutdown')
        then 'left_loop'
        else 'elsewhere'
    end as finding,
    a.rank_list as ranks,
    a.hosts,
    []::bigint[] as pids,
    'host' as side,
    'outside' as place,
    case when b.ranks > 2 * a.ranks then 'probable' else 'possible' end as grade,
    a.time as "at",
    a.called || ' (' || parse_filename(split_part(a.own, ' in ', 1)) || ')' as frame,
    b.ranks::bigint as waiting,
    b.rank_list as waiting_ranks,
    b.called || ' (' || parse_filename(split_part(b.own, ' in ', 1)) || ')' as waiting_function,
    a.lines[:3] || b.lines[:3] as evidence
from stood a
join stood b on b.ranks > a.ranks
where
    (select count(*) from stood) = 2
    and a.own is not null
    and b.own is not null
    and not regexp_matches(
        a.called || ' ' || b.called,
        '(?i)(?:^|_|\b)(?:send|recv|isend|irecv|p2p)|(?:forward|backward)_step'
    )
