-- table: one row per rank that is suspected of not having come: one that a root cause names as
-- missing, or, where init never completed, one that no log says anything of. silent: no log does.
-- looked_into: somebody took its stack, or tried to.
with
    suspect as (
        select unnest(ranks) as rank
        from root_cause
        where rule = 'hang.missing_rank'
        union
        select unnest(silent_ranks)
        from job_size, open_question
        where at_init
    )
select
    s.rank,
    k.host,
    s.rank in (select unnest(silent_ranks) from job_size) as silent,
    s.rank in (
        select rank
        from stack_rank
        where rank is not null
        union all
        select rank
        from attach_refused
        where rank is not null
    ) as looked_into
from suspect s
left join rank k on k.rank = s.rank
