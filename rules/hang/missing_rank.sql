/*
title      = "A rank is missing in the collective the others wait in"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["hang.collective_timeout", "hang.init_incomplete", "hang.checkpoint", "hang.log_silence", "network.peer_lost", "network.connect_failure", "divergence.collective_count", "divergence.stack", "loss.rollback"]
explains_other_ranks = ["crash"]
about      = """
Collectives end when every member has joined. Here the rank(s) named have not joined, or lag behind, what the others wait in. Sources are the Flight Recorder (presence and counters per group), watchdog status lines, monitored_barrier, the desync report, Horovod's stall inspector, torch's analyser of dumps, counts of NCCL calls, stacks, system calls; those that agree make one incident with a higher grade, those that disagree, on the ranks or on the side, lower it and are both shown. A rank that waits itself for another one is never named. side = host: its program did not get there; side = device: it enqueued the work and its device did not finish what the others finished.
"""
remedy     = "Look at these ranks, not at those that timed out: stack (py-spy dump), kernel log and GPU state of their host, and the last lines of their own log."
false_positives = "Where dumps were taken of a job that still ran, a rank may be a step behind by chance. A rank whose dump or log alone is absent may be healthy, its dump only lost (grade possible): where others are proved to be missing, it is told beside them and not named."
references = ["https://pytorch.org/tutorials/unstable/flight_recorder_tutorial.html"]
*/
with
    graded as (
        select *, case grade when 'definite' then 3 when 'probable' then 2 else 1 end as score
        from missing_rank_suspect
        where len(ranks) > 0
    ),
    best as (select * from graded order by score desc, len(ranks) desc, source limit 1),
    -- Sources that name part of the same ranks agree: some name the first one they find only.
    judged as (
        select
            g.*,
            list_has_all(b.ranks, g.ranks) or list_has_all(g.ranks, b.ranks) as agrees,
            b.ranks as best_ranks,
            b.score as best_score
        from graded g
        cross join best b
    ),
    total as (
        select
            best_ranks as ranks,
            any_value(best_score) as best_score,
            count(distinct source) filter (agrees and ranks = best_ranks) as sources,
            list_sort(list(distinct source) filter (agrees)) as source,
            max(score) filter (not agrees) as other_score,
            string_agg(source || ' names ' || ranges(ranks), ', ' order by source) filter (
                not agrees
            ) as others,
            list_distinct(flatten(list(hosts) filter (agrees))) as hosts,
            list_distinct(flatten(list(pids) filter (agrees))) as pids,
            arg_max(grp, score) filter (agrees and grp is not null) as grp,
            arg_max(seq, score) filter (agrees and seq is not null) as seq,
            arg_max(op, score) filter (agrees and op is not null) as op,
            max(score) filter (agrees and side = 'host') as host_score,
            max(score) filter (agrees and side = 'device') as device_score,
            string_agg(
                distinct source || ' says ' || side, ', ' order by source || ' says ' || side
            ) filter (agrees and side is not null) as sides,
            arg_max(place, score) filter (agrees and place is not null) as place,
            min(judged."at") filter (agrees) as time,
            string_agg(said, '. ' order by score desc) filter (agrees) as said,
            max(timeout_ms) as timeout_ms,
            max(world_size) as world_size,
            coalesce(bool_or(sure) filter (agrees), false) as sure,
            bool_and(source in ('absent_dump', 'silent_log')) filter (agrees) as unseen,  -- named because nothing is heard of it, and for no other reason
            flatten(list(evidence order by score desc) filter (agrees)) as evidence
        from judged
        group by best_ranks
    ),
    voted as (
        select
            *,
            least(3, best_score + case when sources > 1 then 1 else 0 end)
            - case when other_score >= best_score then 1 else 0 end as score,
            host_score is not null and device_score is not null as sides_differ
        from total
    ),
    -- Where the sources agree on who and not on the side, the better proved side is told as such;
    -- of two as good, neither.
    final as (
        select
            * replace (case when sides_differ and score > 1 then score - 1 else score end as score),
            case
                when coalesce(host_score, 0) > coalesce(device_score, 0)
                then 'host'
                when coalesce(device_score, 0) > coalesce(host_score, 0)
                then 'device'
            end as side
        from voted
    )
