-- table: one row: which ranks stand apart, if any do. found: failed (could not be dumped while
-- others wait) | hard (are where nobody waits for peers) | other (wait for peers, but elsewhere)
-- | mass (are not where most are, though nobody waits in a collective) | absent (were not dumped
-- while all others wait) | NULL.
with
    elsewhere as (
        select count(*) as n, count(*) = 1 and bool_and(may_be_root) as is_root from stack_elsewhere
    )
select
    case
        when j.is_alive or j.is_idle
        then null
        -- A process that is stopped or does not answer, while at least one other waits for it.
        when j.failing > 0 and j.waiting >= 1 and j.failing <= j.waiting and j.hard <= j.waiting
        then 'failed'
        when j.soft > 0
        then null
        when
            j.hard > 0
            and j.waiting > 0
            and (j.hard < j.waiting or (j.hard = 1 and j.waiting = 1))
            and (2 * crowd.n >= j.waiting or j.is_pipeline or j.loose > 0)
        then 'hard'
        when
            j.hard = 0
            and j.failing = 0
            and j.waiting = j.n
            and not j.is_pipeline
            and j.loose = 0
            and e.n > 0
            and (crowd.n > e.n or j.n = 2)
            and j.n >= 2
            and not e.is_root
        then 'other'
        -- Nobody waits in a collective: only of processes that are known to be ranks of one job is
        -- it said that they should be at one place.
        when
            j.hard > 0
            and (not j.guessed or mass.class = 'file-lock')
            and mass.n >= 2
            and 3 * mass.n >= 2 * j.n
            and mass.n < j.n
            and mass.class
            in ('file-lock', 'lock-wait', 'blocked', 'network-read', 'sleep', 'data-load')
        then 'mass'
        when
            j.hard = 0
            and j.failing = 0
            and j.waiting = j.n
            and j.n >= 2
            and j.n = j.ranked
            and not j.guessed
            and (select count(*) from stack_absent) between 1 and greatest(divide((j.n - 1), 2), 1)
            -- A dumped process that is taken for a helper may be the one.
            and not exists (
                from stack_main where role in ('helper', 'pool worker', 'driver', 'other')
            )
        then 'absent'
    end as found,
    j.*
from stack_job as j
cross join elsewhere as e
left join stack_place as crowd on crowd.is_crowd
left join stack_place as mass on mass.is_mass
