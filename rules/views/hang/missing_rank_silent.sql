-- table: One row: all ranks but one or a few gave up in one operation of the default group, and
-- these say nothing of it. More than an eighth of the job may be silent where each of them has a
-- log of its own, or where they are all of a host's ranks.
with
    loud as (
        from watchdog_loud
        where rank is not null
        union
        select rank
        from c10d_timeout_line
        union
        select rank
        from c10d_barrier
        union
        select rank
        from c10d_fingerprint
        union
        -- who aborts the communicator of all ranks gave up as well, or raised
        select comm_rank
        from nccl_comm
        where event like 'Abort%' and nranks = (select max(nranks) from nccl_comm)
    ),
    waiting as (
        select *
        from c10d_timeout_once
        where
            source in ('watchdog', 'gloo')
            and rank is not null
            and coalesce(grp_desc, 'default_pg') = 'default_pg'
            and coalesce(grp, '0') in ('0', 'default_pg')
    ),
    -- Who was ended by its launcher had time to speak if others that were ended did, or if it was
    -- the only one left to be ended: gloo's ranks go by themselves as soon as they give up.
    ended_too_early as (
        select rank
        from ended_by_launcher e
        where
            -- who was told to end, and did not until it was killed, had all that time
            e.rank not in (select rank from ended_by_launcher where event = 'forced')
            and (select count(distinct rank) from waiting semi join ended_by_launcher using (rank))
            < 2
            and not (
                (select count(distinct rank) from ended_by_launcher) = 1
                and (select bool_and(source = 'gloo') from waiting)
            )
    ),
    silent as (
        select k.rank, any_value(f.file_id) as file_id, max(f.lines) as line_no
        from rank_heard k
        left join file f on f.rank = k.rank and f.lines > 0 and f.reader = 'lines'
        where
            exists (from waiting)
            and k.rank not in (select rank from loud where rank is not null)
            and k.rank not in (select rank from ended_too_early where rank is not null)
            and not exists (
                from exception e
                where
                    e.rank = k.rank
                    -- that the others have gone is the end of any other wait, and of this one
                    and (
                        not exists (
                            from gloo_error g where g.file_id = e.file_id and g.line_no = e.line_no
                        )
                        or exists (
                            from exception x
                            semi join
                                c10d_timeout_once t
                                on t.file_id = x.file_id
                                and t.line_no = x.line_no
                            where x.frames = e.frames
                        )
                    )
            )
            and not exists (
                from exit e
                where
                    e.rank = k.rank
                    and (e.exitcode > 0 or e.exitcode in (-6, -9, -11, -7))
                    -- not what its launcher did in the end to one that does not end
                    and not (
                        e.exitcode = -9
                        and exists (
                            from launcher_event l where l.event = 'forced' and l.target_pid = e.pid
                        )
                    )
            )
        group by k.rank
    ),
    allowance as (
        select
            case
                when
                    bool_and(s.file_id is not null)
                    or bool_and(
                        coalesce(
                            len(h.ranks) > 0
                            and list_has_all((select list(rank) from silent), h.ranks),
                            false
                        )
                    )
                    and not exists (from ended_from_outside)
                    and not exists (from fatal_exception where kind <> 'collective')
                then 4
                else 8
            end as part
        from silent s
        left join rank r using (rank)
        left join host h using (host)
    ),
    ended as (
        select e.rank, min(line_at(e.file_id, e.line_no)) as line
        from exit e
        semi join silent using (rank)
        group by e.rank
    )
select
    'silent_log' as source,
    'silent' as finding,
    list_sort(list(distinct s.rank)) as ranks,
    []::varchar[] as hosts,
    []::bigint[] as pids,
    (
        select
            coalesce(
                any_value(grp_desc), case when any_value(source) <> 'gloo' then 'default_pg' end
            )
        from waiting
    ) as grp,
    (select min(collective_seq) from waiting) as seq,
    (select arg_min(op, collective_seq) from waiting) as op,
    null::varchar as side,
    'outside' as place,
    'possible' as grade,
    (select min(time - to_milliseconds(coalesce(ran_ms, timeout_ms, 0))) from waiting) as "at",
    (select list_sort(list(distinct rank)) from waiting) as waiting_ranks,
    coalesce(list(line_at(s.file_id, s.line_no)) filter (s.file_id is not null), [])[:5]
    || coalesce((select list(line) from ended), [])[:3]
    || (select list(line_at(file_id, line_no))[:3] from waiting) as evidence
from silent s
having
    count(*) > 0
    and (count(distinct s.rank) = 1 or bool_and(s.rank not in (select rank from ended_by_launcher)))
    and (select count(distinct rank) from waiting) >= greatest(
        -- of two, one waits for the other
        least(2, (select count(*) from rank_heard) - 1),
        (select count(*) from rank_heard)
        - greatest(1, divide((select count(*) from rank_heard), (select part from allowance)))
    )
    and (select count(distinct collective_seq) from waiting) <= 1
