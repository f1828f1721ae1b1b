/*
title      = "Ranks run different collectives under the same number"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["hang", "crash", "network.peer_lost", "divergence.stack", "divergence.collective_count"]
about      = """
All members of a group must issue the same collectives in the same order with fitting sizes and types. Here one number of one group stands for different operations, sizes or types: the program takes another way on some ranks. The minority is named; without a majority all are.
"""
remedy     = "Look at the place in the code where the ranks named part from the others: a condition on the rank, on the data or on an exception (a last batch, a log or checkpoint step of rank 0 only, a parameter without gradient)."
false_positives = "Operations that may differ by nature (all-to-all, scatter, gather, coalesced ones) are left out, so a real difference in them goes unseen."
references = ["https://pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"]
*/
with
    graded as (
        select
            *,
            case
                source
                when 'flight_recorder'
                then 1
                when 'fingerprint'
                then 2
                when 'nccl calls'
                then 3
                when 'watchdog'
                then 4
                else 5
            end as place
        from collective_mismatch_source
    ),
    -- Sources tell of one difference each in their own words; the first number of a group is the
    -- cause, later ones follow.
    best as (
        select *
        from graded
        order by coalesce(grade, 'definite') = 'possible', place, seq nulls last, time nulls last
        limit 1
    )
select
    'Ranks disagree'
    || coalesce(' on ' || field, '')
    || coalesce(' in collective ' || seq, '')
    || coalesce(' of group ' || grp, '')
    || ': '
    || said
    || '.' as summary,
    evidence || coalesce(
        (select flatten(list(g.evidence[:3])) from graded g where g.source <> b.source), []
    ) as evidence,
    time as "at",
    ranks,
    hosts,
    grp as "group",
    seq,
    field,
    "values",
    ops,
    all_ranks,
    version as fr_version,
    coalesce(b.grade, case when b.source = 'gloo' then 'probable' else 'definite' end) as confidence
from best b
