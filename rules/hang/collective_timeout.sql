/*
title      = "A watchdog gave a collective up"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["network.peer_lost", "divergence.stack", "loss.rollback"]
explains_same_place = ["crash"]
about      = """
Ranks waited in a collective until its time was over, or the heartbeat monitor found the watchdog thread itself stuck. The ranks named here are those that WAITED. Where no other incident explains it, all of them waited alike: then nobody is late, and the path between them (network, NVLink, a GPU) or a deadlock inside the library is the suspect.
"""
remedy     = "Look for the rank that is not among those that waited. Where all wait alike, test the fabric of these hosts (all_reduce_perf, ib_write_bw, dcgmi diag) and read their kernel logs at the time the collective began."
false_positives = "A step that is honestly longer than the timeout (a first compilation, saving a checkpoint, an uneven last batch) ends the same way: the timeout is then too short."
references = ["https://pytorch.org/docs/stable/torch_nccl_environment_variables.html"]
*/
with
    named as (
        select
            *, case when grp_desc <> '' then grp_desc when grp is not null then grp end as own_group
        from c10d_timeout_once
    ),
    -- The group stands in another line, which not every rank wrote: the same operation of the
    -- same number is that of the ranks that name it.
    said as (
        select
            rank,
            host,
            coalesce(
                own_group,
                case
                    when min(own_group) over same = max(own_group) over same
                    then min(own_group) over same
                end
            ) as grp,
            collective_seq as seq,
            op,
            timeout_ms,
            ran_ms,
            numel_in,
            numel_out,
            last_enqueued,
            last_completed,
            time,
            time - to_milliseconds(coalesce(ran_ms, timeout_ms)) as started,
            file_id,
            line_no,
            source
        from named
        window same as (partition by collective_seq, op, numel_in, numel_out, timeout_ms)
    ),
    -- The one that began first; the rest of the hang follows from it.
    first_group as (
        select grp, min(started) as started, count(distinct rank) as ranks, min(seq) as seq
        from said
        group by grp
        order by started nulls last, ranks desc, seq
        limit 1
    ),
    mine as (select s.* from said s join first_group f on f.grp is not distinct from s.grp),
    -- Where the text was cut, a rank may be there with the status of its group only.
    only_status as (
        select distinct c.rank
        from c10d_status_line c
        join first_group f on f.grp in (c.grp, c.grp_desc) and c.failed_seq = f.seq
        where
            c.source = 'watchdog'
            and c.rank is not null
            and c.rank not in (select rank from said where rank is not null)
    ),
    of_rank as (select rank, min(seq) as seq from mine where rank is not null group by rank),
    elsewhere as (
        select string_agg('rank ' || ranks || ' in number ' || seq, ', ' order by seq) as said
        from
            (
                select seq, ranges(list_sort(list(rank))) as ranks
                from of_rank
                where seq > (select min(seq) from of_rank)
                group by seq
                order by seq
                limit 3
            )
    ),
    sums as (
        select
            list_sort(
                list_distinct(
                    coalesce(list(rank) filter (rank is not null), [])
                    || coalesce((select list(rank) from only_status), [])
                )
            ) as ranks,
            list_distinct(list(host) filter (host is not null)) as hosts,
            any_value(grp) as grp,
            min(seq) as seq,
            max(seq) as max_seq,
            list_sort(list(distinct op)) as ops,
            arg_min(op, coalesce(seq, 0)) as op,
            max(timeout_ms) as timeout_ms,
            max(ran_ms) as ran_ms,
            any_value(numel_in) as numel_in,
            any_value(numel_out) as numel_out,
            min(last_completed) filter (last_completed < 1000000000000) as last_completed,
            max(last_enqueued) filter (last_enqueued < 1000000000000) as last_enqueued,
            min(started) as started,
            max(time) as until,
            list(line_at(file_id, line_no) order by time, rank) as evidence,
            count(*) as times,
            any_value(source) as source
        from mine
        having count(*) > 0
    ),
    beat as (
        select
            list_sort(
                list(distinct coalesce(rank, group_rank)) filter (
                    coalesce(rank, group_rank) is not null
                )
            ) as ranks,
            max(stuck_seconds) as stuck_seconds,
            list_distinct(list(host) filter (host is not null)) as hosts,
            min(time) as time,
            list_distinct(list(line_at(file_id, line_no))) as evidence,
            max(queued) as queued,
            case
                when count(distinct coalesce(grp_desc, grp)) = 1
                then any_value(coalesce(nullif(grp_desc, ''), grp))
            end as grp
        from c10d_heartbeat_line
        having count(*) > 0
    ),
    late as (select distinct unnest(ranks) as rank from missing_rank_suspect),
    groups as (select count(distinct coalesce(grp, '?')) as n from said)