select
    case when len(ranks) = 1 then 'Rank ' || ranks[1] else 'Ranks ' || ranges(ranks) end
    || case when unseen then ' may' when len(ranks) = 1 then ' has' else ' have' end
    || case
        when unseen
        then ' not have joined'
        when side = 'device' and not sides_differ
        then ' enqueued but not finished'
        when sides_differ
        then ' not finished'
        else ' not joined'
    end
    || ' what the others wait in'
    || coalesce(
        ' (' || nullif(
            concat_ws(' ', op, seq, case when grp is not null then 'of group ' || grp end), ''
        )
        || ')',
        ''
    )
    || case
        when sides_differ
        then '; whether on the host or the device side is disputed: ' || sides
        when side = 'device'
        then ': stuck on the device'
        when side = 'host'
        then ': stuck on the host side'
        else ''
    end
    || '. '
    || upper(said[1])
    || said[2:]
    || coalesce('. Another source disagrees: ' || others, '')
    || '.' as summary,
    evidence,
    time as "at",
    ranks,
    hosts,
    case
        when score >= 3 then 'definite' when score = 2 then 'probable' else 'possible'
    end as confidence,
    case when score <= 1 and not sure then 'warning' else 'critical' end as severity,
    case
        when list_contains(source, 'attach')
        then
            'The process of rank '
            || ranges(ranks)
            || ' is gone, there is nothing left to dump: see how it ended - its exit code, the end of its own log, the scheduler''s record, the kernel log of its host (OOM killer).'
        when unseen and score < 2
        then
            'First see whether the process of rank '
            || ranges(ranks)
            || ' still ran: its exit code, its own last lines, the disk its dump goes to. Nothing here speaks against its host or GPU, so don''t take it out for this alone.'
        when sides_differ
        then
            'See first where the program of rank '
            || ranges(ranks)
            || ' stands: py-spy dump of it, more than once, and the kernel log of its host for Xid; take the host out only where a GPU is at fault.'
        when side = 'device'
        then
            'Take the host of rank '
            || ranges(ranks)
            || ' out and test its GPU: kernel log for Xid, nvidia-smi -q, dcgmi diag -r 3.'
        when side = 'host'
        then
            'Find out where the program of rank'
            || case when len(ranks) = 1 then ' ' else 's ' end
            || ranges(ranks)
            || ' stood: '
            || case
                when list_contains(source, 'stacks')
                then 'one more py-spy dump (does it move?)'
                else 'a py-spy dump'
            end
            || ', the last log lines and the kernel log of its host.'
    end as action,
    grp as "group",
    seq,
    op,
    side,
    place as "where",
    case when len(pids) > 0 then pids end as pids,
    source,
    nullif(concat_ws(', ', others, case when sides_differ then sides end), '') as disagreement,
    timeout_ms,
    world_size
from final
where score >= 1
union all by name
-- Dumps that name processes and no ranks, where nobody names ranks.
select
    'Process '
    || array_to_string(p.pids, ', ')
    || coalesce(' on ' || nullif(array_to_string(p.hosts, ', '), ''), '')
    || case
        when p.source = 'strace'
        then ' is stopped. '
        else ' did not reach what the others wait in. '
    end
    || upper(p.said[1])
    || p.said[2:]
    || '.' as summary,
    p.evidence,
    p."at",
    p.hosts,
    case when p.grade = 'definite' then 'probable' else p.grade end as confidence,
    p.grp as "group",
    p.seq,
    p.op,
    p.side,
    p.place as "where",
    p.pids,
    [p.source] as source
from missing_rank_suspect p
where
    coalesce(len(p.ranks), 0) = 0
    and len(p.pids) > 0
    and not exists (from missing_rank_suspect q where len(q.ranks) > 0)
