-- table: One row per rank whose watchdog gave up an earlier number of a group than those of most
-- others did: two numbers in all, and a quarter of the group at most in the earlier one.
with
    waiting as (
        select *, max(waits_for) over (partition by grp_key) as last
        from rank_progress
        where source = 'watchdog' and waits_for is not null
    ),
    waiting_group as (
        select grp_key
        from waiting
        group by grp_key
        having
            count(distinct waits_for) = 2
            and count(*) > 3
            and 4 * count(*) filter (waits_for < last) <= count(*)
    )
select source, rank, grp_key, waits_for as seq, op
from waiting
semi join waiting_group using (grp_key)
where waits_for < last and not exists (from suspect_awaited where source = 'watchdog')