select
    case
        when len(s.ranks) = 1
        then 'Rank ' || s.ranks[1]
        when len(s.ranks) > 1
        then 'Ranks ' || ranges(s.ranks)
        else 'A process'
    end
    || ' waited '
    || coalesce((divide(s.timeout_ms, 1000)) || ' s', 'too long')
    || ' in '
    || case
        when len(s.ops) > 1 then array_to_string(s.ops, ' and ') else coalesce(s.op, 'an operation')
    end
    || coalesce(' number ' || s.seq, '')
    || coalesce(' of group ' || s.grp, '')
    || coalesce(' (' || e.said || ')', '')
    || ' and gave up'
    || case
        when
            len(s.ranks) > 1
            and s.seq is not distinct from s.max_seq
            and len(s.ops) = 1
            and not exists (from late)
        then ': all of them stand in the same operation, none is behind'
        else ''
    end
    || case when g.n > 1 then ' (' || (g.n - 1) || ' more group(s) timed out after it)' else '' end
    || '.' as summary,
    s.evidence || coalesce(b.evidence[:3], []) as evidence,
    s.started as "at",
    s.until,
    s.ranks,
    s.hosts,
    s.grp as "group",
    s.seq,
    s.op,
    s.timeout_ms,
    s.ran_ms,
    s.numel_in,
    s.numel_out,
    s.last_completed,
    s.last_enqueued,
    strftime(s.started, '%Y-%m-%d %H:%M:%S') as started,
    b.stuck_seconds,
    b.ranks as stuck_ranks,
    null::varchar as host
from sums s
cross join groups g
cross join elsewhere e
left join beat b on true
union all by name
select
    case
        when len(b.ranks) = 1
        then 'The watchdog thread of rank ' || b.ranks[1] || ' was'
        when len(b.ranks) > 1
        then 'The watchdog threads of ranks ' || ranges(b.ranks) || ' were'
        else 'The watchdog thread of a process was'
    end
    || ' stuck for '
    || coalesce(b.stuck_seconds::bigint || ' s', 'its whole time')
    || ' (heartbeat monitor): a CUDA or NCCL call that does not return, or the GIL, blocks it.'
    as summary,
    b.evidence,
    coalesce(b.time - to_seconds(coalesce(b.stuck_seconds, 0)), b.time) as "at",
    b.time as until,
    b.ranks,
    list_distinct(
        b.hosts || coalesce(
            (
                select list(e.host)
                from exit e
                where list_contains(b.ranks, e.rank) and e.host is not null
            ),
            []
        )
    ) as hosts,
    b.grp as "group",
    b.stuck_seconds,
    b.ranks as stuck_ranks,
    strftime(b.time - to_seconds(coalesce(b.stuck_seconds, 0)), '%Y-%m-%d %H:%M:%S') as started,
    b.queued as queued,
    (select any_value(e.host) from exit e where list_contains(b.ranks, e.rank)) as host
from beat b
where not exists (from said)
union all by name
-- The watchdog's own line is cut away; its status, or the call for a dump, tells of it all the
-- same.
select
    case
        when count(distinct coalesce(rank, group_rank)) = 1
        then 'The watchdog of rank ' || any_value(coalesce(rank, group_rank)) || ' tells'
        else
            'The watchdogs of ranks '
            || ranges(list(distinct coalesce(rank, group_rank)))
            || ' tell'
    end || case
        when count(failed_seq) > 0
        then
            ' of an operation that failed or timed out: number '
            || min(failed_seq)
            || coalesce(' of group ' || mode(coalesce(nullif(grp_desc, ''), grp)), '')
            || '.'
        else ' of a collective that timed out; which one is not in this log.'
    end as summary,
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence,
    min(time) as "at",
    max(time) as until,
    list_sort(list(distinct coalesce(rank, group_rank))) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    mode(coalesce(nullif(grp_desc, ''), grp)) as "group",
    min(failed_seq) as seq,
    null::varchar as host,
    min(last_completed) filter (
        last_completed < 1000000000000 and failed_seq is not null
    ) as last_completed,
    case
        when not bool_or(reason ilike '%timeout%' and reason not like 'Exception%') then 'possible'
    end as confidence
from c10d_status
where
    not exists (from c10d_timeout_line)
    and not exists (from c10d_heartbeat)
    and (
        source = 'dump_signal'
        and reason like '%timeout%'
        -- An error is told so as well: only where nothing else went wrong.
        or source = 'watchdog'
        and (
            reason = 'Timeout'
            or not exists (from fatal_exception)
            and not exists (from cuda_error)
            and not exists (from c10d_nccl_error)
            and not exists (from nccl_warning)
            and not exists (from nccl_ib_error)
            and not exists (from nccl_socket)
            and not exists (
                from c10d_event where event = 'watchdog_ended' and error not like '%timeout%'
            )
        )
    )
having count(*) > 0
union all by name
-- All that is left is what the watchdog says at its end, after an error as after a timeout: a
-- remark, no finding.
select
    case
        when count(distinct coalesce(rank, group_rank)) = 1
        then 'The watchdog of rank ' || any_value(coalesce(rank, group_rank))
        when count(coalesce(rank, group_rank)) > 0
        then 'The watchdogs of ranks ' || ranges(list(distinct coalesce(rank, group_rank)))
        else 'A watchdog'
    end
    || ' took the process down because of a collective that failed or timed out; which one is not in this log.'
    as summary,
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence,
    min(time) as "at",
    max(time) as until,
    list_sort(
        list(distinct coalesce(rank, group_rank)) filter (coalesce(rank, group_rank) is not null)
    ) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'possible' as confidence,
    'info' as severity
from c10d_event
where
    event = 'operations_failed'
    and not exists (from c10d_timeout_line)
    and not exists (from c10d_heartbeat)
    and not exists (from c10d_status)
    and not exists (from fatal_exception)
    and not exists (from cuda_error)
    and not exists (from c10d_nccl_error)
    and not exists (from nccl_warning)
    and not exists (from nccl_ib_error)
    and not exists (from nccl_ofi_error)
    and not exists (from nccl_socket)
having count(*) > 0
